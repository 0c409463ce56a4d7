#!/usr/bin/env node
import { CommanderError } from 'commander';
import { defaultExitCodes, internalExitCode, outputExitCode, usageExitCodeIn } from './exit-codes.ts';
import { failureOf } from './failure.ts';
import { endByUserSignals, exitCodeOfSignal } from './interruption.ts';
import { silenceNodeVersionWarning } from './node-version-warning.ts';
import { type Outcome, programFor } from './program.ts';
import { StandardError } from './standard-error.ts';
import { OutputClosedError, OutputError, print } from './standard-output.ts';
import { UsageError } from './usage-error.ts';

async function main(argv: readonly string[]): Promise<number> {
  endByUserSignals();
  silenceNodeVersionWarning();
  if (argv[0] === 'local') {
    const { local } = await import('./local.ts');
    return local(argv.slice(1));
  }
  // What stands behind the first -- of a run is the command, and nothing in it is an option of ours.
  const split = argv[0] === 'run' ? argv.indexOf('--') : -1;
  const [own, command] = split < 0 ? [argv, undefined] : [argv.slice(0, split), argv.slice(split + 1)];
  const outcome: Outcome = {
    exitCode: 0,
    exitCodes: { ...defaultExitCodes, usage: usageExitCodeIn(argv) },
    standardError: new StandardError(own.includes('--json')),
    text: '',
  };
  try {
    await programFor(command, outcome)
      .parseAsync([...own], { from: 'user' })
      .catch((error) => printed(error, outcome, own));
  } catch (error) {
    outcome.exitCode = codeOfError(error, outcome);
  }
  await outcome.standardError.written();
  return outcome.exitCode;
}

/** Prints the help or the version, which commander throws; throws everything else, in words of this command. */
async function printed(error: unknown, { text }: Outcome, own: readonly string[]): Promise<void> {
  if (!(error instanceof CommanderError)) throw error;
  if (error.exitCode !== 0) throw usageErrorOf(error, own);
  await print(text);
}

function codeOfError(error: unknown, { exitCodes, standardError }: Outcome): number {
  // As if by SIGPIPE, as of other programs.
  if (error instanceof OutputClosedError) return exitCodeOfSignal('SIGPIPE');
  const failure = failureOf(error);
  if (failure) return tell(standardError, failure, exitCodes[failure.exitCode]);
  if (error instanceof OutputError)
    return tell(standardError, { code: 'output', message: error.message }, outputExitCode);
  const message = (error instanceof Error ? error.stack : undefined) ?? String(error);
  return tell(standardError, { code: 'internal', message }, internalExitCode);
}

function tell(
  standardError: StandardError,
  { code, message }: { readonly code: string; readonly message: string },
  exitCode: number,
): number {
  for (const line of message.split('\n')) standardError.say(line);
  standardError.tell('error', { code, message, exitCode });
  return exitCode;
}

function usageErrorOf({ code, message }: CommanderError, own: readonly string[]): UsageError {
  if (code === 'commander.help') return new UsageError('no command given; run "holdfast --help" to see them');
  const said = message.replace(/^error: /, '');
  if (code === 'commander.unknownOption' && own[0]?.startsWith('-')) {
    return new UsageError(
      `${said} before the command: options stand behind it, as in "holdfast inspect orders --json"`,
    );
  }
  return new UsageError(`${said}; run "holdfast --help", or --help behind a command`);
}

// Sockets to the service that nobody needs any more would keep the process for a moment.
void main(process.argv.slice(2)).then((exitCode) => process.exit(exitCode));
