/** Why the local stack could not start, in words for whoever typed the command: what was wrong, what was got, what to do. */
export class StartError extends Error {
  override name = 'StartError' as const;
}

/** The options are wrong. */
export class OptionError extends StartError {}
