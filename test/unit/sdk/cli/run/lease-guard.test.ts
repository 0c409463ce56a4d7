import { graceOf, LeaseGuard } from '../../../../../sdk/cli/run/lease-guard.ts';
import type { Renewal } from '../../../../../sdk/index.ts';
import { connectMemory } from '../../../../../sdk/memory.ts';

const leaseMs = 8_000;
const deadlineMs = leaseMs * 0.999;
const graceMs = 2_000;

let startedMs: number;
let sent: [signal: string, atMs: number][];
let told: string[];

beforeEach(() => {
  jest.useFakeTimers();
  startedMs = performance.now();
  sent = [];
  told = [];
});
afterEach(() => jest.useRealTimers());

async function guarded(renewal: Renewal) {
  const locks = connectMemory();
  const lease = await locks.createLock('a', { leaseMs, renewal }).acquire();
  const guard = new LeaseGuard(
    lease,
    leaseMs,
    { signal: (signal) => sent.push([signal, performance.now() - startedMs]) },
    (signal, why) => told.push(`${signal} ${why}`),
  );
  return { locks, lease, guard };
}
const signals = () => sent.map(([signal]) => signal);
const firstMs = (wanted: string) => sent.find(([signal]) => signal === wanted)?.[1] ?? Number.NaN;

describe('the grace', () => {
  it.each([
    [1_000, 250],
    [20_000, 5_000],
    [20_004, 5_000],
    [3_600_000, 5_000],
  ])('of a lease of %d ms is %d ms', (length, grace) => {
    expect(graceOf(length)).toBe(grace);
  });
});

describe('a guard', () => {
  it('does nothing while the lease is renewed, nor after it was stopped', async () => {
    const { guard, lease } = await guarded('automatic');
    await jest.advanceTimersByTimeAsync(60_000);
    guard.stop();
    await lease.release();
    await jest.advanceTimersByTimeAsync(60_000);
    expect([sent, guard.hasStruck]).toEqual([[], false]);
  });

  it('sends TERM a grace before the deadline, not earlier, and KILL at the deadline, again and again until it is stopped', async () => {
    const { guard } = await guarded('manual');
    await jest.advanceTimersByTimeAsync(deadlineMs - graceMs - 10);
    expect([sent, guard.hasStruck]).toEqual([[], false]);
    await jest.advanceTimersByTimeAsync(20);
    expect(signals()).toEqual(['SIGTERM', 'SIGCONT']);
    expect(guard.hasStruck).toBe(true);
    await jest.advanceTimersByTimeAsync(graceMs - 20);
    expect(signals()).toEqual(['SIGTERM', 'SIGCONT']);
    await jest.advanceTimersByTimeAsync(20);
    expect(signals()).toEqual(['SIGTERM', 'SIGCONT', 'SIGKILL']);
    expect(Math.abs(firstMs('SIGKILL') - deadlineMs)).toBeLessThan(10);
    await jest.advanceTimersByTimeAsync(2_500);
    expect(signals().filter((signal) => signal === 'SIGKILL')).toHaveLength(3);
    expect(told).toEqual(['SIGTERM its deadline is near', 'SIGKILL expired']);
    guard.stop();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(sent).toHaveLength(5);
  });

  it('sends TERM as soon as a renewal finds the hold broken, and KILL no later than the deadline that was known', async () => {
    const { guard, locks, lease } = await guarded('manual');
    await jest.advanceTimersByTimeAsync(5_000);
    await locks.break('a', { fencingToken: lease.fencingToken });
    await expect(lease.renew()).rejects.toMatchObject({ reason: 'broken' });
    await jest.advanceTimersByTimeAsync(1);
    expect(signals()).toEqual(['SIGTERM', 'SIGCONT']);
    await jest.advanceTimersByTimeAsync(graceMs);
    expect(signals()).toEqual(['SIGTERM', 'SIGCONT', 'SIGKILL']);
    expect(firstMs('SIGKILL') - firstMs('SIGTERM')).toBeGreaterThan(graceMs - 10);
    guard.stop();
  });

  it('of a broken hold kills at the known deadline when that is nearer than the grace', async () => {
    const { guard, locks, lease } = await guarded('manual');
    await jest.advanceTimersByTimeAsync(deadlineMs - graceMs - 100);
    await locks.break('a', { fencingToken: lease.fencingToken });
    await jest.advanceTimersByTimeAsync(50);
    await lease.renew().catch(() => undefined);
    await jest.advanceTimersByTimeAsync(4_000);
    expect(firstMs('SIGKILL')).toBeLessThan(deadlineMs + 10);
    guard.stop();
  });

  it('kills at once, without a TERM, when the clock shows that the deadline has passed unseen', async () => {
    const { guard } = await guarded('automatic');
    await jest.advanceTimersByTimeAsync(1_500);
    jest.setSystemTime(Date.now() + 3_600_000);
    guard.look();
    expect(signals()).toEqual(['SIGKILL']);
    expect(told).toEqual(['SIGKILL expired']);
    guard.stop();
  });

  it('notices a clock that went on while the machine slept within a second', async () => {
    const { guard } = await guarded('automatic');
    jest.setSystemTime(Date.now() + 3_600_000);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(signals()[0]).toBe('SIGKILL');
    guard.stop();
  });
});
