import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { dynamoDBLockClientFactory, type LockOptions } from '@deliveryhero/dynamodb-lock';
import type { LockSystem } from '../lock-system.ts';
import { clientV3 } from './clients.ts';
import { RivalTable } from './rival-table.ts';

const keys = { partitionKey: 'lockId', sortKey: 'lockGroup' };
export const deliveryHeroTable = new RivalTable('deliveryhero', keys.partitionKey, keys.sortKey);

/** Leases that it prolongs; no fencing tokens. */
export function deliveryHero(setting: string, options: LockOptions, settings: string): LockSystem {
  return {
    name: `@deliveryhero/dynamodb-lock, ${setting}`,
    kind: 'rival',
    sdk: 'v3',
    settings,
    async connect(ground) {
      const client = clientV3(ground.endpoint);
      const documents = DynamoDBDocument.from(client);
      const locks = dynamoDBLockClientFactory(documents, { tableName: deliveryHeroTable.nameIn(ground), ...keys });
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
