import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { dynamoDBLockClientFactory, type LockOptions } from '@deliveryhero/dynamodb-lock';
import type { LockSystem, Tuning } from '../lock-system.ts';
import { clientV3 } from './clients.ts';
import { RivalTable } from './rival-table.ts';

const keys = { partitionKey: 'lockId', sortKey: 'lockGroup' };
export const deliveryHeroTable = new RivalTable('deliveryhero', keys.partitionKey, keys.sortKey);

// As its documentation recommends, and as its own defaults have it.
const prolongedPart = 1 / 4;

/** Leases that it prolongs; no fencing tokens. What it is not given has the package's default. */
export function deliveryHero(setting: string, given: LockOptions): LockSystem {
  const leaseMs = given.leaseDurationInMs ?? 20_000;
  const looksByItself = given.trustLocalTime === true;
  return {
    name: `@deliveryhero/dynamodb-lock, ${setting}`,
    kind: 'rival',
    sdk: 'v3',
    settings: `${looksByItself ? `trustLocalTime, waitDurationInMs ${given.waitDurationInMs}` : 'waits for one lease between looks'}; lease ${leaseMs} ms, prolonged every 5,000 ms`,
    waitsMs: looksByItself ? (given.waitDurationInMs ?? 0) : leaseMs,
    renewsAfterPart: prolongedPart,
    tunes: looksByItself ? ['leaseMs', 'pollMs'] : ['leaseMs'],
    async connect(ground, tuning = {}) {
      const client = clientV3(ground.endpoint);
      const documents = DynamoDBDocument.from(client);
      const locks = dynamoDBLockClientFactory(documents, { tableName: deliveryHeroTable.nameIn(ground), ...keys });
      const options = { ...given, ...tuned(tuning) };
      return {
        async lock(lockId) {
          const lock = await locks.lock('bench', lockId, options);
          return { release: () => locks.releaseLock(lock) };
        },
        close: async () => client.destroy(),
      };
    },
  };
}

function tuned({ leaseMs, pollMs }: Tuning): LockOptions {
  return {
    ...(leaseMs !== undefined && { leaseDurationInMs: leaseMs, prolongEveryMs: leaseMs * prolongedPart }),
    ...(pollMs !== undefined && { waitDurationInMs: pollMs }),
  };
}
