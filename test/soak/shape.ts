/** What a soak is made of, and its times in milliseconds. */
export const shape = {
  /** Workers over HTTP and one with the service inside it, which last as long as the soak. */
  httpWorkers: 3,
  embeddedWorkers: 1,
  /** Workers over HTTP that are frozen and killed. */
  passersBy: 2,
  counterLock: 'soak/counter',
  shelf: 'soak/shelf/',
  shelfLocks: 20,
  counterLeaseMs: 10_000,
  /** Whoever has less than this of its lease left does not begin to count: it may be frozen on the way. */
  countWithinMs: 5_000,
  /** Between reading the counter and writing it. */
  readToWriteMs: 5,
  keptLeaseMs: 3_000,
  keptMs: 12_000,
  tryMs: 200,
  holdUpToMs: 50,
  betweenUpToMs: 800,
  /** One fault follows the other by this, at the most. */
  faultEveryUpToMs: 12_000,
  faultMs: { min: 1_000, max: 4_000 },
  /** Of a worker that counts: less than what is left of its lease when it begins to. */
  shortFreezeMs: 1_500,
  /** Of a passer-by: longer than the lease of what it holds. */
  longFreezeMs: 12_000,
} as const;
