import { firstValid, headClaim, opensTo, placeOf, ticketOf, validBefore } from './line.ts';
import { isFree, isSpent, type LockItem } from './lock-item.ts';
import { StoreUnavailableError, type WriteResult } from './lock-store.ts';
import type { AcquireOutcome, AttemptOutcome, Waited } from './outcomes.ts';
import { release } from './releasing.ts';
import { renew } from './renewal.ts';
import { type AttemptRequest, decisionRounds, type Rules } from './rules.ts';

export interface AcquireRequest extends AttemptRequest {
  /** How long to wait at the most, milliseconds; Infinity: until it is mine. */
  readonly waitMs: number;
  /** Whether the caller confirms a grant that it waited for: then that grant is provisional. */
  readonly confirm: boolean;
  /** Whether the place is kept when the time is over, for the caller to come back with `resume`. */
  readonly keepPlace?: boolean | undefined;
  /** The caller comes back to its place: nothing is claimed or joined for a token that stands outside. */
  readonly resume?: boolean | undefined;
  /** Aborted: the caller gave up. */
  readonly signal?: AbortSignal | undefined;
}

// What a look at the lock, or a refused write, says about it. Only a strong one is believed when it says "not in line".
interface Look {
  readonly item: LockItem | undefined;
  readonly strong: boolean;
}

type Step = { readonly outcome: AcquireOutcome } | { readonly look: Look } | { readonly pauseMs: number };

const strong = ({ item }: WriteResult): Step => ({ look: { item, strong: true } });

/** Takes the lock if it is free; never joins the line, never waits, never overtakes whoever stands in it. */
export async function attempt(rules: Rules, request: AttemptRequest): Promise<AttemptOutcome> {
  return (await new Acquiring(rules, { ...request, waitMs: 0, confirm: false }, true).run()) as AttemptOutcome;
}

/**
 * Takes the lock, standing in line for it up to `waitMs`.
 *
 * Looks are eventually consistent reads, at half the price; every step that matters is a guarded write, and is decided
 * again from the item that refused it.
 */
export function acquire(rules: Rules, request: AcquireRequest): Promise<AcquireOutcome> {
  return new Acquiring(rules, request).run();
}

class Acquiring {
  readonly #rules: Rules;
  readonly #request: AcquireRequest;
  readonly #isTry: boolean;
  readonly #mayJoin: boolean;
  readonly #startedAt: number;
  readonly #endsAt: number;
  // Whether this token was seen in line or as the owner, so that being neither any more means something.
  #joined: boolean;
  // A grant from now on is one after waiting.
  #waited = false;
  // This request was kept, not just a place that its token had from an earlier one.
  #kept = false;

  constructor(rules: Rules, request: AcquireRequest, isTry = false) {
    this.#rules = rules;
    this.#request = request;
    this.#isTry = isTry;
    this.#mayJoin = !isTry && (request.waitMs > 0 || request.keepPlace === true || request.resume === true);
    this.#startedAt = rules.now();
    this.#endsAt = this.#startedAt + request.waitMs;
    this.#joined = request.resume === true;
    this.#waited = this.#joined;
  }

  async run(): Promise<AcquireOutcome> {
    const { signal } = this.#request;
    let step: Step = this.#joined ? { look: await this.#look(false) } : await this.#claim();
    for (let round = 0; ; round++) {
      // Also when the lock or a place was got just now: whoever gave up is given neither.
      if (signal?.aborted) return this.#giveUp();
      if ('outcome' in step) return { ...step.outcome, ...this.#waitedMs() };
      if ('look' in step && round < decisionRounds) {
        step = await this.#decide(step.look);
        continue;
      }
      if ('look' in step && !this.#mayJoin) return this.#undecided(step.look.item);
      // A lock that changes under each decision is left alone for a moment.
      await this.#rules.surroundings.sleep('pauseMs' in step ? step.pauseMs : this.#pollMs(0), signal);
      this.#waited = true;
      this.#kept = true;
      round = -1;
      step = { look: await this.#look(false) };
    }
  }

  #decide(look: Look): Promise<Step> | Step {
    const { item } = look;
    const me = this.#request.ownerToken;
    if (item?.owner === me) return this.#mine(item);
    if (item && isSpent(item, me)) return { outcome: { kind: 'token-spent' } };
    const place = placeOf(item, me);
    if (item && place >= 0) return this.#inLine(item, place);
    if (this.#joined) return this.#notInLine(look);
    return this.#outside(item);
  }

  // Mine from an attempt whose reply was lost, or handed to me. It may be over already, or taken since an old look: only
  // a renewal makes it a grant. A caller that confirms does so itself, and counts its lease from there.
  async #mine(item: LockItem): Promise<Step> {
    const { confirm } = this.#request;
    if (confirm && this.#waited && item.principal === undefined) {
      const now = this.#rules.now();
      const grant = this.#rules.granted(item, this.#request, now);
      return { outcome: grant };
    }
    const renewed = await renew(this.#rules, this.#request);
    if (renewed.kind === 'granted') return { outcome: renewed };
    // Somebody took it because this came late: a token that had its turn stands in no line again. A look says why.
    this.#joined = this.#mayJoin;
    return { look: await this.#look(true) };
  }

  async #inLine(item: LockItem, place: number): Promise<Step> {
    this.#joined = true;
    this.#waited = true;
    const { store, timing } = this.#rules;
    const { lockId, ownerToken: me, keepPlace } = this.#request;
    // An attempt says nothing about a place that its token may have from an acquire.
    if (this.#isTry) return this.#heldStep(item);
    const now = this.#rules.now();
    const cut = this.#rules.cut(now);
    const head = headClaim(item, place, cut, timing.claimWindowMs);
    if (isFree(item, head.over)) {
      return this.#claimed(await store.claimAsHead({ ...this.#claimOf(now), ...head }), now);
    }
    // The dead keep nobody from being kept waiting.
    const ahead = validBefore(item, place, cut);
    const stops = now >= this.#endsAt || ahead >= timing.heldOpen;
    if (stops && !keepPlace) return this.#leave(place);
    const ticketEnd = this.#ticketEnd(now, ahead);
    const ticket = ticketOf(item, me);
    // Renewed at half of what a new one would last; also when a place is kept as long as promised.
    const isPromised = stops && ahead < timing.heldOpen;
    if (ticket < ticketEnd && (isPromised || ticket - now < (ticketEnd - now) / 2)) {
      return strong(await store.keepTicket({ lockId, me, ticketEnd }));
    }
    if (stops) return this.#stillWaiting(item, place, ahead);
    const opensInMs = opensTo(item, place, timing.claimWindowMs) + timing.clockSkewMs - now;
    return { pauseMs: Math.min(this.#pollMs(place), this.#endsAt - now, Math.max(1, opensInMs)) };
  }

  async #notInLine({ strong: believed }: Look): Promise<Step> {
    // Just after joining, an old look says the same.
    if (!believed) return { look: await this.#look(true) };
    // Somebody released my token, or passed me because I was late. The old token is never joined again in silence.
    return { outcome: { kind: 'place-lost' } };
  }

  async #outside(item: LockItem | undefined): Promise<Step> {
    const { store, timing, surroundings } = this.#rules;
    const { lockId, ownerToken: me, keepPlace } = this.#request;
    const now = this.#rules.now();
    const cut = this.#rules.cut(now);
    if (item === undefined || (isFree(item, cut) && item.queue.length === 0)) return this.#claim();
    if (isFree(item, cut) && !firstValid(item, cut)) {
      const { rev, fence } = item;
      return this.#claimed(await store.claimPast({ ...this.#claimOf(now), rev, fence }), now);
    }
    if (!this.#mayJoin || (now >= this.#endsAt && !keepPlace)) return this.#heldStep(item);
    const line = item.queue.length;
    const ahead = validBefore(item, line, cut);
    if (line >= timing.lineLimit) {
      const { min, max } = timing.outsideMs;
      const pauseMs = min + surroundings.random() * (max - min);
      if (!timing.waitsOutside) return { outcome: { ...this.#rules.held(item, pauseMs), lineFull: true } };
      return { pauseMs: Math.min(pauseMs, this.#endsAt - now) };
    }
    if (ahead >= timing.heldOpen && !keepPlace) return this.#heldStep(item, timing.comeBackMs.max);
    const { lineLimit } = timing;
    return strong(await store.join({ lockId, me, ticketEnd: this.#ticketEnd(now, ahead), lineLimit }));
  }

  async #claim(): Promise<Step> {
    const now = this.#rules.now();
    return this.#claimed(await this.#rules.store.claim(this.#claimOf(now)), now);
  }

  async #leave(place: number): Promise<Step> {
    const { lockId, ownerToken: me } = this.#request;
    const result = await this.#rules.store.leave({ lockId, me, place });
    if (result.written) return this.#heldStep(result.item);
    const { item } = result;
    // Handed to me at the last moment: it is mine. Moved: from there. Gone: that was the aim.
    if (item?.owner === me || placeOf(item, me) >= 0) return strong(result);
    return item ? this.#heldStep(item) : { outcome: { kind: 'place-lost' } };
  }

  // Whatever the token has by now, a place or the lock itself, goes to the others.
  async #giveUp(): Promise<AcquireOutcome> {
    await release(this.#rules, { ...this.#request, expectWaiters: true });
    return { kind: 'gave-up' };
  }

  #claimOf(now: number) {
    const { lockId, ownerToken: me, leaseMs, identity, confirm } = this.#request;
    const provisional = this.#waited && confirm;
    const until = now + (provisional ? this.#rules.timing.claimWindowMs : leaseMs);
    const cut = this.#rules.cut(now);
    return { lockId, me, now, cut, until, identity: provisional ? undefined : identity, ttl: this.#rules.ttl(until) };
  }

  // A place is valid while its waiter looks, and a little longer, so that it can come back.
  #ticketEnd(now: number, ahead: number): number {
    const { ticketMs, placeKeptMs, awayTicketMs, heldOpen } = this.#rules.timing;
    return ahead < heldOpen ? Math.min(this.#endsAt + placeKeptMs, now + ticketMs) : now + awayTicketMs;
  }

  #stillWaiting(item: LockItem, place: number, ahead: number): Step {
    const now = this.#rules.now();
    const behind = Math.max(0, ahead + 1 - this.#rules.timing.heldOpen);
    const resumeWithinMs = Math.max(0, ticketOf(item, this.#request.ownerToken) - now);
    const { kind: _kind, ...held } = this.#rules.held(item, this.#comeBackMs(item, behind, now));
    return { outcome: { ...held, kind: 'still-waiting', position: place + 1, resumeWithinMs } };
  }

  // A line moves as fast as its holds end: a lock that has been held for long costs those behind few requests, and one
  // that is handed on every few milliseconds does not find them away when their turn comes.
  #comeBackMs({ since }: LockItem, behind: number, now: number): number {
    const { step, max } = this.#rules.timing.comeBackMs;
    const heldMs = since === undefined ? 0 : now - since;
    return Math.min(max, behind * Math.max(step, heldMs));
  }

  #heldStep(item: LockItem, retryAfterMs = this.#rules.timing.comeBackMs.step): Step {
    return { outcome: this.#rules.held(item, retryAfterMs) };
  }

  // Whoever does not wait is not kept by a lock that changes under each decision.
  #undecided(item: LockItem | undefined): AcquireOutcome {
    if (item) return this.#rules.held(item, this.#rules.timing.comeBackMs.step);
    throw new StoreUnavailableError('the lock changed at every attempt to take it');
  }

  #claimed(result: WriteResult, now: number): Step {
    return result.written ? { outcome: this.#rules.granted(result.item, this.#request, now) } : strong(result);
  }

  #waitedMs(): Waited {
    return this.#kept ? { waitedMs: this.#rules.now() - this.#startedAt } : {};
  }

  // By place in line, so that a lock costs much the same however many wait for it.
  #pollMs(place: number): number {
    const { step, max } = this.#rules.timing.pollMs;
    return this.#rules.jittered(Math.min(max, step * (place + 1)));
  }

  async #look(consistent: boolean): Promise<Look> {
    const item = await this.#rules.store.read(this.#request.lockId, { consistent });
    return { item, strong: consistent };
  }
}
