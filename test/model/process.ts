import type { LockItem } from '../../lambda/service/lock-item.ts';
import { LockService } from '../../lambda/service/lock-service.ts';
import { type LockStore, StoreUnavailableError } from '../../lambda/service/lock-store.ts';
import type { Outcome } from '../../lambda/service/outcomes.ts';
import { currentFence, keyOfItem } from './item-frame.ts';
import { Rerun } from './rerun.ts';
import type { Scenario } from './scenario.ts';
import { keyOfCall, lockId, type StoreCall, shiftCall } from './store-call.ts';
import { T0, tickMs } from './ticks.ts';

/** What a client asks the service. */
export interface Request {
  readonly kind: 'try' | 'acquire' | 'renew' | 'release' | 'break';
  readonly token: string;
  /** Of an acquire. */
  readonly waitMs?: number;
  readonly confirm?: boolean;
  readonly keepPlace?: boolean;
  readonly resume?: boolean;
  /** Of a release. */
  readonly expectWaiters?: boolean;
  /** Of a release: the token of whoever gets the lock when nobody stands in line. */
  readonly heir?: string;
}

/** What an operation waits for, or how it ended. */
export type Pending =
  | { readonly kind: 'call'; readonly call: StoreCall }
  | { readonly kind: 'sleep'; readonly wakeAt: number }
  | { readonly kind: 'ended'; readonly outcome: Outcome | { readonly kind: 'unknown' } };

/** What an operation was answered: a write's result, an item that was read, an error, or that it has slept. */
export type Answer =
  | { readonly kind: 'result'; readonly written: boolean; readonly item: LockItem | undefined }
  | { readonly kind: 'read'; readonly item: LockItem | undefined }
  | { readonly kind: 'error' }
  | { readonly kind: 'awake' };

export interface Entry {
  readonly answer: Answer;
  /** Ticks after the operation began. */
  readonly age: number;
  readonly aborted: boolean;
}

export interface Log {
  readonly before: Log | undefined;
  readonly entry: Entry;
}

/**
 * An operation of the service under way, suspended at a call of its store or asleep. It is stored as what it was asked
 * and answered so far, and runs again from its beginning to go on: so it can go on in more than one way.
 */
export interface Process {
  readonly request: Request;
  /** How far its host's clock is ahead. */
  readonly aheadMs: number;
  /** Ticks since it began. */
  readonly age: number;
  /** Ticks since it could go on, or went astray. */
  readonly pendingFor: number;
  readonly log: Log | undefined;
  readonly aborted: boolean;
  readonly pending: Pending;
  readonly key: string;
  /** What of the past it can remember: see `remember`. */
  readonly memory: Memory;
}

interface Memory {
  /** It saw its token in line. */
  readonly inLine: boolean;
  readonly slept: boolean;
  /** Decisions since it slept last, or began. */
  readonly round: number;
  /** Answers since it was aborted. */
  readonly sinceAbort: number;
}

const identity = { holder: 'h', principal: 'p' };

/** Thrown where a step of an operation is not known yet; {@link Processes.learn} runs it. */
export class Unknown {
  constructor(
    readonly key: string,
    readonly process: Process,
  ) {}
}

/** Runs operations of the real service, step by step, and remembers every step. */
export class Processes {
  readonly #steps = new Map<string, Pending>();
  readonly #scenario: Scenario;
  /** Off: every step is run again, to find out whether equal keys behave alike. */
  remembers = true;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
  }

  start(request: Request, aheadMs: number): Process {
    const blank: Pending = { kind: 'sleep', wakeAt: T0 };
    const memory = { inLine: request.resume === true, slept: false, round: 0, sinceAbort: 0 };
    const process = { request, aheadMs, age: 0, pendingFor: 0, log: undefined, aborted: false, memory };
    return this.#step({ ...process, pending: blank, key: '' }, `start${aheadMs}${keyOfRequest(request)}`);
  }

  answer(process: Process, answer: Answer): Process {
    const { age, aborted } = process;
    const log = { before: process.log, entry: { answer, age, aborted } };
    const memory = remember(process, answer);
    const key = `${process.key}>${keyOfAnswer(answer)}`;
    return this.#step({ ...process, pendingFor: 0, log, memory }, key);
  }

  /** Its caller gave up. */
  abort(process: Process): Process {
    return withKey({ ...process, aborted: true });
  }

  /** After one more tick. */
  older(process: Process): Process {
    const { pending } = process;
    const later = { ...process, age: process.age + 1, pendingFor: process.pendingFor + 1 };
    if (pending.kind === 'call') {
      return withKey({ ...later, pending: { kind: 'call', call: shiftCall(pending.call, -tickMs) } });
    }
    if (pending.kind === 'sleep') {
      const pendingFor = pending.wakeAt <= T0 ? later.pendingFor : 0;
      const wakeAt = Math.max(T0, pending.wakeAt - tickMs);
      return withKey({ ...later, pendingFor, pending: { kind: 'sleep', wakeAt } });
    }
    return later;
  }

  /** Pins a suspended call to an older item. */
  withCall(process: Process, call: StoreCall): Process {
    return withKey({ ...process, pending: { kind: 'call', call } });
  }

  async learn({ key, process }: Unknown): Promise<void> {
    this.#steps.set(key, await this.#run(process));
  }

  #step(process: Process, key: string): Process {
    const pending = this.#steps.get(key);
    if (pending === undefined) throw new Unknown(key, process);
    if (!this.remembers) this.#steps.delete(key);
    return withKey({ ...process, pending });
  }

  async #run({ request, aheadMs, age, log }: Process): Promise<Pending> {
    const { timing, believedTiming = timing, leaseMs } = this.#scenario;
    const again = new Rerun(log, age, aheadMs);
    const service = new LockService(again as unknown as LockStore, again, believedTiming);
    const ended = send(service, request, leaseMs, again.signal as AbortSignal).then(
      (outcome): Pending => ({ kind: 'ended', outcome }),
      (error: unknown): Pending => {
        if (error instanceof StoreUnavailableError) return { kind: 'ended', outcome: { kind: 'unknown' } };
        throw error;
      },
    );
    return Promise.race([again.suspended, ended]);
  }
}

function send(service: LockService, request: Request, leaseMs: number, signal: AbortSignal): Promise<Outcome> {
  const { kind, token: ownerToken, waitMs = 0, confirm = false, keepPlace, resume, expectWaiters, heir } = request;
  const attempt = { lockId, ownerToken, leaseMs, identity };
  switch (kind) {
    case 'try':
      return service.try(attempt);
    case 'acquire':
      return service.acquire({ ...attempt, waitMs, confirm, keepPlace, resume, signal });
    case 'renew':
      return service.renew(attempt);
    case 'release':
      return service.release({
        lockId,
        ownerToken,
        expectWaiters,
        ...(heir !== undefined && { heir: { ownerToken: heir, leaseMs, identity } }),
      });
    case 'break':
      return service.break({ lockId, fencingToken: currentFence });
  }
}

// Two operations that were asked the same, wait for the same and remember the same go on alike. What they saw besides
// is gone: whatever a pending call was decided from stands in the call. The explorer checks that on a sample.
function remember({ request, memory, aborted }: Process, answer: Answer): Memory {
  const item = answer.kind === 'result' || answer.kind === 'read' ? answer.item : undefined;
  const slept = answer.kind === 'awake';
  return {
    inLine: memory.inLine || item?.queue.includes(request.token) === true,
    slept: memory.slept || slept,
    round: slept ? 0 : memory.round + 1,
    sinceAbort: aborted ? memory.sinceAbort + 1 : 0,
  };
}

function withKey(process: Omit<Process, 'key'>): Process {
  const { request, aheadMs, age, aborted, pending, memory } = process;
  const left = request.waitMs === undefined ? '' : request.waitMs / tickMs - age;
  const past = `${memory.inLine ? 'l' : ''}${memory.slept ? 's' : ''}${memory.round}${aborted ? `a${memory.sinceAbort}` : ''}`;
  const key = `${keyOfRequest(request)}${aheadMs}/${left}/${past}/${keyOfPending(pending)}`;
  return { ...process, key };
}

function keyOfRequest({ kind, token, waitMs, confirm, keepPlace, expectWaiters, resume, heir = '' }: Request): string {
  const flags = `${confirm ? 'c' : ''}${keepPlace ? 'k' : ''}${resume ? 'r' : ''}${expectWaiters ? 'w' : ''}`;
  return `${kind}${token}${heir}${flags}${waitMs === undefined ? '' : waitMs > 0 ? 'j' : 'n'}`;
}

function keyOfPending(pending: Pending): string {
  if (pending.kind === 'call') return keyOfCall(pending.call);
  return pending.kind === 'sleep' ? `zz${(pending.wakeAt - T0) / tickMs}` : pending.outcome.kind;
}

function keyOfAnswer(answer: Answer): string {
  switch (answer.kind) {
    case 'result':
      return `${answer.written ? 'W' : 'R'}${keyOfItem(answer.item)}`;
    case 'read':
      return `I${keyOfItem(answer.item)}`;
    default:
      return answer.kind;
  }
}
