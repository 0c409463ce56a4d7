export type { ConnectOptions } from './connect-options.ts';
export type { Credentials, CredentialsSource } from './credentials.ts';
export {
  ClockSkewError,
  ForbiddenError,
  HoldfastError,
  IllegalArgumentError,
  IllegalMonitorStateError,
  InterruptedError,
  LeaseLostError,
  LockNotAcquiredError,
  LockServiceError,
  type LostReason,
  UnsupportedOperationError,
} from './errors.ts';
export type { Lease } from './lease.ts';
export type { Lock } from './lock.ts';
export { LockFactory } from './lock-factory.ts';
export type { AcquireOptions, HoldOptions } from './options.ts';
export type { TimeUnit } from './time-unit.ts';
export type { LockScope } from './with-lock.ts';
