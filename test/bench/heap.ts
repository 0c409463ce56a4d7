import type { Figure } from './figures.ts';
import type { Remains } from './heap-client.ts';
import { newPlace } from './new-place.ts';
import type { Part } from './part.ts';
import type { BackendName } from './place.ts';
import { ClientProcess } from './processes.ts';

const boundMiB = 5;

/** What locks that are over, and tries that failed, leave in the process that wanted them. */
export const heap =
  (backend: BackendName): Part =>
  async ({ quick }) => {
    const rounds = quick ? 1_000 : 10_000;
    const { place, stop } = await newPlace(backend);
    const client = new ClientProcess('heap-client.ts', [JSON.stringify(place), String(rounds)]);
    const { before, afterCycles, afterTries, unanswered, atRest } = await client.done();
    await client.kill();
    await stop();

    const growth = (after: Remains, what: string, more = ''): Figure => {
      const grownMiB = after.heapMiB - before.heapMiB;
      return {
        figure: `${backend}: heap in use after ${what}`,
        target: `± ${boundMiB} MiB`,
        measured: `${grownMiB < 0 ? '-' : '+'}${Math.abs(grownMiB).toFixed(2)} MiB (from ${before.heapMiB.toFixed(1)} MiB${more})`,
        met: Math.abs(grownMiB) <= boundMiB,
      };
    };
    const count = rounds.toLocaleString('en');
    const activeBefore = total(before.active);
    const activeAfter = Math.max(total(afterCycles.active), total(afterTries.active));
    const timersAfter = Math.max(afterCycles.timers, afterTries.timers);
    return [
      growth(afterCycles, `${count} times lock and unlock`),
      growth(afterTries, `${count} timed tries in vain besides`, `; ${unanswered} not answered in time`),
      {
        figure: `${backend}: timers more than before, also those that keep nothing alive`,
        target: '0',
        measured: `${timersAfter - before.timers} (from ${before.timers})`,
        met: timersAfter <= before.timers,
      },
      {
        figure: `${backend}: handles more than before that keep the process alive`,
        target: '0',
        measured: `${activeAfter - activeBefore} (${kinds(afterTries.active)})`,
        met: activeAfter <= activeBefore,
      },
      {
        figure: `${backend}: timers when no lock is held any more`,
        target: '0',
        measured: String(atRest.timers),
        met: atRest.timers === 0,
      },
    ];
  };

function total(active: Remains['active']): number {
  return Object.values(active).reduce((sum, count) => sum + count, 0);
}

function kinds(active: Remains['active']): string {
  return Object.entries(active)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ');
}
