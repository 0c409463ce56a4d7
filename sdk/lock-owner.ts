import type { Clocks } from './clocks.ts';
import { IllegalMonitorStateError, LockNotAcquiredError } from './errors.ts';
import type { Contend, Holding } from './holding.ts';
import type { Lease } from './lease.ts';
import { Lock } from './lock.ts';
import { type AcquireOptions, checkOptions, type HoldOptions, holdRules, withDefaults } from './options.ts';
import { ReentrantHolding } from './reentrant-holding.ts';
import { type LockBody, runUnderLease } from './with-lock.ts';

/** Where the locks of an owner come from: its factory. */
export interface OwnerSource {
  readonly contend: Contend;
  readonly acquire: (lockId: string, options: AcquireOptions) => Promise<Lease>;
  readonly clocks: Clocks;
  /** @throws IllegalArgumentError for an id that is not valid */
  readonly checkLockId: (lockId: string) => void;
}

/**
 * One logical thread: its handles of one id share their holds, and taking the lock again only counts. The lock is
 * released when it was unlocked as many times as it was locked, by whichever handle. Two owners exclude one another.
 *
 * @example
 * const me = locks.asOwner('nightly job');
 * await me.createLock('orders').lock();
 * await me.createLock('orders').lock(); // at once: it is mine
 */
export class LockOwner {
  readonly #source: OwnerSource;
  readonly #label: string | undefined;
  // Of the locks that it holds, or takes or gives back just now.
  readonly #holdings = new Map<string, { readonly holding: ReentrantHolding; users: number }>();

  /** @internal Owners come from `LockFactory.asOwner`. */
  constructor(source: OwnerSource, label: string | undefined) {
    this.#source = source;
    this.#label = label;
  }

  /**
   * A handle of the lock with this id, for this owner. Nothing is sent or written. A hold that is taken again keeps the
   * options with which it was taken first.
   *
   * @param lockId well-formed text of 1 to 512 UTF-8 bytes, the factory's prefix counted, opaque
   * @throws IllegalArgumentError for an id or option that is not valid
   */
  createLock(lockId: string, options: HoldOptions = {}): Lock {
    this.#source.checkLockId(lockId);
    checkOptions(options, holdRules);
    const defaults = this.#label === undefined ? {} : { holder: this.#label };
    return new Lock(lockId, withDefaults(options, defaults), {
      holding: this.#holdingOf(lockId),
      acquire: (wanted) => this.#source.acquire(lockId, wanted),
      withLock: (wanted, body) => this.#use(lockId, (holding) => runUnderHold(lockId, holding, wanted, body)),
    });
  }

  #holdingOf(lockId: string): Holding {
    const holdings = this.#holdings;
    return {
      get lease() {
        return holdings.get(lockId)?.holding.lease;
      },
      take: (options) => this.#use(lockId, (holding) => holding.take(options)),
      giveBack: () => this.#use(lockId, (holding) => holding.giveBack()),
    };
  }

  // What the owner holds of a lock is kept only as long as that is something.
  async #use<T>(lockId: string, use: (holding: ReentrantHolding) => Promise<T>): Promise<T> {
    const { contend, clocks } = this.#source;
    const entry = this.#holdings.get(lockId) ?? { holding: new ReentrantHolding(lockId, contend, clocks), users: 0 };
    this.#holdings.set(lockId, entry);
    entry.users++;
    try {
      return await use(entry.holding);
    } finally {
      entry.users--;
      if (entry.users === 0 && !entry.holding.lease) this.#holdings.delete(lockId);
    }
  }
}

async function runUnderHold<T>(
  lockId: string,
  holding: ReentrantHolding,
  options: AcquireOptions,
  body: LockBody<T>,
): Promise<T> {
  const held = await holding.take(options);
  if (held) throw new LockNotAcquiredError(lockId, held.holder, held.expiresInMs);
  const { lease } = holding;
  // A careless flow of the same owner gave back what was not its own.
  if (!lease) throw new IllegalMonitorStateError(`this owner does not hold lock ${JSON.stringify(lockId)} any more`);
  return runUnderLease(lease, body, {
    release: () => holding.giveBack(),
    abandon: () => holding.abandon(lease),
  });
}
