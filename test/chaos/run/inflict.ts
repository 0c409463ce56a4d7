import { setTimeout as pause } from 'node:timers/promises';
import type { ApiIncarnation, Cluster, Incarnation } from './cluster.ts';
import { type FaultPlan, historyKinds, type NetworkFault } from './fault-plan.ts';
import { linkFault } from './network/link-fault.ts';
import { shape } from './shape.ts';
import type { Presence, WorkerReport } from './worker/messages.ts';

// A flow holds a lock, or waits for one, soon enough; else the fault strikes whatever is there.
const presentWithinMs = 2_500;

/** Makes one fault happen. Resolves when it is undone: `false` when what it was for was away already. */
export async function inflict(cluster: Cluster, plan: FaultPlan): Promise<boolean> {
  switch (plan.kind) {
    case 'freeze-worker':
    case 'kill-worker':
    case 'block-worker':
      return strikeWorker(cluster, plan);
    case 'freeze-api':
    case 'kill-api':
    case 'kill-api-mid-request':
      return strikeApi(cluster, plan);
    case 'step-clock':
      return stepClock(cluster, plan);
    case 'restart-database':
      return restartDatabase(cluster, plan);
    default:
      return strikeLinks(cluster, plan);
  }
}

async function strikeWorker(
  cluster: Cluster,
  plan: FaultPlan & { kind: 'freeze-worker' | 'kill-worker' | 'block-worker' },
): Promise<boolean> {
  const worker = cluster.workers[plan.worker] as Incarnation<WorkerReport>;
  const { program, name } = worker;
  if ('when' in plan) await untilPresent(worker, plan.when);
  // Meanwhile another fault may have come first.
  if (!canStrike(worker) || cluster.workers[plan.worker] !== worker) return false;
  const end = begin(cluster, plan, name, [name]);
  switch (plan.kind) {
    case 'freeze-worker':
      program.freeze();
      await pause(plan.durationMs);
      program.thaw();
      break;
    case 'block-worker':
      program.tell({ kind: 'block', ms: plan.durationMs });
      await pause(plan.durationMs);
      break;
    case 'kill-worker':
      await cluster.kill(worker);
      end();
      await pause(plan.durationMs);
      await cluster.startWorker(plan.worker);
      return true;
  }
  end();
  return true;
}

async function strikeApi(
  cluster: Cluster,
  plan: FaultPlan & { kind: 'freeze-api' | 'kill-api' | 'kill-api-mid-request' },
): Promise<boolean> {
  const api = cluster.apis[plan.api] as ApiIncarnation;
  if (!canStrike(api)) return false;
  const { program } = api;
  if (plan.kind === 'freeze-api') {
    const end = begin(cluster, plan, api.name, 'all');
    program.freeze();
    await pause(plan.durationMs);
    program.thaw();
    end();
    return true;
  }
  if (plan.kind === 'kill-api-mid-request') await untilTrapped(cluster, plan.api);
  if (!canStrike(api) || cluster.apis[plan.api] !== api) return false;
  const end = begin(cluster, plan, api.name, 'all');
  await cluster.kill(api);
  await pause(plan.durationMs);
  await cluster.startApi(plan.api);
  end();
  return true;
}

async function stepClock(cluster: Cluster, plan: FaultPlan & { kind: 'step-clock' }): Promise<boolean> {
  const of = (plan.of === 'worker' ? cluster.workers : cluster.apis)[plan.index];
  if (!of || !canStrike(of)) return false;
  const { clockOffsetMs } = plan;
  const end = begin(cluster, plan, of.name, [of.name]);
  // A step is there before it is seen to be: it is told for both.
  cluster.tell({ type: 'clock', of: of.name, clockOffsetMs });
  of.program.setClock(clockOffsetMs);
  end();
  return true;
}

async function restartDatabase(cluster: Cluster, plan: FaultPlan): Promise<boolean> {
  if (!cluster.isDatabaseUp) return false;
  const end = begin(cluster, plan, 'database', 'all');
  await cluster.killDatabase();
  await pause(plan.durationMs);
  await cluster.startDatabase();
  end();
  return true;
}

async function strikeLinks(cluster: Cluster, plan: FaultPlan & NetworkFault): Promise<boolean> {
  const links = cluster.networks[plan.layer];
  const struck = plan.link === 'all' ? links : links.slice(plan.link, plan.link + 1);
  const names = struck.map((link) => link.name).join(', ');
  const worker = workerBehind(plan);
  const end = begin(cluster, plan, names, worker === undefined ? 'all' : [cluster.workers[worker]?.name ?? '']);
  const heal = struck.map((link) => link.begin(linkFault(plan)));
  await pause(plan.durationMs);
  for (const undo of heal) undo();
  end();
  return true;
}

/** The only worker that a fault of a link hits; nothing: all of them. */
function workerBehind({ layer, link }: NetworkFault): number | undefined {
  if (link === 'all') return undefined;
  if (layer === 'api') return link;
  return link < shape.apis ? undefined : shape.httpWorkers + link - shape.apis;
}

function canStrike({ program }: { program: { isRunning: boolean; isFrozen: boolean } }): boolean {
  return program.isRunning && !program.isFrozen;
}

// The fault is dated before anything is done, its end after everything is undone.
function begin(cluster: Cluster, plan: FaultPlan, target: string, hits: 'all' | readonly string[]): () => void {
  const { fault, kind } = plan;
  cluster.tell({ type: 'fault', fault, kind: historyKinds[kind], target, hits });
  return () => cluster.tell({ type: 'faultEnd', fault });
}

async function untilPresent({ program }: Incarnation<WorkerReport>, presence: Presence): Promise<void> {
  program.tell({ kind: 'tell-when', presence });
  await program.report('present', AbortSignal.timeout(presentWithinMs)).catch(() => undefined);
}

async function untilTrapped(cluster: Cluster, api: number): Promise<void> {
  const link = cluster.networks.database[api];
  const tooLong = AbortSignal.timeout(presentWithinMs);
  await new Promise<void>((resolve) => {
    link?.trapWrite(resolve);
    tooLong.addEventListener('abort', () => resolve());
  });
  link?.untrap();
}
