import { openDatabase } from '../../../../lambda/local/database.ts';

// A DynamoDB over a folder, in a process of its own, so that it can be killed and started again with what it had.

async function main(): Promise<void> {
  const [path = ''] = process.argv.slice(2);
  const { endpoint } = await openDatabase({ kind: 'folder', path });
  process.send?.({ kind: 'ready', endpoint });
}

// Its parent has ended, or wants it to.
process.once('disconnect', () => process.exit());

main().catch((error: unknown) => {
  process.stderr.write(`the database failed: ${error instanceof Error ? error.stack : error}\n`);
  process.exit(1);
});
