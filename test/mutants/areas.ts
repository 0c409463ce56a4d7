import { checkers } from './areas/checkers.ts';
import { deployment } from './areas/deployment.ts';
import { dynamodbStore } from './areas/dynamodb-store.ts';
import { lockApi } from './areas/lock-api.ts';
import { lockRules } from './areas/lock-rules.ts';
import { memoryStore } from './areas/memory-store.ts';
import { sdkLeases } from './areas/sdk-leases.ts';
import { sdkWaiting } from './areas/sdk-waiting.ts';
import type { Equivalent, Mutant } from './mutant.ts';

/** The faults that tests must notice, by where they are: the names of the files. */
export const areas: Readonly<Record<string, readonly Mutant[]>> = {
  'dynamodb-store': dynamodbStore,
  'memory-store': memoryStore,
  'lock-rules': lockRules,
  'lock-api': lockApi,
  deployment,
  'sdk-leases': sdkLeases,
  'sdk-waiting': sdkWaiting,
  checkers,
};

export const mutants: readonly Mutant[] = Object.values(areas).flat();

/** Faults that no test can notice, each with the reason. */
export const equivalents: readonly Equivalent[] = [
  {
    name: 'a refused write does not ask for the item',
    file: 'lambda/store/dynamodb-lock-store.ts',
    find: `ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',`,
    replace: `ReturnValues: 'ALL_NEW',`,
    equivalent:
      'dynalite leaves the item out in any case, so it is read; on DynamoDB Local the tests of its units notice the read',
  },
  {
    name: 'a single attempt may join the line',
    file: 'lambda/service/acquiring.ts',
    find: 'this.#mayJoin = !isTry && (',
    replace: 'this.#mayJoin = (',
    equivalent: 'it has no time to wait, keeps no place and comes back to none, so it may not in any case',
  },
];
