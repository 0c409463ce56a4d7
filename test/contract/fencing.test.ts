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

  it.each(['a.b', 'a_b', '#a', ':a', 'a b', '[0]', 'ünï', '_', '🔒', 'x'.repeat(245)])(
    'remembers it in an attribute named %s',
    async (name) => {
      await write(1, 100, name);
      await expect(write(2, 99, name)).rejects.toMatchObject({ name: 'ConditionalCheckFailedException' });
      expect(await read()).toEqual({ ...Key, balance: 1, [name]: 100 });
    },
  );

  it('is fenced by two locks at once, each in an attribute of its own, when one request brings both', async () => {
    const writeUnder = (balance: number, tokens: Readonly<Record<string, number>>) => {
      const fences = Object.entries(tokens).map(([attribute, token]) => fencing(token, attribute));
      return documents.send(
        new UpdateCommand({
          TableName: table,
          Key,
          UpdateExpression: `SET balance = :balance, ${fences.map(({ set }) => set).join(', ')}`,
          ConditionExpression: fences.map(({ condition }) => condition).join(' AND '),
          ExpressionAttributeNames: Object.assign({}, ...fences.map(({ names }) => names)),
          ExpressionAttributeValues: Object.assign({ ':balance': balance }, ...fences.map(({ values }) => values)),
        }),
      );
    };
    await writeUnder(1, { fenceA: 200, fenceB: 5 });
    await writeUnder(2, { fenceA: 201, fenceB: 5 });
    for (const older of [
      { fenceA: 200, fenceB: 6 },
      { fenceA: 202, fenceB: 4 },
    ]) {
      await expect(writeUnder(3, older)).rejects.toMatchObject({ name: 'ConditionalCheckFailedException' });
    }
    expect(await read()).toEqual({ ...Key, balance: 2, fenceA: 201, fenceB: 5 });
  });
});

it.each([undefined, null, 0, -1, 1.5, Number.NaN, '7', 2 ** 53])('%p is no fencing token', (token) => {
  expect(() => fencing(token as number)).toThrow(IllegalArgumentError);
});

it('a bigint is told apart from the number that it looks like', () => {
  expect(() => fencing(5n as never)).toThrow('a whole number from 1, got 5n (bigint)');
});

describe('the placeholders', () => {
  it('are the same for one attribute at all times', () => {
    const { set, condition, names, values } = fencing(7, 'last_fence');
    expect(names).toEqual({ '#holdfast_last_5f_fence': 'last_fence' });
    expect(values).toEqual({ ':holdfast_last_5f_fence': 7 });
    expect(set).toBe('#holdfast_last_5f_fence = :holdfast_last_5f_fence');
    expect(condition).toContain('#holdfast_last_5f_fence <= :holdfast_last_5f_fence');
    expect(Object.keys(fencing(1).names)).toEqual(['#holdfast_fence']);
  });

  it('are different for different attributes, however alike', () => {
    const attributes = [
      'a_b',
      'a.b',
      'ab',
      'a_5f_b',
      'a5fb',
      'a__b',
      'A_b',
      '_5f_',
      '_',
      '5f',
      'ä',
      'a\u0308',
      '\ud800',
    ];
    const names = attributes.map((attribute) => Object.keys(fencing(1, attribute).names)[0]);
    expect(new Set(names).size).toBe(attributes.length);
    for (const name of names) expect(name).toMatch(/^#[A-Za-z0-9_]+$/);
  });

  it('cannot be made for a name that is too long for them', () => {
    expect(() => fencing(1, 'x'.repeat(246))).toThrow(/name of the attribute must be shorter.*, got "xxx/);
  });
});

it('the attribute needs a name', () => {
  expect(() => fencing(1, '')).toThrow(IllegalArgumentError);
});
