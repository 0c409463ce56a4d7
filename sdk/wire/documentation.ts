import type { ProblemCode } from './problems.ts';
import type { Operation } from './routes.ts';

// What is said of the contract to people lies apart from what programs go by, so that a bundle of the SDK is without it.

/** What each problem means: the `title` of its body. */
export const problemTitles: Readonly<Record<ProblemCode, string>> = {
  'invalid-request': 'The request is not valid',
  forbidden: 'The caller is not authorized',
  'lock-held': 'The lock is held by another owner',
  'still-waiting': 'The place in line is kept, the lock not yet granted',
  'place-lost': 'The place in line is gone',
  'lease-lost': 'The lease is no longer held',
  'token-spent': 'The owner token has already had its lease',
  'holder-changed': 'Another hold than the one looked at',
  'not-held': 'Nobody holds the lock',
  'too-large': 'The body is too large',
  'unsupported-media-type': 'The body is not application/json',
  throttled: 'Too many requests; nothing happened',
  internal: 'The service failed',
  'store-unavailable': 'The outcome is unknown; repeat with the same owner token',
};

/** The problems that any route may answer. */
export const commonProblems = [
  'invalid-request',
  'forbidden',
  'throttled',
  'internal',
  'store-unavailable',
] as const satisfies readonly ProblemCode[];

/** The problems of routes that take a body. */
export const bodyProblems = ['too-large', 'unsupported-media-type'] as const satisfies readonly ProblemCode[];

/** What each operation does, and the problems that are its own, besides those that every route may answer. */
export const operationDocs: Readonly<
  Record<Operation, { readonly summary: string; readonly problems: readonly ProblemCode[] }>
> = {
  try: {
    summary: 'Take the lock if it is free and nobody waits; never wait.',
    problems: ['lock-held', 'token-spent'],
  },
  acquire: {
    summary: 'Take the lock, standing in line for it up to waitMs.',
    problems: ['lock-held', 'still-waiting', 'place-lost', 'token-spent'],
  },
  renew: {
    summary: 'Extend a lease, or confirm a provisional grant.',
    problems: ['lease-lost'],
  },
  release: {
    summary: 'Give the lock, or a place in line, back. Repeating it is safe.',
    problems: ['lease-lost'],
  },
  inspect: {
    summary: 'Look at one lock, strongly consistent. Every valid id has an answer.',
    problems: [],
  },
  list: {
    summary: 'Page through the locks. A page may be empty and still have a cursor.',
    problems: [],
  },
  break: {
    summary: 'Take the lock from the holder that a look at it showed.',
    problems: ['holder-changed', 'not-held'],
  },
};
