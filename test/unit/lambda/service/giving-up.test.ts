import type { AcquireRequest } from '../../../../lambda/service/acquiring.ts';
import type { LockItem } from '../../../../lambda/service/lock-item.ts';
import type { StoreCall } from '../../../support/interposed-store.ts';
import {
  alice,
  bob,
  carol,
  freeItem,
  heldItem,
  lineOf,
  margin,
  provisionalItem,
  T0,
  withLine,
} from '../../../support/lock-items.ts';
import {
  acquireOf,
  embeddedTiming,
  operationsOf,
  type ServiceUnderTest,
  serviceUnderTest,
} from '../../../support/service-under-test.ts';

interface Story {
  readonly item?: LockItem;
  readonly request?: Partial<AcquireRequest>;
  /** What happens 1,010 ms into the wait. */
  readonly meanwhile?: (setup: ServiceUnderTest) => unknown;
  readonly embedded?: boolean;
}

const lasting = T0 + 600_000;
const handOver = ({ service }: ServiceUnderTest) => service.release({ lockId: 'a', ownerToken: alice });

const stories: Record<string, Story> = {
  'that finds the lock free': { item: freeItem('a') },
  'that nobody ever took': {},
  'that waits to the end': { item: heldItem('a'), request: { waitMs: 2_000 } },
  'that waits to the end and keeps its place': { item: heldItem('a'), request: { waitMs: 2_000, keepPlace: true } },
  'that is told to come back': {
    item: withLine(heldItem('a'), lineOf(8, lasting)),
    request: { keepPlace: true },
  },
  'that is handed the lock, and confirms': { item: heldItem('a'), request: { confirm: true }, meanwhile: handOver },
  'that is handed the lock, confirmed by the service': { item: heldItem('a'), meanwhile: handOver },
  'that comes back to its place': {
    item: withLine(heldItem('a'), { [carol]: T0, [bob]: T0 + 1_000 }),
    request: { resume: true, keepPlace: true, waitMs: 2_000 },
  },
  'that comes back to a grant': {
    item: provisionalItem('a', { owner: bob }),
    request: { resume: true, confirm: true, keepPlace: true },
  },
  'that outlives the holder': { item: heldItem('a', { until: T0 + 1_000 }) },
  'that passes a dead waiter': { item: withLine(heldItem('a', { until: T0 + 1_000 }), { [carol]: T0 }) },
  'that passes a dead line': { item: withLine(heldItem('a', { until: T0 - margin }), { [carol]: T0 - margin }) },
  'outside a full line': {
    item: withLine(heldItem('a', { until: T0 + 1_000 }), lineOf(64, T0 + 3_000)),
    embedded: true,
  },
};

async function tell(
  { item, request, meanwhile, embedded }: Story,
  abort: { call?: (call: StoreCall & { total: number }) => 'before' | 'after' | undefined; atMs?: number },
) {
  const controller = new AbortController();
  const { signal } = controller;
  let total = 0;
  const answering = new Map<StoreCall, number>();
  const setup: ServiceUnderTest = serviceUnderTest({
    items: item ? [item] : [],
    ...(embedded && { timing: embeddedTiming }),
    interposition: {
      before(call) {
        answering.set(call, total++);
        if (abort.call?.({ ...call, total: total - 1 }) === 'before') controller.abort();
      },
      after(call) {
        if (abort.call?.({ ...call, total: answering.get(call) ?? -1 }) === 'after') controller.abort();
      },
    },
  });
  const { time, service } = setup;
  // What the holder does goes past the counted calls.
  const others = meanwhile && time.at(T0 + 1_010, () => meanwhile(setup));
  const aborted = abort.atMs !== undefined && time.at(T0 + abort.atMs, () => controller.abort());
  const outcome = await time.run(service.acquire(acquireOf(bob, { ...request, signal })));
  const settledAt = time.now();
  await time.run(Promise.all([others, aborted]));
  return { outcome, setup, settledAt, calls: total };
}

function expectNothingLeft({ items }: ServiceUnderTest): void {
  const item = items.get('a');
  expect(item?.owner).not.toBe(bob);
  expect(item?.queue ?? []).not.toContain(bob);
  expect(item?.tickets ?? {}).not.toHaveProperty(bob);
}

describe.each(Object.entries(stories))('a caller %s', (_, story) => {
  it('and gives up around any request to the store leaves nothing held and nothing in line', async () => {
    const { calls } = await tell(story, {});
    for (let at = 0; at < calls; at++) {
      for (const side of ['before', 'after'] as const) {
        const told = await tell(story, { call: ({ total }) => (total === at ? side : undefined) });
        expect(told.outcome).toEqual({ kind: 'gave-up' });
        expectNothingLeft(told.setup);
      }
    }
  });

  it('and gives up at any moment leaves nothing held and nothing in line, at once', async () => {
    const { settledAt } = await tell(story, {});
    for (let atMs = 0; atMs < settledAt - T0; atMs += 47) {
      const told = await tell(story, { atMs });
      expect(told.outcome).toEqual({ kind: 'gave-up' });
      expect(told.settledAt).toBe(T0 + atMs);
      expectNothingLeft(told.setup);
    }
  });

  it('would hold the lock or get its answer had it not given up', async () => {
    const { outcome } = await tell(story, {});
    expect(outcome.kind).toMatch(/^(granted|held|still-waiting)$/);
  });
});

describe('a caller that gives up', () => {
  it('leaves the holder and the others in line untouched', async () => {
    const item = withLine(heldItem('a'), { [carol]: T0 + 25_000 });
    const { outcome, setup } = await tell({ item }, { atMs: 1_000 });
    expect(outcome).toEqual({ kind: 'gave-up' });
    expect(setup.items.get('a')).toEqual({ ...item, rev: 9 });
    expect(operationsOf(setup).slice(-2)).toEqual(['read', 'leave']);
  });

  it('hands on what it was handed: the next in line gets the lock', async () => {
    const meanwhile = async (setup: ServiceUnderTest) => {
      await setup.others.join({ lockId: 'a', me: carol, ticketEnd: lasting, lineLimit: 64 });
      await handOver(setup);
    };
    const { setup } = await tell({ item: heldItem('a'), meanwhile }, { atMs: 1_011 });
    expect(setup.items.get('a')).toMatchObject({ owner: carol, last: bob, fence: 102, queue: [] });
  });

  it('takes nothing from a holder when it had given up before it asked', async () => {
    const controller = new AbortController();
    controller.abort();
    const setup = serviceUnderTest({ items: [heldItem('a')] });
    const outcome = await setup.service.acquire(acquireOf(bob, { signal: controller.signal }));
    expect(outcome).toEqual({ kind: 'gave-up' });
    expect(setup.items.get('a')).toEqual(heldItem('a'));
    expect(operationsOf(setup)).not.toContain('join');
  });
});
