import { LockFactory } from '../../sdk/index.ts';
import { startCountedStack } from './counted-stack.ts';
import type { Part } from './part.ts';

/** What a lock that nobody else wants costs at the database. */
export const uncontended: Part = async ({ quick }) => {
  const times = quick ? 20 : 100;
  const stack = await startCountedStack();
  const locks = LockFactory.connect({ url: stack.url });
  const { requests } = stack.database;
  const since = (from: number, operation: string) =>
    requests.slice(from).filter((request) => request.operation === operation).length;
  const writes = { acquire: 0, release: 0 };
  const begin = requests.length;
  for (let round = 0; round < times; round++) {
    const lock = locks.createLock('bench/uncontended');
    const before = requests.length;
    await lock.lock();
    const between = requests.length;
    writes.acquire += since(before, 'UpdateItem') - since(between, 'UpdateItem');
    await lock.unlock();
    writes.release += since(between, 'UpdateItem');
  }
  const reads = since(begin, 'GetItem');
  await stack.stop();
  const each = (name: string, count: number, target: number) => ({
    figure: `uncontended: ${name}`,
    target: String(target),
    measured: `${count / times} (${count} in ${times} rounds)`,
    met: count === target * times,
  });
  return [
    each('writes to acquire', writes.acquire, 1),
    each('writes to release', writes.release, 1),
    each('reads', reads, 0),
  ];
};
