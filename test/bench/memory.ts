import { setTimeout as pause } from 'node:timers/promises';
import { defaultTiming } from '../../lambda/service/timing.ts';
import { type Lock, LockFactory } from '../../sdk/index.ts';
import { hostMs } from '../support/host-clock.ts';
import { LockTable } from './lock-table.ts';
import type { Part } from './part.ts';
import { StackProcess, WaiterProcess } from './processes.ts';

const waits = 300;
const processes = 3;
const lockIds = ['bench/crowd 1', 'bench/crowd 2', 'bench/crowd 3', 'bench/crowd 4'];
// All of them within a moment are more than one process with a database in it can take.
const startsPerSecond = 60;
const servedWithinMs = 45_000;
const linedWithinMs = 15_000;
const growthMiB = 100;
const leftMiB = 25;

/** Many waits at once in one local stack: all are granted, and its memory comes back. */
export const memory: Part = async ({ quick }) => {
  const stack = await StackProcess.start();
  const table = new LockTable(stack.database, stack.table);
  const locks = LockFactory.connect({ url: stack.url });
  // Code that is compiled and buffers that are allocated the first time are no growth.
  for (let round = 0; round < 300; round++) await locks.withLock('bench/warm up', () => undefined);
  const heapBefore = await stack.collectGarbage();
  await pause(500);
  const before = stack.residentMiB;
  let highest = before;
  const sampling = setInterval(() => {
    highest = Math.max(highest, stack.residentMiB);
  }, 100);

  const held = lockIds.map((lockId) => locks.createLock(lockId));
  for (const lock of held) await lock.lock();
  const crew = await Promise.all(Array.from({ length: processes }, () => WaiterProcess.start(stack.url)));
  let granted = 0;
  const failures: string[] = [];
  const served = new Promise<void>((resolve) => {
    for (const each of crew) {
      each.onReport((report) => {
        if (report.kind === 'failed') failures.push(report.error);
        if (report.kind === 'granted') granted++;
        if (granted + failures.length >= waits) resolve();
      });
    }
  });
  for (let waiter = 0; waiter < waits; waiter++) {
    const lockId = lockIds[waiter % lockIds.length] ?? '';
    crew[waiter % processes]?.send({ kind: 'lock', waiter, lockId, holdMs: 0 });
    await pause(1_000 / startsPerSecond);
  }
  const inLine = Math.min(defaultTiming.lineLimit, waits / lockIds.length);
  const lined = Promise.all(lockIds.map((lockId) => table.untilInLine(lockId, inLine))).catch(() => undefined);
  await Promise.race([lined, pause(linedWithinMs)]);
  const complaintsInLine = stack.complaints;
  await pause(quick ? 1_000 : 5_000);
  const waitingInLine = await linesOf(table).catch(() => 'unknown');
  const whileWaiting = stack.residentMiB;
  const releasedMs = hostMs();
  for (const lock of held) await untilUnlocked(lock);
  const timer = new AbortController();
  await Promise.race([served, pause(servedWithinMs, undefined, { signal: timer.signal }).catch(() => undefined)]);
  timer.abort();
  const { complaints } = stack;
  const servedSeconds = (hostMs() - releasedMs) / 1_000;
  await Promise.all(crew.map((each) => each.kill()));
  clearInterval(sampling);

  await pause(2_000);
  const heapAfter = await stack.collectGarbage();
  await pause(1_000);
  const after = stack.residentMiB;
  table.close();
  await stack.kill();
  return [
    {
      figure: `${waits} waits over ${lockIds.length} locks: granted`,
      target: String(waits),
      measured: `${granted} ${waitingInLine} in line before; in ${servedSeconds.toFixed(1)} s, ${failures.length} failed; the stack logged ${complaintsInLine} errors while they came, ${complaints} in all`,
      met: granted === waits,
    },
    {
      figure: `${waits} waits: growth of the stack's resident memory, highest`,
      target: `≤ ${growthMiB} MiB`,
      measured: `${mib(highest - before)} (from ${mib(before)}; while all wait ${mib(whileWaiting - before)})`,
      met: highest - before <= growthMiB,
    },
    {
      figure: `${waits} waits: growth that is left after garbage collection`,
      target: `≤ ${leftMiB} MiB`,
      measured: `${mib(after - before)} (heap in use from ${mib(heapBefore)} to ${mib(heapAfter)})`,
      met: after - before <= leftMiB,
    },
  ];
};

async function linesOf(table: LockTable): Promise<string> {
  const items = await Promise.all(lockIds.map((lockId) => table.read(lockId)));
  return items.map((item) => item?.queue.length ?? 0).join(' + ');
}

// A stack with more to do than it can must not end the benchmark; a lease that is lost meanwhile is one that is over.
async function untilUnlocked(lock: Lock): Promise<void> {
  for (let tries = 0; tries < 3; tries++) {
    try {
      return await lock.unlock();
    } catch {
      await pause(500);
    }
  }
}

function mib(value: number): string {
  return `${value.toFixed(0)} MiB`;
}
