let count = 0;

/** The id of a lock that no other test of this file uses. */
export function newLockId(): string {
  count++;
  return `lock-${count}`;
}
