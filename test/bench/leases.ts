import { withBundledClient } from './bundled-client.ts';
import { ms } from './figures.ts';
import type { LeasesReport, LeasesTask } from './leases-client.ts';
import { newPlace } from './new-place.ts';
import type { Part } from './part.ts';
import type { BackendName } from './place.ts';
import { ClientProcess } from './processes.ts';

// A clean-up goes on for so long.
const releasedWithinMs = 25_000;

/** One process holds so many leases, longer than each lasts: few for one length, many for three. */
export const leases =
  (backend: BackendName, fullCount: number): Part =>
  async ({ quick }) => {
    // The same number of requests a second, of leases that bear a tenth of the delay.
    const [count, leaseMs] = quick ? [Math.ceil(fullCount / 10), 3_000] : [fullCount, 30_000];
    const lengths = fullCount < 1_000 ? 1 : 3;
    // Due at each third of a length; the last one may still be on its way.
    const renewalsEach = 3 * lengths - 1;
    const task: LeasesTask = {
      lockIds: Array.from({ length: count }, (_, at) => `bench/leases ${at}`),
      leaseMs,
      holdMs: lengths * leaseMs,
      // Spread over a third of a length, and so are the renewals.
      startsPerSecond: (count * 3_000) / leaseMs,
    };
    const { report, errors } = await held(backend, task);

    const { failures, renewals, lowestLeftMs } = report;
    const renewed = renewals.reduce((sum, each) => sum + each, 0);
    const name = `${backend}: ${count.toLocaleString('en')} ${count === 1 ? 'lease' : 'leases'} of ${leaseMs / 1_000} s for ${task.holdMs / 1_000} s`;
    const reasons = failures.length === 0 ? '' : ` (the first: ${failures[0]})`;
    return [
      {
        figure: `${name}: not got, or lost (a deadline missed)`,
        target: '0',
        measured: `${failures.length}${reasons}`,
        met: failures.length === 0,
      },
      {
        figure: `${name}: renewals of each`,
        target: `≥ ${renewalsEach}`,
        measured: `${Math.min(...renewals)} to ${Math.max(...renewals)}, ${renewed} in all (${shortly((renewed * 1_000) / task.holdMs)} a second)`,
        met: Math.min(...renewals) >= renewalsEach,
      },
      {
        figure: `${name}: the least that one had left`,
        target: '> 0 ms',
        measured: `${ms(lowestLeftMs)} (looked at every 250 ms, at most ${ms(report.longestBetweenLooksMs)} apart)`,
        met: lowestLeftMs > 0,
      },
      {
        figure: `${name}: share of one processor that the holder took`,
        measured: `${shortly(report.busyMsPerSecond / 10)} % (${((report.busyMsPerSecond * task.holdMs) / 1_000 / Math.max(1, renewed)).toFixed(2)} ms a renewal; all acquired in ${(report.startedInMs / 1_000).toFixed(1)} s${backend === 'http' ? `; the stack logged ${errors} errors` : ''})`,
      },
      {
        figure: `${name}: all released at once, by dispose()`,
        target: `${count} in ≤ ${ms(releasedWithinMs)}`,
        measured: `${count - report.leftHeld} in ${ms(report.releasedInMs)}`,
        met: report.leftHeld === 0 && report.releasedInMs <= releasedWithinMs,
      },
    ];
  };

async function held(backend: BackendName, task: LeasesTask): Promise<{ report: LeasesReport; errors: number }> {
  const { place, complaints, stop } = await newPlace(backend);
  const report = await withBundledClient('leases-client.ts', async (bundle) => {
    const client = new ClientProcess('leases-client.ts', [JSON.stringify(place), JSON.stringify(task)], bundle);
    const done = await client.done();
    await client.kill();
    return done;
  });
  const errors = complaints();
  await stop();
  return { report, errors };
}

// As many digits as say something.
function shortly(value: number): string {
  return value.toFixed(value < 1 ? 2 : value < 100 ? 1 : 0);
}
