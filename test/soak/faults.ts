import { setTimeout as pause } from 'node:timers/promises';
import type { NetworkFault } from '../chaos/run/fault-plan.ts';
import { linkFault } from '../chaos/run/network/link-fault.ts';
import type { Crew } from './crew.ts';
import { shape } from './shape.ts';

const networkKinds = [
  'drop-request',
  'drop-reply',
  'delay',
  'black-hole',
  'mute',
  'duplicate',
  'error',
  'error-after',
  'throttle',
] as const satisfies readonly NetworkFault['kind'][];

/** Lets one fault after the other strike, each at its moment, until the signal aborts. Counts them by kind. */
export async function inflictFaults(
  crew: Crew,
  random: () => number,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const kinds = [
    ...networkKinds.flatMap((kind) => [networkFault(kind, 'api'), networkFault(kind, 'database')]),
    freeze('a worker that counts', () => oneOf(crew.workers, random), shape.shortFreezeMs),
    freeze('a passer-by', () => oneOf(crew.passersBy, random), shape.longFreezeMs),
    killed(),
  ];
  while (!signal.aborted) {
    await quietly(pause(shape.faultEveryUpToMs * random(), undefined, { signal }));
    if (signal.aborted) break;
    const { name, strike } = oneOf(kinds, random);
    await strike();
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;

  function networkFault(kind: NetworkFault['kind'], layer: NetworkFault['layer']) {
    const strike = async () => {
      const { min, max } = shape.faultMs;
      const heal = oneOf(crew.links[layer], random).begin(linkFault({ kind, layer, share: 0.2 + 0.7 * random() }));
      await quietly(pause(min + (max - min) * random(), undefined, { signal }));
      heal();
    };
    return { name: `${kind} before the ${layer === 'api' ? 'API' : 'database'}`, strike };
  }

  function freeze(whom: string, choose: () => Crew['workers'][number], ms: number) {
    const strike = async () => {
      const { program } = choose();
      program.freeze();
      await quietly(pause(ms, undefined, { signal }));
      program.thaw();
    };
    return { name: `SIGSTOP of ${whom} for ${ms / 1_000} s`, strike };
  }

  function killed() {
    const strike = async () => {
      const at = Math.floor(random() * crew.passersBy.length);
      await crew.passersBy[at]?.program.kill();
      await crew.startPasserBy(at);
    };
    return { name: 'SIGKILL of a passer-by, and another in its place', strike };
  }
}

function oneOf<T>(choices: readonly T[], random: () => number): T {
  return choices[Math.floor(random() * choices.length)] as T;
}

// A pause that is cut short has ended, too.
async function quietly(pausing: Promise<void>): Promise<void> {
  await pausing.catch(() => undefined);
}
