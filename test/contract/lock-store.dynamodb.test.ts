import { startDynamoDb, type TestDynamoDb } from '../support/dynamodb.ts';
import { lockStoreContract } from './lock-store/contract.ts';
import { openDynamoDbStore } from './lock-store/dynamodb-store-under-test.ts';

describe('DynamoDB', () => {
  let database: TestDynamoDb;
  beforeAll(async () => {
    database = await startDynamoDb();
  });
  afterAll(() => database.stop());

  lockStoreContract(() => openDynamoDbStore(database));
});
