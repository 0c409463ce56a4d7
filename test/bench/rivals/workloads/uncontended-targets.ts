import { type Figure, ms } from '../../figures.ts';
import type { LockSystem } from '../lock-system.ts';
import { ratioOf, shownSpread, spreadOf, times } from '../spread.ts';
import { holdfastEmbedded, holdfastOverHttp } from '../systems/holdfast.ts';
import type { CycleCost } from './cycle-cost.ts';
import { floorAmong } from './floor-among.ts';

/** What one system took and cost; of times there is one for each repetition. */
export interface Uncontended extends CycleCost {
  readonly p50Ms: readonly number[];
  /** The far end: p99, or the longest where there are too few cycles for that. */
  readonly tail: string;
  readonly tailMs: readonly number[];
  /** What the process that locks computes for one cycle, milliseconds of a processor, wherever the database is. */
  readonly cpuMs: readonly number[];
}

const mostOfFloor = 1.1;
// What HTTP and the functions may add to each of the two requests of a cycle, over a request that they refuse.
const perRequestMs = 0.5;

/** What a lock that nobody else wants should cost, and does. */
export function uncontendedTargets(
  results: ReadonlyMap<LockSystem, Uncontended>,
  rawRequestMs: readonly number[],
): Figure[] {
  const of = (system: LockSystem): Uncontended => {
    const result = results.get(system);
    if (result) return result;
    throw new RangeError(`${system.name} must have been measured, and was not`);
  };
  const [embedded, floor] = [of(holdfastEmbedded), of(floorAmong(results.keys(), holdfastEmbedded))];
  const ratio = ratioOf(embedded.p50Ms, floor.p50Ms);
  const rivals = [...results.keys()].filter(({ kind }) => kind === 'rival');
  return [
    {
      figure: 'uncontended: Holdfast embedded, p50 of a cycle, by the floor’s',
      target: `≤ ${times(mostOfFloor)}`,
      measured: `${shownSpread(ratio, times)}; processor ${shownSpread(ratioOf(embedded.cpuMs, floor.cpuMs), times)}`,
      met: ratio.median <= mostOfFloor,
    },
    {
      figure: 'uncontended: Holdfast embedded, write units and reads of a cycle',
      target: '2 and 0',
      measured: `${embedded.units} and ${embedded.reads}`,
      met: embedded.units === 2 && embedded.reads === 0,
    },
    ...rivals.map((rival) => cheaper(rival, embedded, of(rival))),
    ...rivals.filter(({ sdk }) => sdk === 'v3').map((rival) => faster(rival, embedded, of(rival), floor)),
    ...rivals
      .filter(({ sdk }) => sdk === 'v2')
      .map((rival) => onAnotherSdk(rival, embedded, of(rival), of(floorAmong(results.keys(), rival)), floor)),
    overHttp(of(holdfastOverHttp), floor, rawRequestMs),
  ];
}

function cheaper({ name }: LockSystem, ours: Uncontended, theirs: Uncontended): Figure {
  const same = ours.requests === theirs.requests && ours.units === theirs.units;
  return {
    figure: `uncontended: Holdfast embedded, requests and units of a cycle, against ${name}`,
    target: `< ${theirs.requests} and < ${theirs.units}`,
    measured: `${ours.requests} and ${ours.units}${same ? ': the same two writes' : ''}`,
    met: ours.requests < theirs.requests && ours.units < theirs.units,
  };
}

function faster({ name }: LockSystem, ours: Uncontended, theirs: Uncontended, floor: Uncontended): Figure {
  const ratio = ratioOf(ours.p50Ms, theirs.p50Ms);
  const least = ratioOf(floor.p50Ms, theirs.p50Ms).median;
  return {
    figure: `uncontended: Holdfast embedded, p50 of a cycle, by that of ${name}`,
    target: `< ${times(1)}`,
    measured: `${shownSpread(ratio, times)}; of the floor alone ${times(least)}`,
    met: ratio.median < 1,
  };
}

// No target: two SDKs are compared with it, so how far apart those are stands beside it.
function onAnotherSdk(
  { name, sdk }: LockSystem,
  ours: Uncontended,
  theirs: Uncontended,
  theirFloor: Uncontended,
  ourFloor: Uncontended,
): Figure {
  const ratio = ratioOf(ours.p50Ms, theirs.p50Ms);
  const floors = ratioOf(ourFloor.p50Ms, theirFloor.p50Ms);
  return {
    figure: `uncontended: Holdfast embedded, p50 of a cycle, by that of ${name}, which is on SDK ${sdk}`,
    measured: `${shownSpread(ratio, times)}; the floors of the two SDKs ${shownSpread(floors, times)}`,
  };
}

function overHttp({ p50Ms }: Uncontended, floor: Uncontended, rawRequestMs: readonly number[]): Figure {
  const cycle = spreadOf(p50Ms);
  // Of the same repetition, as everything that is compared.
  const allowed = spreadOf(
    floor.p50Ms.map((floorMs, repetition) => floorMs + 2 * ((rawRequestMs[repetition] ?? Number.NaN) + perRequestMs)),
  );
  return {
    figure: 'uncontended: Holdfast over HTTP, p50 of a cycle',
    target: `≤ ${ms(allowed.median)} (floor + 2 × (raw round trip + ${perRequestMs} ms))`,
    measured: shownSpread(cycle, ms),
    met: cycle.median <= allowed.median,
  };
}
