import { setTimeout as pause } from 'node:timers/promises';
import { defaultTiming } from '../../lambda/service/timing.ts';
import { LockFactory } from '../../sdk/index.ts';
import { limits } from '../../sdk/wire/limits.ts';
import { hostMs } from '../support/host-clock.ts';
import { type Consumption, comingBack, fullLineUnits, hours, waiting } from './cost-model.ts';
import { type CountedStack, startCountedStack } from './counted-stack.ts';
import type { CountedRequest } from './counting-proxy.ts';
import { besideModel, isFallbackRead, lockIdOf, unitsOf } from './model-check.ts';
import type { Part } from './part.ts';
import { WaiterProcess } from './processes.ts';

const { heldOpen, lineLimit } = defaultTiming;
const processes = 4;
// The first, all who are kept waiting, as many as leave the item within 1 KB, a full line.
const lengths = [1, heldOpen, 13, lineLimit];
const keeping = 'holding a lock, renewed every 10 s';
const keepers = 20;
const hourSeconds = 3_600;
// A ticket that was had by joining lasts longer than those that follow: until then there are fewer writes.
const settleMs = defaultTiming.ticketMs;
// What is open for less is a short call.
const waitFromMs = 1_000;

/** What an hour of holding and of waiting consumes, counted for some seconds and scaled, beside the cost model. */
export const measuredWaiting: Part = async ({ quick }) => {
  // Whole waits of 20 s.
  const seconds = quick ? 20 : 40;
  const stack = await startCountedStack();
  const holder = LockFactory.connect({ url: stack.url });
  const keptSeconds = quick ? 20 : 30;
  const kept = await keptLocks(stack, holder, keptSeconds);
  const figures = [
    besideModel(`an hour of ${keeping}`, hours[keeping], kept, `${keepers} locks, counted for ${keptSeconds} s`),
  ];
  for (const length of lengths) {
    const measured = await oneLine(stack, holder, length, seconds);
    const name = length === 1 ? 'waiting, first in line' : `a line of ${length}`;
    figures.push(besideModel(`an hour of ${name}`, modelOf(length), measured, `counted for ${seconds} s`));
  }
  await holder.dispose({ timeoutMs: 0 });
  await stack.stop();
  return figures;
};

// All who stand in the line together: what tells them apart at the database is their place alone.
function modelOf(length: number): Consumption {
  const unitsOfWrite = length === lineLimit ? fullLineUnits : 1;
  const all = Array.from({ length }, (_, at) =>
    at < heldOpen ? waiting(at + 1, unitsOfWrite) : comingBack(unitsOfWrite),
  );
  const sum = (of: (each: Consumption) => number) => all.reduce((total, each) => total + of(each), 0);
  return {
    requests: sum(({ requests }) => requests),
    writeUnits: sum(({ writeUnits }) => writeUnits),
    readUnits: sum(({ readUnits }) => readUnits),
    waitSeconds: sum(({ waitSeconds = 0 }) => waitSeconds),
  };
}

// One after the other: all of them at once would be more than a machine with database, stack and waiters on it can take.
async function oneLine(
  stack: CountedStack,
  holder: LockFactory,
  length: number,
  seconds: number,
): Promise<Consumption> {
  await holder.createLock(lineOf(length), { leaseMs: 600_000 }).lock();
  const crew = await Promise.all(Array.from({ length: processes }, () => WaiterProcess.start(stack.url)));
  for (let waiter = 0; waiter < length; waiter++) {
    crew[waiter % processes]?.send({ kind: 'lock', waiter, lockId: lineOf(length) });
  }
  await stack.table.untilInLine(lineOf(length), length);
  await pause(settleMs);
  const fromMs = hostMs();
  await pause(seconds * 1_000);
  const measured = await consumed(stack, length, fromMs, hostMs());
  await Promise.all(crew.map((each) => each.kill()));
  return measured;
}

function lineOf(length: number): string {
  return `bench/line of ${length}`;
}

/** What an hour of one line takes, that of all who stand in it. */
async function consumed(stack: CountedStack, length: number, fromMs: number, untilMs: number): Promise<Consumption> {
  const hour = (hourSeconds * 1_000) / (untilMs - fromMs);
  const within = ({ startedMs }: CountedRequest) => startedMs >= fromMs && startedMs < untilMs;
  const tokens = new Set((await stack.table.read(lineOf(length)))?.queue);
  if (tokens.size !== length)
    throw new Error(`${length} must stand in line, got ${tokens.size}: the machine is too busy`);
  const asked = stack.api.requests.filter(({ body }) => tokens.has(String(body['ownerToken'])));
  const atDatabase = stack.database.requests.filter(
    (each) => within(each) && !isFallbackRead(each) && lockIdOf(each) === lineOf(length),
  );
  const { writeUnits, readUnits } = unitsOf(atDatabase);
  const openMs = asked
    .filter(({ startedMs, endedMs = untilMs }) => endedMs - startedMs >= waitFromMs)
    .map(({ startedMs, endedMs = untilMs }) => Math.min(endedMs, untilMs) - Math.max(startedMs, fromMs))
    .reduce((sum, each) => sum + Math.max(0, each), 0);
  return {
    requests: asked.filter(within).length * hour,
    writeUnits: writeUnits * hour,
    readUnits: readUnits * hour,
    waitSeconds: (openMs / 1_000) * hour,
  };
}

async function keptLocks(stack: CountedStack, holder: LockFactory, seconds: number): Promise<Consumption> {
  for (let at = 0; at < keepers; at++) await holder.createLock(`bench/kept ${at}`).lock();
  // All are renewed at once, so nothing is under way at either end.
  await pause(limits.leaseMs.default / 6);
  const fromMs = hostMs();
  await pause(seconds * 1_000);
  const untilMs = hostMs();
  const each = (hourSeconds * 1_000) / (untilMs - fromMs) / keepers;
  const within = ({ startedMs }: CountedRequest) => startedMs >= fromMs && startedMs < untilMs;
  const renewals = stack.api.requests.filter((request) => within(request) && request.operation === 'renew').length;
  const kept = stack.database.requests.filter((one) => within(one) && lockIdOf(one)?.startsWith('bench/kept'));
  const { writeUnits, readUnits } = unitsOf(kept);
  return { requests: renewals * each, writeUnits: writeUnits * each, readUnits: readUnits * each };
}
