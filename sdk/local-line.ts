import { Acquisition } from './acquisition.ts';
import type { Granted, Heir, Held } from './backend.ts';
import type { Moment } from './clocks.ts';
import type { Connection } from './connection.ts';
import { asksFor, Contender, type ContenderRequest, interrupted, type StopReason } from './contender.ts';
import { leaseLeftMs } from './deadline.ts';
import type { HoldfastError } from './errors.ts';
import { type Acquired, type EndState, Lease } from './lease.ts';
import { pause, timerMs } from './pause.ts';
import { releaseWithinMs } from './release-attempts.ts';
import { newOwnerToken } from './wire/owner-token.ts';

// An aborted caller waits this long for its clean-up to be answered.
const cleanUpWaitMs = 1_000;

/**
 * The flows of one process that want one lock, first come first served.
 *
 * Only the first talks to the service; the others wait here, without requests. The place in the service's line belongs
 * to them together: when the first gives up, the next inherits it, and only a line that is empty leaves. A holder that
 * releases names the next as its heir: when nobody stands in the service's line, one write passes the lock on.
 */
export class LocalLine {
  readonly #connection: Connection;
  readonly #lockId: string;
  readonly #onLease: (lease: Lease) => void;
  readonly #onEnd: (lease: Lease) => void;
  readonly #contenders: Contender[] = [];
  // What each was told last.
  readonly #toldToWait = new WeakMap<Contender, Held>();
  #acquisition: Acquisition | undefined;
  #holder: Lease | undefined;
  #holderLabel: string | undefined;
  // Set while somebody waits for a holder that has no timer of its own.
  #watch: ReturnType<typeof setTimeout> | undefined;
  // Whether somebody is about to stand in line: a look at the holder may end its lease, and the line is still wanted.
  #isEntered = false;
  // To whom the release that is under way may have passed the lock on.
  #heir: Heir | undefined;

  /**
   * @param onLease told of each lease that begins
   * @param onEnd told of each lease that ends
   */
  constructor(
    connection: Connection,
    lockId: string,
    { onLease, onEnd }: { onLease: (lease: Lease) => void; onEnd: (lease: Lease) => void },
  ) {
    this.#connection = connection;
    this.#lockId = lockId;
    this.#onLease = onLease;
    this.#onEnd = onEnd;
  }

  /** Whether nobody of this process holds the lock or wants it. */
  get isIdle(): boolean {
    return !this.#holder && !this.#acquisition && this.#contenders.length === 0 && !this.#isEntered;
  }

  /**
   * Stands in line: the lease, or who holds the lock when the time is over.
   *
   * @throws InterruptedError when the signal aborts or the factory is disposed
   * @throws LockServiceError when the service could not be asked in time
   * @throws IllegalArgumentError | ForbiddenError when it refused the request itself
   */
  async enter(request: ContenderRequest): Promise<Lease | Held> {
    if (request.disposal.disposed) throw interrupted('disposed');
    if (request.signal?.aborted) throw interrupted('aborted');
    // A look first: a lease that is over leaves the line.
    this.#isEntered = true;
    const isHeldHere = this.#holder?.isHeld === true;
    this.#isEntered = false;
    // One attempt would be refused: somebody here holds the lock or is before it.
    if (request.waitMs <= 0 && (isHeldHere || this.#contenders.length > 0)) return this.#heldHere();
    const contender = new Contender(request, this.#connection.clocks, (each, why) => this.#stopContender(each, why));
    this.#contenders.push(contender);
    if (isHeldHere || this.#contenders.length > 1) this.#tellWaiting(contender, this.#heldHere());
    this.#acquire();
    this.#watchHolder();
    return contender.settled;
  }

  // Starts to acquire for the first contender, unless that is under way or somebody here holds the lock.
  #acquire(heirToken?: string): void {
    if (this.#holder || this.#acquisition || this.#contenders.length === 0) return;
    const acquisition = new Acquisition(
      this.#connection,
      this.#lockId,
      {
        contender: () => this.#contenders[0] as Contender,
        acquired: (acquired) => {
          this.#acquisition = undefined;
          this.#grant(acquired);
        },
        waits: (held) => this.#tellWaiting(this.#contenders[0] as Contender, held),
        giveUp: (held) => this.#frontGivesUp(held),
        fail: (error) => this.#frontFails(error),
      },
      heirToken,
    );
    this.#acquisition = acquisition;
    void acquisition.run();
  }

  // The first contender gets the lock. (It is there: an acquisition whose last contender went is stopped.)
  #grant(acquired: Acquired): void {
    const contender = this.#contenders.shift() as Contender;
    const { leaseMs, holder, maxHoldMs, renewal, emit } = contender.request;
    const lease: Lease = new Lease(
      this.#connection,
      {
        lockId: this.#lockId,
        leaseMs,
        holder,
        maxHoldMs,
        renewal,
        emit,
        // Whoever tries again to release a hold that is not the line's any more passes nothing on.
        heir: () => (this.#holder === lease ? this.#nameHeir() : undefined),
        onTransfer: (grant, sentAt) => this.#transferred(lease, grant, sentAt),
        onEnd: (state) => this.#ended(lease, state),
      },
      acquired,
    );
    this.#holder = lease;
    this.#holderLabel = holder;
    this.#onLease(lease);
    const { fencingToken } = acquired.grant;
    emit({ type: 'acquired', lockId: this.#lockId, fencingToken, waitedMs: Math.round(contender.waitedMs) });
    contender.resolve(lease);
    this.#watchHolder();
  }

  #tellWaiting(contender: Contender, held: Held): void {
    const told = this.#toldToWait.get(contender);
    const { holder, position = told?.position } = held;
    if (told && told.holder === holder && told.position === position) return;
    this.#toldToWait.set(contender, { ...held, position });
    contender.request.emit({
      type: 'waiting',
      lockId: this.#lockId,
      holder,
      ...(position !== undefined && { position }),
    });
  }

  // A lease that is renewed by hand has no timers: while somebody waits for it here, it is looked at when it may be over.
  #watchHolder(): void {
    clearTimeout(this.#watch);
    const holder = this.#holder;
    if (!holder?.isRenewedByHand || this.#contenders.length === 0) return;
    // The look itself may end the lease, and with it begin the next acquisition. Nothing remains while it is released.
    const lookInMs = (holder.remainingMs || releaseWithinMs) + 1;
    if (this.#holder !== holder) return;
    this.#watch = setTimeout(() => this.#watchHolder(), timerMs(lookInMs));
  }

  // The same for every attempt of one release, also when that contender has gone meanwhile: an attempt whose reply was
  // lost may have given it the lock, and only the answer to a repeat tells.
  #nameHeir(): Heir | undefined {
    const [next] = this.#contenders;
    if (next)
      this.#heir ??= { ownerToken: newOwnerToken(), leaseMs: next.request.leaseMs, holder: next.request.holder };
    return this.#heir;
  }

  // The release passed the lock on to the first contender, if one is still there and its lease not over yet.
  #transferred(from: Lease, grant: Granted, sentAt: Moment): void {
    const heir = this.#heir;
    this.#heir = undefined;
    if (heir === undefined) return;
    const { ownerToken } = heir;
    const isHolder = this.#holder === from;
    if (isHolder) this.#holder = undefined;
    const isOver = leaseLeftMs(sentAt, grant.leaseMs, this.#connection.clocks) <= 0;
    const [next] = this.#contenders;
    // The heir that was named may be gone, and the next want another lease or bear another name.
    if (isHolder && !isOver && next && asksFor(next, heir)) {
      this.#grant({ grant, ownerToken, sentAt });
      return;
    }
    void this.#connection.cleanUps.start({ lockId: this.#lockId, ownerToken });
    this.#acquire();
  }

  #ended(lease: Lease, state: EndState): void {
    if (this.#holder === lease) {
      clearTimeout(this.#watch);
      this.#holder = undefined;
      // A release of unknown outcome may have passed the lock on to the heir's token.
      const mayHold = state === 'unsure' ? this.#heir?.ownerToken : undefined;
      this.#heir = undefined;
      if (this.#contenders.length > 0) this.#acquire(mayHold);
      else if (mayHold !== undefined)
        void this.#connection.cleanUps.start({ lockId: this.#lockId, ownerToken: mayHold });
    }
    this.#onEnd(lease);
  }

  #frontGivesUp(held: Held): void {
    const front = this.#contenders[0] as Contender;
    void this.#leave(front);
    front.resolve(held);
  }

  #frontFails(error: HoldfastError): void {
    const front = this.#contenders[0] as Contender;
    void this.#leave(front);
    front.reject(error);
  }

  #stopContender(contender: Contender, why: StopReason): void {
    const acquisition = this.#acquisition;
    // Once, an answer that is on its way may still come in.
    const isFirst = this.#contenders[0] === contender;
    if (why === 'time' && contender.waits && isFirst && acquisition?.isAsking && contender.extend()) return;
    if (why === 'time') {
      // One attempt that got no answer does not know whether the lock is held, whatever an earlier one saw.
      const held = this.#holder || (contender.waits && acquisition?.held) ? this.#heldHere() : undefined;
      // Whoever stands behind another knows that somebody is before it, unless that one has been failing.
      const failing = isFirst || acquisition?.isFailing ? acquisition : undefined;
      const noAnswer = failing?.noAnswer(`within ${Math.round(contender.limitMs)} ms`);
      void this.#leave(contender);
      if (noAnswer && !held) contender.reject(noAnswer);
      else contender.resolve(held ?? unknownHolder);
      return;
    }
    const cleanedUp = this.#leave(contender);
    contender.stop();
    void pause(cleanUpWaitMs, cleanedUp).then(() => contender.reject(interrupted(why)));
  }

  // Takes a contender out. The last one takes the place in the service's line with it: resolves when that is answered.
  #leave(contender: Contender): Promise<void> {
    const at = this.#contenders.indexOf(contender);
    if (at >= 0) this.#contenders.splice(at, 1);
    this.#watchHolder();
    if (this.#contenders.length > 0 || !this.#acquisition) return Promise.resolve();
    const cleanedUp = this.#acquisition.stop();
    this.#acquisition = undefined;
    return cleanedUp;
  }

  #heldHere(): Held {
    if (!this.#holder) return this.#acquisition?.held ?? unknownHolder;
    return { kind: 'held', holder: this.#holderLabel, expiresInMs: this.#holder.remainingMs, retryAfterMs: 0 };
  }
}

// Somebody of this process is before, and has had no answer yet.
const unknownHolder: Held = { kind: 'held', holder: undefined, expiresInMs: 0, retryAfterMs: 0 };
