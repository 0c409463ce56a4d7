import * as z from 'zod/mini';

const count = z.int().check(z.minimum(0));

/** What people and programs may see of a lock. It never holds an owner token. */
export const lockViewSchema = z.object({
  /** Without the factory's prefix, where a factory shows it. */
  lockId: z.string(),
  /**
   * `free`; `held`; `provisional`: handed to a waiter, who has not confirmed it yet; `over`: a lease ended without a
   * release, and the next caller gets the lock.
   */
  state: z.enum(['free', 'held', 'provisional', 'over']),
  /** The last fencing token given out; absent when there was no grant yet. */
  fencingToken: z.optional(count),
  /** Label that the holder gave itself: untrusted; absent when free, or when it gave none. */
  holder: z.optional(z.string()),
  /** Who the authorizer says the holder is; absent when free, or while it has not confirmed. */
  principal: z.optional(z.string()),
  /** When the holder got it, RFC 3339; absent when free. */
  since: z.optional(z.string()),
  /** Milliseconds until the lease ends unless it is renewed, 0 or more; absent when free. */
  expiresInMs: z.optional(count),
  /** When the lease ends unless it is renewed, RFC 3339; absent when free. */
  expiresAt: z.optional(z.string()),
  /** How many stand in line. */
  waiters: count,
});

/**
 * A lock as people and programs may see it. It never holds an owner token.
 */
export type LockView = z.infer<typeof lockViewSchema>;

/** One page of locks; `cursor` is there while there is more to look at. */
export const lockPageSchema = z.object({ locks: z.array(lockViewSchema), cursor: z.optional(z.string()) });
export type LockPage = z.infer<typeof lockPageSchema>;
