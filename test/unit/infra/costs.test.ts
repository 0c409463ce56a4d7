import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessLogFields } from '../../../infra/access-log.ts';
import { type Consumption, costOf, deployment, fullLineUnits, hours, operations } from '../../bench/cost-model.ts';
import { costTables } from '../../bench/cost-table.ts';
import { prices } from '../../bench/prices.ts';
import { alice, bob, carol, heldItem, lineOf, T0, withLine } from '../../support/lock-items.ts';
import { acquireOf, type ServiceUnderTest, serviceUnderTest } from '../../support/service-under-test.ts';

const readme = readFileSync(join(__dirname, '..', '..', '..', 'infra', 'README.md'), 'utf8');

it('infra/README.md has the tables that `npm run costs` prints', () => {
  const [, , tables] = /<!-- (npm run costs) -->\n([\s\S]*?)\n<!-- end of costs -->/.exec(readme) ?? [];
  expect(tables).toBe(costTables());
});

it('costs are the sum of what was consumed at the list prices', () => {
  const cost = costOf({ requests: 1e6, writeUnits: 1e6, readUnits: 2e6, waitSeconds: 8 });
  expect(cost.api).toBeCloseTo(1);
  // 15 ms at 256 MB, a million times, and a GB-second of waiting.
  expect(cost.lambda).toBeCloseTo(0.2 + 3_750 * prices.lambdaGbSecond.dollars + prices.lambdaGbSecond.dollars, 6);
  expect(cost.table).toBeCloseTo(0.625 + 0.25);
  expect(cost.logs).toBeCloseTo(0.2);
});

it('a thousand waiters for a day cost $144 of waiting functions', () => {
  const { lambda } = costOf({ requests: 0, writeUnits: 0, readUnits: 0, waitSeconds: 24_000 * 3_600 });
  expect(Math.round(lambda)).toBe(144);
});

it('a waiter costs less the further back it stands', () => {
  const together = ['waiting, first in line', 'waiting, place 8', 'waiting, behind the first 8'].map((name) => {
    const { api, lambda, table, logs } = costOf(hours[name] ?? { requests: 0, writeUnits: 0, readUnits: 0 });
    return api + lambda + table + logs;
  });
  expect(together).toEqual([...together].sort((one, other) => other - one));
  expect(together.at(-1)).toBeGreaterThan(0);
});

it('a line of the access log has at most the length that costs count with, and not much less', () => {
  // What the gateway writes, typically, in place of each variable.
  const typical: Readonly<Record<string, string>> = {
    '$context.requestId': 'JKJaXmPLvHcESHA=',
    '$context.requestTime': '10/Mar/2026:07:03:22 +0000',
    '$context.routeKey': 'POST /v1/locks/{lockId}/renew',
    '$context.status': '200',
    '$context.identity.userArn': 'arn:aws:sts::123456789012:assumed-role/orders-worker/i-0123456789abcdef0',
  };
  const line = Object.fromEntries(
    Object.entries(accessLogFields).map(([name, variable]) => [name, typical[variable] ?? '-']),
  );
  const bytes = Buffer.byteLength(JSON.stringify(line));
  expect(bytes).toBeLessThanOrEqual(deployment.accessLogBytes);
  expect(bytes).toBeGreaterThan(0.7 * deployment.accessLogBytes);
});

const looking = new Set(['read', 'list']);

/** What a store was asked for so far, in units of an item within 1 KB. */
function unitsOf({ store: { calls } }: ServiceUnderTest): Pick<Consumption, 'writeUnits' | 'readUnits'> {
  const reads = calls.filter(({ operation }) => looking.has(operation));
  const strong = reads.filter(({ argument }) => (argument as { consistent?: boolean }).consistent === true);
  return { writeUnits: calls.length - reads.length, readUnits: (reads.length + strong.length) / 2 };
}

describe('what is counted with is what the service asks of its store', () => {
  const request = (ownerToken: string) => ({ lockId: 'a', ownerToken, leaseMs: 30_000, identity: { principal: 'p' } });

  it.each<[string, (setup: ServiceUnderTest) => Promise<unknown>]>([
    [
      'lock and unlock, nobody else wants it',
      async ({ service }) => {
        await service.try(request(bob));
        await service.release(request(bob));
      },
    ],
    ['a look at a lock', ({ service }) => service.inspect('a')],
  ])('%s', async (name, use) => {
    const setup = serviceUnderTest();
    await use(setup);
    expect(operations[name]).toMatchObject(unitsOf(setup));
  });

  it.each<[string, (setup: ServiceUnderTest) => Promise<unknown>]>([
    ['tryLock() of a lock that is held', ({ service }) => service.try(request(bob))],
    ['a renewal', ({ service }) => service.renew(request(alice))],
  ])('%s', async (name, use) => {
    const setup = serviceUnderTest({ items: [heldItem('a')] });
    await use(setup);
    expect(operations[name]).toMatchObject(unitsOf(setup));
  });

  it.each([
    [
      'lock and unlock with a wait and a hand-over, the wait itself apart',
      { expectWaiters: true, looksOfRelease: 0.5 },
    ],
    ['the same, two that take turns and nobody else', { expectWaiters: false, looksOfRelease: 0 }],
  ])('%s', async (name, { expectWaiters, looksOfRelease }) => {
    const setup = serviceUnderTest({ items: [heldItem('a')], random: () => 0.5 });
    const { service, time } = setup;
    await service.try(request(bob));
    const waiting = service.acquire(acquireOf(bob, { waitMs: 20_000, confirm: true, keepPlace: true }));
    // Another one's release, whose cost stands for that of the own one, later.
    const release = time.at(T0 + 100, () => service.release({ ...request(alice), expectWaiters }));
    await time.run(Promise.all([waiting, release]));
    await service.renew(request(bob));
    const { writeUnits } = unitsOf(setup);
    expect(operations[name]).toMatchObject({
      requests: 4,
      writeUnits,
      readUnits: looksOfRelease,
    });
    expect((await setup.others.read('a', { consistent: true }))?.owner).toBe(bob);
  });

  it.each([
    [1, 'waiting, first in line', 1],
    [8, 'waiting, place 8', 1],
    [40, 'waiting, behind the first 8', 1],
    [64, 'waiting, behind the first 8 of a full line', fullLineUnits],
  ])('an hour in place %d: %s', async (place, name, unitsOfWrite) => {
    const lasting = T0 + 7_200_000;
    const line = { ...lineOf(place - 1, lasting), [carol]: T0 + 5_000 };
    const items = [withLine(heldItem('a', { since: T0 - 60_000, until: lasting }), line)];
    const setup = serviceUnderTest({ items, random: () => 0.5 });
    const { service, time } = setup;
    let requests = 0;
    while (time.now() < T0 + 120_000) {
      requests++;
      const coming = acquireOf(carol, { waitMs: 20_000, confirm: true, keepPlace: true, resume: true });
      const outcome = await time.run(service.acquire(coming));
      if (outcome.kind !== 'still-waiting') throw new Error(`the place was lost: ${outcome.kind}`);
      if (place > 8) await time.advance(outcome.retryAfterMs);
    }
    const hour = 3_600_000 / (time.now() - T0);
    const { writeUnits, readUnits } = unitsOf(setup);
    const expected = hours[name] ?? { requests: 0, writeUnits: 0, readUnits: 0 };
    for (const [got, counted] of [
      [requests, expected.requests],
      [writeUnits * unitsOfWrite, expected.writeUnits],
      [readUnits, expected.readUnits],
    ] as const) {
      expect(Math.abs(got * hour - counted)).toBeLessThan(0.05 * counted);
    }
  });
});
