import { createInterface } from 'node:readline/promises';
import { isatty } from 'node:tty';
import { displayText, type LockFactory } from '../index.ts';
import { connectLocks } from './connect.ts';
import type { ExitCodes } from './exit-codes.ts';
import { viewText } from './inspect.ts';
import { exitCodeOfSignal } from './interruption.ts';
import { checkLockArgument } from './lock-argument.ts';
import type { StandardError } from './standard-error.ts';
import { print, printJson } from './standard-output.ts';
import { UsageError } from './usage-error.ts';

export interface BreakingOptions {
  readonly lockId: string;
  /** The hold to break; nothing: the one that is shown. */
  readonly fence: number | undefined;
  /** Whether nobody is asked. */
  readonly yes: boolean;
  readonly note: string | undefined;
  readonly json: boolean;
  readonly url: string | undefined;
  readonly exitCodes: ExitCodes;
}

/** Takes a lock from its holder, when whoever is asked agrees. */
export async function breakLock(options: BreakingOptions, standardError: StandardError): Promise<number> {
  const { lockId, fence, yes, note, exitCodes } = options;
  checkLockArgument(lockId);
  if (yes && fence === undefined) {
    throw new UsageError(
      '--yes needs --fence N, the fencing token of the hold to break, as "holdfast inspect" shows it',
    );
  }
  if (!yes && !(isatty(0) && isatty(2))) {
    throw new UsageError('there is no terminal to ask on: give --yes and --fence N');
  }
  const locks = await connectLocks(options);
  const asked = yes ? fence : await askFor(locks, options, standardError);
  if (asked === 'interrupted') return exitCodeOfSignal('SIGINT');
  const fencingToken = typeof asked === 'string' ? fence : asked;
  if (typeof asked === 'string' || fencingToken === undefined) {
    if (options.json) await printJson({ lockId, fencingToken, outcome: asked });
    return exitCodes.conflict;
  }
  const result = await locks.break(lockId, { fencingToken, ...(note !== undefined && { note }) });
  await (options.json ? printJson({ lockId, fencingToken, ...result }) : print(`${textOf(lockId, result.outcome)}\n`));
  return result.outcome === 'broken' ? 0 : exitCodes.conflict;
}

/** The fencing token of the hold that is to be broken, or why none is. */
async function askFor(
  locks: LockFactory,
  { lockId, fence }: BreakingOptions,
  standardError: StandardError,
): Promise<number | 'not-held' | 'holder-changed' | 'declined' | 'interrupted'> {
  const view = await locks.inspect(lockId);
  standardError.write(viewText(view));
  if (view.state === 'free' || view.state === 'over' || view.fencingToken === undefined) {
    standardError.say(textOf(lockId, 'not-held'));
    return 'not-held';
  }
  if (fence !== undefined && fence !== view.fencingToken) {
    standardError.say(textOf(lockId, 'holder-changed'));
    return 'holder-changed';
  }
  await standardError.written();
  const ask = createInterface({ input: process.stdin, output: process.stderr });
  let isInterrupted = false;
  ask.once('SIGINT', () => {
    isInterrupted = true;
    ask.close();
  });
  // Ctrl-D is no yes.
  const closed = new Promise<string>((resolve) => ask.once('close', () => resolve('')));
  const question = 'Take the lock from this holder? It may still be working. [y/N] ';
  const answer = await Promise.race([ask.question(question), closed]);
  ask.close();
  if (isInterrupted) return 'interrupted';
  return /^y(es)?$/i.test(answer.trim()) ? view.fencingToken : 'declined';
}

function textOf(lockId: string, outcome: 'broken' | 'holder-changed' | 'not-held'): string {
  const shown = displayText(lockId);
  switch (outcome) {
    case 'broken':
      return `broke the hold of ${shown}`;
    case 'holder-changed':
      return `another hold than that has ${shown}: nothing was taken`;
    case 'not-held':
      return `nobody holds ${shown}`;
  }
}
