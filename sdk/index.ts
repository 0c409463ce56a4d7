export type { BreakResult } from './administration.ts';
export type { BreakOptions, ListOptions } from './administration-options.ts';
export type { CommonOptions } from './common-options.ts';
export type { ConnectOptions } from './connect-options.ts';
export type { AuthorizationSource, Credentials, CredentialsSource } from './credentials.ts';
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
export type { EventListener, LockEvent } from './events.ts';
export { type Fencing, fencing } from './fencing.ts';
export type { TraceparentSource } from './http/traceparent.ts';
export type { Lease } from './lease.ts';
export type { Renewal } from './lease-timers.ts';
export type { Lock } from './lock.ts';
export { LockFactory } from './lock-factory.ts';
export type { LockOwner } from './lock-owner.ts';
export type { Optional } from './optional.ts';
export type { AcquireOptions, HoldOptions } from './options.ts';
export { registry } from './registry.ts';
export type { TimeUnit } from './time-unit.ts';
export { displayText } from './wire/label.ts';
export type { LockView } from './wire/lock-view.ts';
export type { LockBody, LockScope, WithLockArguments } from './with-lock.ts';
