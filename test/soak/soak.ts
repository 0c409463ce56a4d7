import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CounterFile } from '../../sdk/examples/demo/counter-file.ts';
import type { StackReport } from '../bench/processes.ts';
import { killAllPrograms, type Program } from '../chaos/run/programs/program.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { Crew, type Worker } from './crew.ts';
import { inflictFaults } from './faults.ts';
import type { WorkerCommand } from './messages.ts';
import { vitalsOf } from './vitals.ts';

export interface SoakOptions {
  readonly seconds: number;
  readonly sampleEverySeconds: number;
  readonly seed: number;
  readonly folder: string;
  readonly say: (text: string) => void;
}

/** One figure of one process, sample after sample. */
export interface Series {
  readonly process: string;
  readonly figure: 'resident MiB' | 'heap MiB' | 'sockets' | 'files' | 'timers';
  readonly samples: number[];
}

export interface SoakResult {
  readonly series: readonly Series[];
  /** In the file, and as its workers count what they did. */
  readonly counter: { readonly inFile: number; readonly done: number };
  /** Of everybody who lived to the end. */
  readonly holds: number;
  readonly errors: ReadonlyMap<string, number>;
  readonly faults: ReadonlyMap<string, number>;
  /** Requests that went through the networks, and how many of them met a fault. */
  readonly requests: number;
  readonly struck: number;
  readonly complaints: readonly string[];
}

// A process that was frozen or is collecting garbage answers late.
const toldWithinMs = 30_000;

/** Lets processes use locks under faults for a long time, and looks at what they take from the machine. */
export async function soak({ seconds, sampleEverySeconds, seed, folder, say }: SoakOptions): Promise<SoakResult> {
  const counter = new CounterFile(join(folder, 'counter.json'));
  await counter.write(0);
  try {
    const crew = await Crew.start(folder, join(folder, 'counter.json'), seed);
    const allSeries = new Map<string, Series>();
    const over = AbortSignal.timeout(seconds * 1_000);
    const faults = inflictFaults(crew, seededRandom(seed + 1), over);
    for (let sample = 1; !over.aborted; sample++) {
      await pause(sampleEverySeconds * 1_000, undefined, { signal: over }).catch(() => undefined);
      if (over.aborted) break;
      await takeSample(crew, allSeries);
      const minutes = (sample * sampleEverySeconds) / 60;
      if (Number.isInteger(minutes)) say(`${minutes} of ${seconds / 60} minutes`);
    }
    const inflicted = await faults;
    const works = await crew.end();
    await crew.stop();
    const links = [...crew.links.api, ...crew.links.database];
    const errors = new Map<string, number>();
    for (const work of works) {
      for (const [name, count] of Object.entries(work.errors)) errors.set(name, (errors.get(name) ?? 0) + count);
    }
    return {
      series: [...allSeries.values()],
      counter: { inFile: await counter.read(), done: sum(works.map(({ counted }) => counted)) },
      holds: sum(works.map(({ holds }) => holds)),
      errors,
      faults: inflicted,
      requests: sum(links.map(({ requests }) => requests)),
      struck: sum(links.flatMap(({ struck }) => [...struck.values()])),
      complaints: crew.complaints,
    };
  } finally {
    killAllPrograms();
  }
}

async function takeSample(crew: Crew, allSeries: Map<string, Series>): Promise<void> {
  const add = (process: string, figures: Partial<Record<Series['figure'], number>>) => {
    for (const [figure, value] of Object.entries(figures) as [Series['figure'], number][]) {
      const key = `${process}: ${figure}`;
      const series = allSeries.get(key) ?? { process, figure, samples: [] };
      series.samples.push(value);
      allSeries.set(key, series);
    }
  };
  const seen = ({ pid }: { readonly pid: number }) => {
    const { residentMiB, sockets, files } = vitalsOf(pid);
    return { 'resident MiB': residentMiB, sockets, files };
  };
  for (const worker of crew.workers) {
    const { heapMiB, timers } = await told(worker);
    add(worker.name, { ...seen(worker.program), 'heap MiB': heapMiB, timers });
  }
  add('API', { ...seen(crew.stack), 'heap MiB': await collected(crew.stack) });
  add('database', seen(crew.database));
}

async function told({ program }: Worker) {
  const report = program.report('told', AbortSignal.timeout(toldWithinMs));
  program.tell({ kind: 'tell' } satisfies WorkerCommand);
  return report;
}

async function collected(stack: Program<StackReport>): Promise<number> {
  const report = stack.report('collected', AbortSignal.timeout(toldWithinMs));
  stack.tell({});
  return (await report).heapMiB;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
