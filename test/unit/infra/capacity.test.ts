import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import fc from 'fast-check';
import { concurrencyOf } from '../../../infra/concurrency.ts';
import { LockService } from '../../../infra/lock-service.ts';
import { throttlesOf } from '../../../infra/throttles.ts';
import { waitsAtOnce } from '../../../lambda/throttles.ts';
import { type Advice, adviceForLoad, adviceForWaits, listed } from '../../bench/capacity-advice.ts';
import {
  type Demand,
  demandOf,
  demandOfFirst,
  demandOfFullLines,
  type Load,
  renewalsOf,
  tableLimits,
} from '../../bench/capacity-model.ts';
import { capacityTables, loads, measuredMs, waiters } from '../../bench/capacity-table.ts';
import { quotas } from '../../bench/quotas.ts';
import { newApp, standInCode, unwatched } from './synthesized.ts';

const root = join(__dirname, '..', '..', '..');
const page = readFileSync(join(root, 'infra', 'capacity.md'), 'utf8');
const benchmarks = readFileSync(join(root, 'test', 'bench', 'README.md'), 'utf8');

const load = (heldLocks: number, grantsPerSecond = 0, leaseMs = 30_000): Load => ({
  heldLocks,
  grantsPerSecond,
  leaseMs,
});

it.each(Object.entries(capacityTables()))(
  'infra/capacity.md has the table that `npm run capacity` prints: %s',
  (name, table) => {
    expect(page).toContain(`<!-- npm run capacity: ${name} -->\n${table}\n<!-- end -->`);
  },
);

it('hand-overs count as they were measured in the run that test/bench/README.md shows', () => {
  const measured = (figure: string) => {
    const row = benchmarks.split('\n').find((line) => line.startsWith(`| ${figure}`)) ?? '';
    return Number(/^\S+/.exec(row.split('|')[3]?.trim() ?? '')?.[0]);
  };
  expect(measuredMs).toEqual({
    betweenProcesses: measured('hand-over to another process, 8 waiting, held 20 ms: median'),
    inProcessHttp: measured('same process: hand-over over HTTP, median'),
    inProcessEmbedded: measured('same process: hand-over embedded, median'),
  });
});

it('a held lock is renewed three times in its lease, a grant is two requests, and each is one write', () => {
  expect(demandOf(load(1_000, 10))).toMatchObject({ requests: 120, writeUnits: 120, readUnits: 0 });
  expect(demandOf(load(1_000, 10, 300_000))).toMatchObject({ requests: 30, writeUnits: 30 });
});

it.each([
  [load(40_000), []],
  [load(40_001), ['grow to the writes']],
  [load(400_000), ['grow to the writes']],
  [load(400_001), ["table's writes"]],
])('of the table, %j must have %j', (asked, limits) => {
  expect(tableLimits(demandOf(asked))).toEqual(limits);
});

it.each<[Load, string[]]>([
  [load(20_000, 1_000), []],
  [load(20_001, 1_001), ['`throttles.try`', '`throttles.renew`']],
  [load(50_000), ['`throttles.renew`']],
  [load(50_001), ['`throttles.renew`', 'slots']],
  [load(100_000), ['`throttles.renew`', 'slots']],
  [load(100_001), ['2 lock services each with `throttles.renew`', 'API requests', 'slots']],
  [load(0, 2_001), ['`throttles.try`', '`throttles.renew`', '`throttles.release`', 'slots']],
  [load(0, 10_000), ['`throttles.try`', '`throttles.renew`', '`throttles.release`', 'API requests', 'slots']],
])('over the API, %j must have %j', (asked, advice) => {
  expect(listed(adviceForLoad(asked))).toEqual(advice);
});

it('what no throttle can be set to is what the construct refuses', () => {
  const most = quotas.apiRequests.value;
  const renew = (requestsPerSecond: number) => () =>
    throttlesOf({ throttles: { renew: { requestsPerSecond, burst: 1_000 } } }, { account: 1_000, reserved: {} });
  expect(renew(most)).not.toThrow();
  expect(renew(most + 1)).toThrow('requestsPerSecond');
});

it('eight of a full line keep slots, and the others come back by requests of the same route', () => {
  const { requests, waitingSlots } = demandOfFullLines(64);
  expect(waitingSlots).toBe(8);
  expect(requests).toBeCloseTo(8 / 20 + 56 / 2);
});

it.each<[Demand, string[]]>([
  [demandOfFirst(400), []],
  [demandOfFirst(401), ['`reservedConcurrency.acquire`']],
  [demandOfFirst(900), ['`reservedConcurrency.acquire`']],
  [demandOfFirst(901), ['`reservedConcurrency.acquire`', 'slots']],
  [demandOfFullLines(40), []],
  [demandOfFullLines(64), ['`reservedConcurrency.acquire`']],
])('%j of waiters must have %j', (demand, advice) => {
  expect(listed(adviceForWaits(demand))).toEqual(advice);
});

/** What the routes of one of the lock services take that were made as they are advised. */
function takenBy({ props }: Advice) {
  return throttlesOf(props, concurrencyOf(props));
}

function expectToTake(asked: Load): void {
  const advice = adviceForLoad(asked);
  const throttles = takenBy(advice);
  const each = (perSecond: number) => perSecond / advice.services;
  expect(throttles.try.requestsPerSecond).toBeGreaterThanOrEqual(each(asked.grantsPerSecond));
  expect(throttles.release.requestsPerSecond).toBeGreaterThanOrEqual(each(asked.grantsPerSecond));
  expect(throttles.renew.requestsPerSecond).toBeGreaterThanOrEqual(each(renewalsOf(asked)));
}

function expectToTakeWaits(demand: Demand): void {
  const advice = adviceForWaits(demand);
  const { acquire } = takenBy(advice);
  const slots = advice.props.reservedConcurrency.acquire ?? waitsAtOnce(acquire);
  expect(acquire.requestsPerSecond).toBeGreaterThanOrEqual(demand.requests / advice.services);
  expect(slots).toBeGreaterThanOrEqual(demand.waitingSlots / advice.services);
}

describe('what the page tells to do first', () => {
  it.each([
    ...loads.map((asked): [string, Advice] => [JSON.stringify(asked), adviceForLoad(asked)]),
    ...waiters.map(([name, demand]): [string, Advice] => [`waiters: ${name}`, adviceForWaits(demand)]),
  ])('is taken by the construct, for %s', (_, { props }) => {
    const stack = new Stack(newApp(), 'Mine');
    expect(() => new LockService(stack, 'Locks', { functionCode: standInCode, ...unwatched, ...props })).not.toThrow();
  });

  it('lets every load in, and the construct takes it', () => {
    const asked = fc.record({
      heldLocks: fc.integer({ min: 0, max: 3_000_000 }),
      leaseMs: fc.integer({ min: 1_000, max: 86_400_000 }),
      grantsPerSecond: fc.integer({ min: 0, max: 30_000 }),
    });
    fc.assert(fc.property(asked, expectToTake), { numRuns: 500, examples: loads.map((each): [Load] => [each]) });
  });

  it.each([demandOfFirst, demandOfFullLines])(
    'lets all waiters in, and the construct takes it: %p',
    (demandOfWaiters) => {
      const count = fc.integer({ min: 1, max: 100_000 });
      fc.assert(
        fc.property(count, (waiting) => expectToTakeWaits(demandOfWaiters(waiting))),
        { numRuns: 500 },
      );
    },
  );
});
