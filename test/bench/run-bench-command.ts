import { inspect } from 'node:util';
import { killAll } from './processes.ts';
import { UsageError } from './usage-error.ts';

/**
 * Runs one of the commands here, and ends this process with no program left running: with code 0 when it ran, 1 when it
 * failed, 2 when the command line cannot be followed, 130 on Ctrl-C. With `--help` it only prints how it is used.
 *
 * @param usage how the command is used, for `--help` and below what is wrong with a command line
 * @param main throws {@link UsageError} for a command line that it cannot follow
 */
export function runBenchCommand(usage: string, main: (argv: readonly string[]) => Promise<void>): void {
  // The AWS SDK's warning about this Node would stand between the figures.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const argv = process.argv.slice(2);
  if (argv.includes('--help')) {
    process.stdout.write(usage);
    return;
  }
  process.once('SIGINT', () => {
    killAll();
    process.exit(130);
  });
  main(argv).then(
    () => {
      killAll();
      process.exit(0);
    },
    (error: unknown) => {
      killAll();
      if (error instanceof UsageError) {
        process.stderr.write(`${error.message}\n\n${usage}`);
        process.exit(2);
      }
      process.stderr.write(`\nthe benchmark failed: ${inspect(error, { depth: 6 })}\n`);
      process.exit(1);
    },
  );
}
