import { randomUUID } from 'node:crypto';
import { hostMs } from '../../../support/host-clock.ts';
import type { Ground, LockSystem, Tuning } from '../lock-system.ts';
import { ContenderProcess } from './contender-process.ts';
import type { Ask, Hold } from './hold.ts';

/** One lock and those who want it, over and over. */
export interface Contest {
  readonly system: LockSystem;
  readonly ground: Ground;
  readonly tuning?: Tuning;
  readonly contenders: number;
  /** In how many processes they are. */
  readonly processes: number;
  /** Whether those of one process use one client. */
  readonly shared?: boolean;
  /** Whether whoever released asks again only when another has got the lock: then every grant is a hand-over. */
  readonly rests: boolean;
  /** How long it is measured, after it has got going. */
  readonly seconds: number;
}

export interface Contention {
  readonly lockId: string;
  /** All until the end, those from before the measurement too. */
  readonly holds: readonly Hold[];
  /** Had asked by the end, and had got nothing. */
  readonly waiting: readonly Ask[];
  /** How often lock() or release() rejected, and the first error of each process. */
  readonly failed: number;
  readonly errors: readonly string[];
  /** By {@link hostMs}. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/** How long each holds it, milliseconds. */
export const holdMs = 20;
// They come one after the other over so long at least, and over one of their waits: else all would look together for ever.
const comingAtLeastMs = 500;
// From when all are there until it is measured.
const settlingMs = 500;

/**
 * Lets them contend, and ends their processes. Where somebody else waits on for them, as Holdfast's API would, everybody
 * gets it once more before that. The lock is a new one each time.
 *
 * @param during runs while it is measured, told the lock and until when, by {@link hostMs}
 */
export async function contend(
  { system, ground, tuning = {}, contenders, processes, shared = false, rests, seconds }: Contest,
  during?: (lockId: string, untilMs: number) => Promise<void>,
): Promise<Contention> {
  const lockId = `bench/contended ${randomUUID()}`;
  const numbers = Array.from({ length: contenders }, (_, at) => at);
  const crew = await Promise.all(
    Array.from({ length: processes }, (_, at) =>
      ContenderProcess.start({
        system: system.name,
        ground,
        tuning,
        contenders: numbers.filter((contender) => contender % processes === at),
        shared,
      }),
    ),
  );
  const startMs = hostMs() + 50;
  const comingMs = Math.max(comingAtLeastMs, system.waitsMs ?? 0);
  const fromMs = startMs + comingMs + settlingMs;
  const untilMs = fromMs + seconds * 1_000;
  const done = Promise.all(crew.map((each) => each.report('done')));
  const idle = Promise.all(crew.map((each) => each.report('idle')));
  const errors: string[] = [];
  for (const each of crew) {
    each.onReport((report) => {
      if (report.kind === 'failure') errors.push(report.error);
      if (report.kind !== 'granted') return;
      for (const other of crew) if (other !== each) other.send({ kind: 'elsewhere' });
    });
    each.send({
      kind: 'contend',
      lockId,
      holdMs,
      rests,
      fromMs: startMs,
      stepMs: comingMs / contenders,
      untilMs,
    });
  }
  await during?.(lockId, untilMs);
  const reports = await done;
  if (system.sdk === 'http') await idle;
  await Promise.all(crew.map((each) => each.kill()));
  return {
    lockId,
    holds: reports.flatMap(({ holds }) => holds),
    waiting: reports.flatMap(({ waiting }) => waiting),
    failed: reports.reduce((sum, { failed }) => sum + failed, 0),
    errors,
    fromMs,
    untilMs,
  };
}
