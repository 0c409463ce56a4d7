import { displayText, type ListOptions, type LockView } from '../index.ts';
import { connectLocks } from './connect.ts';
import { durationText } from './duration.ts';
import { ageMsOf } from './lock-times.ts';
import { print, printJson } from './standard-output.ts';

export interface ListingOptions extends ListOptions {
  readonly json: boolean;
  readonly url: string | undefined;
}

const header = ['LOCK', 'STATE', 'HOLDER', 'AGE', 'REMAINING', 'WAITERS', 'FENCE'];

/** Lists locks: a table for people, one object a line for programs. */
export async function list({ json, url, ...options }: ListingOptions): Promise<number> {
  const locks = await connectLocks({ url });
  const views: LockView[] = [];
  for await (const view of locks.list(options)) {
    // As they come: there may be many.
    if (json) await printJson(view);
    else views.push(view);
  }
  if (!json) await print(tableOf(views));
  return 0;
}

/** Locks as a table, in the order of their ids. */
export function tableOf(views: readonly LockView[]): string {
  const sorted = [...views].sort((one, other) => (one.lockId < other.lockId ? -1 : 1));
  const rows = [header, ...sorted.map(rowOf)];
  const widths = header.map((_, column) => Math.max(...rows.map((row) => lengthOf(row[column] ?? ''))));
  return rows
    .map((row) => row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - lengthOf(cell))).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function rowOf(view: LockView): string[] {
  const { lockId, state, holder, expiresInMs, waiters, fencingToken } = view;
  const ageMs = ageMsOf(view);
  return [
    displayText(lockId),
    state,
    displayText(holder ?? '-'),
    ageMs === undefined ? '-' : durationText(ageMs),
    expiresInMs === undefined ? '-' : durationText(expiresInMs),
    String(waiters),
    fencingToken === undefined ? '-' : String(fencingToken),
  ];
}

// Code points, not UTF-16 units.
function lengthOf(text: string): number {
  return [...text].length;
}
