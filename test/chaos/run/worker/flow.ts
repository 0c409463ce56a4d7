import { setTimeout as pause } from 'node:timers/promises';
import { HoldfastError, LeaseLostError, type LockFactory } from '../../../../sdk/index.ts';
import type { Acquiring as AcquiringOperation, Granted, Results } from '../../operations.ts';
import { type Acquiring, acquiring } from './context.ts';
import { holdOfHandle, holdOfLease, type OwnHold, remaining } from './hold.ts';
import type { Presence, WorkerTask } from './messages.ts';
import { OperationFailed, OperationLog } from './operation-log.ts';
import type { Recorder } from './recorder.ts';
import type { Resource } from './resource.ts';

export interface FlowParts {
  readonly name: string;
  readonly task: WorkerTask;
  readonly locks: LockFactory;
  readonly resource: Resource;
  readonly recorder: Recorder;
  readonly random: () => number;
  readonly wantsSeasonal: () => boolean;
  readonly isPresent: (presence: Presence) => void;
}

const longestWaitMs = 4_000;
const longestAddMs = 150;

/** One flow of a worker: one operation after the other, chosen at random, until it is told to finish. */
export class Flow {
  readonly #parts: FlowParts;
  readonly #log: OperationLog;
  #isFinishing = false;

  constructor(parts: FlowParts) {
    this.#parts = parts;
    this.#log = new OperationLog(parts.recorder, parts.name);
  }

  finish(): void {
    this.#isFinishing = true;
  }

  async run(): Promise<void> {
    const { random } = this.#parts;
    while (!this.#isFinishing) {
      const lockId = this.#chooseLock();
      const choice = random();
      if (choice < 0.06) await this.#inspect(lockId);
      else if (choice < 0.1) await this.#break(lockId);
      else if (choice < 0.2) await this.#underScope(lockId);
      else await this.#period(lockId);
      await pause(random() < 0.3 ? 0 : 200 * random());
    }
  }

  #chooseLock(): string {
    const { task, random, wantsSeasonal } = this.#parts;
    if (wantsSeasonal() && random() < 0.4) return task.seasonalLockId;
    return task.lockIds[Math.floor(random() * task.lockIds.length)] as string;
  }

  // Acquires the lock in one of the ways that there are, works under it, and gives it back.
  async #period(lockId: string): Promise<void> {
    const { locks, random, task } = this.#parts;
    const { leaseMs } = task;
    const handle = locks.createLock(lockId, { leaseMs });
    const choice = random();
    const operation: AcquiringOperation = choice < 0.25 ? 'tryLock' : choice < 0.55 ? 'timedTryLock' : 'lock';
    const waitMs = operation === 'tryLock' ? 0 : Math.ceil(longestWaitMs * random());
    const isManual = random() < 0.2;
    const abort = new AbortController();
    const isAborted = operation === 'lock' && random() < 0.2;
    let hold: OwnHold | undefined;
    const attempt = async (): Promise<OwnHold | undefined> => {
      if (isManual || random() < 0.3) {
        const wanted = operation === 'lock' ? { signal: abort.signal } : { waitMs };
        return holdOfLease(await handle.acquire({ ...wanted, renewal: isManual ? 'manual' : 'automatic' }));
      }
      if (operation !== 'lock') return (await handle.tryLock(waitMs)) ? holdOfHandle(handle) : undefined;
      await (isAborted ? handle.lockInterruptibly(abort.signal) : handle.lock());
      return holdOfHandle(handle);
    };
    const of: Acquiring = { op: this.#log.newOperation() };
    const timer = isAborted ? setTimeout(() => abort.abort(), waitMs) : undefined;
    const wanted = { leaseMs, isRenewedByHand: isManual };
    const args = operation === 'timedTryLock' ? { ...wanted, waitMs } : wanted;
    const body = async () => {
      hold = await acquiring.run(of, attempt).catch(notAcquired);
      return hold ? this.#granted(of, hold) : { granted: false };
    };
    await this.#log.run(operation, lockId, args as never, body as () => Promise<Granted>, of.op);
    clearTimeout(timer);
    if (!hold) return;
    await this.#work(of, lockId, hold.renew);
    await this.#log.run('release', lockId, { hold: of.op }, async () => {
      await hold?.release();
      return {};
    });
  }

  // As `withLock` does it, whose release has no result of its own.
  async #underScope(lockId: string): Promise<void> {
    const { locks, task } = this.#parts;
    const { leaseMs } = task;
    const of: Acquiring = { op: this.#log.newOperation() };
    let release: string | undefined;
    this.#log.invoke('lock', lockId, { leaseMs }, of.op);
    const ended = await acquiring.run(of, () =>
      locks
        .withLock(lockId, { leaseMs }, async (hold) => {
          this.#log.ok(of.op, 'lock', this.#granted(of, hold));
          await this.#work(of, lockId);
          release = this.#log.invoke('release', lockId, { hold: of.op });
        })
        .then(
          () => undefined,
          (error: unknown) => error,
        ),
    );
    if (release === undefined) this.#log.failed(of.op, ended);
    else if (of.released === 'released') this.#log.ok(release, 'release', {});
    else this.#log.failed(release, of.released?.error ?? ended);
  }

  #granted(of: Acquiring, hold: OwnHold | NonNullable<Acquiring['hold']>): Granted {
    const { recorder, isPresent } = this.#parts;
    const { fencingToken } = of;
    if (fencingToken === undefined) throw new Error('the SDK did not tell of a lock that it acquired');
    of.hold = hold;
    const look = remaining(hold);
    const { signal } = hold;
    const tellLost = () => {
      const { reason } = signal;
      if (reason instanceof LeaseLostError) recorder.tell({ type: 'lost', hold: of.op, reason: reason.reason });
    };
    if (signal.aborted) tellLost();
    else signal.addEventListener('abort', tellLost, { once: true });
    isPresent('holding');
    return { granted: true, fencingToken, ...look };
  }

  // What is done under a lock is done whether it is still held or not: it is the fence that keeps it out.
  async #work(of: Acquiring, lockId: string, renew?: () => Promise<void>): Promise<void> {
    const { random, task } = this.#parts;
    const steps = 1 + Math.floor(3 * random());
    for (let step = 0; step < steps; step++) {
      this.#look(of);
      const choice = random();
      if (choice < 0.45) await this.#write(of, lockId);
      else if (choice < 0.75) await this.#add(of, lockId);
      else if (choice < 0.8) await pause(task.leaseMs * (0.5 + random()));
      else if (renew) await this.#renew(of, lockId, renew);
      else await pause(100 * random());
      this.#look(of);
    }
  }

  #look({ op, hold }: Acquiring): void {
    if (!hold) return;
    const look = remaining(hold);
    this.#parts.recorder.tell({ type: 'look', hold: op, isHeld: hold.isHeld, ...look });
  }

  async #write({ op: hold, fencingToken = 0 }: Acquiring, lockId: string): Promise<void> {
    const value = this.#log.newOperation();
    const args = { hold, fencingToken, value };
    await this.#log.run('fencedWrite', lockId, args, async () => {
      const sequence = await this.#parts.resource.write(lockId, fencingToken, value).catch(noAnswer);
      if (sequence === 'refused') throw new OperationFailed({ failure: { code: 'refused' } });
      return { sequence };
    });
  }

  async #add({ op: hold }: Acquiring, lockId: string): Promise<void> {
    await this.#log.run('unfencedAdd', lockId, { hold }, async () => {
      await this.#parts.resource.add(lockId, longestAddMs * this.#parts.random()).catch(noAnswer);
      return {};
    });
  }

  async #renew({ op, hold }: Acquiring, lockId: string, renew: () => Promise<void>): Promise<void> {
    if (!hold) return;
    await this.#log.run('renew', lockId, { hold: op }, async () => {
      await renew();
      return remaining(hold);
    });
  }

  async #inspect(lockId: string): Promise<void> {
    await this.#log.run('inspect', lockId, {}, () => this.#view(lockId));
  }

  async #break(lockId: string): Promise<void> {
    const seen = await this.#log.run('inspect', lockId, {}, () => this.#view(lockId));
    if (!seen?.fencingToken || seen.state === 'free') return;
    const { fencingToken } = seen;
    await this.#log.run('break', lockId, { fencingToken }, async () => {
      const broken = await this.#parts.locks.break(lockId, { fencingToken, note: 'chaos' });
      if (broken.outcome === 'broken') return {};
      const { outcome, perhapsBroken } = broken;
      throw new OperationFailed(perhapsBroken ? { unknown: outcome } : { failure: { code: outcome } });
    });
  }

  async #view(lockId: string): Promise<Results['inspect']> {
    const { state, fencingToken, waiters, holder } = await this.#parts.locks.inspect(lockId);
    return {
      state,
      waiters,
      ...(fencingToken !== undefined && { fencingToken }),
      ...(holder !== undefined && { holder }),
    };
  }
}

function notAcquired(error: unknown): undefined {
  if (error instanceof HoldfastError && error.code === 'lock-not-acquired') return undefined;
  throw error;
}

// It was sent once, and whether it arrived is not known.
function noAnswer(): never {
  throw new OperationFailed({ unknown: 'no-answer' });
}
