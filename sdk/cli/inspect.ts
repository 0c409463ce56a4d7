import { displayText, type LockView } from '../index.ts';
import { connectLocks } from './connect.ts';
import { durationText } from './duration.ts';
import { checkLockArgument } from './lock-argument.ts';
import { ageMsOf } from './lock-times.ts';
import { print, printJson } from './standard-output.ts';

export interface InspectOptions {
  readonly lockId: string;
  readonly json: boolean;
  readonly url: string | undefined;
}

/** Shows one lock. */
export async function inspect({ lockId, json, url }: InspectOptions): Promise<number> {
  checkLockArgument(lockId);
  const locks = await connectLocks({ url });
  const view = await locks.inspect(lockId);
  await (json ? printJson(view) : print(viewText(view)));
  return 0;
}

/** A lock for people, one fact a line. */
export function viewText(view: LockView): string {
  const { lockId, state, holder, principal, since, expiresInMs, expiresAt, fencingToken, waiters } = view;
  const ageMs = ageMsOf(view);
  const facts: [string, string | number | undefined][] = [
    ['lock', lockId],
    ['state', state],
    ['holder', holder],
    ['principal', principal],
    ['since', since && ageMs !== undefined ? `${since} (${durationText(ageMs)})` : undefined],
    ['expires', expiresAt && expiresInMs !== undefined ? `${expiresAt} (in ${durationText(expiresInMs)})` : undefined],
    ['fence', fencingToken],
    ['waiters', waiters],
  ];
  return facts
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name.padEnd(9)}  ${displayText(String(value))}\n`)
    .join('');
}
