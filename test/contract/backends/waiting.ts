import { until } from '../../support/until.ts';
import type { BackendUnderTest } from './backend-under-test.ts';

const clockSkewMs = 500;

/** How many stand in line for a lock. */
export async function waiting(backend: BackendUnderTest, lockId: string): Promise<number> {
  return (await backend.rawItem(lockId))?.queue.length ?? 0;
}

/** Resolves when so many stand in line for a lock. */
export async function lineOf(backend: BackendUnderTest, lockId: string, waiters: number): Promise<void> {
  await until(`${waiters} stand in line`, async () => (await waiting(backend, lockId)) === waiters);
}

/** Resolves when the lease of a lock is over for others, too: by the clock margin of hosts. */
export async function leaseOver(backend: BackendUnderTest, lockId: string): Promise<void> {
  await until('lease and clock margin are over', async () => {
    const { until: endsAt = Number.POSITIVE_INFINITY } = (await backend.rawItem(lockId)) ?? {};
    return Date.now() > endsAt + clockSkewMs;
  });
}
