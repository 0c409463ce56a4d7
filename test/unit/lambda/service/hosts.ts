import { LockService } from '../../../../lambda/service/lock-service.ts';
import {
  type Claim,
  type LockStore,
  type Renew,
  StoreUnavailableError,
} from '../../../../lambda/service/lock-store.ts';
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
}

export interface HostsHistory {
  /** Every fencing token in the order in which the store gave them out. */
  readonly fences: readonly number[];
  /** The fencing tokens of those who really came to hold, in order. */
  readonly heldFences: readonly number[];
  /** Says when two held at once; empty when that never happened. */
  readonly overlaps: readonly string[];
}

interface Hold {
  /** By the monotonic clock: it counts from before the request was sent. */
  deadline: number;
}

/**
 * Lets hosts with skewed clocks contend for one lock over one store, in virtual time: requests and replies take their
 * time or get lost, old requests arrive again much later, holders renew, release or fall silent. Each holder believes in
 * its lease until its own deadline, as the SDK does.
 */
export async function runHosts({ seed, skewsMs, leaseMs, clockSkewMs }: HostsScenario): Promise<HostsHistory> {
  const random = seededRandom(seed);
  const clock = new VirtualClock(T0);
  const memory = new MemoryLockStore();
  const fences: number[] = [];
  const heldFences: number[] = [];
  const overlaps: string[] = [];
  const holds = new Map<number, Hold>();
  const duplicates: Promise<void>[] = [];
  const upTo = (ms: number) => Math.floor(random() * ms);
  const chance = (probability: number) => random() < probability;

  const applied: LockStore = Object.assign(Object.create(memory), {
    async claim(claim: Claim) {
      const result = await memory.claim(claim);
      if (result.written) fences.push(result.item.fence);
      return result;
    },
    renew: (renew: Renew) => memory.renew(renew),
    release: memory.release.bind(memory),
    read: memory.read.bind(memory),
  });

  async function arriveAgain({ operation, argument }: StoreCall): Promise<void> {
    await clock.sleep(upTo(3 * leaseMs));
    if (operation === 'claim') await applied.claim(argument as Claim);
    if (operation === 'renew') await applied.renew(argument as Renew);
    if (operation === 'release') await applied.release(argument as never);
  }

  function storeOf(): InterposedStore {
    return interposed(applied, {
      async before(call) {
        await clock.sleep(chance(0.1) ? upTo(leaseMs * 1.5) : upTo(200));
        if (chance(0.1)) duplicates.push(arriveAgain(call));
        if (chance(0.05)) throw new StoreUnavailableError('the request was lost');
      },
      async after() {
        await clock.sleep(chance(0.1) ? upTo(leaseMs * 1.5) : upTo(200));
        if (chance(0.05)) throw new StoreUnavailableError('the reply was lost');
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
    const timing = { ...defaultTiming, clockSkewMs };
    const service = new LockService(storeOf(), clock.surroundings(random, skewMs), timing);
    for (let round = 0; round < 6; round++) {
      await clock.sleep(upTo(leaseMs));
      const ownerToken = tokenOf(`host${at}-${round}`);
      const request = { lockId: 'a', ownerToken, leaseMs, identity: { principal: `host${at}` } };
      const quietly = <T>(answer: Promise<T>) => answer.catch(() => undefined);

      let sentAt = clock.now();
      const attempt = () =>
        chance(0.3)
          ? service.try(request)
          : service.acquire({ ...request, waitMs: upTo(3 * leaseMs), confirm: chance(0.5) });
      let outcome = await quietly(attempt());
      if (outcome === undefined && chance(0.7)) {
        sentAt = clock.now();
        outcome = await quietly(attempt());
      }
      if (outcome?.kind === 'granted' && (outcome.provisional || sentAt + leaseMs <= clock.now())) {
        sentAt = clock.now();
        const confirmed = await quietly(service.renew(request));
        outcome = confirmed?.kind === 'granted' ? confirmed : undefined;
      }
      if (outcome?.kind === 'granted' && believe(at, sentAt)) {
        heldFences.push(outcome.fencingToken);
        await hold(at, () => quietly(service.renew(request)));
        // Some hosts fall silent here, without a release.
        if (chance(0.25)) continue;
      }
      await quietly(service.release(request));
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
  return { fences, heldFences, overlaps };
}
