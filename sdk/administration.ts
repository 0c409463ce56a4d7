import type { BreakRequest, Failed, ListRequest } from './backend.ts';
import { elapsedMs } from './clocks.ts';
import type { Connection } from './connection.ts';
import { noUsableAnswer } from './no-usable-answer.ts';
import { backOffMs, pause } from './pause.ts';
import type { LockView } from './wire/lock-view.ts';

/**
 * What came of a break.
 *
 * - `broken`: the hold that the fencing token names is over. `view`: the lock after it; the first who waited has it.
 * - `holder-changed`: another hold than that has the lock, as `view` shows. Nothing was taken from it.
 * - `not-held`: nobody holds the lock.
 *
 * Either way the lock is not held under that fencing token. `perhapsBroken`: an earlier try of this call got no answer,
 * so it may have been this very call that ended the hold.
 */
export type BreakResult =
  | { readonly outcome: 'broken'; readonly view: LockView }
  | { readonly outcome: 'holder-changed'; readonly view: LockView; readonly perhapsBroken: boolean }
  | { readonly outcome: 'not-held'; readonly perhapsBroken: boolean };

const mostTries = 3;
const withinMs = 10_000;
const requestTimeoutMs = 5_000;

/** Looks at one lock. */
export async function inspectLock(connection: Connection, lockId: string): Promise<LockView> {
  const { backend } = connection;
  const what = { text: `the look at lock ${JSON.stringify(lockId)}`, changes: false };
  const { answer } = await ask(connection, what, (timeoutMs) => backend.inspect(lockId, timeoutMs));
  return answer.view;
}

/** Goes through the locks, page by page, each asked for when the one before is used up. */
export async function* listLocks(connection: Connection, firstPage: ListRequest): AsyncGenerator<LockView, void, void> {
  const { backend } = connection;
  const what = { text: 'the list of locks', changes: false };
  let request = firstPage;
  for (;;) {
    const { answer } = await ask(connection, what, (timeoutMs) => backend.list(request, timeoutMs));
    yield* answer.views;
    if (answer.cursor === undefined) return;
    request = { ...request, cursor: answer.cursor };
  }
}

/** Takes a lock from the holder that a look at it showed. */
export async function breakHold(connection: Connection, request: BreakRequest): Promise<BreakResult> {
  const { backend } = connection;
  const what = { text: `the break of lock ${JSON.stringify(request.lockId)}`, changes: true };
  const { answer, outcomeUnknown } = await ask(connection, what, (timeoutMs) => backend.break(request, timeoutMs));
  switch (answer.kind) {
    case 'broken':
      return { outcome: 'broken', view: answer.view };
    case 'holder-changed':
      return { outcome: 'holder-changed', view: answer.view, perhapsBroken: outcomeUnknown };
    case 'not-held':
      return { outcome: 'not-held', perhapsBroken: outcomeUnknown };
  }
}

/**
 * Sends a request until it is answered: again when its outcome is unknown or it is throttled, after full jitter, at most
 * 3 times and within 10 s.
 *
 * @param what for the text of an error, and whether it changes anything
 * @returns the answer, and whether an earlier try may have changed something
 * @throws LockServiceError when there was no usable answer; ForbiddenError and others when the service refuses
 */
async function ask<T extends { readonly kind: string }>(
  { clocks, random }: Connection,
  what: { readonly text: string; readonly changes: boolean },
  send: (timeoutMs: number) => Promise<T | Failed>,
): Promise<{ readonly answer: T; readonly outcomeUnknown: boolean }> {
  const startedAt = clocks.now();
  let outcomeUnknown = false;
  for (let tries = 1; ; tries++) {
    const timeoutMs = Math.max(1, Math.min(requestTimeoutMs, withinMs - elapsedMs(startedAt, clocks)));
    const answer = await send(timeoutMs);
    if (!hasFailed(answer)) return { answer, outcomeUnknown };
    const { kind, error } = answer;
    if (kind === 'refused') throw error;
    outcomeUnknown ||= what.changes && error.outcomeUnknown;
    const pauseMs = backOffMs(tries - 1, random);
    if (tries >= mostTries || elapsedMs(startedAt, clocks) + pauseMs >= withinMs) {
      throw noUsableAnswer(what.text, { outcomeUnknown, requestId: error.requestId, cause: error });
    }
    await pause(pauseMs);
  }
}

function hasFailed(answer: { readonly kind: string }): answer is Failed {
  return ['throttled', 'unknown', 'refused'].includes(answer.kind);
}
