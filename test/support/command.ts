import { constants } from 'node:os';
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** What a command line asks for that cannot be: what was wrong, and what was got. */
export class UsageError extends Error {
  override name = 'UsageError' as const;
}

/** A command of this project's tests. */
export interface Command {
  /** What it is, as the message of a failure calls it. */
  readonly what: string;
  /** Printed for `--help`, and after what is wrong with a command line. */
  readonly usage: string;
  /**
   * @param named gives the run a fuller name, such as with its seed, which is said when it fails or is cut short
   * @returns the exit code
   */
  readonly main: (args: readonly string[], named: (what: string) => void) => Promise<number>;
  /** Ends what it has started, at once, because it failed or is cut short. */
  readonly end?: () => void;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs a command and ends this process with its exit code: 2 when it failed or could not begin, 128 and the number of the
 * signal when Ctrl-C, `kill` or a terminal that was closed cut it short.
 */
export function runCommand({ what, usage, main, end }: Command): void {
  let name = what;
  for (const signal of signals) {
    process.once(signal, () => {
      end?.();
      process.stderr.write(`the ${name} was cut short by ${signal}\n`);
      process.exit(128 + constants.signals[signal]);
    });
  }
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    process.stdout.write(usage);
    process.exit(0);
  }
  const named = (fuller: string) => {
    name = fuller;
  };
  main(args, named).then(
    (code) => process.exit(code),
    (error: unknown) => {
      end?.();
      if (error instanceof UsageError) process.stderr.write(`${error.message}\n\n${usage}`);
      else process.stderr.write(`the ${name} failed: ${error instanceof Error ? error.stack : error}\n`);
      process.exit(2);
    },
  );
}

/**
 * The values of a command line's options.
 *
 * @throws UsageError for an option that there is not, or one without its value
 */
export function optionsOf<T extends NonNullable<ParseArgsConfig['options']>>(args: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n');
    throw new UsageError(line);
  }
}

/** @throws UsageError unless the text is a whole number that is exact, from `min` on */
export function wholeNumber(option: string, text: string, min: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number >= min) return number;
  throw new UsageError(`${option} must be a whole number from ${min} to ${Number.MAX_SAFE_INTEGER}, got "${text}"`);
}

/** @throws UsageError unless the text is a number above 0 */
export function positiveNumber(option: string, text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isFinite(number) && number > 0) return number;
  throw new UsageError(`${option} must be a number above 0, got "${text}"`);
}
