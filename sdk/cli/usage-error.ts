/** The command line is wrong: what was wrong, what was got, what is allowed. */
export class UsageError extends Error {
  override name = 'UsageError' as const;
}
