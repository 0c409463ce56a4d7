import { displayText } from '../sdk/wire/label.ts';
import { sweep } from './service/sweeping.ts';
import { createDynamoDbClient } from './store/dynamodb-client.ts';
import { DynamoDbLockStore } from './store/dynamodb-lock-store.ts';
import { onReply } from './store/reply-dates.ts';
import { parseSweepOptions, type SweepOptions, sweepUsage } from './sweep-options.ts';

/**
 * Runs the sweep of `npm run sweep`, with a line for each page on which something went, and for each item that is none of
 * a lock; of a dry run, for each lock that would go.
 */
async function runSweep({ table, region, olderThanMs, dryRun }: SweepOptions): Promise<void> {
  const client = createDynamoDbClient({ region });
  // The clock of DynamoDB, not of this host: one that is wrong by months would take locks in use for old ones.
  let clockMs = Number.NaN;
  onReply(client, Date.now, ({ date }) => {
    clockMs = Date.parse(date ?? '');
  });
  const now = () => {
    if (Number.isNaN(clockMs)) throw new Error('DynamoDB does not say what time it is: its answer has no Date');
    return clockMs;
  };
  const total = { examined: 0, removed: 0, usedAgain: 0, leftAlone: 0 };
  for await (const page of sweep(new DynamoDbLockStore(client, table), { now, olderThanMs, dryRun })) {
    total.examined += page.examined;
    total.removed += page.removed.length;
    total.usedAgain += page.usedAgain.length;
    total.leftAlone += page.leftAlone.length;
    for (const lockId of page.leftAlone) say(`Left alone, not an item of a lock: ${displayText(lockId)}`);
    if (dryRun) for (const lockId of page.removed) say(`Would be removed: ${displayText(lockId)}`);
    if (page.removed.length > 0) say(`${total.examined} locks examined, ${total.removed} ${removed(dryRun)}`);
  }
  say(
    `Done: ${total.examined} locks examined, ${total.removed} ${removed(dryRun)}, ` +
      `${total.usedAgain} used again meanwhile, ${total.leftAlone} left alone.`,
  );
  if (total.leftAlone > 0) process.exitCode = 1;
}

const removed = (dryRun: boolean) => (dryRun ? 'would be removed' : 'removed');

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function main(argv: readonly string[]): Promise<void> {
  const options = parseSweepOptions(argv);
  if (options === 'help') process.stdout.write(sweepUsage);
  else await runSweep(options);
}

main(process.argv.slice(2)).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
