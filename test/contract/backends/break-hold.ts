import type { BackendUnderTest } from './backend-under-test.ts';

/** Ends the hold of this grant, as an administrator would; fails when there is no such hold. */
export async function breakHold(backend: BackendUnderTest, lockId: string, fencingToken: number): Promise<void> {
  const { outcome } = await backend.connect().break(lockId, { fencingToken });
  expect(outcome).toBe('broken');
}
