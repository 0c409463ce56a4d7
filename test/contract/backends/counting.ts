import { setImmediate as turn } from 'node:timers/promises';
import type { LockFactory } from '../../../sdk/index.ts';
import type { Under } from './backend-under-test.ts';
import { newLockId } from './new-lock-id.ts';
import { tried } from './tried.ts';

/** Scenario 2. */
export function countingContract(under: Under): void {
  it.each([
    { by: 'lock()', isTimed: false, processes: 3, flowsPerProcess: 2 },
    { by: 'a timed tryLock, again and again', isTimed: true, processes: 3, flowsPerProcess: 1 },
  ])(
    'flows that read, wait and write two counters lose nothing by $by',
    async ({ isTimed, processes, flowsPerProcess }) => {
      const rounds = under().isRemote ? 3 : 10;
      const tryMs = isTimed ? (under().isRemote ? 500 : 100) : 0;
      const counters = [new Counter(newLockId()), new Counter(newLockId())];
      const factories = Array.from({ length: processes }, () => under().connect());
      const flows = factories.flatMap((locks) =>
        Array.from({ length: flowsPerProcess }, () =>
          counters.map((counter) => countWith(locks, counter, { tryMs, rounds })),
        ),
      );
      await Promise.all(flows.flat());
      // What a try that gave up has left under way is over by then.
      await Promise.all(factories.map((locks) => locks.dispose()));
      expect(counters.map(({ count }) => count)).toEqual(counters.map(() => processes * flowsPerProcess * rounds));
      for (const { lockId, fences } of counters) {
        expect(fences).toEqual([...new Set(fences)].sort((one, other) => one - other));
        expect(await under().rawItem(lockId)).toMatchObject({ queue: [], tickets: {} });
        expect(await under().rawItem(lockId)).not.toHaveProperty('owner');
      }
    },
  );
}

// Counts wrong as soon as two flows are in it at once.
class Counter {
  count = 0;
  readonly fences: number[] = [];

  constructor(readonly lockId: string) {}

  async increment(fencingToken: number | undefined): Promise<void> {
    this.fences.push(fencingToken ?? 0);
    const read = this.count;
    await turn();
    this.count = read + 1;
  }
}

async function countWith(
  locks: LockFactory,
  counter: Counter,
  { tryMs, rounds }: { tryMs: number; rounds: number },
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const lock = locks.createLock(counter.lockId);
    if (tryMs === 0) await lock.lock();
    else while (!(await tried(lock, tryMs)));
    try {
      await counter.increment(lock.fencingToken);
    } finally {
      await lock.unlock();
    }
  }
}
