import type { Ending } from './exit-client.ts';
import { type Figure, median, ms } from './figures.ts';
import { newPlace } from './new-place.ts';
import type { Part } from './part.ts';
import type { BackendName } from './place.ts';
import { runProgram } from './processes.ts';

const withinMs = 1_000;

/** How soon a program ends that has no more to do. */
export const exit =
  (backend: BackendName): Part =>
  async ({ quick }) => {
    const runs = quick ? 3 : 10;
    const { place, stop } = await newPlace(backend);
    const tookMs = { unlock: [] as number[], forget: [] as number[], none: [] as number[] };
    for (let run = 0; run < runs; run++) {
      for (const ending of Object.keys(tookMs) as Ending[]) {
        const { output, endedMs } = await runProgram('exit-client.ts', [JSON.stringify(place), ending]);
        tookMs[ending].push(endedMs - Number(output));
      }
    }
    await stop();
    const figure = (what: string, each: readonly number[], target?: number): Figure => ({
      figure: `${backend}: a program ends after its last line, ${what}`,
      measured: `${ms(Math.max(...each))} at most (median ${ms(median(each))}, ${each.length} runs)`,
      ...(target !== undefined && { target: `≤ ${ms(target)}`, met: each.every((one) => one <= target) }),
    });
    return [
      figure('having unlocked', tookMs.unlock, withinMs),
      figure('having forgotten to unlock', tookMs.forget, withinMs),
      figure(backend === 'http' ? 'having sent one bare request' : 'having taken no lock', tookMs.none),
    ];
  };
