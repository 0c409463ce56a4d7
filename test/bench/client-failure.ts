/** Ends a client process whose work failed: its parent shows why, and prints no figure. */
export function fail(error: unknown): void {
  process.stderr.write(`client process ${process.pid}: ${error instanceof Error ? error.stack : error}\n`);
  process.exit(1);
}
