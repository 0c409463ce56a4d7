import { defaultTiming } from '../../lambda/service/timing.ts';
import { limits } from '../../sdk/wire/limits.ts';
import { prices } from './prices.ts';

/** What something consumes. */
export interface Consumption {
  /** Requests to the API, each of which is an invocation and a line in the access log. */
  readonly requests: number;
  readonly writeUnits: number;
  readonly readUnits: number;
  /** Seconds that the acquire function is kept waiting. */
  readonly waitSeconds?: number;
}

export interface Cost {
  readonly api: number;
  readonly lambda: number;
  readonly table: number;
  readonly logs: number;
}

/**
 * What a deployment is taken to be.
 *
 * `shortCallMs` is an assumption, the only one: what a call that does not wait is billed for. `npm run bench:costs` measures
 * some 2 ms of a processor for each, and at 256 MB a function has 0.145 of one: 14 ms, if that of Lambda is as fast. Ten times
 * as much would add $0.45 to a million calls.
 */
export const deployment = { shortCallMs: 15, shortCallMb: 256, waitMb: 128, accessLogBytes: 400 } as const;

/** What consumption costs, US dollars. */
export function costOf({ requests, writeUnits, readUnits, waitSeconds = 0 }: Consumption): Cost {
  const { shortCallMs, shortCallMb, waitMb, accessLogBytes } = deployment;
  const gbSeconds = (requests * shortCallMs * shortCallMb) / 1_000 / 1_024 + (waitSeconds * waitMb) / 1_024;
  return {
    api: requests * prices.httpApiRequest.dollars,
    lambda: requests * prices.lambdaRequest.dollars + gbSeconds * prices.lambdaGbSecond.dollars,
    table: writeUnits * prices.writeUnit.dollars + readUnits * prices.readUnit.dollars,
    logs: ((requests * accessLogBytes) / 1e9) * prices.logGb.dollars,
  };
}

const hourSeconds = 3_600;
const { pollMs, heldOpen, comeBackMs } = defaultTiming;
/** Of each write to an item with 64 in line. */
export const fullLineUnits = 4;

/** Single operations, the item within 1 KB. The units are those that `contract/dynamodb-capacity.test.ts` counts. */
export const operations: Readonly<Record<string, Consumption>> = {
  'lock and unlock, nobody else wants it': { requests: 2, writeUnits: 2, readUnits: 0 },
  'tryLock() of a lock that is held': { requests: 1, writeUnits: 1, readUnits: 0 },
  'a renewal': { requests: 1, writeUnits: 1, readUnits: 0 },
  'a look at a lock': { requests: 1, writeUnits: 0, readUnits: 1 },
  // try: refused. acquire: refused, joins. renew: confirms. release: looks (half a unit), hands over.
  'lock and unlock with a wait and a hand-over, the wait itself apart': { requests: 4, writeUnits: 5, readUnits: 0.5 },
  // The one that releases knew of nobody in line: its release is refused, then it hands over.
  'the same, two that take turns and nobody else': { requests: 4, writeUnits: 6, readUnits: 0 },
};

/** One hour of something. */
export const hours: Readonly<Record<string, Consumption>> = {
  'holding a lock, renewed every 10 s': renewed(limits.leaseMs.default / 3),
  'waiting, first in line': waiting(1),
  [`waiting, place ${heldOpen}`]: waiting(heldOpen),
  [`waiting, behind the first ${heldOpen}`]: comingBack(1),
  [`waiting, behind the first ${heldOpen} of a full line`]: comingBack(fullLineUnits),
};

function renewed(everyMs: number): Consumption {
  const renewals = (hourSeconds * 1_000) / everyMs;
  return { requests: renewals, writeUnits: renewals, readUnits: 0 };
}

/**
 * An hour of waiting at a place that is held open: a request waits 20 s and keeps its ticket by one write; place p looks every
 * p × 50 ms, at half a unit.
 */
export function waiting(place: number, unitsOfWrite = 1): Consumption {
  const requests = (hourSeconds * 1_000) / limits.waitMs.max;
  const looks = (hourSeconds * 1_000) / Math.min(pollMs.max, pollMs.step * place);
  return { requests, writeUnits: requests * unitsOfWrite, readUnits: looks / 2, waitSeconds: hourSeconds };
}

/**
 * An hour of waiting behind those places: comes back every 2 s, each time by one look. Its ticket is renewed once half of its
 * time is over, by one write to the item with everybody's tickets.
 */
export function comingBack(unitsOfWrite: number): Consumption {
  const requests = (hourSeconds * 1_000) / comeBackMs.max;
  const looksOfTicket = Math.ceil(defaultTiming.awayTicketMs / 2 / comeBackMs.max);
  return { requests, writeUnits: (requests / looksOfTicket) * unitsOfWrite, readUnits: requests / 2 };
}
