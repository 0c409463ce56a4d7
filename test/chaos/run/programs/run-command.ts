import { killAllPrograms } from './program.ts';

/**
 * Runs a command that starts programs, and ends this process with the code that it gives: 2 when it fails, 130 on Ctrl-C.
 * No program is left running when it is cut short.
 *
 * @param what it is, as the message of a failure calls it
 */
export function runCommand(what: string, main: () => Promise<number>): void {
  process.once('SIGINT', () => {
    killAllPrograms();
    process.exit(130);
  });
  main().then(
    (code) => process.exit(code),
    (error: unknown) => {
      killAllPrograms();
      process.stderr.write(`the ${what} failed: ${error instanceof Error ? error.stack : error}\n`);
      process.exit(2);
    },
  );
}
