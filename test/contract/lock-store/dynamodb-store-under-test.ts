import { DeleteItemCommand, type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { LockItem } from '../../../lambda/service/lock-item.ts';
import { DynamoDbLockStore } from '../../../lambda/store/dynamodb-lock-store.ts';
import type { TestDynamoDb } from '../../support/dynamodb.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** Opens a store over a new table. The store may talk through a client of its own, what goes behind its back does not. */
export async function openDynamoDbStore(
  { client, createTable }: TestDynamoDb,
  storeClient: DynamoDBClient = client,
): Promise<StoreUnderTest> {
  const table = await createTable();
  const documents = DynamoDBDocumentClient.from(client);
  const keyOf = (lockId: string) => ({ TableName: table, Key: { lockId: { S: lockId } } });
  return {
    store: new DynamoDbLockStore(storeClient, table),
    async seed(...items) {
      for (let at = 0; at < items.length; at += 25) {
        const puts = items.slice(at, at + 25).map((Item) => ({ PutRequest: { Item } }));
        await documents.send(new BatchWriteCommand({ RequestItems: { [table]: puts } }));
      }
    },
    async stored(lockId) {
      const { Item } = await client.send(new GetItemCommand({ ...keyOf(lockId), ConsistentRead: true }));
      return Item && (unmarshall(Item) as LockItem);
    },
    async remove(lockId) {
      await client.send(new DeleteItemCommand(keyOf(lockId)));
    },
  };
}
