import { UsageError } from './usage-error.ts';

/** The exit codes that the command gives for its own reasons; `run` gives its command's code otherwise. */
export interface ExitCodes {
  /** The lock's state does not allow it: not acquired in time, another hold than the one to break, none to break. */
  readonly conflict: number;
  /** The lease was lost, and the command was ended if it still ran. */
  readonly lost: number;
  /** The service could not be reached, failed, or refuses this caller. */
  readonly service: number;
  /** The command line is wrong. */
  readonly usage: number;
}

/** As of sysexits.h: a temporary failure, a protocol error, a service that is unavailable, a usage error. */
export const defaultExitCodes: ExitCodes = { conflict: 75, lost: 76, service: 69, usage: 64 };

/** As of shells. */
export const notFoundExitCode = 127;
export const notExecutableExitCode = 126;

/** The output or a lease file cannot be written (EX_IOERR). */
export const outputExitCode = 74;

/** What nobody foresaw (EX_SOFTWARE). */
export const internalExitCode = 70;

/** The option that changes each code. */
export const exitCodeOptions: Readonly<Record<keyof ExitCodes, string>> = {
  conflict: '--conflict-exit-code',
  lost: '--lost-exit-code',
  service: '--service-exit-code',
  usage: '--usage-exit-code',
};

/** @throws UsageError unless it is the text of a whole number from 0 to 255 */
export function exitCodeOf(text: string, option: string): number {
  const code = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (code <= 255) return code;
  throw new UsageError(`${option} must be a whole number from 0 to 255, got ${JSON.stringify(text)}`);
}

/** The code for a command line that cannot be read as a whole: what it asks for, if that much can be read. */
export function usageExitCodeIn(argv: readonly string[]): number {
  const end = argv.indexOf('--');
  const own = end < 0 ? argv : argv.slice(0, end);
  const option = exitCodeOptions.usage;
  const at = own.findLastIndex((arg) => arg === option || arg.startsWith(`${option}=`));
  const text = own[at]?.startsWith(`${option}=`) ? own[at].slice(option.length + 1) : own[at + 1];
  if (at < 0 || text === undefined) return defaultExitCodes.usage;
  try {
    return exitCodeOf(text, option);
  } catch {
    return defaultExitCodes.usage;
  }
}
