import { IllegalArgumentError } from './errors.ts';
import { checkLockId, shown } from './options.ts';
import { limits } from './wire/limits.ts';
import { lockIdFault } from './wire/lock-id.ts';

const utf8 = new TextEncoder();

/** @throws IllegalArgumentError unless the value is '', which is none, or well-formed text that leaves room for an id */
export function checkPrefix(prefix: unknown): asserts prefix is string {
  const mostBytes = limits.lockIdBytes - 1;
  const isPrefix = typeof prefix === 'string' && prefix.isWellFormed() && utf8.encode(prefix).length <= mostBytes;
  if (isPrefix) return;
  throw new IllegalArgumentError(
    `prefix must be well-formed text of at most ${mostBytes} UTF-8 bytes, or '' for none, got ${shown(prefix)}`,
  );
}

/** @throws IllegalArgumentError unless the text is a lock id, also with the prefix before it */
export function checkPrefixedLockId(prefix: string, lockId: unknown): asserts lockId is string {
  checkLockId(lockId);
  const fault = lockIdFault(prefix + lockId);
  if (fault) {
    throw new IllegalArgumentError(`lock id, with the prefix ${shown(prefix)} of this factory before it, ${fault}`);
  }
}
