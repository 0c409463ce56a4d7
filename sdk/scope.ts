import type { Clocks } from './clocks.ts';
import { Contender, interrupted, type WaitRequest } from './contender.ts';
import type { Lease } from './lease.ts';
import type { LockBody } from './with-lock.ts';

/** What became of a wait for a scope's child slot. `closed`: the scope ended first, so whoever waited is an outsider. */
export type Entry = 'entered' | 'closed' | 'time';

/**
 * A critical section that `withLock` opened, and that a nested `withLock` of the same lock re-enters.
 *
 * It has one slot for a child: a nested call takes it, a sibling waits for it, so branches that the body forks exclude
 * one another. It closes when its body and its child have ended.
 */
export class Scope {
  readonly factory: object;
  readonly lockId: string;
  readonly lease: Lease;
  /** The open scope in which this one was opened, of whatever lock. (Closed ones would be kept for as long as it lives.) */
  readonly outer: Scope | undefined = openOne(storage()?.getStore());
  /** Not private: it is asked of scopes of other copies of this package, too. */
  isOpen = true;
  #isSlotTaken = false;
  #hasBodyEnded = false;
  #childEnded: () => void = () => undefined;
  readonly #queue: Contender<Entry, WaitRequest>[] = [];

  constructor(factory: object, lockId: string, lease: Lease) {
    this.factory = factory;
    this.lockId = lockId;
    this.lease = lease;
  }

  /** The innermost open scope of a lock around the caller, if any. */
  static around(factory: object, lockId: string): Scope | undefined {
    let scope = openOne(storage()?.getStore());
    while (scope && !(scope.factory === factory && scope.lockId === lockId)) scope = openOne(scope.outer);
    return scope;
  }

  /** Runs the body of the scope, and closes it: waits for a child that outlives the body. */
  async run<T>(body: () => T | Promise<T>): Promise<T> {
    try {
      const scopes = storage();
      return await (scopes ? scopes.run(this, body) : body());
    } finally {
      this.#hasBodyEnded = true;
      if (this.#isSlotTaken) {
        await new Promise<void>((resolve) => {
          this.#childEnded = resolve;
        });
      }
      this.isOpen = false;
    }
  }

  /**
   * Takes the child slot, waiting for it up to `waitMs`. Whoever entered must {@link runChild}.
   *
   * @throws InterruptedError when the signal aborts or the factory is disposed
   */
  async enter(request: WaitRequest, clocks: Clocks): Promise<Entry> {
    if (request.disposal.disposed) throw interrupted('disposed');
    if (request.signal?.aborted) throw interrupted('aborted');
    if (!this.#isSlotTaken) {
      this.#isSlotTaken = true;
      return 'entered';
    }
    if (request.waitMs <= 0) return 'time';
    const waiter = new Contender<Entry, WaitRequest>(request, clocks, (each, why) => {
      this.#queue.splice(this.#queue.indexOf(each), 1);
      if (why === 'time') each.resolve('time');
      else each.reject(interrupted(why));
    });
    this.#queue.push(waiter);
    return waiter.settled;
  }

  /**
   * Runs the body of the child that entered, under this scope's lease, and makes the slot free.
   *
   * @throws LeaseLostError when the lease is lost before the body, or was at its end
   */
  async runChild<T>(body: LockBody<T>): Promise<T> {
    try {
      this.lease.assertHeld();
      const child = new Scope(this.factory, this.lockId, this.lease);
      const result = await child.run(() => body(this.lease));
      this.lease.assertHeld();
      return result;
    } finally {
      this.#leave();
    }
  }

  // The child has ended: the next one enters, unless the body has ended as well.
  #leave(): void {
    if (!this.#hasBodyEnded) {
      const next = this.#queue.shift();
      if (next) next.resolve('entered');
      else this.#isSlotTaken = false;
      return;
    }
    // In the same turn: whoever came after this would wait for a slot that nobody gives up any more.
    this.isOpen = false;
    for (const outsider of this.#queue.splice(0)) outsider.resolve('closed');
    this.#childEnded();
  }
}

function openOne(scope: Scope | undefined): Scope | undefined {
  let open = scope;
  while (open && !open.isOpen) open = open.outer;
  return open;
}

interface Storage {
  run<T>(scope: Scope, body: () => T): T;
  getStore(): Scope | undefined;
}

// One for all copies of this package in the process, so that calls nest across its ES module and CommonJS forms.
const key = Symbol.for('holdfast.scopes');

// Not imported: where a runtime has no such module, nothing re-enters.
function storage(): Storage | undefined {
  const shared = globalThis as { [key]?: Storage };
  if (!shared[key]) {
    const hooks = globalThis.process?.getBuiltinModule?.('node:async_hooks');
    if (hooks) shared[key] = new hooks.AsyncLocalStorage<Scope>();
  }
  return shared[key];
}
