import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { LockSystem } from '../lock-system.ts';
import { clientV3 } from './clients.ts';
import { RivalTable } from './rival-table.ts';

export const naiveTable = new RivalTable('naive', 'lockId');
const usualPollMs = 100;

/** What is written by hand where there is no library: no lease, no line, no fencing tokens. */
export const naive: LockSystem = {
  name: 'naive',
  kind: 'rival',
  sdk: 'v3',
  settings: `put if absent, again every ${usualPollMs} ms, delete if mine`,
  tunes: ['pollMs'],
  async connect(ground, { pollMs = usualPollMs } = {}) {
    const client = clientV3(ground.endpoint);
    const documents = DynamoDBDocumentClient.from(client);
    const TableName = naiveTable.nameIn(ground);
    return {
      async lock(lockId) {
        const owner = randomUUID();
        const put = new PutCommand({
          TableName,
          Item: { lockId, owner },
          ConditionExpression: 'attribute_not_exists(lockId)',
        });
        for (;;) {
          try {
            await documents.send(put);
            break;
          } catch (error) {
            if (!(error instanceof ConditionalCheckFailedException)) throw error;
            await pause(pollMs);
          }
        }
        return {
          async release() {
            await documents.send(
              new DeleteCommand({
                TableName,
                Key: { lockId },
                ConditionExpression: '#owner = :owner',
                ExpressionAttributeNames: { '#owner': 'owner' },
                ExpressionAttributeValues: { ':owner': owner },
              }),
            );
          },
        };
      },
      close: async () => client.destroy(),
    };
  },
};
