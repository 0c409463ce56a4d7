import { setTimeout as pause } from 'node:timers/promises';
import { defaultTiming } from '../../lambda/service/timing.ts';
import { LockFactory } from '../../sdk/index.ts';
import { hostMs } from '../support/host-clock.ts';
import { startCountedStack } from './counted-stack.ts';
import type { CountedRequest } from './counting-proxy.ts';
import { type Figure, mean } from './figures.ts';
import type { Part } from './part.ts';
import { WaiterProcess } from './processes.ts';

const waiters = 50;
const processes = 5;
const lockId = 'bench/many waiters';
const longOpenMs = 1_000;

/** What a crowd costs that waits for one lock, which is held all the time. */
export const manyWaiters: Part = async ({ quick }) => {
  const seconds = quick ? 8 : 30;
  const stack = await startCountedStack();
  // A lease so long that it is not renewed meanwhile: every write is one of the waiters'.
  const holder = LockFactory.connect({ url: stack.url, leaseMs: 600_000 }).createLock(lockId);
  await holder.lock();
  const crew = await Promise.all(Array.from({ length: processes }, () => WaiterProcess.start(stack.url)));
  for (let waiter = 0; waiter < waiters; waiter++) {
    crew[waiter % processes]?.send({ kind: 'lock', waiter, lockId });
  }
  await stack.table.untilInLine(lockId, waiters);
  await pause(quick ? 2_000 : 4_000);

  const fromMs = hostMs();
  await pause(seconds * 1_000);
  const untilMs = hostMs();
  const line = (await stack.table.read(lockId))?.queue ?? [];
  await Promise.all(crew.map((each) => each.kill()));
  await stack.stop();

  const rate = (count: number) => (count * 1_000) / (untilMs - fromMs);
  const within = ({ startedMs }: CountedRequest) => startedMs >= fromMs && startedMs < untilMs;
  const atDatabase = stack.database.requests.filter(within);
  const reads = atDatabase.filter(({ operation }) => operation === 'GetItem');
  const consistent = reads.filter(({ body }) => body['ConsistentRead'] === true);
  const writes = atDatabase.filter(({ operation }) => operation === 'UpdateItem');
  const acquires = stack.api.requests.filter(({ operation }) => operation === 'acquire');
  const openAtOnce = mostAtOnce(acquires, fromMs, untilMs, 0);
  const longOpen = mostAtOnce(acquires, fromMs, untilMs, longOpenMs);

  const asked = stack.api.requests.filter(within);
  const rates = line.map((token) => rate(asked.filter(({ body }) => body['ownerToken'] === token).length));
  const { heldOpen } = defaultTiming;
  const atMost = (figure: string, limit: number, value: number, measured: string): Figure => ({
    figure: `${waiters} waiters, ${seconds} s: ${figure}`,
    target: `≤ ${limit}`,
    measured,
    met: value <= limit,
  });
  const perSecond = (figure: string, limit: number, value: number, more = '') =>
    atMost(figure, limit, value, `${value.toFixed(2)}${more}`);
  const [first, behind] = [rates.slice(0, heldOpen), rates.slice(heldOpen)];
  return [
    perSecond('table reads a second, all together', 120, rate(reads.length)),
    perSecond('of them strongly consistent', 0, rate(consistent.length)),
    perSecond('writes a second and waiter', 0.2, rate(writes.length) / waiters, ` (${writesByKind(writes)})`),
    atMost('acquire requests open at once, most', heldOpen, openAtOnce, String(openAtOnce)),
    atMost(`of them open for ${longOpenMs / 1_000} s or longer, most`, heldOpen, longOpen, String(longOpen)),
    perSecond(`API requests a second, each of the first ${heldOpen}, mean`, 0.1, mean(first), highest(first)),
    perSecond('API requests a second, each one behind, mean', 0.6, mean(behind), highest(behind)),
    perSecond('API requests a second, the one behind that asks most', 0.6, Math.max(...behind)),
  ];
};

function highest(rates: readonly number[]): string {
  return ` (highest ${Math.max(...rates).toFixed(2)})`;
}

function writesByKind(writes: readonly CountedRequest[]): string {
  const tickets = writes.filter(({ body }) => String(body['UpdateExpression']).startsWith('SET #tickets.#waiter0'));
  return `${writes.length} writes, ${tickets.length} of them tickets`;
}

// How many were open at one moment, at the most, counting each from when it has been open for so long.
function mostAtOnce(requests: readonly CountedRequest[], fromMs: number, untilMs: number, afterMs: number): number {
  const changes = requests.flatMap(({ startedMs, endedMs = Number.POSITIVE_INFINITY }) =>
    startedMs + afterMs < endedMs && startedMs + afterMs < untilMs && endedMs > fromMs
      ? [
          { atMs: startedMs + afterMs, by: 1 },
          { atMs: endedMs, by: -1 },
        ]
      : [],
  );
  changes.sort((one, other) => one.atMs - other.atMs || one.by - other.by);
  let open = 0;
  let most = 0;
  for (const { atMs, by } of changes) {
    open += by;
    if (atMs < untilMs) most = Math.max(most, open);
  }
  return most;
}
