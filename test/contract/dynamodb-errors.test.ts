import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { type LockStore, StoreFailedError, StoreUnavailableError } from '../../lambda/service/lock-store.ts';
import { DynamoDbLockStore } from '../../lambda/store/dynamodb-lock-store.ts';
import { startDynamoDb, type TestDynamoDb } from '../support/dynamodb.ts';
import { startFaultyProxy } from '../support/faulty-proxy.ts';
import {
  alice,
  bob,
  claimAsHeadOf,
  claimOf,
  claimPastOf,
  handOverOf,
  joinOf,
  nextOf,
  releasePastOf,
  renewOf,
  T0,
  transferOf,
} from '../support/lock-items.ts';
import { rejectionOf } from '../support/rejection.ts';
import { startScriptedEndpoint } from '../support/scripted-endpoint.ts';
import { expectNoSecretIn } from '../support/secrets.ts';

const ttl = 1_800_700_000;

const operations: [string, (store: LockStore) => Promise<unknown>][] = [
  ['claim', (store) => store.claim(claimOf('a', alice))],
  ['claimAsHead', (store) => store.claimAsHead(claimAsHeadOf('a', alice, [bob]))],
  ['claimPast', (store) => store.claimPast(claimPastOf('a', alice))],
  ['join', (store) => store.join(joinOf('a', alice))],
  ['keepTicket', (store) => store.keepTicket({ lockId: 'a', me: alice, ticketEnd: T0 })],
  ['leave', (store) => store.leave({ lockId: 'a', me: alice, place: 0 })],
  ['renew', (store) => store.renew(renewOf('a', alice, T0 + 30_000))],
  ['release', (store) => store.release({ lockId: 'a', me: alice, ttl })],
  ['handOver', (store) => store.handOver(handOverOf('a', alice, nextOf(bob)))],
  ['releasePast', (store) => store.releasePast(releasePastOf('a', alice))],
  ['transfer', (store) => store.transfer(transferOf('a', alice, bob))],
  ['break', (store) => store.breakHold({ lockId: 'a', victim: alice, rev: 1, fence: 1, ttl })],
  ['read', (store) => store.read('a', { consistent: true })],
  ['list', (store) => store.list({ prefix: '', state: 'held', cut: T0, limit: 10 })],
];

describe('errors of DynamoDB', () => {
  let database: TestDynamoDb;
  beforeAll(async () => {
    database = await startDynamoDb();
  });
  afterAll(() => database.stop());

  const started: { stop(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const each of started.splice(0)) await each.stop();
  });

  async function storeAt(answer?: { status: number; body: string }) {
    const endpoint = await startScriptedEndpoint(answer);
    started.push(endpoint);
    return { endpoint, store: () => new DynamoDbLockStore(database.newClient(endpoint.endpoint), 'locks') };
  }

  it.each(operations)('%s on a missing table fails for good, and names the operation', async (name, operate) => {
    const store = new DynamoDbLockStore(database.client, 'no-such-table');
    const error = await rejectionOf(operate(store));
    expect(error).toBeInstanceOf(StoreFailedError);
    expect(error.message).toMatch(new RegExp(`^${name}: DynamoDB answered ResourceNotFoundException: .*\\(request `));
    expectNoSecretIn(error, alice);
  });

  it('a write that the stored item does not allow fails for good, and shows nothing of the item', async () => {
    const table = await database.createTable();
    const Item = { lockId: { S: 'a' }, owner: { S: alice }, last: { S: bob }, until: { N: '1' } };
    await database.client.send(new PutItemCommand({ TableName: table, Item }));
    const store = new DynamoDbLockStore(database.client, table);
    const error = await rejectionOf(store.renew(renewOf('a', alice, T0)));
    expect(error).toBeInstanceOf(StoreFailedError);
    expect(error.message).toContain('ValidationException');
    expectNoSecretIn(error, alice, bob);
  });

  it('a refusal whose item cannot be read is of unknown outcome', async () => {
    const proxy = await startFaultyProxy(database.endpoint);
    started.push(proxy);
    const store = new DynamoDbLockStore(database.newClient(proxy.endpoint), await database.createTable());
    const traps = [1, 2, 3].map(() => proxy.setTrap('GetItem', 'refuse'));
    // There is no item, so that no endpoint sends one along.
    const error = await rejectionOf(store.renew(renewOf('a', alice, T0)));
    await Promise.all(traps.map(({ struck }) => struck));
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error.message).toMatch(/^read: /);
    expectNoSecretIn(error, alice);
  });

  it.each(operations)('%s where nobody listens is of unknown outcome', async (name, operate) => {
    const gone = await startScriptedEndpoint();
    await gone.stop();
    const store = new DynamoDbLockStore(database.newClient(gone.endpoint), 'locks');
    const error = await rejectionOf(operate(store));
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error.message).toContain(`${name}: `);
    expect(error.message).toContain('ECONNREFUSED');
    expect(error).toMatchObject({ answered: false });
    expectNoSecretIn(error, alice);
  });

  it('an endpoint that never answers is given up after three attempts, within about 5 s', async () => {
    const { endpoint, store } = await storeAt();
    const startedAt = performance.now();
    const errors = await Promise.all(operations.map(([, operate]) => rejectionOf(operate(store()))));
    // Twice the promise: the machine may be busy.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(endpoint.count()).toBe(3 * operations.length);
    for (const error of errors) {
      expect(error).toBeInstanceOf(StoreUnavailableError);
      expect(error.message).toContain('TimeoutError');
      expectNoSecretIn(error, alice);
    }
  });

  // Every error comes with the stored item, whether DynamoDB would send it or not.
  const errorBody = (type: string) =>
    JSON.stringify({
      __type: `com.amazonaws.dynamodb.v20120810#${type}`,
      message: 'the reason',
      Item: { owner: { S: alice }, last: { S: bob } },
    });

  it.each([
    ['InternalServerError', 500],
    ['ProvisionedThroughputExceededException', 400],
    ['ThrottlingException', 400],
    ['RequestLimitExceeded', 400],
  ])('%s is asked three times and then of unknown outcome', async (type, status) => {
    const { endpoint, store } = await storeAt({ status, body: errorBody(type) });
    const error = await rejectionOf(store().claim(claimOf('a', alice)));
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error.message).toContain(`claim: DynamoDB answered ${type}: the reason`);
    expect(endpoint.count()).toBe(3);
    expectNoSecretIn(error, alice, bob);
  });

  it.each([
    ['AccessDeniedException', 400],
    ['ValidationException', 400],
    ['UnrecognizedClientException', 400],
    ['ExpiredTokenException', 400],
  ])('%s is asked once and fails for good', async (type, status) => {
    const { endpoint, store } = await storeAt({ status, body: errorBody(type) });
    const error = await rejectionOf(store().claim(claimOf('a', alice)));
    expect(error).toBeInstanceOf(StoreFailedError);
    expect(endpoint.count()).toBe(1);
    expectNoSecretIn(error, alice, bob);
  });

  it.each([
    ['not JSON', '<html>Bad gateway</html>'],
    ['JSON that is damaged behind a token', `{"Attributes":{"owner":{"S":"${alice}"x}}`],
    ['JSON that ends within a token', `{"Attributes":{"owner":{"S":"${alice.slice(0, 20)}`],
    ['a bare token', alice],
  ])('an answer that is %s is of unknown outcome, and nothing of it is shown', async (_, body) => {
    const { store } = await storeAt({ status: 200, body });
    const error = await rejectionOf(store().claim(claimOf('a', alice)));
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error).toMatchObject({ answered: true });
    expectNoSecretIn(error, alice);
  });
});
