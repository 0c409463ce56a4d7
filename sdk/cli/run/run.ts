import type { Lease } from '../../index.ts';
import { acquireLease } from '../acquiring.ts';
import { durationText } from '../duration.ts';
import { environment } from '../environment.ts';
import { type ExitCodes, notExecutableExitCode, notFoundExitCode } from '../exit-codes.ts';
import { failureOf } from '../failure.ts';
import { exitCodeOfSignal, Interruption } from '../interruption.ts';
import type { StandardError } from '../standard-error.ts';
import { CommandProcess, type Ending, StartFailure } from './command-process.ts';
import { ForwardedSignals } from './forwarded-signals.ts';
import { LeaseGuard } from './lease-guard.ts';

export interface RunOptions {
  readonly lockId: string;
  /** At least its name. */
  readonly command: readonly string[];
  /** Milliseconds; nothing: for ever. */
  readonly waitMs: number | undefined;
  readonly leaseMs: number;
  readonly holder: string | undefined;
  readonly isForeground: boolean;
  readonly url: string | undefined;
  readonly exitCodes: ExitCodes;
}

// Until then what is left of a command is nothing unusual: a pipe's writers end after its reader.
const leftOverAfterMs = 1_000;

/**
 * Runs a command under a lock: `flock` for many machines.
 *
 * @returns the exit code: the command's own, or one of this command's reasons
 */
export async function run(options: RunOptions, standardError: StandardError): Promise<number> {
  const { lockId, leaseMs, exitCodes, isForeground } = options;
  const interruption = new Interruption();
  let lease: Lease;
  try {
    const acquired = await acquireLease({ ...options, signal: interruption.signal }, standardError);
    lease = acquired.lease;
    const { fencingToken } = lease;
    const waitedMs = Math.round(acquired.waitedMs);
    standardError.tell('acquired', { lockId, fencingToken, waitedMs, deadline: deadlineOf(lease) });
  } catch (error) {
    if (interruption.exitCode === undefined) throw error;
    return interruption.exitCode;
  }
  if (interruption.exitCode !== undefined) {
    await release(lease, exitCodes, standardError);
    return interruption.exitCode;
  }
  const signals = new ForwardedSignals(isForeground);
  interruption.stop();
  let command: CommandProcess;
  try {
    command = await start(options, lease);
  } catch (error) {
    if (!(error instanceof StartFailure)) throw error;
    const exitCode = error.isMissing ? notFoundExitCode : notExecutableExitCode;
    const code = error.isMissing ? 'command-not-found' : 'command-not-executable';
    standardError.say(error.message);
    standardError.tell('error', { code, message: error.message, exitCode });
    signals.stop();
    await release(lease, exitCodes, standardError);
    return exitCode;
  }
  standardError.tell('started', { lockId, pid: command.pid });
  const guard = new LeaseGuard(lease, leaseMs, command, (signal, why, remainingMs) => {
    standardError.say(`losing lock ${lockId} (${why}): ${signal} to the command`);
    standardError.tell('losing', { lockId, reason: why, signal, remainingMs });
  });
  signals.start(command, guard.look);
  const ending = await command.ended;
  signals.commandEnded();
  await everyProcessEnded(command, ending, standardError);
  guard.stop();
  signals.stop();
  standardError.tell('ended', { lockId, code: ending.code, signal: ending.signal });
  const releaseCode = await release(lease, exitCodes, standardError);
  const commandCode = ending.signal ? exitCodeOfSignal(ending.signal) : (ending.code ?? 0);
  if (guard.hasStruck) return exitCodes.lost;
  return commandCode === 0 ? (releaseCode ?? 0) : commandCode;
}

function start({ lockId, command, isForeground }: RunOptions, lease: Lease): Promise<CommandProcess> {
  lease.assertHeld();
  const env = environment.with({
    HOLDFAST_LOCK_ID: lockId,
    HOLDFAST_FENCING_TOKEN: String(lease.fencingToken),
    HOLDFAST_DEADLINE: deadlineOf(lease),
  });
  return CommandProcess.start(command, { env, isForeground });
}

function deadlineOf({ remainingMs }: Lease): string {
  return new Date(Date.now() + remainingMs).toISOString();
}

// The lock is kept as long as anything that the command started may still work on what it guards.
async function everyProcessEnded(
  command: CommandProcess,
  { code, signal }: Ending,
  standardError: StandardError,
): Promise<void> {
  const timer = setTimeout(() => {
    const how = signal ?? `code ${code}`;
    standardError.say(`the command has ended (${how}), what it started runs on: the lock is kept until that ends`);
    standardError.tell('left-over', { processGroup: command.pid });
  }, leftOverAfterMs);
  await command.emptied();
  clearTimeout(timer);
}

/**
 * Gives the lock back. What the command did under it is done, so a release that fails is only told of.
 *
 * @returns the exit code when the lease turns out to have been lost; nothing otherwise
 */
async function release(lease: Lease, exitCodes: ExitCodes, standardError: StandardError): Promise<number | undefined> {
  const { lockId } = lease;
  const { remainingMs } = lease;
  try {
    await lease.release();
    standardError.tell('released', { lockId });
    return undefined;
  } catch (error) {
    const failure = failureOf(error);
    if (!failure) throw error;
    const { code, message } = failure;
    if (failure.exitCode === 'lost') {
      standardError.say(message);
      standardError.tell('lost', { lockId, message });
      return exitCodes.lost;
    }
    standardError.say(
      `lock ${lockId} could not be given back (${message}); it comes free by itself within ${durationText(remainingMs + 1_000)}`,
    );
    standardError.tell('release-failed', { lockId, code, message });
    return undefined;
  }
}
