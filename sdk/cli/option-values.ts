import { durationOf, leaseRange, waitRange } from './duration.ts';
import { defaultExitCodes, type ExitCodes, exitCodeOf, exitCodeOptions } from './exit-codes.ts';
import { UsageError } from './usage-error.ts';

/** The values of the options that every command has, as they were typed. */
export interface CommonValues extends Record<string, unknown> {
  readonly url?: string;
  readonly json?: boolean;
}

/** The values of the options of a command that takes a lock. */
export interface HoldValues extends CommonValues {
  /** `false`: `--no-wait`; `true`: neither. */
  readonly wait?: string | boolean;
  readonly lease: string;
  readonly holder?: string;
}

/** @throws UsageError for one that is none */
export function exitCodesIn(values: CommonValues): ExitCodes {
  const codeOf = (name: keyof ExitCodes) => {
    const text = values[`${name}ExitCode`];
    return typeof text === 'string' ? exitCodeOf(text, exitCodeOptions[name]) : defaultExitCodes[name];
  };
  return { conflict: codeOf('conflict'), lost: codeOf('lost'), service: codeOf('service'), usage: codeOf('usage') };
}

/** @throws UsageError for a duration that is none */
export function holdIn({ wait, lease, holder }: HoldValues) {
  const waitMs = wait === false ? 0 : typeof wait === 'string' ? durationOf(wait, '--wait', waitRange) : undefined;
  return { waitMs, leaseMs: durationOf(lease, '--lease', leaseRange), holder };
}

/** @throws UsageError for an empty one, as of a variable that is not set */
export function leaseFileOf(text: string): string {
  if (text !== '') return text;
  throw new UsageError('--lease-file must be the path of a file, got nothing');
}

/** @throws UsageError for one that cannot be made; when it is left out the lease is printed */
export function newLeaseFileOf(text: string | undefined): string | undefined {
  if (text !== '-') return text === undefined ? text : leaseFileOf(text);
  throw new UsageError(
    '--lease-file - is the standard input of renew and release: to have the lease on the standard output, give --print-lease',
  );
}

/** @throws UsageError unless it is left out or a fencing token */
export function fenceOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const fence = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  if (fence >= 1 && Number.isSafeInteger(fence)) return fence;
  throw new UsageError(
    `--fence must be a whole number, 1 or more, as "holdfast inspect" shows it, got ${JSON.stringify(text)}`,
  );
}

/**
 * The lock and the command. An id that begins with a dash stands behind the first `--`, and the command behind a second.
 *
 * @throws UsageError when one of them is missing
 */
export function commandOf(
  [given, ...others]: readonly string[],
  rest: readonly string[] | undefined,
): [string, readonly string[]] {
  const rule = 'run takes a lock id, and behind -- the command: holdfast run orders-42 -- ./book.sh';
  if (!rest) throw new UsageError(`${rule}; got no --`);
  if (others.length > 0) throw new UsageError(`${rule}; got ${JSON.stringify(others.join(' '))} before the --`);
  const isBehind = given === undefined && rest[1] === '--';
  const [lockId, command] = isBehind ? [rest[0], rest.slice(2)] : [given, rest];
  if (lockId === undefined) throw new UsageError(`${rule}; got no lock id`);
  if (command.length === 0 || command[0] === '') throw new UsageError(`${rule}; got no command`);
  return [lockId, command];
}
