import { countedOperations } from '../../../../lambda/names.ts';
import { StoreFailedError, StoreUnavailableError } from '../../../../lambda/service/lock-store.ts';
import { type Operation, routes } from '../../../../sdk/wire/routes.ts';
import type { Sent } from '../../../support/gateway-event.ts';
import { type HandlersUnderTest, handlersUnderTest } from '../../../support/handlers-under-test.ts';
import {
  alice,
  bob,
  carol,
  freeItem,
  heldItem,
  lineOf,
  provisionalItem,
  T0,
  withLine,
  withWaiter,
} from '../../../support/lock-items.ts';

const operations = Object.keys(routes) as Operation[];
const bodies: Partial<Record<Operation, object>> = {
  try: { ownerToken: bob },
  acquire: { ownerToken: bob },
  renew: { ownerToken: bob },
  release: { ownerToken: bob },
  break: { fencingToken: 100 },
};
const sentFor = (operation: Operation) => ({ ...(bodies[operation] && { body: bodies[operation] }) });

/** What one request adds to the metrics. */
async function measuredOf(under: HandlersUnderTest, operation: Operation, sent?: Sent) {
  await under.send(operation, sent);
  expect(under.measured).toHaveLength(1);
  expect(under.measured[0]?.operation).toBe(operation);
  return under.measured[0]?.measured;
}

describe('the metrics count', () => {
  it.each(['try', 'acquire'] as const)('a grant of %s', async (operation) => {
    const under = handlersUnderTest({ items: [freeItem('a')] });
    expect(await measuredOf(under, operation, sentFor(operation))).toEqual({ Grants: 1 });
  });

  it('a refusal of try', async () => {
    const under = handlersUnderTest({ items: [heldItem('a')] });
    expect(await measuredOf(under, 'try', sentFor('try'))).toEqual({ Refusals: 1 });
  });

  it('a refusal of acquire after a wait, and how long it was', async () => {
    const under = handlersUnderTest({ items: [heldItem('a')] });
    const body = { ownerToken: bob, waitMs: 2_000 };
    expect(await measuredOf(under, 'acquire', { body })).toEqual({ Refusals: 1, Waits: 2_000 });
  });

  it('a grant after a wait, and how long it was', async () => {
    const under = handlersUnderTest({ items: [heldItem('a', { until: T0 + 4_000 })] });
    const { Waits, ...rest } = (await measuredOf(under, 'acquire', { body: { ownerToken: bob, waitMs: 9_000 } })) ?? {};
    expect(rest).toEqual({ Grants: 1 });
    expect(Waits).toBe(under.time.now() - T0);
    expect(Waits).toBeGreaterThan(4_000);
  });

  it('a wait whose place is kept, but no refusal', async () => {
    const under = handlersUnderTest({ items: [heldItem('a')] });
    const body = { ownerToken: bob, waitMs: 2_000, keepPlace: true };
    expect(await measuredOf(under, 'acquire', { body })).toEqual({ Waits: 2_000 });
  });

  it('a wait that ends with its place lost', async () => {
    const under = handlersUnderTest({
      items: [withWaiter(heldItem('a'), bob)],
      interposition: {
        after({ operation }) {
          if (operation === 'keepTicket') under.items.set('a', heldItem('a', { owner: carol }));
        },
      },
    });
    const body = { ownerToken: bob, waitMs: 9_000, keepPlace: true, resume: true };
    expect(await measuredOf(under, 'acquire', { body })).toEqual({ Waits: expect.any(Number) });
  });

  it('no wait of a caller who is told to come back at once', async () => {
    const line = lineOf(8, T0 + 60_000);
    const under = handlersUnderTest({ items: [withLine(heldItem('a'), line)] });
    const body = { ownerToken: bob, waitMs: 9_000, keepPlace: true };
    expect(await measuredOf(under, 'acquire', { body })).toEqual({});
  });

  it.each([
    [63, {}],
    [64, { Refusals: 1, FullLines: 1 }],
  ])('a full line, which %i waiters make: %j', async (waiters, measured) => {
    const under = handlersUnderTest({ items: [withLine(heldItem('a'), lineOf(waiters, T0 + 60_000))] });
    const body = { ownerToken: bob, waitMs: 9_000, keepPlace: true };
    expect(await measuredOf(under, 'acquire', { body })).toEqual(measured);
  });

  it('a full line for those alone who would join it', async () => {
    const under = handlersUnderTest({ items: [withLine(heldItem('a'), lineOf(64, T0 + 60_000))] });
    expect(await measuredOf(under, 'try', sentFor('try'))).toEqual({ Refusals: 1 });
  });

  it.each([true, false])('a hand-over (expectWaiters: %j)', async (expectWaiters) => {
    const under = handlersUnderTest({ items: [withWaiter(heldItem('a', { owner: bob }))] });
    expect(await measuredOf(under, 'release', { body: { ownerToken: bob, expectWaiters } })).toEqual({ HandOvers: 1 });
  });

  it('a transfer', async () => {
    const under = handlersUnderTest({ items: [heldItem('a', { owner: bob })] });
    const body = { ownerToken: bob, heir: { ownerToken: carol, leaseMs: 5_000 } };
    expect(await measuredOf(under, 'release', { body })).toEqual({ Transfers: 1 });
  });

  it('a hand-over and no transfer when the line goes before the heir', async () => {
    const under = handlersUnderTest({ items: [withWaiter(heldItem('a', { owner: bob }), alice)] });
    const body = { ownerToken: bob, heir: { ownerToken: carol, leaseMs: 5_000 }, expectWaiters: true };
    expect(await measuredOf(under, 'release', { body })).toEqual({ HandOvers: 1 });
  });

  it.each(['renew', 'release'] as const)('a lost lease that %s finds', async (operation) => {
    const under = handlersUnderTest({ items: [heldItem('a')] });
    expect(await measuredOf(under, operation, sentFor(operation))).toEqual({ LeasesLost: 1 });
  });

  it('a break, and the hand-over that it is to whoever waits', async () => {
    const alone = handlersUnderTest({ items: [heldItem('a')] });
    expect(await measuredOf(alone, 'break', sentFor('break'))).toEqual({ Breaks: 1 });
    const withLineBehind = handlersUnderTest({ items: [withWaiter(heldItem('a'))] });
    expect(await measuredOf(withLineBehind, 'break', sentFor('break'))).toEqual({ Breaks: 1, HandOvers: 1 });
  });

  it.each(operations)('a store that gives no answer under %s, and a fault', async (operation) => {
    for (const [error, measured] of [
      [new StoreUnavailableError('claim: DynamoDB answered TimeoutError: slow'), { StoreUnavailable: 1 }],
      [new StoreFailedError('claim: DynamoDB answered AccessDeniedException: no'), { InternalErrors: 1 }],
      [new TypeError('x is undefined'), { InternalErrors: 1 }],
    ] as const) {
      const under = handlersUnderTest({
        interposition: {
          before() {
            throw error;
          },
        },
      });
      expect(await measuredOf(under, operation, sentFor(operation))).toEqual(measured);
    }
  });

  it('nothing of what the gateway’s own counts tell', async () => {
    const items = [heldItem('a', { owner: bob }), freeItem('b'), provisionalItem('c', { owner: bob })];
    const under = handlersUnderTest({ items });
    await under.send('renew', { body: { ownerToken: bob } });
    await under.send('renew', { lockId: 'c', body: { ownerToken: bob } });
    await under.send('release', { body: { ownerToken: bob } });
    await under.send('inspect');
    await under.send('list');
    await under.send('break', { body: { fencingToken: 100 } });
    await under.send('break', { lockId: 'c', body: { fencingToken: 99 } });
    expect(under.measured.map(({ measured }) => measured)).toEqual([{}, {}, {}, {}, {}, {}, {}]);
  });

  it('nothing of a request that is not valid, that nobody authorized, or that has no route', async () => {
    const under = handlersUnderTest({ authorization: 'iam' });
    await under.send('try', { body: 'nonsense', authorizer: { iam: { userArn: 'arn:aws:iam::1:user/bob' } } });
    await under.send('try', { body: { ownerToken: bob } });
    await under.send('try', { routeKey: '$default' });
    expect(under.measured).toEqual([]);
  });
});

describe('what is measured', () => {
  it.each([false, true])('stands in no answer (keepPlace: %j)', async (keepPlace) => {
    const under = handlersUnderTest({ items: [heldItem('a')] });
    const { body } = await under.send('acquire', { body: { ownerToken: bob, waitMs: 2_000, keepPlace } });
    expect(under.measured[0]?.measured).toMatchObject({ Waits: 2_000 });
    expect(body).not.toHaveProperty('waitedMs');
  });
});

describe('the names', () => {
  it('know every operation', () => {
    expect(countedOperations.StoreUnavailable).toEqual(operations);
    expect(countedOperations.InternalErrors).toEqual(operations);
  });
});
