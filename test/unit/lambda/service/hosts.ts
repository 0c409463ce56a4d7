import type { LockItem } from '../../../../lambda/service/lock-item.ts';
import { LockService } from '../../../../lambda/service/lock-service.ts';
import { type LockStore, StoreUnavailableError } from '../../../../lambda/service/lock-store.ts';
import type { AcquireOutcome, Granted } from '../../../../lambda/service/outcomes.ts';
import type { AttemptRequest } from '../../../../lambda/service/rules.ts';
import { defaultTiming } from '../../../../lambda/service/timing.ts';
import { MemoryLockStore } from '../../../../lambda/store/memory-lock-store.ts';
import { type InterposedStore, interposed, type StoreCall } from '../../../support/interposed-store.ts';
import { T0, tokenOf } from '../../../support/lock-items.ts';
import { seededRandom } from '../../../support/seeded-random.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

export interface HostsScenario {
  readonly seed: number;
  /** How far each host's clock is off, milliseconds; one host each. */
  readonly skewsMs: readonly number[];
  readonly leaseMs: number;
  /** The clock margin that all hosts keep. */
  readonly clockSkewMs: number;
  /** Whether an administrator breaks holds now and then: a broken holder learns of it only later. */
  readonly breaks?: boolean;
}

export interface HostsHistory {
  /** Every fencing token in the order in which the store gave them out. */
  readonly fences: readonly number[];
  /** The fencing tokens of those who really came to hold, in order. */
  readonly heldFences: readonly number[];
  /** Says when two held at once; empty when that never happened. */
  readonly overlaps: readonly string[];
  /** How often each write was made, refusals left out. */
  readonly written: ReadonlyMap<keyof LockStore, number>;
}

interface Hold {
  /** By the monotonic clock: it counts from before the request was sent. */
  deadline: number;
}

type Ask = (...asked: unknown[]) => Promise<unknown>;

// So short that most scenarios see it full, with some of it kept waiting and the others told to come back.
const lineLimit = 3;

/**
 * Lets hosts with skewed clocks contend for one lock over one store, in virtual time: they try, stand in line, come back
 * to their place, give up, hand on to an heir. Requests and replies take their time or get lost, old requests arrive
 * again much later, reads show old states, holders renew, release or fall silent, and so do waiters. Each holder
 * believes in its lease until its own deadline, as the SDK does.
 */
export async function runHosts(scenario: HostsScenario): Promise<HostsHistory> {
  const { seed, skewsMs, leaseMs, clockSkewMs, breaks = false } = scenario;
  const random = seededRandom(seed);
  const clock = new VirtualClock(T0);
  const fences: number[] = [];
  const heldFences: number[] = [];
  const overlaps: string[] = [];
  const written = new Map<keyof LockStore, number>();
  const holds = new Map<number, Hold>();
  const duplicates: Promise<void>[] = [];
  const upTo = (ms: number) => Math.floor(random() * ms);
  const chance = (probability: number) => random() < probability;

  const states: { at: number; item: LockItem }[] = [];
  const applied = noting(new MemoryLockStore(), (operation, item) => {
    written.set(operation, (written.get(operation) ?? 0) + 1);
    if (item.fence !== states.at(-1)?.item.fence) fences.push(item.fence);
    states.push({ at: clock.now(), item });
  });

  // What an eventually consistent read may show: any state of the last second.
  async function staleRead(): Promise<LockItem | undefined> {
    const current = states.filter(({ at }, index) => (states[index + 1]?.at ?? at) >= clock.now() - 1_000);
    return current[upTo(current.length)]?.item ?? states.at(-1)?.item;
  }

  async function arriveAgain({ operation, argument }: StoreCall): Promise<void> {
    await clock.sleep(upTo(3 * leaseMs));
    if (operation !== 'read' && operation !== 'list') await (applied[operation] as Ask)(argument);
  }

  function storeOf(): InterposedStore {
    const shown: LockStore = Object.assign(Object.create(applied), {
      read: (lockId: string, options: { consistent: boolean }) =>
        options.consistent ? applied.read(lockId, options) : staleRead(),
    });
    return interposed(shown, {
      async before(call) {
        await clock.sleep(chance(0.05) ? upTo(leaseMs * 1.5) : upTo(100));
        if (chance(0.1)) duplicates.push(arriveAgain(call));
        if (chance(0.02)) throw new StoreUnavailableError('the request was lost');
      },
      async after() {
        await clock.sleep(chance(0.05) ? upTo(leaseMs * 1.5) : upTo(100));
        if (chance(0.02)) throw new StoreUnavailableError('the reply was lost');
      },
    });
  }

  // A grant or a renewal that was answered too late gives nothing.
  function believe(host: number, sentAt: number): boolean {
    const deadline = sentAt + leaseMs * 0.999;
    if (clock.now() >= deadline) return false;
    for (const [other, hold] of holds) {
      if (other !== host && clock.now() < hold.deadline)
        overlaps.push(`${host} and ${other} at ${clock.now() - T0} ms`);
    }
    holds.set(host, { deadline });
    return true;
  }

  async function host(at: number, skewMs: number): Promise<void> {
    const heldOpen = chance(0.5) ? Number.POSITIVE_INFINITY : 2;
    // So short, at times, that a slow waiter's ticket ends while it waits.
    const tickets = chance(0.5) ? { placeKeptMs: 500, ticketMs: 3_000 } : { placeKeptMs: 5_000, ticketMs: 25_000 };
    const waitsOutside = heldOpen > lineLimit;
    const timing = { ...defaultTiming, ...tickets, clockSkewMs, lineLimit, heldOpen, waitsOutside };
    const service = new LockService(storeOf(), clock.surroundings(random, skewMs), timing);
    const quietly = <T>(answer: Promise<T>) => answer.catch(() => undefined);
    const requestOf = (name: string): AttemptRequest => ({
      lockId: 'a',
      ownerToken: tokenOf(name),
      leaseMs,
      identity: { principal: `host${at}` },
    });

    // Waits, and comes back to its place a few times. Says when it sent the request that was answered.
    async function waitFor(request: AttemptRequest) {
      const confirm = chance(0.5);
      const keepPlace = chance(0.5);
      let resume = false;
      for (let come = 0; ; come++) {
        const sentAt = clock.now();
        const controller = new AbortController();
        const gaveUp = chance(0.1) ? clock.sleep(upTo(2 * leaseMs)).then(() => controller.abort()) : undefined;
        const { signal } = controller;
        const waitMs = upTo(3 * leaseMs);
        const outcome: AcquireOutcome | undefined = await quietly(
          service.acquire({ ...request, waitMs, confirm, keepPlace, resume, signal }),
        );
        await gaveUp;
        const again = outcome?.kind === 'still-waiting' || outcome === undefined;
        if (!again || come === 3) return { outcome, sentAt };
        resume = outcome?.kind === 'still-waiting';
        await clock.sleep(outcome?.kind === 'still-waiting' ? outcome.retryAfterMs : 0);
        // Some never come back.
        if (chance(0.1)) return { outcome: undefined, sentAt };
      }
    }

    async function work(request: AttemptRequest, grant: Granted, sentAt: number): Promise<boolean> {
      if (!believe(at, sentAt)) return false;
      heldFences.push(grant.fencingToken);
      await hold(at, () => quietly(service.renew(request)));
      return true;
    }

    for (let round = 0; round < 5; round++) {
      await clock.sleep(upTo(chance(0.2) ? 6 * leaseMs : leaseMs));
      const request = requestOf(`host${at}-${round}`);
      let sentAt = clock.now();
      let outcome: { kind: string } | undefined;
      if (chance(0.2)) outcome = await quietly(service.try(request));
      else ({ outcome, sentAt } = await waitFor(request));
      if (outcome?.kind === 'granted' && ((outcome as Granted).provisional || sentAt + leaseMs <= clock.now())) {
        sentAt = clock.now();
        outcome = await quietly(service.renew(request));
      }
      if (outcome?.kind === 'granted') await work(request, outcome as Granted, sentAt);
      if (breaks && chance(0.2)) {
        await quietly(service.break({ lockId: 'a', fencingToken: states.at(-1)?.item.fence ?? 0 }));
      }
      // Some hosts fall silent here, without a release.
      if (chance(0.25)) continue;
      const heir = chance(0.3) ? requestOf(`heir${at}-${round}`) : undefined;
      sentAt = clock.now();
      const released = await quietly(service.release({ ...request, expectWaiters: chance(0.5), heir }));
      const inherited = released?.kind === 'released' && released.heir;
      if (heir && inherited) await work(heir, inherited, sentAt);
      if (heir && !chance(0.25)) await quietly(service.release(heir));
    }
  }

  // Works under the lease and renews it now and then, until the work is done or the deadline has passed.
  async function hold(at: number, renew: () => Promise<{ kind: string } | undefined>): Promise<void> {
    const silent = chance(0.2);
    for (let step = upTo(5); step >= 0; step--) {
      await clock.sleep(upTo(leaseMs / 2));
      if (clock.now() >= (holds.get(at)?.deadline ?? 0)) break;
      if (silent) continue;
      const sentAt = clock.now();
      const renewed = await renew();
      const stillMine = clock.now() < (holds.get(at)?.deadline ?? 0);
      if (!stillMine || (renewed && renewed.kind !== 'granted')) break;
      if (renewed) believe(at, sentAt);
    }
    if (silent) await clock.sleep(Math.max(0, (holds.get(at)?.deadline ?? 0) - clock.now()));
    // What is no longer believed does not overlap with anything.
    holds.delete(at);
  }

  await clock.run(Promise.all(skewsMs.map((skewMs, at) => host(at, skewMs))));
  await clock.run(Promise.all(duplicates));
  return { fences, heldFences, overlaps, written };
}

/** The same store, telling of every write that was made. */
function noting(store: LockStore, note: (operation: keyof LockStore, item: LockItem) => void): LockStore {
  return new Proxy(store, {
    get: (_, operation: keyof LockStore) => {
      const ask = store[operation] as Ask;
      return async (...asked: unknown[]) => {
        const answer = (await ask.apply(store, asked)) as { written?: boolean; item?: LockItem } | undefined;
        if (answer?.written && answer.item) note(operation, answer.item);
        return answer;
      };
    },
  });
}
