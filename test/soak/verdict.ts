import { tableOf } from '../support/markdown-table.ts';
import { type Allowance, growthOf } from './growth.ts';
import type { Series, SoakResult } from './soak.ts';

/** What each figure may grow by from the first third of a run to the last. */
export const allowances: Readonly<Record<Series['figure'], Allowance>> = {
  // What the system counts for a process changes by whole arenas.
  'resident MiB': { share: 0.15, absolute: 12 },
  'heap MiB': { share: 0.05, absolute: 1 },
  sockets: { share: 0, absolute: 6 },
  files: { share: 0, absolute: 6 },
  timers: { share: 0, absolute: 6 },
};

export interface Verdict {
  readonly text: string;
  readonly isGood: boolean;
}

/** Says what came of a soak. Good: nothing grew, no addition was lost, and nobody complained. */
export function verdictOn(result: SoakResult): Verdict {
  const { counter, holds, requests, struck, complaints } = result;
  const rows = result.series.map(({ process, figure, samples }) => {
    const growth = growthOf(samples, allowances[figure]);
    const digits = figure.endsWith('MiB') ? 1 : 0;
    const cells = [growth.early, growth.late, growth.highest].map((value) => value.toFixed(digits));
    return { isFlat: growth.isFlat, cells: [process, figure, ...cells, growth.isFlat ? 'flat' : 'GREW'] };
  });
  const isGood = rows.every(({ isFlat }) => isFlat) && counter.inFile === counter.done && complaints.length === 0;
  const text = [
    tableOf([['process', 'figure', 'first third', 'last third', 'highest', ''], ...rows.map(({ cells }) => cells)]),
    '',
    `counter: ${counter.inFile} in the file, ${counter.done} additions done`,
    `holds: ${holds}; requests: ${requests}, of which ${struck} met a fault`,
    `errors: ${counts(result.errors)}`,
    `faults: ${counts(result.faults)}`,
    ...complaints.map((complaint) => `complaint: ${complaint}`),
  ].join('\n');
  return { text, isGood };
}

function counts(of: ReadonlyMap<string, number>): string {
  const inOrder = [...of].sort(([, one], [, other]) => other - one);
  return inOrder.map(([name, count]) => `${name} ${count}`).join(', ') || 'none';
}
