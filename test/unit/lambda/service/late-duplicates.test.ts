import type { Claim, Release, Renew } from '../../../../lambda/service/lock-store.ts';
import { alice, bob, carol, margin, T0 } from '../../../support/lock-items.ts';
import { attemptOf, type ServiceUnderTest, serviceUnderTest } from '../../../support/service-under-test.ts';

// A request that was sent again because its reply was lost may arrive after anything. Each test lets the writes of a
// first owner arrive once more, word for word, at a later stage of the lock's life.
describe('a late duplicate', () => {
  let setup: ServiceUnderTest;
  let claim: Claim;
  let renew: Renew;
  let release: Release;

  beforeEach(async () => {
    setup = serviceUnderTest();
    const { service, store, time } = setup;
    await service.try(attemptOf(alice));
    await time.advance(10_000);
    await service.renew(attemptOf(alice));
    [claim, renew] = store.calls.map(({ argument }) => argument) as [Claim, Renew];
    release = { lockId: 'a', me: alice, ttl: claim.ttl };
  });

  async function nothingChanges(write: () => Promise<{ written: boolean }>): Promise<void> {
    const before = structuredClone(setup.items.get('a'));
    expect(await write()).toMatchObject({ written: false });
    expect(setup.items.get('a')).toEqual(before);
  }

  const claimAgain = () => setup.others.claim(claim);
  const renewAgain = () => setup.others.renew(renew);
  const releaseAgain = () => setup.others.release(release);

  it('of the claim or of the renewal changes nothing while the owner still holds', async () => {
    await nothingChanges(claimAgain);
    await nothingChanges(renewAgain);
  });

  it('of an old renewal does not shorten the lease', async () => {
    await setup.time.advance(10_000);
    await setup.service.renew(attemptOf(alice));
    await nothingChanges(renewAgain);
    expect(setup.items.get('a')).toMatchObject({ until: T0 + 50_000 });
  });

  it('of any write changes nothing after the release', async () => {
    await setup.service.release({ lockId: 'a', ownerToken: alice });
    await nothingChanges(claimAgain);
    await nothingChanges(renewAgain);
    await nothingChanges(releaseAgain);
  });

  it('of any write changes nothing after a break', async () => {
    const { fence = 0 } = setup.items.get('a') ?? {};
    await setup.service.break({ lockId: 'a', fencingToken: fence });
    await nothingChanges(claimAgain);
    await nothingChanges(renewAgain);
    await nothingChanges(releaseAgain);
  });

  it('of any write changes nothing while another holds, by release or by expiry', async () => {
    await setup.service.release({ lockId: 'a', ownerToken: alice });
    await setup.service.try(attemptOf(bob));
    for (const again of [claimAgain, renewAgain, releaseAgain]) await nothingChanges(again);
    await setup.time.advance(30_000 + margin);
    expect(await setup.service.try(attemptOf(carol))).toMatchObject({ kind: 'granted' });
    for (const again of [claimAgain, renewAgain, releaseAgain]) await nothingChanges(again);
  });

  it('of a claim, after others held and released, holds for nobody no longer than one lease', async () => {
    await setup.service.release({ lockId: 'a', ownerToken: alice });
    await setup.service.try(attemptOf(bob));
    await setup.service.release({ lockId: 'a', ownerToken: bob });
    const { fence: bobs = 0 } = setup.items.get('a') ?? {};
    await claimAgain();
    expect(setup.items.get('a')).toMatchObject({ owner: alice, until: T0 + 30_000 });
    const next = await setup.time.run(setup.service.acquire({ ...attemptOf(carol), waitMs: 40_000, confirm: false }));
    expect(next).toMatchObject({ kind: 'granted', ownerToken: carol });
    expect((next as { fencingToken: number }).fencingToken).toBeGreaterThan(bobs);
    expect(setup.time.now()).toBeLessThanOrEqual(T0 + 30_000 + margin);
  });
});
