import { lockFunction } from './lock-function.ts';

/** The admin function: looks at locks and breaks them. */
export const handler = lockFunction('admin', process.env);
