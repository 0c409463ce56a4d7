import { LockServiceError } from './errors.ts';

/** @param what got none, such as `the release of lock "a"` */
export function noUsableAnswer(
  what: string,
  told: { readonly outcomeUnknown: boolean; readonly requestId?: string | undefined; readonly cause?: unknown },
): LockServiceError {
  return new LockServiceError(`${what} got no usable answer; try it again`, told);
}
