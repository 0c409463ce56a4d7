import type { Disturbances } from '../disturbances.ts';
import type { Finding } from '../finding.ts';
import { boundsOf, endsNotBeforeMs, type Hold, latestDeadlineMs } from '../hold.ts';
import { eventsOf, type OperationRecord } from '../operation-record.ts';
import type { Results } from '../operations.ts';
import { withHighestBefore } from '../real-time.ts';

/** A look at a lock that was answered. */
export interface Inspection {
  readonly lockId: string;
  readonly operation: OperationRecord;
  readonly seen: Results['inspect'];
}

export function inspectionsOf(operations: Iterable<OperationRecord>): Inspection[] {
  return [...operations].flatMap((operation) =>
    operation.end?.type === 'ok' && operation.end.operation === 'inspect'
      ? [{ lockId: operation.lockId, operation, seen: operation.end.result }]
      : [],
  );
}

/**
 * What the looks at one lock saw that cannot have been so at any moment within the look.
 *
 * @param started the acquisitions that stood at no place of another's before
 * @param deletions when an item of the lock was deleted: then a look shows no fencing token
 * @param lateMs how late a renewal that was never answered may still have been applied
 */
export function inspections(
  rule: string,
  holds: readonly Hold[],
  looks: readonly Inspection[],
  started: ReadonlySet<OperationRecord>,
  deletions: Disturbances,
  lateMs: number,
): Finding[] {
  const byToken = new Map(holds.map((hold) => [hold.fencingToken, hold]));
  return [
    ...outOfOrder(rule, holds, looks, started, deletions),
    ...looks.flatMap((look) => {
      const hold = byToken.get(look.seen.fencingToken ?? 0);
      const why = hold && contradiction(look, hold, lateMs);
      return hold && why ? [finding(rule, look, `${why} ${hold.id}`, boundsOf(hold))] : [];
    }),
  ];
}

// A look shows no older hold than one that was known before it, and no grant that was asked for later is that old.
function outOfOrder(
  rule: string,
  holds: readonly Hold[],
  looks: readonly Inspection[],
  started: ReadonlySet<OperationRecord>,
  deletions: Disturbances,
): Finding[] {
  const grants = holds.map(({ acquisition, grantedMs, fencingToken, granted }) => ({
    fromMs: acquisition.invokedMs,
    byMs: grantedMs,
    number: fencingToken,
    events: [granted],
    look: undefined,
    isInherited: !started.has(acquisition),
  }));
  const seen = looks.map((look) => ({
    fromMs: look.operation.invokedMs,
    byMs: look.operation.endedMs,
    number: look.seen.fencingToken ?? 0,
    events: eventsOf(look.operation),
    look,
    isInherited: false,
  }));
  return withHighestBefore([...grants, ...seen]).flatMap(({ before, thing }) => {
    const look = thing.look ?? before.look;
    // Two grants are another rule's matter. A place that had its grant when its flow gave up passes both on.
    const maySame = thing.look || (thing.isInherited && before.look?.seen.state !== 'free');
    const isInOrder = maySame ? thing.number >= before.number : thing.number > before.number;
    if (!look || isInOrder) return [];
    const isForgotten = look === thing.look && look.seen.fencingToken === undefined;
    if (isForgotten && deletions.hit(look.lockId, before.fromMs, look.operation.endedMs)) return [];
    const what = `fencing token ${before.number} was known before ${thing.number}: it is told of in`;
    return [finding(rule, look, what, [...before.events, ...thing.events])];
  });
}

function contradiction(look: Inspection, hold: Hold, lateMs: number): string | undefined {
  const { invokedMs, endedMs } = look.operation;
  const { state } = look.seen;
  const wasConfirmed = invokedMs >= hold.grantedMs;
  const givenBack = hold.releases.some(({ end, endedMs: atMs }) => end?.type === 'ok' && atMs < invokedMs);
  if (givenBack) return state === 'free' ? undefined : `"${state}" was seen after the release of`;
  if (!wasConfirmed) return undefined;
  if (state === 'provisional') return '"provisional" was seen after the grant of';
  // The last renewal that was tried may have been applied, if late.
  const overMs = latestDeadlineMs(hold) + lateMs;
  if (state === 'held' && invokedMs > overMs) return '"held" was seen long after the lease of';
  if (state !== 'held' && endedMs <= endsNotBeforeMs(hold)) return `"${state}" was seen during`;
  return undefined;
}

function finding(rule: string, look: Inspection, what: string, events: Finding['events']): Finding {
  const message = `the look ${look.operation.op} contradicts what its lock did: ${what}`;
  return { rule, lockId: look.lockId, message, events: [...eventsOf(look.operation), ...events] };
}
