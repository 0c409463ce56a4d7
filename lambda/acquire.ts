import { lockFunction } from './lock-function.ts';

/** The acquire function: waits for locks. A waiting request holds one slot of concurrency, so it stands alone. */
export const handler = lockFunction('acquire', process.env);
