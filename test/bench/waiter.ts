import { setTimeout as pause } from 'node:timers/promises';
import { type Lock, LockFactory } from '../../sdk/index.ts';
import { hostMs } from '../support/host-clock.ts';
import type { WaiterCommand, WaiterReport } from './waiter-messages.ts';

// A waiter process: waits for locks as its parent says, and reports when it got them. Its argument is the API's address.

const url = process.argv[2] ?? '';
const locks = new Map<number, Lock>();

const say = (report: WaiterReport): void => {
  process.send?.(report);
};

async function waitFor(waiter: number, lock: Lock, holdMs?: number): Promise<void> {
  await lock.lock();
  const atMs = hostMs();
  say({ kind: 'granted', waiter, fencingToken: lock.fencingToken ?? 0, atMs });
  if (holdMs === undefined) return;
  await pause(holdMs);
  await unlock(waiter, lock);
}

async function unlock(waiter: number, lock: Lock): Promise<void> {
  const fencingToken = lock.fencingToken ?? 0;
  const askedAtMs = hostMs();
  await lock.unlock();
  say({ kind: 'released', waiter, fencingToken, askedAtMs, atMs: hostMs() });
}

async function obey(command: WaiterCommand): Promise<void> {
  const { waiter } = command;
  if (command.kind === 'lock') {
    const lock = LockFactory.connect({ url }).createLock(command.lockId);
    locks.set(waiter, lock);
    return waitFor(waiter, lock, command.holdMs);
  }
  const lock = locks.get(waiter);
  if (!lock) throw new Error(`waiter ${waiter} was never told to lock`);
  await unlock(waiter, lock);
  if (command.again) await waitFor(waiter, lock);
}

process.on('message', (command: WaiterCommand) => {
  obey(command).catch((error: unknown) => {
    if (command.kind === 'lock' && command.holdMs !== undefined) {
      say({ kind: 'failed', waiter: command.waiter, error: String(error) });
      return;
    }
    process.stderr.write(`waiter process ${process.pid}: ${error instanceof Error ? error.stack : error}\n`);
    process.exit(1);
  });
});
// Its parent has ended.
process.once('disconnect', () => process.exit());
say({ kind: 'ready' });
