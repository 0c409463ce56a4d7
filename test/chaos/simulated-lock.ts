import { seededRandom } from '../support/seeded-random.ts';
import type { HistoryEvent } from './history.ts';
import {
  bounds,
  exchange,
  fault,
  gone,
  grant,
  invoke,
  item,
  lost,
  mark,
  ok,
  processStart,
  release,
  renewed,
} from './told.ts';

/** What a simulated run is made of. */
export interface Simulation {
  readonly seed: number;
  /** How many processes want the lock; each has one flow. */
  readonly workers: number;
  /** How many times it is granted. */
  readonly grants: number;
  /** How many of a hundred holds end otherwise than by a release. */
  readonly faultsOfHundred: number;
}

interface Worker {
  process: string;
  incarnation: number;
  /** When it calls next. */
  asksMs: number;
}

const networkMs = 20;

/**
 * What the workers of a right lock would tell: one lock, first come first served, with leases and fencing tokens. Some
 * holders are killed, freeze past their lease, or are broken by an administrator. It is as simple as a lock can be where
 * everything happens in one place: each grant is at the moment at which the lock is free and somebody stands in line.
 */
export function simulatedLock({ seed, workers, grants, faultsOfHundred }: Simulation): HistoryEvent[] {
  const random = seededRandom(seed);
  const between = (from: number, to: number) => from + (to - from) * random();
  const events: HistoryEvent[] = [];
  const all: Worker[] = Array.from({ length: workers }, (_, worker) => ({
    process: `w${worker}-1`,
    incarnation: 1,
    asksMs: between(1, 100),
  }));
  for (const { process } of all) events.push(processStart(process));
  let freeMs = 0;
  let fence = 1_000;
  let sequence = 0;
  let operations = 0;
  let lastWrite: { fence: number; value: string } | undefined;
  let added = 0;
  let owner = '';

  for (let granted = 0; granted < grants; granted++) {
    const worker = all.reduce((first, each) => (each.asksMs < first.asksMs ? each : first));
    const { process, asksMs } = worker;
    const op = `${process}.${++operations}`;
    // The moment at which it stands in line is the moment at which it calls: whoever called first is served first.
    const grantMs = Math.max(asksMs + between(0.1, networkMs), freeMs);
    const grantedMs = grantMs + between(0.1, networkMs);
    const sentMs = Math.max(asksMs, grantMs - networkMs);
    const waits = grantMs > asksMs + 2 * networkMs ? { waitingMs: asksMs + networkMs } : {};
    fence++;
    events.push(
      ...grant(op, [asksMs, grantedMs], fence, {
        remainingMs: Math.floor(sentMs + bounds.leaseMs * 0.999 - grantedMs),
        ...waits,
      }),
    );
    owner = `owner of ${op}`;
    events.push(exchange(owner, grantedMs, { kind: 'granted', fencingToken: fence, isProvisional: false }, { sentMs }));
    events.push(
      item(grantedMs, { owner, fence, rev: 2 * fence, untilMs: grantMs + bounds.leaseMs }, { sentMs: grantMs }),
    );
    let nowMs = grantedMs;
    let untilMs = grantMs + bounds.leaseMs;
    for (let step = 0; step < 3; step++) {
      nowMs += between(1, 30);
      const id = `${process}.${++operations}`;
      if (random() < 0.5) {
        const value = `value of ${id}`;
        events.push(invoke(id, 'fencedWrite', nowMs, { hold: op, fencingToken: fence, value }));
        nowMs += between(1, networkMs);
        events.push(ok(id, 'fencedWrite', nowMs, { sequence: ++sequence }));
        lastWrite = { fence, value };
      } else {
        events.push(invoke(id, 'unfencedAdd', nowMs, { hold: op }));
        nowMs += between(1, networkMs);
        events.push(ok(id, 'unfencedAdd', nowMs, {}));
        added++;
      }
    }
    if (random() < 0.2) {
      const renewedMs = nowMs + networkMs;
      untilMs = renewedMs + bounds.leaseMs;
      events.push(renewed(op, renewedMs, Math.floor(bounds.leaseMs * 0.999 - networkMs)));
      nowMs = renewedMs;
    }
    // In the end somebody takes the lock and gives it back.
    const end = granted === grants - 1 ? 100 : random() * 100;
    if (end >= faultsOfHundred) {
      const releaseMs = nowMs + between(1, 50);
      freeMs = releaseMs + between(0.1, networkMs);
      nowMs = freeMs + between(0.1, networkMs);
      events.push(...release(op, [releaseMs, nowMs]));
      events.push(exchange(owner, nowMs, { kind: 'released' }, { operation: 'release', sentMs: releaseMs }));
    } else if (end < faultsOfHundred / 3) {
      freeMs = untilMs + bounds.clockSkewMs;
      events.push(...fault('kill', process, [nowMs, nowMs]), gone(process, nowMs));
      worker.process = `${process.split('-')[0]}-${++worker.incarnation}`;
      events.push({ ...processStart(worker.process), atMs: nowMs });
    } else if (end < (2 * faultsOfHundred) / 3) {
      freeMs = untilMs + bounds.clockSkewMs;
      const thawMs = untilMs + between(1, 2_000);
      events.push(...fault('freeze', process, [nowMs, thawMs]), lost(op, thawMs + between(0, 50)));
      nowMs = thawMs + 60;
      events.push(...release(op, [nowMs, nowMs], { code: 'lease-lost', reason: 'expired' }));
    } else {
      const breakOp = `admin.${++operations}`;
      freeMs = nowMs + between(1, 20);
      const lostMs = Math.min(nowMs + between(21, 500), untilMs - networkMs);
      events.push(invoke(breakOp, 'break', nowMs, { fencingToken: fence }), ok(breakOp, 'break', freeMs, {}));
      events.push(lost(op, lostMs, 'broken'));
      nowMs = lostMs;
      events.push(...release(op, [nowMs, nowMs], { code: 'lease-lost', reason: 'broken' }));
    }
    worker.asksMs = nowMs + between(1, 400);
  }

  const endMs = Math.max(freeMs, ...all.map(({ asksMs }) => asksMs)) + 5_000;
  events.push(
    mark('healed', endMs - 1_000),
    mark('end', endMs),
    item(endMs + 10, { fence, rev: 2 * fence + 1, last: owner }),
  );
  events.push({
    type: 'register',
    process: 'run',
    atMs: endMs + 20,
    lockId: 'a',
    sequence,
    fencingToken: lastWrite?.fence ?? 0,
    ...(lastWrite && { value: lastWrite.value }),
  });
  events.push({ type: 'counter', process: 'run', atMs: endMs + 20, lockId: 'a', value: added });
  for (const { process } of all)
    events.push({ type: 'leftovers', process, atMs: endMs + 30, timers: 0, busySockets: 0 });
  return events;
}
