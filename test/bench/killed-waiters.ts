import { defaultTiming } from '../../lambda/service/timing.ts';
import { LockFactory } from '../../sdk/index.ts';
import { hostMs } from '../support/host-clock.ts';
import { median, ms } from './figures.ts';
import { LockTable } from './lock-table.ts';
import type { Part } from './part.ts';
import { StackProcess, WaiterProcess } from './processes.ts';

const waiting = 8;
// The first of the line, and two that stand one behind the other.
const killed = [0, 3, 4];
const lockId = 'bench/killed waiters';

/** Waiters die in line: the others get the lock in order, a little later. */
export const killedWaiters: Part = async () => {
  const { claimWindowMs, clockSkewMs, pollMs } = defaultTiming;
  const stack = await StackProcess.start();
  const table = new LockTable(stack.database, stack.table);
  const holder = LockFactory.connect({ url: stack.url }).createLock(lockId);
  await holder.lock();
  const crew = await Promise.all(Array.from({ length: waiting }, () => WaiterProcess.start(stack.url)));
  const survivors = crew.map((_process, at) => at).filter((at) => !killed.includes(at));
  const turns: { readonly at: number; readonly grantedMs: number; releasedMs: number }[] = [];
  let allServed: () => void = () => undefined;
  const served = new Promise<void>((resolve) => {
    allServed = resolve;
  });
  for (const [at, each] of crew.entries()) {
    each.onReport((report) => {
      if (report.kind === 'granted') {
        turns.push({ at, grantedMs: report.atMs, releasedMs: report.atMs });
        each.send({ kind: 'unlock', waiter: 0, again: false });
      }
      if (report.kind !== 'released') return;
      const turn = turns.find((one) => one.at === at);
      if (turn) turn.releasedMs = report.atMs;
      if (turns.length === survivors.length && turns.at(-1)?.at === at) allServed();
    });
    // One after the other, so that their order is known.
    each.send({ kind: 'lock', waiter: 0, lockId });
    await table.untilInLine(lockId, at + 1);
  }
  await Promise.all(killed.map((at) => crew[at]?.kill()));
  await holder.unlock();
  const unlockedMs = hostMs();
  await served;
  await Promise.all(crew.map((each) => each.kill()));
  table.close();
  await stack.kill();

  const inOrder = turns.map(({ at }) => at).join() === survivors.join();
  const gaps = turns.map(({ at, grantedMs }, turn) => ({
    ms: grantedMs - (turns[turn - 1]?.releasedMs ?? unlockedMs),
    dead: killed.filter((dead) => dead < at && dead > (turns[turn - 1]?.at ?? -1)).length,
  }));
  const ordinaryMs = median(gaps.filter(({ dead }) => dead === 0).map((gap) => gap.ms));
  const costs = gaps.filter(({ dead }) => dead > 0).map((gap) => (gap.ms - ordinaryMs) / gap.dead);
  const pollAtMostMs = 1.5 * pollMs.step;
  const allowedMs = claimWindowMs + clockSkewMs + pollAtMostMs;
  const excess = costs.map((cost) => ms(cost - claimWindowMs - clockSkewMs)).join(' and ');
  return [
    {
      figure: `${killed.length} of ${waiting} waiters killed: survivors served in the order of the line`,
      target: `${survivors.length} of ${survivors.length}`,
      measured: `${inOrder ? '' : 'not in order: '}${turns.length} of ${survivors.length}`,
      met: inOrder,
    },
    {
      figure: 'killed waiters: what each costs those behind it',
      target: `≤ ${ms(allowedMs)} (${ms(claimWindowMs + clockSkewMs)} + one poll, ${ms(pollAtMostMs)} at most)`,
      measured: `${costs.map(ms).join(' and ')} (excess over ${ms(claimWindowMs + clockSkewMs)}: ${excess}; ordinary hand-over ${ms(ordinaryMs)})`,
      met: costs.every((cost) => cost <= allowedMs),
    },
  ];
};
