import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { throttlesOf } from '../../../infra/throttles.ts';
import {
  demandOf,
  demandOfFirst,
  demandOfFullLines,
  type Load,
  serviceLimits,
  tableLimits,
  throttledRoutes,
  waitLimits,
} from '../../bench/capacity-model.ts';
import { capacityTables, measuredMs } from '../../bench/capacity-table.ts';
import { quotas } from '../../bench/quotas.ts';

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

it.each([
  [load(50_000), []],
  [load(50_001), ['slots']],
  [load(100_000), ['slots']],
  [load(100_001), ['API requests', 'slots']],
])('of the API, %j must have %j', (asked, limits) => {
  expect(serviceLimits(demandOf(asked))).toEqual(limits);
});

it.each([
  [load(20_000, 1_000), { raise: [], tooMuch: [] }],
  [load(20_001, 1_001), { raise: ['try', 'renew'], tooMuch: [] }],
  [load(100_000, 10_000), { raise: ['try', 'renew', 'release'], tooMuch: [] }],
  [load(100_001, 10_001), { raise: [], tooMuch: ['try', 'renew', 'release'] }],
])('%j exceeds the throttles of %j', (asked, routes) => {
  expect(throttledRoutes(asked)).toEqual(routes);
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

it.each([
  [demandOfFirst(400), []],
  [demandOfFirst(401), ['`reservedConcurrency.acquire`']],
  [demandOfFirst(900), ['`reservedConcurrency.acquire`']],
  [demandOfFirst(901), ['`reservedConcurrency.acquire`', 'slots']],
  [demandOfFullLines(40), []],
  [demandOfFullLines(64), ['`reservedConcurrency.acquire`']],
])('%j of waiters must have %j', (demand, limits) => {
  expect(waitLimits(demand)).toEqual(limits);
});
