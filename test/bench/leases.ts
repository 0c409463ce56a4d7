import { ms } from './figures.ts';
import type { LeasesTask } from './leases-client.ts';
import { newPlace } from './new-place.ts';
import type { Part } from './part.ts';
import type { BackendName } from './place.ts';
import { ClientProcess } from './processes.ts';

const lengths = 3;
// Due at each third of a length; the last one may still be on its way.
const renewalsEach = 3 * lengths - 1;
// A clean-up goes on for so long.
const releasedWithinMs = 25_000;

/** One process holds many leases, much longer than each lasts. */
export const leases =
  (backend: BackendName): Part =>
  async ({ quick }) => {
    const [count, leaseMs] = quick ? [100, 3_000] : [1_000, 30_000];
    const lockIds = Array.from({ length: count }, (_, at) => `bench/leases ${at}`);
    const { place, complaints, stop } = await newPlace(backend);
    // Spread over a third of a length, and so are the renewals.
    const task: LeasesTask = {
      lockIds,
      leaseMs,
      holdMs: lengths * leaseMs,
      startsPerSecond: (count * 3_000) / leaseMs,
    };
    const client = new ClientProcess('leases-client.ts', [JSON.stringify(place), JSON.stringify(task)]);
    const report = await client.done();
    await client.kill();
    const errors = complaints();
    await stop();

    const { failures, renewals, lowestLeftMs } = report;
    const renewed = renewals.reduce((sum, each) => sum + each, 0);
    const name = `${backend}: ${count.toLocaleString('en')} leases of ${leaseMs / 1_000} s for ${task.holdMs / 1_000} s`;
    const reasons = failures.length === 0 ? '' : ` (the first: ${failures[0]})`;
    return [
      {
        figure: `${name}: not got, or lost`,
        target: '0',
        measured: `${failures.length}${reasons}`,
        met: failures.length === 0,
      },
      {
        figure: `${name}: renewals of each`,
        target: `≥ ${renewalsEach}`,
        measured: `${Math.min(...renewals)} to ${Math.max(...renewals)}, ${renewed} in all (${((renewed * 1_000) / task.holdMs).toFixed(0)} a second)`,
        met: Math.min(...renewals) >= renewalsEach,
      },
      {
        figure: `${name}: the least that one had left`,
        target: '> 0 ms',
        measured: `${ms(lowestLeftMs)} (looked at every 250 ms, at most ${ms(report.longestBetweenLooksMs)} apart)`,
        met: lowestLeftMs > 0,
      },
      {
        figure: `${name}: processor time of the holder, for each second`,
        measured: `${ms(report.busyMsPerSecond)} (all acquired in ${(report.startedInMs / 1_000).toFixed(1)} s${backend === 'http' ? `; the stack logged ${errors} errors` : ''})`,
      },
      {
        figure: `${name}: all released at once, by dispose()`,
        target: `${count} in ≤ ${ms(releasedWithinMs)}`,
        measured: `${count - report.leftHeld} in ${ms(report.releasedInMs)}`,
        met: report.leftHeld === 0 && report.releasedInMs <= releasedWithinMs,
      },
    ];
  };
