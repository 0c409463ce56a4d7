import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { fencing, IllegalArgumentError } from '../../sdk/index.ts';
import { startDynamoDb, type TestDynamoDb } from '../support/dynamodb.ts';

describe('a table of one’s own that is fenced', () => {
  let database: TestDynamoDb;
  let documents: DynamoDBDocumentClient;
  let table: string;

  beforeAll(async () => {
    database = await startDynamoDb();
    documents = DynamoDBDocumentClient.from(database.client);
  });
  afterAll(() => database.stop());
  beforeEach(async () => {
    table = await database.createTable();
  });

  const Key = { lockId: 'account 1' };
  const write = (balance: number, fencingToken: number, attribute?: string) => {
    const fence = fencing(fencingToken, attribute);
    return documents.send(
      new UpdateCommand({
        TableName: table,
        Key,
        UpdateExpression: `SET balance = :balance, ${fence.set}`,
        ConditionExpression: fence.condition,
        ExpressionAttributeNames: fence.names,
        ExpressionAttributeValues: { ':balance': balance, ...fence.values },
      }),
    );
  };
  const read = async () => (await documents.send(new GetCommand({ TableName: table, Key, ConsistentRead: true }))).Item;

  it('takes the first write, others under the same hold, and those under later ones', async () => {
    await write(1, 100);
    await write(2, 100);
    await write(3, 101);
    expect(await read()).toEqual({ ...Key, balance: 3, fence: 101 });
  });

  it('refuses a write under an older hold, and keeps what it has', async () => {
    await write(3, 101);
    await expect(write(2, 100)).rejects.toMatchObject({ name: 'ConditionalCheckFailedException' });
    expect(await read()).toEqual({ ...Key, balance: 3, fence: 101 });
  });

  it('remembers the fencing token in an attribute of any name, reserved words too', async () => {
    await write(1, 100, 'order');
    await expect(write(2, 99, 'order')).rejects.toMatchObject({ name: 'ConditionalCheckFailedException' });
    expect(await read()).toEqual({ ...Key, balance: 1, order: 100 });
  });
});

it.each([undefined, null, 0, -1, 1.5, Number.NaN, '7', 2 ** 53])('%p is no fencing token', (token) => {
  expect(() => fencing(token as number)).toThrow(IllegalArgumentError);
});

it('the attribute needs a name', () => {
  expect(() => fencing(1, '')).toThrow(IllegalArgumentError);
});
