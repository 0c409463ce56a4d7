import type { Figure } from '../figures.ts';
import type { Chart } from './drawing/chart.ts';
import type { CountedGround, StartedGround } from './ground.ts';

/** How much is measured: all of it, less of it, or only so much as shows that it runs. */
export type Size = 'full' | 'quick' | 'smoke';

/** What a workload is given. */
export interface Context {
  readonly size: Size;
  /** How often everything is repeated; at least 1. */
  readonly repetitions: number;
  /** Seeded: where the order of what is compared is left to chance, this is the chance. */
  readonly random: () => number;
  /** For times: the same one for every workload, started when the first asks. */
  ground(): Promise<StartedGround>;
  /** For counts: likewise. Nobody else uses it meanwhile. */
  countedGround(): Promise<CountedGround>;
}

/** What a workload found. */
export interface Result {
  /** Lines of the table, with targets where there are any. */
  readonly figures: readonly Figure[];
  /** What the figures were made from, for the JSON: by system, or whatever tells them apart. */
  readonly series: Readonly<Record<string, unknown>>;
  readonly charts?: readonly Chart[];
}

/** Measures one thing over the systems that it is about; leaves no connection and no process of its own behind. */
export type Workload = (context: Context) => Promise<Result>;
