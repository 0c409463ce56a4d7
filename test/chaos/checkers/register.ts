import type { Checker, Finding } from '../finding.ts';
import { byLock } from '../grouping.ts';
import type { HistoryEvent, Register } from '../history.ts';
import type { History } from '../indexed-history.ts';
import { eventsOf, mayHaveHappened, type OperationRecord } from '../operation-record.ts';
import { withHighestBefore } from '../real-time.ts';

const rule = 'register';

/** A write to a register, whatever came of it. */
interface Write {
  readonly lockId: string;
  readonly operation: OperationRecord;
  readonly fencingToken: number;
  readonly value: string;
  /** Its place among those that were accepted; nothing: refused, or unknown. */
  readonly sequence: number | undefined;
}

/** A resource that checks fencing tokens is safe whatever locks and clocks do. */
export const register: Checker = {
  rule,
  promise: 'the fenced register keeps every acknowledged write and takes no older fencing token after a newer one',
  needsClocks: false,
  check(history) {
    const writes = writesOf(history);
    const last = new Map(
      history.events.filter((event) => event.type === 'register').map((each) => [each.lockId, each]),
    );
    const findings = [...byLock(writes)].flatMap(([lockId, ofLock]) => [
      ...accepted(ofLock),
      ...refused(ofLock),
      ...left(lockId, ofLock, last.get(lockId)),
    ]);
    return { checked: writes.length, findings };
  },
};

function writesOf({ operations }: History): Write[] {
  return [...operations.values()].flatMap((operation) => {
    const { invoke, end, lockId } = operation;
    if (invoke.operation !== 'fencedWrite') return [];
    const { fencingToken, value } = invoke.arguments;
    const sequence = end?.type === 'ok' && end.operation === 'fencedWrite' ? end.result.sequence : undefined;
    return [{ lockId, operation, fencingToken, value, sequence }];
  });
}

function accepted(writes: readonly Write[]): Finding[] {
  const inOrder = placed(writes);
  const findings: Finding[] = [];
  let newest: (typeof inOrder)[number] | undefined;
  for (const [index, write] of inOrder.entries()) {
    const before = inOrder[index - 1];
    if (before?.number === write.number) {
      findings.push(finding(`two writes were acknowledged as number ${write.number}`, before, write));
    }
    if (newest && newest.fencingToken > write.fencingToken) {
      const tokens = `${write.fencingToken} after ${newest.fencingToken}`;
      findings.push(finding(`an older fencing token was accepted after a newer one: ${tokens}`, newest, write));
    }
    if (!newest || write.fencingToken > newest.fencingToken) newest = write;
  }
  for (const { before, thing } of withHighestBefore(inOrder)) {
    if (before.number <= thing.number) continue;
    findings.push(finding(`write ${thing.number} began when write ${before.number} was acknowledged`, before, thing));
  }
  return findings;
}

function placed(writes: readonly Write[]) {
  return writes
    .flatMap((write) => {
      const { invokedMs: fromMs, endedMs: byMs } = write.operation;
      return write.sequence === undefined ? [] : [{ ...write, number: write.sequence, fromMs, byMs }];
    })
    .sort((one, other) => one.number - other.number);
}

// A refusal needs a newer fencing token that may have been there before.
function refused(writes: readonly Write[]): Finding[] {
  const byBegin = writes
    .filter(({ operation }) => mayHaveHappened(operation))
    .sort((one, other) => one.operation.invokedMs - other.operation.invokedMs);
  const refusals = writes
    .filter(({ operation: { end } }) => end?.type === 'fail' && end.code === 'refused')
    .sort((one, other) => one.operation.endedMs - other.operation.endedMs);
  let next = 0;
  let newest = 0;
  return refusals.flatMap((write) => {
    for (; ; next++) {
      const earlier = byBegin[next];
      if (!earlier || earlier.operation.invokedMs > write.operation.endedMs) break;
      newest = Math.max(newest, earlier.fencingToken);
    }
    const what = `fencing token ${write.fencingToken} was refused, and no newer one had been written`;
    return newest > write.fencingToken ? [] : [finding(what, write)];
  });
}

function left(lockId: string, writes: readonly Write[], end: Register | undefined): Finding[] {
  if (!end) return [];
  const acknowledged = placed(writes);
  const open = writes.filter(({ operation, sequence }) => sequence === undefined && mayHaveHappened(operation));
  const found = (message: string, ...events: HistoryEvent[]) => [{ rule, lockId, message, events: [end, ...events] }];
  const last = acknowledged.at(-1);
  if (last && last.number > end.sequence) {
    const what = `write ${last.number} was acknowledged, and the register holds ${end.sequence} writes`;
    return found(what, ...eventsOf(last.operation));
  }
  if (acknowledged.length + open.length < end.sequence) {
    const most = `${acknowledged.length} acknowledged and ${open.length} of unknown outcome`;
    return found(`the register accepted ${end.sequence} writes, and there were ${most}`);
  }
  const writers = last?.number === end.sequence ? [last] : open;
  if (
    end.sequence === 0 ||
    writers.some((write) => write.value === end.value && write.fencingToken === end.fencingToken)
  ) {
    return [];
  }
  const events = writers.length === 1 ? writers.flatMap(({ operation }) => eventsOf(operation)) : [];
  const holds = `${JSON.stringify(end.value)} under fencing token ${end.fencingToken}`;
  return found(`the register holds ${holds}, which is not what write ${end.sequence} wrote`, ...events);
}

function finding(message: string, ...writes: readonly Write[]): Finding {
  const lockId = writes[0]?.lockId;
  const events = writes.flatMap(({ operation }) => eventsOf(operation));
  return { rule, message, events, ...(lockId === undefined ? {} : { lockId }) };
}
