import { setTimeout as pause } from 'node:timers/promises';
import { CrowdProcess } from '../support/crowd/client-process.ts';
import { type Crowd, Load, type LoadSize } from '../support/crowd/load.ts';
import type { Grant, HoldersReport, WaitersReport } from '../support/crowd/tasks.ts';
import { startDynamoDb } from '../support/dynamodb.ts';
import { hostMs } from '../support/host-clock.ts';
import { type Figure, ms } from './figures.ts';
import type { Part } from './part.ts';
import { StackProcess } from './processes.ts';

const waiterProcesses = 3;
const lengths = 2;
const servedWithinMs = 120_000;

const sizeOf = (quick: boolean): LoadSize => ({
  holders: quick ? 10 : 50,
  leaseMs: 10_000,
  waiters: quick ? 40 : 200,
  wantedLocks: 3,
  startsPerSecond: 20,
  holdMs: 20,
});

/** Runs a load on a stack with such limits, and takes everything down after it. */
async function withLoad(
  name: string,
  limits: readonly string[],
  size: LoadSize,
  measure: (load: Load) => Promise<Figure[]>,
): Promise<Figure[]> {
  // Its database is in this process, so that the stack has its processor to itself.
  const dynamoDb = await startDynamoDb();
  const stack = await StackProcess.start(dynamoDb.endpoint, limits);
  const crowd: Crowd = {
    holding: new CrowdProcess(),
    waiting: Array.from({ length: waiterProcesses }, () => new CrowdProcess()),
  };
  try {
    const load = new Load(crowd, name, stack.url, size);
    await load.start();
    return await measure(load);
  } finally {
    await Promise.all([crowd.holding, ...crowd.waiting].map((each) => each.kill()));
    await stack.kill();
    await dynamoDb.stop();
  }
}

/** Waiters and holders where the holders are to keep their leases, and the waiters to be served in the end. */
export const protectedLoad =
  (name: string, limits: readonly string[]): Part =>
  ({ quick }) => {
    const size = sizeOf(quick);
    return withLoad(name, limits, size, async (load) => {
      const held = await load.untilRenewed(3 * lengths);
      const released = await load.release('quiet');
      await load.release('wanted');
      const releasedMs = hostMs();
      const reports = await untilServed(load, size.waiters);
      const servedSeconds = (hostMs() - releasedMs) / 1_000;
      const grants = reports.flatMap((report) => report.grants);
      const { pairs, overtaken } = orderOf(reports);
      return [
        ...holdersFigures(name, size, held),
        {
          figure: `${name}: released`,
          target: `${size.holders}`,
          measured: `${released.released}`,
          met: released.released === size.holders,
        },
        {
          figure: `${name}: waiters that got their lock after that`,
          target: `${size.waiters}`,
          measured: `${grants.length} in ${servedSeconds.toFixed(1)} s; of two, the later one first: ${overtaken} of ${pairs}`,
          met: grants.length === size.waiters,
        },
      ];
    });
  };

/** The same where nothing protects the holders: it shows that the waiters are enough to cost them their leases. */
export const unprotectedLoad =
  (name: string, limits: readonly string[]): Part =>
  ({ quick }) => {
    const size = sizeOf(quick);
    return withLoad(name, limits, size, async (load) => {
      await load.untilLost();
      // The others follow when their leases end.
      await pause(size.leaseMs);
      const held = await load.holders('quiet');
      return [
        {
          figure: `${name}: holders of ${size.holders} that lost their lease`,
          target: '≥ 1',
          measured: `${held.lost.length} (renewals that failed: ${failuresOf(held)})`,
          met: held.lost.length > 0,
        },
      ];
    });
  };

function holdersFigures(name: string, { holders, leaseMs }: LoadSize, held: HoldersReport): Figure[] {
  return [
    {
      figure: `${name}: holders of ${holders} that lost their lease of ${leaseMs / 1_000} s within ${lengths} lengths`,
      target: '0',
      measured: `${held.lost.length} (renewals that failed: ${failuresOf(held)})`,
      met: held.lost.length === 0 && held.holding === holders,
    },
    {
      figure: `${name}: the least that a lease had left`,
      target: `≥ ${ms(leaseMs / 3)}`,
      measured: ms(held.leastLeftMs),
      met: held.leastLeftMs >= leaseMs / 3,
    },
  ];
}

function failuresOf({ failedRenewals }: HoldersReport): string {
  const each = Object.entries(failedRenewals).map(([how, count]) => `${count} × ${how}`);
  return each.join(', ') || 'none';
}

async function untilServed(load: Load, waiters: number): Promise<WaitersReport[]> {
  const endMs = hostMs() + servedWithinMs;
  for (;;) {
    const reports = await load.waiters();
    const done = reports.reduce((sum, { grants, failures }) => sum + grants.length + failures.length, 0);
    if (done >= waiters || hostMs() > endMs) return reports;
    await pause(100);
  }
}

/** Compares, among the waiters of each process for each lock, the order in which they asked with that of their grants. */
function orderOf(reports: readonly WaitersReport[]): { pairs: number; overtaken: number } {
  let pairs = 0;
  let overtaken = 0;
  for (const { grants } of reports) {
    for (const [at, grant] of grants.entries()) {
      const others = grants.slice(at + 1).filter(({ lockId }) => lockId === grant.lockId);
      pairs += others.length;
      overtaken += others.filter((other) => isOvertaken(grant, other)).length;
    }
  }
  return { pairs, overtaken };
}

function isOvertaken(one: Grant, other: Grant): boolean {
  return one.waiter < other.waiter !== one.fencingToken < other.fencingToken;
}
