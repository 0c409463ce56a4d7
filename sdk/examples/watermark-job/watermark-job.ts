// A scheduled job that reads on from a watermark: every node's cron starts it, and one run at a time does the work.
//
// A run that finds the former one still at it skips. The sum and the watermark are written in one step, so that a run
// that is killed midway has either taken a batch in or not; the next run goes on from there.
//
//   npm start                                    # in one terminal: the service
//   export HOLDFAST_URL=http://127.0.0.1:3000    # in another:
//   seq 1 1000 | sed 's/.*/{"id":&,"amount":5}/' > /tmp/orders.jsonl
//   run='node --import tsx sdk/examples/watermark-job/watermark-job.ts /tmp/orders.jsonl /tmp/total.json'
//   $run & $run & $run & wait; cat /tmp/total.json

import { createReadStream } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { LockFactory, LockNotAcquiredError, type LockScope } from '../../index.ts';

/** The sum of all orders up to the watermark, the id of the last one. */
interface Total {
  readonly watermark: number;
  readonly sum: number;
}

const batchSize = 100;
const [source = '', target = ''] = process.argv.slice(2);

async function readTotal(): Promise<Total> {
  try {
    return JSON.parse(await readFile(target, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { watermark: 0, sum: 0 };
    throw error;
  }
}

/** The orders behind a watermark, in batches. */
async function* batchesAfter(watermark: number): AsyncIterable<{ id: number; amount: number }[]> {
  let batch = [];
  for await (const line of createInterface(createReadStream(source))) {
    const order = JSON.parse(line);
    if (order.id > watermark) batch.push(order);
    if (batch.length === batchSize) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

async function run({ assertHeld }: LockScope): Promise<void> {
  let total = await readTotal();
  console.log(`reading on from ${total.watermark}`);
  for await (const batch of batchesAfter(total.watermark)) {
    const next = {
      watermark: batch[batch.length - 1]?.id ?? total.watermark,
      sum: batch.reduce((sum, { amount }) => sum + amount, total.sum),
    };
    const draft = `${target}.${process.pid}`;
    await writeFile(draft, JSON.stringify(next));
    // A run that was frozen past its lease must not put back what its successor moved on. (Frozen after this line, it
    // would: against that, the target has to check fencing tokens, as in ../maintenance-job.)
    assertHeld();
    await rename(draft, target);
    console.log(`moved from ${total.watermark} to ${next.watermark}`);
    total = next;
  }
}

const locks = LockFactory.fromEnv({ leaseMs: 3_000 });
locks.withLock('watermark-job', { waitMs: 0 }, run).catch((error) => {
  if (!(error instanceof LockNotAcquiredError)) throw error;
  console.log(`skipped: ${error.holder} is still at it`);
});
