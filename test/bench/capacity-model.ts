import { defaultTiming } from '../../lambda/service/timing.ts';
import { limits } from '../../sdk/wire/limits.ts';
import { type Consumption, comingBack, fullLineUnits, waiting } from './cost-model.ts';
import { quotas } from './quotas.ts';

/** What a deployment is asked for, all the time. */
export interface Load {
  readonly heldLocks: number;
  /** Of each of them; renewed three times in it. */
  readonly leaseMs: number;
  /** Locks taken, and given back, that nobody else wants at the time. */
  readonly grantsPerSecond: number;
}

/** What that takes each second. */
export interface Demand {
  readonly requests: number;
  readonly writeUnits: number;
  readonly readUnits: number;
  /** Slots that short requests need, and those that waits keep. */
  readonly slots: number;
  readonly waitingSlots: number;
}

const { heldOpen, lineLimit } = defaultTiming;
const hourSeconds = 3_600;

/** Renewals a second. */
export function renewalsOf({ heldLocks, leaseMs }: Load): number {
  return (heldLocks * 3_000) / leaseMs;
}

/** What a load takes each second: a write for each request. */
export function demandOf(load: Load): Demand {
  const requests = 2 * load.grantsPerSecond + renewalsOf(load);
  const slots = requests / quotas.requestsPerSlot.value;
  return { requests, writeUnits: requests, readUnits: 0, slots, waitingSlots: 0 };
}

/** What waiters take each second, each first in line for a lock of its own. */
export function demandOfFirst(waiters: number): Demand {
  return demandOfHour([[waiters, waiting(1)]], waiters);
}

/** What waiters take each second who stand in full lines. */
export function demandOfFullLines(waiters: number): Demand {
  const lines = waiters / lineLimit;
  const places = Array.from({ length: heldOpen }, (_, at) => at + 1);
  const open = places.map((place): [number, Consumption] => [lines, waiting(place, fullLineUnits)]);
  return demandOfHour([...open, [lines * (lineLimit - heldOpen), comingBack(fullLineUnits)]], lines * heldOpen);
}

function demandOfHour(hours: readonly (readonly [number, Consumption])[], waitingSlots: number): Demand {
  const perSecond = (of: (hour: Consumption) => number) =>
    hours.reduce((sum, [times, hour]) => sum + (times * of(hour)) / hourSeconds, 0);
  const requests = perSecond(({ requests }) => requests);
  const heldOpenEach = (waitingSlots * 1_000) / limits.waitMs.max;
  return {
    requests,
    writeUnits: perSecond(({ writeUnits }) => writeUnits),
    readUnits: perSecond(({ readUnits }) => readUnits),
    slots: Math.max(0, requests - heldOpenEach) / quotas.requestsPerSlot.value,
    waitingSlots,
  };
}

/** What of DynamoDB such a demand exceeds, and so what has to be done first. */
export function tableLimits({ writeUnits, readUnits }: Demand): string[] {
  return [
    ...beyond(writeUnits, quotas.tableWrites.value, quotas.newTableWrites.value, 'write'),
    ...beyond(readUnits, quotas.tableReads.value, quotas.newTableReads.value, 'read'),
  ];
}

function beyond(units: number, ofTable: number, ofNewTable: number, kind: string): string[] {
  if (units > ofTable) return [`table's ${kind}s`];
  return units > ofNewTable ? [`grow to the ${kind}s`] : [];
}
