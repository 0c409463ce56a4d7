import { randomUUID } from 'node:crypto';
import { hostMs } from '../support/host-clock.ts';
import { connect, type Place } from './place.ts';

// A program that takes a lock and has no more to do. It says when that is, and ends when nothing keeps it any more. Its
// arguments: the place of its locks, as JSON, and what it does with one.

/** What it does with the lock; `none`: it takes none, and over HTTP sends one bare request instead. */
export type Ending = 'unlock' | 'forget' | 'none';

async function main(): Promise<void> {
  const [place, ending] = [JSON.parse(process.argv[2] ?? '') as Place, process.argv[3] as Ending];
  const locks = await connect(place);
  if (ending === 'none') {
    if (place.kind === 'http') await (await fetch(place.url)).text();
  } else {
    const lock = locks.createLock(`bench/exit ${randomUUID()}`);
    await lock.lock();
    if (ending === 'unlock') await lock.unlock();
  }
  process.stdout.write(`${hostMs()}\n`);
}

void main();
