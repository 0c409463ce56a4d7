const longMs = 120_000;

/**
 * Gives what comes in time, and fails otherwise. Some systems wait for ever for a lock that they hold themselves: the AWS SDK
 * repeated their write after a time-out, and the repeated one was refused.
 */
export async function beforeLong<T>(system: string, done: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`${system} did not get all of its locks within ${longMs} ms; is the machine busy?`);
    timer = setTimeout(reject, longMs, error);
  });
  return await Promise.race([done, late]).finally(() => clearTimeout(timer));
}
