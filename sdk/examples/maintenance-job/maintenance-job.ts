// A long job that one process at a time does, part by part, for hours if need be.
//
// - Its lease is 3 s and is renewed every second, so that a killed job is taken over soon, however long the parts are.
// - When the lease is lost (the network is gone, an administrator breaks the lock) the signal aborts the part under way.
// - The table where the progress is kept refuses the fencing token of a former holder. (paused-holder.ts shows it.)
// - Ctrl-C aborts the part, gives the lock back, and exits with code 130: whoever waits goes on at once.
//
//   npx dynalite --port 8000                         # in one terminal: a DynamoDB
//   npm start -- --dynamodb http://127.0.0.1:8000    # in another: the service, with its locks in it
//   export HOLDFAST_URL=http://127.0.0.1:3000        # in two more:
//   export AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:8000
//   export AWS_REGION=local AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local
//   node --import tsx sdk/examples/maintenance-job/maintenance-job.ts jobs 60

import { setTimeout as pause } from 'node:timers/promises';
import { type LockEvent, LockFactory, type LockScope } from '../../index.ts';
import { Progress } from './progress.ts';

const [table = 'jobs', parts = '60', partMs = '1000'] = process.argv.slice(2);
const progress = new Progress(table, 'maintenance');

/** One part of the work; it ends early, with an error, when the signal aborts. */
async function work(signal: AbortSignal): Promise<void> {
  await pause(Number(partMs), undefined, { signal });
}

function tell(event: LockEvent): void {
  if (event.type === 'waiting') console.log(`waiting for ${event.holder}`);
  if (event.type === 'acquired') console.log(`acquired, fencing token ${event.fencingToken}`);
  if (event.type === 'renewed') console.log(`renewed, held for ${event.remainingMs} ms`);
  if (event.type === 'lost') console.log(`lost: ${event.reason}`);
  if (event.type === 'released') console.log('released');
}

async function main(stop: AbortSignal): Promise<void> {
  await progress.createTable();
  const locks = LockFactory.fromEnv({ leaseMs: 3_000, onEvent: tell });
  const job = async ({ fencingToken, signal }: LockScope) => {
    const lostOrStop = AbortSignal.any([signal, stop]);
    for (let part = (await progress.begin(fencingToken)) + 1; part <= Number(parts); part++) {
      console.log(`part ${part} of ${parts}`);
      await work(lostOrStop);
      await progress.done(part, fencingToken);
    }
    console.log('all parts are done');
  };
  try {
    await locks.withLock('maintenance', { signal: stop }, job);
  } finally {
    await locks.dispose();
  }
}

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
main(stop.signal).catch((error) => {
  if (!stop.signal.aborted) console.error(`gave up: ${error.cause ?? error}`);
  process.exitCode = stop.signal.aborted ? 130 : 1;
});
