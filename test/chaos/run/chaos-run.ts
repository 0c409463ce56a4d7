import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { defaultTiming } from '../../../lambda/service/timing.ts';
import { hostMs } from '../../support/host-clock.ts';
import { dispose, finish, lookAtResource, takeEachOnce } from './aftermath.ts';
import { bounds, calmFromSeconds, calmMs } from './bounds.ts';
import { Cluster } from './cluster.ts';
import type { FaultKind, FaultPlan } from './fault-plan.ts';
import { inflict } from './inflict.ts';
import type { Link } from './network/link.ts';
import { killAllPrograms } from './programs/program.ts';
import { Rows } from './rows.ts';
import { scheduleOf } from './schedule.ts';
import { restMs, shape, workers } from './shape.ts';
import { watchStalls } from './worker/stalls.ts';

export interface ChaosOptions {
  readonly seconds: number;
  readonly seed: number;
  /** Whether clocks differ by more than the margin. */
  readonly isBeyondMargin: boolean;
  /** Where the histories are written. */
  readonly folder: string;
  readonly say: (text: string) => void;
}

/** What was done in a run, and what its processes wrote down. */
export interface ChaosRun {
  /** JSON lines. */
  readonly history: string;
  /** How many faults were inflicted, by kind. */
  readonly faults: ReadonlyMap<FaultKind | 'deletion', number>;
  /** How many requests met a fault of the network, by its kind, of how many. */
  readonly struck: ReadonlyMap<string, number>;
  readonly requests: number;
  /** What processes printed that no fault explains. */
  readonly complaints: readonly string[];
}

/** Runs workers under faults, heals everything, lets all of them finish, and looks at what is left. */
export async function runChaos(options: ChaosOptions): Promise<ChaosRun> {
  const { seconds, seed, isBeyondMargin, folder, say } = options;
  const schedule = scheduleOf(seed, seconds, isBeyondMargin);
  try {
    const cluster = await Cluster.start(folder, seed, isBeyondMargin);
    const { recorder } = cluster;
    beginHistory(cluster, seed);
    const stalls = watchStalls(recorder);
    const rows = new Rows(cluster, restMs(isBeyondMargin));
    await cluster.startWorkers();
    rows.start();
    say(`${workers} workers, ${shape.apis} APIs; ${schedule.length} faults in ${seconds} s`);
    const faults = await inflictAll(cluster, schedule, seconds * 1_000);
    rows.deleteNothing();
    if (rows.deletions > 0) faults.set('deletion', rows.deletions);
    cluster.tell({ type: 'mark', mark: 'healed' });
    const healedMs = hostMs();
    await pause(seconds >= calmFromSeconds ? calmMs : 0);
    await finish(cluster, healedMs);
    say(`finished ${((hostMs() - healedMs) / 1_000).toFixed(1)} s after the last fault`);
    await rows.stop();
    await takeEachOnce(cluster);
    cluster.tell({ type: 'mark', mark: 'end' });
    await dispose(cluster);
    await rows.look();
    await lookAtResource(cluster);
    rows.close();
    stalls.stop();
    const links = [...cluster.networks.api, ...cluster.networks.database];
    await cluster.stop();
    const { complaints } = cluster;
    return { history: await historyOf(cluster, folder), faults, complaints, ...countsOf(links) };
  } finally {
    killAllPrograms();
  }
}

function beginHistory({ recorder }: Cluster, seed: number): void {
  recorder.tell({
    type: 'run',
    seed,
    leaseMs: shape.leaseMs,
    claimWindowMs: defaultTiming.claimWindowMs,
    clockSkewMs: defaultTiming.clockSkewMs,
    toleranceMs: bounds.toleranceMs,
    joinWithinMs: bounds.joinWithinMs,
    recoverWithinMs: bounds.recoverWithinMs,
    finishWithinMs: bounds.finishWithinMs,
  });
  // All requests go through this process: when it stalls, everybody does.
  recorder.tell({ type: 'process', role: 'service', pid: process.pid, clockOffsetMs: 0 });
}

async function inflictAll(
  cluster: Cluster,
  schedule: readonly FaultPlan[],
  durationMs: number,
): Promise<Map<FaultKind | 'deletion', number>> {
  const beganMs = hostMs();
  const faults = new Map<FaultKind | 'deletion', number>();
  const running = schedule.map(async (plan) => {
    await pause(Math.max(0, beganMs + plan.atMs - hostMs()));
    if (await inflict(cluster, plan)) faults.set(plan.kind, (faults.get(plan.kind) ?? 0) + 1);
  });
  await Promise.all([...running, pause(durationMs)]);
  return faults;
}

async function historyOf({ historyFiles }: Cluster, folder: string): Promise<string> {
  const parts = await Promise.all(historyFiles.map((file) => readFile(file, 'utf8').catch(() => '')));
  const history = parts.join('');
  await writeFile(join(folder, 'history.jsonl'), history);
  return history;
}

function countsOf(links: readonly Link[]) {
  const struck = new Map<string, number>();
  for (const link of links) {
    for (const [kind, count] of link.struck) struck.set(kind, (struck.get(kind) ?? 0) + count);
  }
  return { struck, requests: links.reduce((sum, { requests }) => sum + requests, 0) };
}
