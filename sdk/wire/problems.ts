import * as z from 'zod/mini';
import { lockViewSchema } from './lock-view.ts';

/**
 * Every problem that the API answers: its stable code and its HTTP status.
 *
 * Problems follow RFC 9457. Programs go by `code`; `detail` is for people and may change.
 */
export const problemStatuses = {
  'invalid-request': 400,
  forbidden: 403,
  'lock-held': 409,
  'still-waiting': 409,
  'place-lost': 409,
  'lease-lost': 409,
  'token-spent': 409,
  'holder-changed': 409,
  'not-held': 409,
  'too-large': 413,
  'unsupported-media-type': 415,
  throttled: 429,
  internal: 500,
  'store-unavailable': 503,
} as const satisfies Record<string, number>;

export type ProblemCode = keyof typeof problemStatuses;

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
  code: z.enum(Object.keys(problemStatuses) as [ProblemCode, ...ProblemCode[]]),
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
