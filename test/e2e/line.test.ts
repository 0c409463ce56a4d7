import { LockFactory } from '../../sdk/index.ts';
import { type LocalStackProcess, startLocalStack } from '../support/local-stack.ts';
import { WorkerProcess } from './worker-process.ts';

let stack: LocalStackProcess;

beforeAll(async () => {
  stack = await startLocalStack();
});

afterAll(() => stack.stop());

interface View {
  readonly state: string;
  readonly waiters: number;
}

const view = async (lockId: string): Promise<View> => (await fetch(`${stack.url}/v1/locks/${lockId}`)).json();

async function waiters(lockId: string, count: number): Promise<void> {
  while ((await view(lockId)).waiters !== count);
}

async function standInLine(lockId: string): Promise<[WorkerProcess, WorkerProcess]> {
  const task = { kind: 'hold', url: stack.url, lockId, leaseMs: 30_000 } as const;
  const first = new WorkerProcess(task);
  await waiters(lockId, 1);
  const second = new WorkerProcess(task);
  await waiters(lockId, 2);
  return [first, second];
}

it('processes get a lock in the order in which they came', async () => {
  const holder = LockFactory.connect({ url: stack.url }).createLock('order');
  await holder.lock();
  const workers = await standInLine('order');
  await holder.unlock();
  const fences: number[] = [];
  for (const worker of workers) {
    // Nobody but the first has it: the others would hold before it lets go.
    fences.push((await worker.holding()).fencingToken);
    worker.goOn();
    expect(await worker.exited()).toBe(0);
  }
  expect(fences).toEqual([...fences].sort((a, b) => a - b));
  expect(await view('order')).toMatchObject({ state: 'free', waiters: 0 });
});

it('a waiter that was killed costs those behind it no lease, only its claim window', async () => {
  const holder = LockFactory.connect({ url: stack.url }).createLock('dead-waiter');
  await holder.lock();
  const [dead, live] = await standInLine('dead-waiter');
  await dead.kill();
  await holder.unlock();
  const handedOverMs = Date.now();
  const { atMs } = await live.holding();
  // The claim window of 3 s and the clock margin, and a wide margin for a busy machine; the lease would be 30 s.
  expect(atMs - handedOverMs).toBeLessThan(15_000);
  live.goOn();
  expect(await live.exited()).toBe(0);
});

it('a wait that is aborted leaves the line at once', async () => {
  const locks = LockFactory.connect({ url: stack.url });
  const holder = LockFactory.connect({ url: stack.url }).createLock('aborted');
  await holder.lock();
  const abort = new AbortController();
  const waiting = locks.createLock('aborted').lockInterruptibly(abort.signal);
  await waiters('aborted', 1);
  abort.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'interrupted' });
  expect(await view('aborted')).toMatchObject({ state: 'held', waiters: 0 });
  await holder.unlock();
  await locks.dispose({ timeoutMs: 0 });
  expect(await view('aborted')).toMatchObject({ state: 'free', waiters: 0 });
});

it('a timed tryLock that ends without the lock leaves the line', async () => {
  const locks = LockFactory.connect({ url: stack.url });
  const holder = LockFactory.connect({ url: stack.url }).createLock('timed');
  await holder.lock();
  expect(await locks.createLock('timed').tryLock(300)).toBe(false);
  await locks.dispose({ timeoutMs: 0 });
  expect(await view('timed')).toMatchObject({ waiters: 0 });
});
