import { clocksSetIn, type Disturbances, pausesIn } from '../disturbances.ts';
import type { Checker, Finding } from '../finding.ts';
import { boundsOf, type Hold, knownEarliestDeadlineMs, latestDeadlineMs } from '../hold.ts';
import type { History } from '../indexed-history.ts';

const rule = 'lost signal';

/** A holder learns of its loss by its deadline, needing no reply; one that was frozen when it runs again, at its first look. */
export const lostSignal: Checker = {
  rule,
  promise: 'a hold that is not given back is lost by its deadline, and no look after that calls it held',
  needsClocks: false,
  check(history) {
    const pauses = pausesIn(history);
    const clocks = clocksSetIn(history);
    const holds = [...history.holds.values()];
    const findings = holds.flatMap((hold) => [
      ...late(hold, history, pauses),
      ...untrueLooks(hold),
      ...early(hold, history, clocks),
    ]);
    findings.push(...unfoundedReasons(history));
    const looks = holds.reduce((sum, hold) => sum + hold.looks.length, 0);
    const lost = holds.filter((hold) => hold.lost);
    const latest = lost.reduce((most, hold) => Math.max(most, latenessMs(hold, pauses)), 0);
    const value = `${latest.toFixed(1)} ms (${lost.length} holds lost)`;
    const figures = [{ name: 'latest lost signal after its deadline, of processes that ran', value }];
    return { checked: holds.length + looks, findings, figures };
  },
};

function late(hold: Hold, { run, endsMs }: History, pauses: Disturbances): Finding[] {
  const { lost, process } = hold;
  if (isRenewedByHand(hold)) return [];
  const deadlineMs = latestDeadlineMs(hold);
  const [release] = hold.releases;
  // Whoever has begun to give it back is out of the critical section, and watches no deadline any more.
  if (release && release.invokedMs <= Math.min(deadlineMs, lost?.atMs ?? deadlineMs)) return [];
  const dueMs = pauses.settledMs(process, deadlineMs, run.toleranceMs);
  if (lost ? lost.atMs <= dueMs : dueMs > endsMs) return [];
  const when = lost ? `came ${(lost.atMs - deadlineMs).toFixed(1)} ms after its deadline` : 'never came';
  return [finding(hold, `the lost signal of ${hold.id} ${when}`)];
}

function isRenewedByHand({ acquisition: { invoke } }: Hold): boolean {
  return 'isRenewedByHand' in invoke.arguments && invoke.arguments.isRenewedByHand === true;
}

function latenessMs(hold: Hold, pauses: Disturbances): number {
  if (isRenewedByHand(hold)) return 0;
  const deadlineMs = latestDeadlineMs(hold);
  const atMs = hold.lost?.atMs ?? deadlineMs;
  return pauses.hit(hold.process, deadlineMs, atMs) ? 0 : atMs - deadlineMs;
}

// What was known when it was looked at counts: the terms are in the order in which their process saw them.
function untrueLooks(hold: Hold): Finding[] {
  let deadlineMs = Number.NEGATIVE_INFINITY;
  return hold.terms.flatMap(({ seen, latestMs }) => {
    if (seen.type !== 'look') {
      deadlineMs = Math.max(deadlineMs, latestMs);
      return [];
    }
    const { lookedAtMs } = seen;
    if (lookedAtMs > deadlineMs) {
      const lateMs = (lookedAtMs - deadlineMs).toFixed(1);
      return [finding(hold, `a look called ${hold.id} held ${lateMs} ms after its deadline`, seen)];
    }
    const given = hold.releases.find(({ end, endedMs }) => end?.type === 'ok' && endedMs < lookedAtMs);
    if (given) return [finding(hold, `a look called ${hold.id} held after its release`, seen)];
    if (hold.lost && lookedAtMs > hold.lost.atMs) {
      return [finding(hold, `a look called ${hold.id} held after its lost signal`, seen)];
    }
    return [];
  });
}

// Its own clock says that it is over; one that was set forward may say so early.
function early(hold: Hold, { run }: History, clocks: Disturbances): Finding[] {
  const { lost, process, acquisition } = hold;
  if (lost?.reason !== 'expired' && lost?.reason !== 'unreachable') return [];
  const leftMs = knownEarliestDeadlineMs(hold, lost.atMs) - lost.atMs;
  if (leftMs <= run.toleranceMs || clocks.hit(process, acquisition.invokedMs, lost.atMs)) return [];
  return [finding(hold, `${hold.id} was lost as "${lost.reason}" ${leftMs.toFixed(1)} ms before its deadline`)];
}

function unfoundedReasons({ holds, operations }: History): Finding[] {
  const told = [...holds.values()].flatMap(({ id, lost }) => (lost ? [{ hold: id, event: lost }] : []));
  const answered = [...operations.values()].flatMap(({ invoke, end }) =>
    'hold' in invoke.arguments && end?.type === 'fail' ? [{ hold: invoke.arguments.hold, event: end }] : [],
  );
  const found = new Set<string>();
  return [...told, ...answered].flatMap(({ hold: id, event }) => {
    const hold = holds.get(id);
    if (!hold || event.reason !== 'broken' || found.has(id)) return [];
    if (hold.breaks.some(({ invokedMs }) => invokedMs < event.atMs)) return [];
    found.add(id);
    return [finding(hold, `${id} was lost as "broken", and nobody broke it`, event)];
  });
}

function finding(hold: Hold, message: string, ...more: Finding['events']): Finding {
  return { rule, lockId: hold.lockId, message, events: [...boundsOf(hold), ...more] };
}
