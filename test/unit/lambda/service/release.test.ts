import { StoreUnavailableError } from '../../../../lambda/service/lock-store.ts';
import { alice, bob, freeItem, heldItem, provisionalItem, T0, withWaiter } from '../../../support/lock-items.ts';
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

  it('never empties a line, and does not try for ever', async () => {
    const item = withWaiter(heldItem('a'));
    const { service, items, store } = serviceUnderTest({ items: [item] });
    await expect(service.release(byAlice)).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(items.get('a')).toEqual(item);
    expect(store.calls.length).toBeLessThan(10);
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
