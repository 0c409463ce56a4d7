import { StoreFailedError, StoreUnavailableError } from '../../../../lambda/service/lock-store.ts';
import { type Operation, routes } from '../../../../sdk/wire/routes.ts';
import { handlersUnderTest, madeToken } from '../../../support/handlers-under-test.ts';
import {
  alice,
  bob,
  carol,
  dave,
  freeItem,
  heldItem,
  provisionalItem,
  withWaiter,
} from '../../../support/lock-items.ts';
import { expectNoSecretIn } from '../../../support/secrets.ts';

const operations = Object.keys(routes) as Operation[];
const bodies: Partial<Record<Operation, object>> = {
  try: { ownerToken: bob },
  acquire: { ownerToken: bob },
  renew: { ownerToken: bob },
  release: { ownerToken: bob },
  break: { fencingToken: 100, note: 'a note' },
};
const sentFor = (operation: Operation) => ({ ...(bodies[operation] && { body: bodies[operation] }) });

function failing(error: unknown) {
  return handlersUnderTest({
    items: [heldItem('a')],
    interposition: {
      before() {
        throw error;
      },
    },
  });
}

describe.each(operations)('when the store fails under %s', (operation) => {
  const seen = { requestId: 'request-1', operation, principal: 'local', ...(operation !== 'list' && { lockId: 'a' }) };

  it('a lost answer is "store-unavailable": repeat with the same token', async () => {
    const under = failing(new StoreUnavailableError('claim: DynamoDB answered TimeoutError: slow (request r-9)'));
    const answer = await under.send(operation, sentFor(operation));
    expect(answer).toMatchObject({ status: 503, body: { code: 'store-unavailable', requestId: 'request-1' } });
    expect(JSON.stringify(answer)).not.toContain('TimeoutError');
    const cause = 'claim: DynamoDB answered TimeoutError: slow (request r-9)';
    expect(under.log).toEqual([{ level: 'error', message: 'store unavailable', fields: { ...seen, cause } }]);
  });

  it.each([
    ['a refusal of the store', new StoreFailedError('claim: DynamoDB answered AccessDeniedException: no')],
    ['a fault of our own', new TypeError('x is undefined')],
  ])('%s is "internal" with the request id, and its stack is for the log alone', async (_, error) => {
    const under = failing(error);
    const answer = await under.send(operation, sentFor(operation));
    expect(answer).toMatchObject({ status: 500, body: { code: 'internal', requestId: 'request-1' } });
    expect(JSON.stringify(answer)).not.toContain(error.message);
    expect(JSON.stringify(answer)).not.toMatch(/\.ts|\bat /);
    expect(under.log).toEqual([{ level: 'error', message: 'internal error', fields: { ...seen, cause: error.stack } }]);
  });

  it('even something thrown that is no error is answered', async () => {
    const under = failing('a text');
    expect(await under.send(operation, sentFor(operation))).toMatchObject({ status: 500, body: { code: 'internal' } });
    expect(under.log).toMatchObject([{ fields: { cause: 'a text' } }]);
  });
});

describe('the log', () => {
  it('has no line for a success, nor for a lock that is held, nor for a request that is not valid', async () => {
    const under = handlersUnderTest({ items: [heldItem('a'), freeItem('b'), freeItem('c', { last: bob })] });
    await under.send('try', { body: { ownerToken: bob } });
    await under.send('try', { lockId: 'b', body: { ownerToken: bob } });
    await under.send('renew', { lockId: 'b', body: { ownerToken: bob } });
    await under.send('release', { lockId: 'b', body: { ownerToken: bob } });
    await under.send('try', { lockId: 'c', body: { ownerToken: bob } });
    await under.send('inspect');
    await under.send('list');
    await under.send('break', { body: { fencingToken: 99 } });
    await under.send('try', { body: 'nonsense' });
    expect(under.log).toEqual([]);
  });

  it('tells of a lost lease, and why', async () => {
    const under = handlersUnderTest({ items: [freeItem('a', { broken: bob })] });
    await under.send('renew', { body: { ownerToken: bob } });
    await under.send('release', { body: { ownerToken: bob } });
    const fields = { requestId: 'request-1', principal: 'local', lockId: 'a', reason: 'broken' };
    expect(under.log).toEqual([
      { level: 'info', message: 'lease lost', fields: { ...fields, operation: 'renew' } },
      { level: 'info', message: 'lease lost', fields: { ...fields, operation: 'release' } },
    ]);
  });

  it('tells of a break: who broke whose hold, which, and the note', async () => {
    const under = handlersUnderTest({ items: [heldItem('a')], authorization: 'iam' });
    const userArn = 'arn:aws:iam::1:user/admin';
    const body = { fencingToken: 100, note: 'host-a is gone' };
    await under.send('break', { body, authorizer: { iam: { userArn } } });
    expect(under.log).toEqual([
      {
        level: 'warn',
        message: 'hold broken',
        fields: {
          requestId: 'request-1',
          operation: 'break',
          principal: userArn,
          lockId: 'a',
          fencingToken: 100,
          note: 'host-a is gone',
          brokenHolder: 'host-a',
          brokenPrincipal: 'arn:aws:iam::1:user/alice',
        },
      },
    ]);
  });

  it('and answers hold no owner token but the caller’s own in its lease, whatever happens', async () => {
    const items = [
      withWaiter(heldItem('held', { last: dave, broken: dave })),
      provisionalItem('provisional', { last: dave, broken: dave }),
      freeItem('free', { broken: alice }),
    ];
    const faults = [
      undefined,
      new StoreUnavailableError('claim: DynamoDB answered TimeoutError: slow'),
      new StoreFailedError('claim: DynamoDB answered ValidationException: no'),
    ];
    for (const fault of faults) {
      const under = handlersUnderTest({
        items,
        interposition: {
          before() {
            if (fault) throw fault;
          },
        },
      });
      for (const operation of operations) {
        for (const lockId of ['held', 'provisional', 'free', 'none']) {
          for (const body of [
            bodies[operation],
            { ...bodies[operation], leaseMs: 1 },
            { nonsense: bob },
            `{"ownerToken":"${bob}`,
          ]) {
            const answer = await under.send(operation, { lockId, ...(body !== undefined && { body }) });
            expectNoSecretIn(answer, alice, carol, dave);
            if (answer.status !== 200) expectNoSecretIn(answer, bob);
          }
        }
      }
      expectNoSecretIn(under.log, alice, bob, carol, dave, madeToken);
    }
  });
});

describe('the trace of the caller', () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const spanId = 'b7ad6b7169203331';
  const loggedWith = async (traceparent: string) => {
    const under = handlersUnderTest({ items: [heldItem('a')] });
    await under.send('renew', { body: { ownerToken: bob }, headers: { traceparent } });
    return under.log[0]?.fields;
  };

  it('stands in each line of its request', async () => {
    expect(await loggedWith(`00-${traceId}-${spanId}-01`)).toMatchObject({ traceId, spanId, requestId: 'request-1' });
  });

  it('is the last of several, which is the nearest to the request', async () => {
    const outer = `00-${traceId}-${'1'.repeat(16)}-01`;
    expect(await loggedWith(`${outer}, 00-${traceId}-${spanId}-01`)).toMatchObject({ traceId, spanId });
    expect(await loggedWith(`00-${traceId}-${spanId}-01,x`)).toMatchObject({ traceId, spanId });
  });

  it.each([
    'x',
    `ff-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01 and more`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
  ])('is left out when it is none: %j', async (traceparent) => {
    const fields = await loggedWith(traceparent);
    expect(fields).toBeDefined();
    expect(fields).not.toHaveProperty('traceId');
    expect(fields).not.toHaveProperty('spanId');
  });
});
