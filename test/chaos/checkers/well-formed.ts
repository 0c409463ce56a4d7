import type { Checker, Finding } from '../finding.ts';
import type { HistoryEvent, Invoke } from '../history.ts';

const rule = 'history';

/**
 * The history is one: what it tells of operations and holds fits together. The other rules pass over what they find
 * nothing to, so a history that was written or put together wrongly would look right.
 */
export const wellFormed: Checker = {
  rule,
  promise:
    'the history itself: every operation begins once, ends at most once and then, and all that is named is there',
  needsClocks: false,
  check({ events }) {
    const begun = new Map<string, Invoke>();
    const ended = new Map<string, HistoryEvent>();
    const findings: Finding[] = [];
    const find = (message: string, ...about: HistoryEvent[]) => findings.push({ rule, message, events: about });
    for (const event of events) {
      if (event.type !== 'invoke') continue;
      const other = begun.get(event.op);
      if (other) find(`the operation ${event.op} begins twice`, other, event);
      else begun.set(event.op, event);
    }
    for (const event of events) {
      const named = namedBy(event);
      const invoke = named === undefined ? undefined : begun.get(named);
      if (named !== undefined && !invoke) find(`the operation ${named} is named, and never began`, event);
      if (event.type !== 'ok' && event.type !== 'fail' && event.type !== 'unknown') continue;
      const other = ended.get(event.op);
      if (other) find(`the operation ${event.op} ends twice`, other, event);
      ended.set(event.op, event);
      if (!invoke) continue;
      if (event.atMs < invoke.atMs) find(`the operation ${event.op} ends before it begins`, invoke, event);
      if (event.type === 'ok' && event.operation !== invoke.operation) {
        find(`the operation ${event.op} begins as ${invoke.operation} and ends as ${event.operation}`, invoke, event);
      }
    }
    return { checked: events.length, findings };
  },
};

// The operation that has to be there for an event to mean anything: itself, or the acquisition of its hold.
function namedBy(event: HistoryEvent): string | undefined {
  if (event.type === 'invoke') return 'hold' in event.arguments ? event.arguments.hold : undefined;
  if ('op' in event) return event.op;
  return 'hold' in event ? event.hold : undefined;
}
