import { handlersUnderTest } from '../../../support/handlers-under-test.ts';
import { alice, bob, carol, dave, heldItem, T0, withWaiter } from '../../../support/lock-items.ts';
import { expectNoSecretIn } from '../../../support/secrets.ts';

const heldWithLine = (waiters: readonly string[]) =>
  heldItem('a', {
    queue: waiters,
    tickets: Object.fromEntries(waiters.map((waiter) => [waiter, T0 + 60_000])),
  });
const crowd = (size: number) => Array.from({ length: size }, (_, at) => `${at}`.padStart(22, 'w'));

describe('acquire with keepPlace', () => {
  it('answers the place in line at the end of its wait, how long it is kept, and when to come back', async () => {
    const { send, items } = handlersUnderTest({ items: [heldWithLine([carol])] });
    const answer = await send('acquire', { body: { ownerToken: bob, waitMs: 2_000, keepPlace: true } });
    expect(answer).toMatchObject({
      status: 409,
      headers: { 'retry-after': '0' },
      body: {
        code: 'still-waiting',
        holder: 'host-a',
        expiresInMs: 28_000,
        waiters: 2,
        position: 2,
        retryAfterMs: 0,
        resumeWithinMs: 5_000,
      },
    });
    expect(items.get('a')).toMatchObject({ queue: [carol, bob], tickets: { [bob]: T0 + 7_000 } });
    expectNoSecretIn(answer, alice, bob, carol);
  });

  it('answers at once behind the first 8, and tells the later ones to come back later, 2 s at the most', async () => {
    const advice = async (before: number) => {
      const { send, time } = handlersUnderTest({ items: [heldWithLine(crowd(before))] });
      const { body } = await send('acquire', { body: { ownerToken: bob, keepPlace: true } });
      expect(time.now()).toBe(T0);
      return body as { code: string; position: number; retryAfterMs: number };
    };
    expect(await advice(8)).toMatchObject({ code: 'still-waiting', position: 9, retryAfterMs: 250 });
    expect(await advice(9)).toMatchObject({ code: 'still-waiting', position: 10, retryAfterMs: 500 });
    expect(await advice(40)).toMatchObject({ code: 'still-waiting', position: 41, retryAfterMs: 2_000 });
  });

  it('with resume waits on at the same place', async () => {
    const { send, time, items } = handlersUnderTest({ items: [heldWithLine([bob])] });
    const body = { ownerToken: bob, waitMs: 2_000, keepPlace: true, resume: true };
    expect(await send('acquire', { body })).toMatchObject({ body: { code: 'still-waiting', position: 1 } });
    expect(time.now()).toBe(T0 + 2_000);
    expect(items.get('a')).toMatchObject({ queue: [bob] });
  });

  it('with resume answers that the place is gone, and neither claims nor joins', async () => {
    const { send, items } = handlersUnderTest({ items: [heldWithLine([carol])] });
    const body = { ownerToken: bob, keepPlace: true, resume: true };
    expect(await send('acquire', { body })).toMatchObject({ status: 409, body: { code: 'place-lost' } });
    expect(items.get('a')).toEqual(heldWithLine([carol]));
  });
});

describe('acquire without keepPlace', () => {
  it('leaves the line at the end of its wait', async () => {
    const { send, items } = handlersUnderTest({ items: [heldWithLine([carol])] });
    const answer = await send('acquire', { body: { ownerToken: bob, waitMs: 1_000 } });
    expect(answer).toMatchObject({ status: 409, body: { code: 'lock-held', waiters: 1 } });
    expect(items.get('a')).toMatchObject({ queue: [carol], tickets: { [carol]: T0 + 60_000 } });
  });

  it('stands in no line behind the first 8', async () => {
    const { send, items, time } = handlersUnderTest({ items: [heldWithLine(crowd(8))] });
    const answer = await send('acquire', { body: { ownerToken: bob } });
    expect(answer).toMatchObject({ status: 409, body: { code: 'lock-held', waiters: 8, retryAfterMs: 2_000 } });
    expect(time.now()).toBe(T0);
    expect(items.get('a')).toEqual(heldWithLine(crowd(8)));
  });
});

describe('release', () => {
  it('takes a waiter out of the line', async () => {
    const { send, items } = handlersUnderTest({ items: [heldWithLine([bob, carol])] });
    expect(await send('release', { body: { ownerToken: bob } })).toMatchObject({
      status: 200,
      body: { released: true },
    });
    expect(items.get('a')).toMatchObject({ owner: alice, queue: [carol] });
  });

  it('hands the lock to the first in line, and shows it as provisional', async () => {
    const { send } = handlersUnderTest({ items: [heldWithLine([bob, carol])] });
    expect(await send('release', { body: { ownerToken: alice, expectWaiters: true } })).toMatchObject({ status: 200 });
    const { body } = await send('inspect', {});
    expect(body).toMatchObject({ state: 'provisional', waiters: 1 });
  });

  const heir = { ownerToken: dave, leaseMs: 5_000, holder: 'next' };

  it('gives the lock to an heir when nobody stands in line, and answers its lease', async () => {
    const { send, items } = handlersUnderTest({ items: [heldItem('a')] });
    const answer = await send('release', { body: { ownerToken: alice, heir } });
    expect(answer).toMatchObject({
      status: 200,
      body: { released: true, heir: { ownerToken: dave, leaseMs: 5_000, provisional: false, fencingToken: 101 } },
    });
    expect(items.get('a')).toMatchObject({ owner: dave, holder: 'next', principal: 'local', last: alice });
  });

  it('passes an heir by when somebody stands in line', async () => {
    const { send, items } = handlersUnderTest({ items: [withWaiter(heldItem('a'))] });
    const answer = await send('release', { body: { ownerToken: alice, heir } });
    expect(answer).toMatchObject({ status: 200, body: { released: true } });
    expect(answer.body).not.toHaveProperty('heir');
    expect(items.get('a')?.owner).not.toBe(dave);
  });

  it('names the faults of an heir by their place in the body', async () => {
    const { send } = handlersUnderTest();
    const answer = await send('release', { body: { ownerToken: alice, heir: { leaseMs: 5, wait: 1 } } });
    expect(answer).toMatchObject({ status: 400 });
    const { errors } = answer.body as { errors: { path: string; detail: string }[] };
    expect(errors.map(({ path }) => path).sort()).toEqual(['/heir/leaseMs', '/heir/ownerToken', '/heir/wait']);
    expect(errors.find(({ path }) => path === '/heir/wait')?.detail).toContain('allowed: ownerToken, holder, leaseMs');
  });
});
