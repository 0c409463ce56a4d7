import type { WriteResult } from '../../../lambda/service/lock-store.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** Expects that a write is refused, brings the item that refused it, and changes nothing. */
export async function expectRefusal(
  { stored }: StoreUnderTest,
  lockId: string,
  write: () => Promise<WriteResult>,
): Promise<void> {
  const before = structuredClone(await stored(lockId));
  expect(await write()).toEqual({ written: false, item: before });
  expect(await stored(lockId)).toEqual(before);
}
