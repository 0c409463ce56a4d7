import { lockFunction } from './lock-function.ts';

/** The lease function: try, renew and release, which must keep working whatever waiters do. */
export const handler = lockFunction('lease', process.env);
