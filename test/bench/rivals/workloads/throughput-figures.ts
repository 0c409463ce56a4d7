import type { Figure } from '../../figures.ts';
import type { LockSystem } from '../lock-system.ts';
import { ratioOf, shownSpread, spreadOf, times } from '../spread.ts';
import { holdfastEmbedded } from '../systems/holdfast.ts';
import { floorAmong } from './floor-among.ts';

/** How many locks one system took and gave back. */
export interface Throughput {
  /** Locks, one for each repetition. */
  readonly perSecond: number[];
  failed: number;
}

const leastOfFloor = 0.9;

/** Everybody by its floor, and Holdfast embedded by the raw writes, which has a target, and by each rival. */
export function throughputFigures(title: string, results: ReadonlyMap<LockSystem, Throughput>): Figure[] {
  const of = (system: LockSystem) => results.get(system)?.perSecond ?? [];
  const floor = (system: LockSystem) => of(floorAmong(results.keys(), system));
  const ours = of(holdfastEmbedded);
  const byRaw = ratioOf(ours, floor(holdfastEmbedded));
  return [
    ...[...results].map(([system, { perSecond, failed }]) => ({
      figure: `${title}: ${system.name}`,
      measured: `${shownSpread(spreadOf(perSecond), shown)} locks a second; ${times(ratioOf(perSecond, floor(system)).median)} its floor${failed > 0 ? `; ${failed} failed` : ''}`,
    })),
    {
      figure: `${title}: Holdfast embedded, by raw writes`,
      target: `≥ ${times(leastOfFloor)}`,
      measured: shownSpread(byRaw, times),
      met: byRaw.median >= leastOfFloor,
    },
    ...[...results.keys()]
      .filter(({ kind }) => kind === 'rival')
      .map((rival) => ({
        figure: `${title}: Holdfast embedded, by ${rival.name}${rival.sdk === 'v2' ? ', which is on SDK v2' : ''}`,
        measured: shownSpread(ratioOf(ours, of(rival)), times),
      })),
  ];
}

function shown(value: number): string {
  return value.toFixed(0);
}
