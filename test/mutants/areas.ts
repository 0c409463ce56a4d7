import { checkers } from './areas/checkers.ts';
import { deployment } from './areas/deployment.ts';
import { dynamodbStore } from './areas/dynamodb-store.ts';
import { lockApi } from './areas/lock-api.ts';
import { lockRules } from './areas/lock-rules.ts';
import { memoryStore } from './areas/memory-store.ts';
import { sdkLeases } from './areas/sdk-leases.ts';
import { sdkWaiting } from './areas/sdk-waiting.ts';
import type { Equivalent, Mutant } from './mutant.ts';

/** Every fault that a test must notice, by where it is. */
export const mutants: readonly Mutant[] = [
  ...dynamodbStore,
  ...memoryStore,
  ...lockRules,
  ...lockApi,
  ...deployment,
  ...sdkLeases,
  ...sdkWaiting,
  ...checkers,
];

/** Faults that no test can notice, each with the reason. */
export const equivalents: readonly Equivalent[] = [];
