import { startLocalStack } from '../../lambda/local/local-stack.ts';
import { parseOptions } from '../../lambda/local/options.ts';
import type { StackReport } from './processes.ts';

// A local stack that tells its parent where it is and where its database is, and collects its garbage when asked.

const say = (report: StackReport): void => {
  process.send?.(report);
};

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2), process.env['HOLDFAST_TEST_DYNAMODB']);
  if (options === 'help') throw new Error('there is no help here');
  const { url } = await startLocalStack(options, (text) => process.stderr.write(`${text}\n`));
  say({ kind: 'ready', url, database: process.env['AWS_ENDPOINT_URL_DYNAMODB'] ?? '' });
}

process.on('message', () => {
  globalThis.gc?.();
  say({ kind: 'collected', heapMiB: process.memoryUsage().heapUsed / 2 ** 20 });
});
// Its parent has ended, or wants it to.
process.once('disconnect', () => process.exit());

main().catch((error: unknown) => {
  process.stderr.write(`the stack failed: ${error instanceof Error ? error.stack : error}\n`);
  process.exit(1);
});
