// A webhook that handles each delivery once, however often and to whichever node the sender delivers it.
//
// What became of a delivery is kept under its id, looked at and changed under the lock of that id; a duplicate that comes
// meanwhile waits. A delivery that failed, or whose node died, is not done: its redelivery is handled again, and the
// counter ends that when it never succeeds. A node that dies between the effect of its handler and the record of it has
// the effect twice; where that must not be, write both in one transaction.
//
//   npm start                                    # in one terminal: the service
//   export HOLDFAST_URL=http://127.0.0.1:3000    # in two more, with the ports 4001 and 4002:
//   mkdir -p /tmp/deliveries
//   node --import tsx sdk/examples/idempotent-webhook/idempotent-webhook.ts 4001 /tmp/deliveries
//   curl -H 'delivery-id: d1' -d '{"order":42}' http://127.0.0.1:4001   # and the same again, to 4002
//   cat /tmp/deliveries/orders.log

import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { LockFactory } from '../../index.ts';

interface Delivery {
  readonly done: boolean;
  /** How often it came after the first time. */
  readonly redeliveries: number;
}

const maxRedeliveries = 3;
const [port = '4001', folder = ''] = process.argv.slice(2);
const locks = LockFactory.fromEnv({ prefix: 'webhook/', leaseMs: 3_000 });

const pathOf = (id: string) => join(folder, `${encodeURIComponent(id)}.json`);

async function read(id: string): Promise<Delivery | undefined> {
  try {
    return JSON.parse(await readFile(pathOf(id), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function write(id: string, delivery: Delivery): Promise<void> {
  const draft = `${pathOf(id)}.${process.pid}`;
  await writeFile(draft, JSON.stringify(delivery));
  await rename(draft, pathOf(id));
}

/** The business of this webhook. */
async function handle(body: string): Promise<void> {
  const { order } = JSON.parse(body);
  await appendFile(join(folder, 'orders.log'), `order ${order}\n`);
}

function deliver(id: string, body: string): Promise<object> {
  return locks.withLock(id, { waitMs: 20_000 }, async () => {
    const known = await read(id);
    const redeliveries = known ? known.redeliveries + 1 : 0;
    await write(id, { done: known?.done ?? false, redeliveries });
    if (known?.done) return { outcome: 'duplicate', redeliveries };
    // An answer of success, too, so that the sender stops.
    if (redeliveries > maxRedeliveries) return { outcome: 'given up', redeliveries };
    console.log(`handling ${id}, redeliveries: ${redeliveries}`);
    await handle(body);
    await write(id, { done: true, redeliveries });
    return { outcome: 'handled', redeliveries };
  });
}

async function answer(request: IncomingMessage): Promise<[status: number, body: object]> {
  const id = request.headers['delivery-id'];
  // Each byte may take three of the 255 that a file's name has.
  if (typeof id !== 'string' || !/^.{1,80}$/.test(id)) {
    return [400, { error: 'a delivery needs the header delivery-id, of 1 to 80 characters' }];
  }
  try {
    return [200, await deliver(id, await text(request))];
  } catch (error) {
    // Whatever went wrong, a sender tries again after a 5xx.
    return [500, { error: String(error) }];
  }
}

const server = createServer(async (request, response) => {
  const [status, body] = await answer(request);
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
}).listen(Number(port), '127.0.0.1', () => console.log(`listening on ${(server.address() as AddressInfo).port}`));
