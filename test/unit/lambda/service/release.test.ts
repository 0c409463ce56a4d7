import { LockService } from '../../../../lambda/service/lock-service.ts';
import {
  type LockStore,
  type Release,
  StoreUnavailableError,
  type WriteResult,
} from '../../../../lambda/service/lock-store.ts';
import { alice, bob, claimOf, freeItem, heldItem, provisionalItem, T0 } from '../../../support/lock-items.ts';
import { serviceUnderTest } from '../../../support/service-under-test.ts';

const byAlice = { lockId: 'a', ownerToken: alice };
const byBob = { lockId: 'a', ownerToken: bob };

describe('release', () => {
  it.each([
    ['held', heldItem('a')],
    ['provisional', provisionalItem('a')],
    ['over, while nobody else took it', heldItem('a', { until: T0 - 60_000 })],
  ])('gives back a hold that is %s, by one write', async (_, item) => {
    const { service, items, store } = serviceUnderTest({ items: [item] });
    expect(await service.release(byAlice)).toEqual({ kind: 'released' });
    expect(items.get('a')).toEqual(freeItem('a', { last: alice, rev: 8, ttl: T0 / 1_000 + 604_800 }));
    expect(store.calls.map(({ operation }) => operation)).toEqual(['release']);
  });

  it('repeated finds it done', async () => {
    const { service, items } = serviceUnderTest({ items: [heldItem('a')] });
    await service.release(byAlice);
    const after = items.get('a');
    expect(await service.release(byAlice)).toEqual({ kind: 'released' });
    expect(items.get('a')).toEqual(after);
  });

  it('repeated after another took the lock finds it done, and leaves the other alone', async () => {
    const { service, items } = serviceUnderTest({ items: [heldItem('a', { owner: bob, last: alice })] });
    expect(await service.release(byAlice)).toEqual({ kind: 'released' });
    expect(items.get('a')).toEqual(heldItem('a', { owner: bob, last: alice }));
  });

  it.each([
    ['another holds it', heldItem('a'), 'superseded'],
    ['nobody holds it', freeItem('a'), 'superseded'],
    ['it was broken', freeItem('a', { broken: bob }), 'broken'],
    ['it was broken, and another holds it', heldItem('a', { broken: bob }), 'broken'],
  ] as const)('tells that the lease is lost, and touches nothing: %s', async (_, item, reason) => {
    const { service, items } = serviceUnderTest({ items: [item] });
    expect(await service.release(byBob)).toEqual({ kind: 'lease-lost', reason });
    expect(items.get('a')).toEqual(item);
  });

  it('tells that the lease is lost where nothing is stored, and stores nothing', async () => {
    const { service, items } = serviceUnderTest();
    expect(await service.release(byBob)).toEqual({ kind: 'lease-lost', reason: 'absent' });
    expect(items.size).toBe(0);
  });

  it('tries again when the refusal shows a hold of its own', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a')] });
    const release = setup.store.release;
    let refusals = 0;
    setup.store.release = async (argument) => {
      if (refusals++ === 0) return { written: false, item: setup.items.get('a') };
      return release(argument);
    };
    expect(await setup.service.release(byAlice)).toEqual({ kind: 'released' });
    expect(setup.items.get('a')).toMatchObject({ last: alice });
  });

  it('does not try for ever', async () => {
    const { service, store } = serviceUnderTest({ items: [heldItem('a')] });
    let attempts = 0;
    store.release = async () => {
      attempts++;
      return { written: false, item: heldItem('a') };
    };
    await expect(service.release(byAlice)).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(attempts).toBeLessThan(10);
  });

  it('passes on that the store gave no answer', async () => {
    const lost = new StoreUnavailableError('lost');
    const { service } = serviceUnderTest({
      items: [heldItem('a')],
      interposition: {
        after() {
          throw lost;
        },
      },
    });
    await expect(service.release(byAlice)).rejects.toBe(lost);
  });
});

describe('a release that the store repeated by itself, its first reply lost', () => {
  // What befalls the lock between the two.
  const releasedWith = async (meanwhile: (others: LockStore) => Promise<unknown>) => {
    const { others, time, items } = serviceUnderTest({ items: [heldItem('a')] });
    const store: LockStore = Object.create(others, {
      release: {
        value: async (release: Release): Promise<WriteResult> => {
          await meanwhile(others);
          const result = await others.release(release);
          return result.written ? result : { ...result, repeated: true };
        },
      },
    });
    const service = new LockService(store, time.surroundings());
    return { outcome: await service.release(byAlice), item: items.get('a') };
  };

  it('is done, although a successor has held and released since', async () => {
    const { outcome, item } = await releasedWith(async (others) => {
      await others.release({ lockId: 'a', me: alice, ttl: 1 });
      await others.claim(claimOf('a', bob));
      await others.release({ lockId: 'a', me: bob, ttl: 1 });
    });
    expect(outcome).toEqual({ kind: 'released' });
    expect(item).toMatchObject({ last: bob });
  });

  it('is done, and leaves the successor alone that holds now', async () => {
    const { outcome, item } = await releasedWith(async (others) => {
      await others.release({ lockId: 'a', me: alice, ttl: 1 });
      await others.claim(claimOf('a', bob));
    });
    expect(outcome).toEqual({ kind: 'released' });
    expect(item).toMatchObject({ owner: bob });
  });

  it('is not done when the hold was broken: that left its mark', async () => {
    const { outcome } = await releasedWith((others) =>
      others.breakHold({ lockId: 'a', victim: alice, fence: 100, ttl: 1 }),
    );
    expect(outcome).toEqual({ kind: 'lease-lost', reason: 'broken' });
  });
});
