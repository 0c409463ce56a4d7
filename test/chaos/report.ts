import { tableOf } from '../support/markdown-table.ts';
import { around } from './around.ts';
import type { Verdict } from './checkers.ts';
import { eventLine } from './event-line.ts';
import type { Finding } from './finding.ts';
import type { History } from './indexed-history.ts';

// So many findings of one rule are shown with what happened around them; one fault often breaks a rule many times.
const shownOfEach = 3;
const linesShown = 60;
// Whoever sees only the end of a long report sees what it found.
const namedInShort = 20;

/**
 * What a run did and what the rules say of it, for people: Markdown, the findings last, and then each in a line.
 *
 * @param complaints what its processes did that no fault explains, and no event tells
 */
export function report(history: History, verdict: Verdict, complaints: readonly string[] = []): string {
  const { events, run, endsMs } = history;
  const seconds = ((endsMs - run.atMs) / 1_000).toFixed(1);
  const count = verdict.findings.length;
  return [
    `# Chaos run, seed ${run.seed}: ${outcome(count, complaints.length)}`,
    `${events.length} events in ${seconds} s`,
    ...silent(verdict),
    section(
      'Operations',
      tableOf([['operation', 'ok', 'failed', 'unknown', 'never ended'], ...operationRows(history)]),
    ),
    section('Faults', tableOf([['fault', 'times'], ...faultRows(history)])),
    section('Rules', tableOf([['rule', 'held against it', 'findings', 'promise'], ...ruleRows(verdict)])),
    section('Figures', tableOf([['figure', 'measured'], ...verdict.figures.map(({ name, value }) => [name, value])])),
    ...findingSections(history, verdict.findings),
    ...inShort(verdict.findings),
  ].join('\n\n');
}

function outcome(findings: number, complaints: number): string {
  if (findings === 0 && complaints === 0) return 'every promise kept';
  const counts = [
    ...(findings > 0 ? [`${findings} findings`] : []),
    ...(complaints > 0 ? [`${complaints} complaints`] : []),
  ];
  return counts.join(', ');
}

// No finding of a rule that had nothing to look at is no proof.
function silent({ rules }: Verdict): string[] {
  const names = rules.filter(({ checked }) => checked === 0).map(({ checker }) => checker.rule);
  return names.length === 0 ? [] : [`Had nothing to look at, and so says nothing: ${names.join('; ')}`];
}

function section(title: string, text: string): string {
  return `## ${title}\n\n${text}`;
}

function operationRows({ operations }: History): string[][] {
  const counts = new Map<string, number[]>();
  for (const { invoke, end } of operations.values()) {
    const row = counts.get(invoke.operation) ?? [0, 0, 0, 0];
    const column = end ? ['ok', 'fail', 'unknown'].indexOf(end.type) : 3;
    row[column] = (row[column] ?? 0) + 1;
    counts.set(invoke.operation, row);
  }
  return [...counts].sort().map(([operation, row]) => [operation, ...row.map(String)]);
}

function faultRows({ events }: History): string[][] {
  const counts = new Map<string, number>();
  for (const event of events) {
    if (event.type !== 'fault' && event.type !== 'stall') continue;
    const kind = event.type === 'fault' ? event.kind : 'stall (no fault of the run)';
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].sort().map(([kind, times]) => [kind, String(times)]);
}

function ruleRows({ rules, findings, unpromised }: Verdict): string[][] {
  return rules.map(({ checker: { rule, promise }, checked, isPromised }) => {
    const found = [...findings, ...unpromised].filter((finding) => finding.rule === rule).length;
    return [
      rule,
      checked === 0 ? '0: says nothing' : String(checked),
      isPromised ? String(found) : `(${found})`,
      promise,
    ];
  });
}

function inShort(findings: readonly Finding[]): string[] {
  if (findings.length === 0) return [];
  const lines = findings.slice(0, namedInShort).map((finding) => `- ${titleOf(finding)}: ${finding.message}`);
  const others = findings.length - lines.length;
  return [section('In short', [...lines, ...(others > 0 ? [`- (${others} more)`] : [])].join('\n'))];
}

function titleOf({ rule, lockId }: Finding): string {
  return lockId === undefined ? rule : `${rule} of lock ${JSON.stringify(lockId)}`;
}

function findingSections(history: History, findings: readonly Finding[]): string[] {
  const shown = new Map<string, number>();
  return findings.flatMap((finding) => {
    const already = shown.get(finding.rule) ?? 0;
    shown.set(finding.rule, already + 1);
    if (already > shownOfEach) return [];
    const all = findings.filter(({ rule }) => rule === finding.rule).length;
    if (already === shownOfEach) return [`(${all - shownOfEach} more findings of "${finding.rule}")`];
    return [findingText(history, finding)];
  });
}

/** One finding and what happened around it; `>` marks the events that contradict one another. */
export function findingText(history: History, finding: Finding): string {
  const own = new Set(finding.events);
  const lines = around(history, finding).map((event) => `${own.has(event) ? '>' : ' '} ${eventLine(event, history)}`);
  const isLong = lines.length > linesShown;
  const shown = isLong ? lines.filter((line, index) => line.startsWith('>') || index < linesShown) : lines;
  const more = isLong ? [`  (${lines.length - shown.length} more lines)`] : [];
  return section(
    `Finding: ${titleOf(finding)}`,
    [`${finding.message}`, '', '```', ...shown, ...more, '```'].join('\n'),
  );
}
