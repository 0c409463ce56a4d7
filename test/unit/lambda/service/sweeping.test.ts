import type { LockItem } from '../../../../lambda/service/lock-item.ts';
import { leastRestMs, type SweptPage, sweep } from '../../../../lambda/service/sweeping.ts';
import { MemoryLockStore } from '../../../../lambda/store/memory-lock-store.ts';
import { interposed } from '../../../support/interposed-store.ts';
import { bob, claimOf, freeItem, heldItem, T0, withWaiter } from '../../../support/lock-items.ts';

const dayMs = 24 * 60 * 60 * 1_000;
const olderThanMs = 30 * dayMs;
const weekSeconds = leastRestMs / 1_000;

/** A lock that was released at a moment. */
const releasedAt = (lockId: string, ms: number, more: Partial<LockItem> = {}) =>
  freeItem(lockId, { ttl: Math.ceil(ms / 1_000) + weekSeconds, ...more });

async function swept(items: readonly LockItem[], options: Partial<{ dryRun: boolean; olderThanMs: number }> = {}) {
  const kept = new Map(items.map((item) => [item.lockId, item]));
  const store = interposed(new MemoryLockStore(kept));
  const pages: SweptPage[] = [];
  for await (const page of sweep(store, { now: () => T0, olderThanMs, ...options })) pages.push(page);
  return { kept: [...kept.keys()], store, pages };
}

describe('a sweep', () => {
  it('removes what has been at rest for longer, and leaves the rest', async () => {
    const longAgo = T0 - olderThanMs;
    const { kept, pages } = await swept([
      releasedAt('released then', longAgo),
      releasedAt('released a second later', longAgo + 1_000),
      heldItem('over since then', { until: longAgo, ttl: Math.ceil(longAgo / 1_000) + weekSeconds }),
      heldItem('held', { until: T0 + 30_000 }),
      withWaiter(releasedAt('waited for', longAgo)),
      releasedAt('of a clock that was wrong', longAgo, { fence: T0 + dayMs }),
    ]);
    expect(kept).toEqual(['released a second later', 'held', 'waited for', 'of a clock that was wrong']);
    expect(pages).toEqual([
      { examined: 6, removed: ['over since then', 'released then'], usedAgain: [], leftAlone: [] },
    ]);
  });

  it('may take what a time to live would take, and no less', async () => {
    const items = [releasedAt('a', T0 - leastRestMs), releasedAt('b', T0 - leastRestMs + 1_000)];
    expect((await swept(items, { olderThanMs: leastRestMs })).kept).toEqual(['b']);
    await expect(swept(items, { olderThanMs: leastRestMs - 1 })).rejects.toThrow(
      'locks must have been at rest for 604800000 ms before they are removed, got 604799999',
    );
    await expect(swept(items, { olderThanMs: Number.NaN })).rejects.toThrow(RangeError);
  });

  it('goes through a table of many pages, whatever goes on the way', async () => {
    const items = Array.from({ length: 250 }, (_, at) => releasedAt(`lock-${at}`, at % 2 ? 0 : T0));
    const { kept, pages } = await swept(items);
    expect(pages.map(({ examined }) => examined)).toEqual([100, 100, 50]);
    expect(pages.flatMap(({ removed }) => removed)).toHaveLength(125);
    expect(kept).toHaveLength(125);
  });

  it('only says what would go when it is a dry run', async () => {
    const { kept, store, pages } = await swept([releasedAt('a', 0)], { dryRun: true });
    expect(kept).toEqual(['a']);
    expect(pages).toEqual([{ examined: 1, removed: ['a'], usedAgain: [], leftAlone: [] }]);
    expect(store.calls.map(({ operation }) => operation)).toEqual(['list']);
  });

  it('leaves a lock that somebody claimed between the look and the removal', async () => {
    const items = new Map([['a', releasedAt('a', 0)]]);
    const others = new MemoryLockStore(items);
    const store = interposed(others, {
      async before({ operation }) {
        if (operation === 'remove') await others.claim(claimOf('a', bob));
      },
    });
    const pages: SweptPage[] = [];
    for await (const page of sweep(store, { now: () => T0, olderThanMs })) pages.push(page);
    expect(pages).toEqual([{ examined: 1, removed: [], usedAgain: ['a'], leftAlone: [] }]);
    expect(items.get('a')).toMatchObject({ owner: bob, fence: 101 });
  });

  it('counts as removed what is gone when its removal comes, as after a lost reply', async () => {
    const items = new Map([['a', releasedAt('a', 0)]]);
    const store = interposed(new MemoryLockStore(items), {
      before({ operation }) {
        if (operation === 'remove') items.delete('a');
      },
    });
    const pages: SweptPage[] = [];
    for await (const page of sweep(store, { now: () => T0, olderThanMs })) pages.push(page);
    expect(pages).toEqual([{ examined: 1, removed: ['a'], usedAgain: [], leftAlone: [] }]);
  });

  it.each<[string, object]>([
    ['a fencing token that is text', { fence: '100' }],
    ['a revision that is text', { rev: '7' }],
    ['a time to live that is none', { ttl: 'long ago' }],
    ['no fencing token', { fence: undefined }],
    ['an owner without an end of its lease', { owner: bob }],
    ['an owner that is none', { owner: 7, until: 1 }],
    ['an end of a lease that is text', { owner: bob, until: '1' }],
    ['an end of a lease without an owner', { until: 1 }],
    ['no line', { queue: undefined }],
    ['a line that is none', { queue: 'bob' }],
    ['a line of other things', { queue: [7] }],
    ['no tickets', { tickets: undefined }],
  ])('leaves what is not an item of a lock alone, says so, and goes on: %s', async (_, fault) => {
    const odd = { ...releasedAt('b', 0), ...fault } as LockItem;
    const { kept, store, pages } = await swept([releasedAt('a', 0), odd, releasedAt('c', 0)]);
    expect(kept).toEqual(['b']);
    expect(pages).toEqual([{ examined: 3, removed: ['a', 'c'], usedAgain: [], leftAlone: ['b'] }]);
    expect(store.calls.filter(({ operation }) => operation === 'remove')).toHaveLength(2);
  });
});
