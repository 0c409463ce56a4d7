import * as z from 'zod/mini';
import { lockViewSchema } from './lock-view.ts';

/**
 * Every problem that the API answers: its stable code, its HTTP status, and what it means.
 *
 * Problems follow RFC 9457. Programs go by `code`; `detail` is for people and may change.
 */
export const problems = {
  'invalid-request': { status: 400, title: 'The request is not valid' },
  forbidden: { status: 403, title: 'The caller is not authorized' },
  'lock-held': { status: 409, title: 'The lock is held by another owner' },
  'still-waiting': { status: 409, title: 'The place in line is kept, the lock not yet granted' },
  'place-lost': { status: 409, title: 'The place in line is gone' },
  'lease-lost': { status: 409, title: 'The lease is no longer held' },
  'token-spent': { status: 409, title: 'The owner token has already had its lease' },
  'holder-changed': { status: 409, title: 'Another hold than the one looked at' },
  'not-held': { status: 409, title: 'Nobody holds the lock' },
  'too-large': { status: 413, title: 'The body is too large' },
  'unsupported-media-type': { status: 415, title: 'The body is not application/json' },
  throttled: { status: 429, title: 'Too many requests; nothing happened' },
  internal: { status: 500, title: 'The service failed' },
  'store-unavailable': { status: 503, title: 'The outcome is unknown; repeat with the same owner token' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problems;

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

/** Why a lease is no longer held, as far as the service can tell. */
export const lostReasons = ['superseded', 'broken', 'absent'] as const;
export type LostReason = (typeof lostReasons)[number];

/** The media type of every problem. */
export const problemMediaType = 'application/problem+json';

/** The `type` member of a problem: an identifier, not an address. */
export function problemType(code: ProblemCode): string {
  return `urn:holdfast:problem:${code}`;
}

const count = z.int().check(z.minimum(0));

/** The body of a problem. Members beyond the first six belong to single codes, see each description. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.enum(Object.keys(problems) as [ProblemCode, ...ProblemCode[]]),
  requestId: z.optional(z.string()),
  /** `invalid-request`: every fault, `path` a JSON pointer into the body, or `query.NAME`, or `lockId`. */
  errors: z.optional(z.array(z.object({ path: z.string(), detail: z.string() }))),
  /** `lock-held`, `still-waiting`: who holds it, for how long, how many wait, my place among them (from 1), when to ask. */
  holder: z.optional(z.string()),
  principal: z.optional(z.string()),
  expiresInMs: z.optional(count),
  waiters: z.optional(count),
  position: z.optional(count),
  retryAfterMs: z.optional(count),
  /** `still-waiting`: how long the place is kept, milliseconds. */
  resumeWithinMs: z.optional(count),
  /** `lease-lost`. */
  reason: z.optional(z.enum(lostReasons)),
  /** `holder-changed`: the lock as it is now. */
  lock: z.optional(lockViewSchema),
});

export type Problem = z.infer<typeof problemSchema>;
