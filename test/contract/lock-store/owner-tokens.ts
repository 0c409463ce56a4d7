import {
  alice,
  bob,
  carol,
  claimAsHeadOf,
  handOverOf,
  heldItem,
  joinOf,
  nextOf,
  renewOf,
  T0,
  transferOf,
  withLine,
} from '../../support/lock-items.ts';
import type { OpenStore, StoreUnderTest } from './store-under-test.ts';

const ticketEnd = T0 + 20_000;

export function ownerTokensContract(open: OpenStore): void {
  describe('owner tokens', () => {
    let under: StoreUnderTest;
    beforeEach(async () => {
      under = await open();
    });

    it.each([
      ['begins with a hyphen', '-bcdefghijklmnopqrstuv'],
      ['is hyphens only', '-'.repeat(22)],
      ['is underscores only', '_'.repeat(43)],
      ['begins with a digit', '0bcdefghijklmnopqrstuv'],
      ['is digits only', '0123456789012345678901'],
      ['looks like a number', '9'.repeat(43)],
      ['looks like a path', 'queue-0-tickets-waiter0'],
      ['has 43 characters', 'Abcdefghij-Abcdefghij_Abcdefghij0Abcdefghij'],
    ])('stands in line, holds and hands on, when it %s', async (_, token) => {
      await under.seed(withLine(heldItem('a'), { [bob]: T0 + 5_000 }));
      const { store } = under;
      expect(await store.join(joinOf('a', token))).toMatchObject({ written: true, item: { queue: [bob, token] } });
      expect(await store.leave({ lockId: 'a', me: token, place: 1 })).toMatchObject({ item: { queue: [bob] } });
      await store.join(joinOf('a', token));
      expect(await store.keepTicket({ lockId: 'a', me: token, ticketEnd })).toMatchObject({
        written: true,
        item: { tickets: { [bob]: T0 + 5_000, [token]: ticketEnd } },
      });
      await store.leave({ lockId: 'a', me: bob, place: 0 });
      expect(await store.handOver(handOverOf('a', alice, nextOf(token)))).toMatchObject({
        written: true,
        item: { owner: token, last: alice, queue: [] },
      });
      expect(await store.renew(renewOf('a', token, T0 + 60_000))).toMatchObject({ written: true });
      expect(await store.transfer(transferOf('a', token, carol))).toMatchObject({
        written: true,
        item: { owner: carol, last: token },
      });
      const stored = await under.stored('a');
      expect(stored?.tickets).toEqual({});
    });

    it('are told apart to the letter: case, last character, one more', async () => {
      const tokens = ['a'.repeat(22), 'A'.repeat(22), `${'a'.repeat(21)}b`, 'a'.repeat(23)];
      await under.seed(heldItem('a'));
      for (const me of tokens) expect(await under.store.join(joinOf('a', me))).toMatchObject({ written: true });
      const [lower = '', upper = '', ...others] = tokens;
      await under.store.keepTicket({ lockId: 'a', me: upper, ticketEnd });
      expect((await under.stored('a'))?.tickets).toEqual({
        ...Object.fromEntries(tokens.map((me) => [me, T0 + 10_000])),
        [upper]: ticketEnd,
      });
      const second = claimAsHeadOf('a', upper, [lower], { over: T0 + 60_000 });
      const { item } = await under.store.claimAsHead(second);
      expect(item).toMatchObject({ owner: upper, queue: others });
      expect(Object.keys(item?.tickets ?? {}).sort()).toEqual([...others].sort());
    });
  });
}
