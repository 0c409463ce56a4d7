import { banner, hostWarning } from './banner.ts';
import { type LocalStack, startLocalStack } from './local-stack.ts';
import { parseOptions, usageOf } from './options.ts';
import { OptionError, StartError } from './start-error.ts';
import { stopRequest } from './stop-request.ts';

// As of sysexits.h.
const usageExitCode = 64;

/**
 * Runs the local stack until SIGINT or SIGTERM.
 *
 * @param argv the options, without program and script
 * @param command what people type to run it
 * @returns the exit code: 0 after a clean stop, 64 for wrong options, 1 when it could not start otherwise
 */
export async function runLocalStack(argv: readonly string[], command = 'npm start --'): Promise<number> {
  const stopped = stopRequest();
  let stack: LocalStack;
  try {
    const options = parseOptions(argv, process.env['HOLDFAST_TEST_DYNAMODB']);
    if (options === 'help') {
      process.stdout.write(usageOf(command));
      return 0;
    }
    stack = await startLocalStack(options, (text) => process.stderr.write(`${text}\n`));
    process.stderr.write(hostWarning(options.host) ?? '');
    process.stdout.write(banner(stack.url, options));
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`holdfast: ${error.message}\n`);
    return error instanceof OptionError ? usageExitCode : 1;
  }
  await stopped;
  await stack.stop();
  return 0;
}
