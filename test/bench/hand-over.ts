import { setTimeout as pause } from 'node:timers/promises';
import type { LockItem } from '../../lambda/service/lock-item.ts';
import { median, ms, tailOf } from './figures.ts';
import { lineOrder } from './line-order.ts';
import { LockTable, type RawWrites } from './lock-table.ts';
import type { Part } from './part.ts';
import { StackProcess, WaiterProcess } from './processes.ts';
import type { WaiterReport } from './waiter-messages.ts';

const waiting = 8;
const holdMs = 20;
const lockId = 'bench/hand-over';
const warmUp = 20;

type Granted = WaiterReport & { kind: 'granted' };
type Released = WaiterReport & { kind: 'released' };

/** The lock goes from process to process: one holds it, eight wait. */
export const handOver: Part = async ({ quick }) => {
  const wanted = quick ? 100 : 1_000;
  const stack = await StackProcess.start();
  const table = new LockTable(stack.database, stack.table);
  await table.rawWrites(50);
  const alone = await table.rawWrites(quick ? 50 : 150);
  const beside: RawWrites = { claim: [], transfer: [], release: [] };
  const crew = await Promise.all(Array.from({ length: waiting + 1 }, () => WaiterProcess.start(stack.url)));

  const granted: Granted[] = [];
  const released = new Map<number, Released>();
  const items: LockItem[] = [];
  await new Promise<void>((resolve, reject) => {
    const look = async (holder: WaiterProcess) => {
      // Looked at while it holds: one look for each hold, outside the time that is measured.
      const item = await table.read(lockId);
      if (item) items.push(item);
      if (granted.length % 10 === 0) await table.rawWrites(1, beside);
      if (granted.length > wanted + warmUp) return resolve();
      await pause(holdMs);
      holder.send({ kind: 'unlock', waiter: 0, again: true });
    };
    for (const each of crew) {
      each.onReport((report) => {
        if (report.kind === 'released') released.set(report.fencingToken, report);
        if (report.kind !== 'granted') return;
        granted.push(report);
        look(each).catch(reject);
      });
      each.send({ kind: 'lock', waiter: 0, lockId });
    }
  });
  await Promise.all(crew.map((each) => each.kill()));
  await table.rawWrites(quick ? 50 : 150, alone);
  table.close();
  await stack.kill();

  granted.sort((one, other) => one.fencingToken - other.fencingToken);
  const handOverMs: number[] = [];
  let overlaps = 0;
  for (const [at, grant] of granted.entries()) {
    const before = released.get(granted[at - 1]?.fencingToken ?? 0);
    if (!before) continue;
    if (grant.atMs < before.askedAtMs) overlaps++;
    if (at > warmUp) handOverMs.push(grant.atMs - before.atMs);
  }
  const r = medianOf(alone);
  const measured = median(handOverMs);
  const tail = tailOf(handOverMs, 95);
  const order = lineOrder(items.sort((one, other) => one.fence - other.fence));
  return [
    {
      figure: 'r: one bare UpdateItem, median, alone',
      measured: `${ms(r)} (while ${waiting} wait: ${ms(medianOf(beside))})`,
    },
    {
      figure: `hand-over to another process, ${waiting} waiting, held ${holdMs} ms: median`,
      target: `≤ ${ms(60 + 4 * r)} (60 ms + 4 r)`,
      measured: `${ms(measured)} (${handOverMs.length} hand-overs)`,
      met: measured <= 60 + 4 * r,
    },
    {
      figure: `hand-over to another process: ${tail.name}`,
      target: `≤ ${ms(2.5 * measured)} (2.5 × median)`,
      measured: `${ms(tail.value)} (longest ${ms(Math.max(...handOverMs))})`,
      met: tail.value <= 2.5 * measured,
    },
    {
      figure: 'hand-over to another process: out of the order of the line',
      target: '0',
      measured: `${order.violations} of ${order.pairs} pairs in line (${order.unconfirmed} grants not taken up)`,
      met: order.violations === 0,
    },
    {
      figure: 'hand-over to another process: two holders at once',
      target: '0',
      measured: String(overlaps),
      met: overlaps === 0,
    },
  ];
};

function medianOf({ claim, transfer, release }: RawWrites): number {
  return median([...claim, ...transfer, ...release]);
}
