import { withBundledClient } from './bundled-client.ts';
import type { Figure } from './figures.ts';
import type { MemoryTask, Weighed } from './memory-per-lock-client.ts';
import { newPlace } from './new-place.ts';
import type { Part } from './part.ts';
import type { BackendName } from './place.ts';
import { ClientProcess } from './processes.ts';

const targetKiB = 4;

const what: Readonly<Record<Weighed, string>> = {
  held: 'of each lock that is held',
  listened: 'of each lock that is held, its signal listened to',
  flows: 'of each flow that waits for one lock behind others of its factory',
  waiters: 'of each waiter with a place in a line',
};

/** What a lock that is held, and a waiter, weigh in the heap of the process that has them. */
export const memoryPerLock =
  (backend: BackendName): Part =>
  async ({ quick }) => {
    const many = quick ? [500, 1_000] : [1_000, 5_000, 10_000];
    // Each first in line looks 20 times a second.
    const few = quick ? [20, 40] : [20, 40, 80];
    const figures: Figure[] = [];
    await withBundledClient('memory-per-lock-client.ts', async (bundle) => {
      for (const weighed of ['held', 'listened', 'flows', 'waiters'] as const) {
        const task: MemoryTask = { weighed, counts: weighed === 'waiters' ? few : many };
        figures.push(figureOf(backend, task, await grownBytes(backend, task, bundle)));
      }
    });
    return figures;
  };

async function grownBytes(backend: BackendName, task: MemoryTask, bundle: string): Promise<readonly number[]> {
  const { place, stop } = await newPlace(backend);
  const client = new ClientProcess('memory-per-lock-client.ts', [JSON.stringify(place), JSON.stringify(task)], bundle);
  const report = await client.done();
  await client.kill();
  await stop();
  return report.grownBytes;
}

function figureOf(backend: BackendName, { weighed, counts }: MemoryTask, grown: readonly number[]): Figure {
  const each = grown.map((bytes, at) => bytes / (counts[at] ?? Number.NaN) / 1_024);
  return {
    figure: `${backend}: heap ${what[weighed]}`,
    measured: each.map((kib, at) => `${kib.toFixed(2)} KiB (${counts[at]?.toLocaleString('en')})`).join(', '),
    ...(weighed === 'held' && { target: `≤ ${targetKiB} KiB`, met: each.every((kib) => kib <= targetKiB) }),
  };
}
