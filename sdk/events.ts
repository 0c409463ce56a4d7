import type { HoldfastError, LostReason } from './errors.ts';
import { shown } from './options.ts';
import { warn } from './warning.ts';

/** What every event tells. */
interface OfLock {
  readonly lockId: string;
}

/** What every event of a lease tells. */
interface OfLease extends OfLock {
  readonly fencingToken: number;
}

/**
 * Something that happened to a lock of this process. Times are milliseconds; `lockId` is without the factory's prefix. No
 * event holds an owner token.
 *
 * Every attempt ends in `acquired` or `notAcquired`, and every `acquired` in one of `released`, `lost` and `exported`, but
 * for a lease with `renewal: 'manual'` that nobody looks at any more. `heldMs` counts from the answer that granted the
 * lock, and not beyond its deadline.
 *
 * - `waiting`: the lock is not free, and a flow waits for it; told again when the service says that the holder or the place
 *   in line has changed. `holder`: the label of whoever has it, untrusted. `position`: the place in line, from 1, as of
 *   the last answer that told it; an answer may take 20 s.
 * - `acquired`: a flow has it, after `waitedMs`.
 * - `notAcquired`: a flow goes on without it, after `waitedMs`: another had it for all that time, or there is an `error`.
 * - `renewed`: its lease lasts `remainingMs` from now unless it is renewed again.
 * - `renewFailed`: one renewal got no usable answer; the lease is held for `remainingMs`, and is tried again.
 * - `lost`: its lease is over after `heldMs`; its signal aborts, unless a release had been tried.
 * - `released`: it was given back, or passed on, after `heldMs`.
 * - `exported`: it was given up after `heldMs`, for another process to go on with.
 * - `releaseFailed`: a release was refused or got no usable answer; it may be tried again.
 * - `waitingForOwnHandle`: a flow waits for a lock on the very handle that holds it, since 5 s.
 */
export type LockEvent =
  | ({ readonly type: 'waiting'; readonly holder: string | undefined; readonly position?: number } & OfLock)
  | ({ readonly type: 'acquired'; readonly waitedMs: number } & OfLease)
  | ({ readonly type: 'notAcquired'; readonly waitedMs: number; readonly error: HoldfastError | undefined } & OfLock)
  | ({ readonly type: 'renewed'; readonly remainingMs: number } & OfLease)
  | ({ readonly type: 'renewFailed'; readonly remainingMs: number; readonly error: HoldfastError } & OfLease)
  | ({ readonly type: 'lost'; readonly reason: LostReason; readonly heldMs: number } & OfLease)
  | ({ readonly type: 'released'; readonly heldMs: number } & OfLease)
  | ({ readonly type: 'exported'; readonly heldMs: number } & OfLease)
  | ({ readonly type: 'releaseFailed'; readonly error: HoldfastError } & OfLease)
  | ({ readonly type: 'waitingForOwnHandle' } & OfLock);

/** Told of each event. It is called where the flow runs that wanted the lock, so that a tracer finds its parent. */
export type EventListener = (event: LockEvent) => void;

/** Tells of the events of one flow. It never throws. */
export type Emit = (event: LockEvent) => void;

const silent: Emit = () => undefined;

/**
 * For the flow that calls it: whatever it emits, and wherever from, the listener is called in this flow's asynchronous
 * context (where the runtime has such a thing). A listener that throws is a process warning, and nothing to the lock.
 */
export function emitterHere(listener: EventListener | undefined): Emit {
  if (!listener) return silent;
  const inContext = globalThis.process?.getBuiltinModule?.('node:async_hooks')?.AsyncLocalStorage.snapshot();
  const tell = (event: LockEvent) => {
    const failed = (error: unknown) =>
      warn('holdfast-event-listener-failed', `the listener of "${event.type}" events failed: ${shown(error)}`);
    try {
      // The type allows an async function, too, whose failure comes later.
      const result: unknown = listener(event);
      Promise.resolve(result).catch(failed);
    } catch (error) {
      failed(error);
    }
  };
  return inContext ? (event) => inContext(tell, event) : tell;
}
