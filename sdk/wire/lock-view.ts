import * as z from 'zod/mini';

const count = z.int().check(z.minimum(0));

/** What people and programs may see of a lock. It never holds an owner token. */
export const lockViewSchema = z.object({
  lockId: z.string(),
  /** `over`: a lease ended without a release; the next caller gets the lock. */
  state: z.enum(['free', 'held', 'provisional', 'over']),
  /** The last fencing token given out; absent when there was no grant yet. */
  fencingToken: z.optional(count),
  /** Label that the holder gave itself: untrusted. */
  holder: z.optional(z.string()),
  /** Who the authorizer says the holder is. */
  principal: z.optional(z.string()),
  /** When the holder got it, RFC 3339. */
  since: z.optional(z.string()),
  expiresInMs: z.optional(count),
  expiresAt: z.optional(z.string()),
  waiters: count,
});

/**
 * A lock as people and programs may see it: its state, the last fencing token given out, and of a hold the `holder` (a
 * label that the holder gave itself: untrusted), the `principal` (who the authorizer says it is), `since` and `expiresAt`
 * (RFC 3339) and `expiresInMs`. `waiters`: how many stand in line. Never an owner token.
 */
export type LockView = z.infer<typeof lockViewSchema>;

/** One page of locks; `cursor` is there while there is more to look at. */
export const lockPageSchema = z.object({ locks: z.array(lockViewSchema), cursor: z.optional(z.string()) });
export type LockPage = z.infer<typeof lockPageSchema>;
