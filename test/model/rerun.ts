import { StoreUnavailableError, type WriteResult } from '../../lambda/service/lock-store.ts';
import type { Surroundings } from '../../lambda/service/surroundings.ts';
import { shiftItem } from './item-frame.ts';
import type { Entry, Log, Pending } from './process.ts';
import { type Argument, lockId, type Operation, shiftCall } from './store-call.ts';
import { T0, tickMs } from './ticks.ts';

/**
 * Store, clock and sleep of an operation that runs again: everything is answered as it was answered before, and the
 * first question that is new is what it waits for now.
 */
export class Rerun implements Surroundings {
  readonly signal = { aborted: false };
  readonly suspended: Promise<Pending>;
  readonly #entries: Entry[] = [];
  readonly #ageMs: number;
  readonly #aheadMs: number;
  #nowMs: number;
  #index = 0;
  #suspend: (pending: Pending) => void = () => undefined;

  constructor(log: Log | undefined, age: number, aheadMs: number) {
    for (let each = log; each; each = each.before) this.#entries.push(each.entry);
    this.#entries.reverse();
    this.#ageMs = age * tickMs;
    this.#aheadMs = aheadMs;
    this.#nowMs = T0 + aheadMs;
    this.suspended = new Promise((resolve) => {
      this.#suspend = resolve;
    });
  }

  now(): number {
    return this.#nowMs;
  }

  random(): number {
    return 0.5;
  }

  sleep(ms: number): Promise<void> {
    return this.#ask({ kind: 'sleep', wakeAt: T0 + ms }) as Promise<void>;
  }

  read(_: string, { consistent }: { consistent: boolean }): Promise<unknown> {
    return this.call('read', { lockId, consistent });
  }

  call(operation: Operation, argument: Argument): Promise<unknown> {
    if (this.#index < this.#entries.length) return this.#ask(undefined);
    return this.#ask({ kind: 'call', call: shiftCall({ operation, argument }, -this.#ageMs) });
  }

  #ask(pending: Pending | undefined): Promise<unknown> {
    const entry = this.#entries[this.#index++];
    if (entry === undefined) {
      if (pending) this.#suspend(pending);
      return new Promise(() => undefined);
    }
    this.#nowMs = T0 + this.#aheadMs + entry.age * tickMs;
    if (entry.aborted) this.signal.aborted = true;
    return answered(entry);
  }
}

const writes: Operation[] = [
  'claim',
  'claimAsHead',
  'claimPast',
  'join',
  'keepTicket',
  'leave',
  'renew',
  'release',
  'handOver',
  'releasePast',
  'transfer',
  'breakHold',
];

for (const operation of writes) {
  Object.defineProperty(Rerun.prototype, operation, {
    value(this: Rerun, argument: Argument) {
      return this.call(operation, argument);
    },
  });
}

function answered({ answer, age }: Entry): Promise<unknown> {
  switch (answer.kind) {
    case 'awake':
      return Promise.resolve();
    case 'error':
      return Promise.reject(new StoreUnavailableError('lost'));
    case 'read':
      return Promise.resolve(answer.item && shiftItem(answer.item, age * tickMs));
    case 'result':
      return Promise.resolve({
        written: answer.written,
        item: answer.item && shiftItem(answer.item, age * tickMs),
      } as WriteResult);
  }
}
