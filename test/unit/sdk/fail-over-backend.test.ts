import type { Backend } from '../../../sdk/backend.ts';
import { FailOverBackend } from '../../../sdk/fail-over-backend.ts';
import { ForbiddenError, LockServiceError } from '../../../sdk/index.ts';
import { type ScriptedAnswer, ScriptedBackend, throttled, unanswered } from '../../support/scripted-backend.ts';

let nowMs: number;
let regions: ScriptedBackend[];
let backend: FailOverBackend;

const clocks = { now: () => ({ monotonicMs: nowMs, wallMs: 1_800_000_000_000 + nowMs }) };
const fine: ScriptedAnswer = { kind: 'released' };
const serverError: ScriptedAnswer = {
  kind: 'unknown',
  answered: true,
  error: new LockServiceError('HTTP status 503', { outcomeUnknown: true }),
};

function among(count: number): void {
  nowMs = 0;
  regions = Array.from({ length: count }, () => new ScriptedBackend(() => fine));
  backend = new FailOverBackend(regions as unknown as [Backend, ...Backend[]], clocks);
}

beforeEach(() => among(2));

const request = { lockId: 'a', ownerToken: 't', leaseMs: 1_000, holder: undefined };
const release = (timeoutMs = 5_000) => backend.release({ ...request, expectWaiters: false }, timeoutMs);
const acquire = () =>
  backend.acquire({ ...request, waitMs: 20_000, resume: true, signal: new AbortController().signal }, 25_000);
const region = (index: number): ScriptedBackend => regions[index] ?? new ScriptedBackend();
const fail = (...indexes: number[]): void => {
  for (const [index, each] of regions.entries()) each.answer = () => (indexes.includes(index) ? unanswered() : fine);
};
/** Sends one release, and says which Region it went to. */
async function askedBy(send: () => Promise<unknown> = release): Promise<number> {
  const before = regions.map(({ calls }) => calls.length);
  await send();
  const asked = regions.flatMap(({ calls }, index) => Array<number>(calls.length - (before[index] ?? 0)).fill(index));
  expect(asked).toHaveLength(1);
  return asked[0] ?? Number.NaN;
}
const timeoutOfLast = (index: number) => region(index).calls.at(-1)?.timeoutMs;
// An answer that comes when the test says so.
function later(): { answer: Promise<ScriptedAnswer>; give: (answer: ScriptedAnswer) => void } {
  let give: (answer: ScriptedAnswer) => void = () => undefined;
  const answer = new Promise<ScriptedAnswer>((resolve) => {
    give = resolve;
  });
  return { answer, give };
}

it('asks the preferred Region as long as that answers, whatever it answers', async () => {
  const refused: ScriptedAnswer = { kind: 'refused', error: new ForbiddenError('no') };
  for (const answer of [fine, throttled(), refused, { kind: 'lost', reason: 'broken' } as const]) {
    region(0).answer = () => answer;
    expect(await release()).toBe(answer);
  }
  expect(region(0).calls).toHaveLength(4);
  expect(region(1).calls).toHaveLength(0);
});

it.each([
  ['no answer', unanswered()],
  ['a server error', serverError],
])('%s is given to the caller, and the next request goes to the next Region', async (_name, failure) => {
  region(0).answer = () => failure;
  expect(await release()).toBe(failure);
  expect(region(1).calls).toHaveLength(0);
  expect(await release()).toBe(fine);
  expect(regions.map(({ calls }) => calls.length)).toEqual([1, 1]);
});

it('passes every operation on as it is', async () => {
  const { signal } = new AbortController();
  await backend.try(request, 1);
  await backend.acquire({ ...request, waitMs: 5, resume: true, signal }, 2);
  await backend.renew(request, 3);
  await backend.release({ ...request, expectWaiters: true }, 4);
  await backend.inspect('a', 5);
  await backend.list({ prefix: 'p', state: 'all', limit: 9, cursor: 'c' }, 6);
  await backend.break({ lockId: 'a', fencingToken: 7, note: 'n' }, 7);
  expect(region(0).calls).toEqual([
    { operation: 'try', request, timeoutMs: 1 },
    { operation: 'acquire', request: { ...request, waitMs: 5, resume: true, signal }, timeoutMs: 2 },
    { operation: 'renew', request, timeoutMs: 3 },
    { operation: 'release', request: { ...request, expectWaiters: true }, timeoutMs: 4 },
    { operation: 'inspect', request: 'a', timeoutMs: 5 },
    { operation: 'list', request: { prefix: 'p', state: 'all', limit: 9, cursor: 'c' }, timeoutMs: 6 },
    { operation: 'break', request: { lockId: 'a', fencingToken: 7, note: 'n' }, timeoutMs: 7 },
  ]);
});

describe('a Region that failed', () => {
  beforeEach(async () => {
    fail(0);
    await release();
  });

  it('is left alone for 30 s, then tried with one request that gets 1 s', async () => {
    nowMs = 29_999;
    expect(await askedBy()).toBe(1);
    expect(timeoutOfLast(1)).toBe(5_000);
    nowMs = 30_000;
    expect(await askedBy()).toBe(0);
    expect(timeoutOfLast(0)).toBe(1_000);
    expect(await askedBy()).toBe(1);
  });

  it('is left alone for another 30 s when it fails again', async () => {
    nowMs = 30_000;
    expect(await askedBy()).toBe(0);
    nowMs = 59_999;
    expect(await askedBy()).toBe(1);
    nowMs = 60_000;
    expect(await askedBy()).toBe(0);
  });

  it('is preferred again once it has answered', async () => {
    nowMs = 30_000;
    fail();
    expect(await askedBy()).toBe(0);
    expect(await askedBy()).toBe(0);
    expect(timeoutOfLast(0)).toBe(5_000);
  });

  it('is preferred again once it has throttled', async () => {
    nowMs = 30_000;
    region(0).answer = throttled;
    expect(await askedBy()).toBe(0);
    expect(await askedBy()).toBe(0);
  });

  it('is not tried by others while one tries it', async () => {
    nowMs = 30_000;
    const { answer, give } = later();
    region(0).answer = () => answer;
    const trial = release();
    expect(region(0).calls).toHaveLength(2);
    expect(await askedBy()).toBe(1);
    give(fine);
    await trial;
    expect(await askedBy()).toBe(0);
  });

  it('is not tried by an acquire, which may take its time', async () => {
    nowMs = 60_000;
    expect(await askedBy(acquire)).toBe(1);
    expect(timeoutOfLast(1)).toBe(25_000);
  });

  it('is tried with no more than the request allows', async () => {
    nowMs = 30_000;
    expect(await askedBy(() => release(200))).toBe(0);
    expect(timeoutOfLast(0)).toBe(200);
  });

  it('counts the longer of two clocks: a machine that slept does not wait on', async () => {
    const slept = { now: () => ({ monotonicMs: nowMs, wallMs: nowMs * 100 }) };
    backend = new FailOverBackend(regions as unknown as [Backend, Backend], slept);
    await release();
    nowMs = 300;
    expect(await askedBy()).toBe(0);
  });
});

describe('an answer that comes late', () => {
  it('does not bring a Region back that another request has found failing since', async () => {
    const { answer, give } = later();
    region(0).answer = (_call, index) => (index === 0 ? answer : unanswered());
    const slow = acquire();
    await release();
    give(fine);
    await slow;
    expect(await askedBy()).toBe(1);
  });
});

describe('when every Region fails', () => {
  beforeEach(async () => {
    fail(0, 1);
    await release();
    nowMs = 100;
    await release();
  });

  it('the one is asked whose failure is the oldest, with all the time of the request', async () => {
    nowMs = 200;
    expect(await askedBy()).toBe(0);
    expect(timeoutOfLast(0)).toBe(5_000);
    nowMs = 300;
    expect(await askedBy(acquire)).toBe(1);
    nowMs = 400;
    expect(await askedBy()).toBe(0);
  });

  it('requests at the same time go to both', async () => {
    nowMs = 200;
    const { answer, give } = later();
    for (const each of regions) each.answer = () => answer;
    const before = regions.map(({ calls }) => calls.length);
    const both = [release(), acquire()];
    expect(regions.map(({ calls }, index) => calls.length - (before[index] ?? 0))).toEqual([1, 1]);
    give(fine);
    await Promise.all(both);
    expect(await askedBy()).toBe(0);
  });

  it('the first that answers is asked from then on', async () => {
    nowMs = 200;
    await release();
    fail(0);
    expect(await askedBy()).toBe(1);
    expect(await askedBy()).toBe(1);
  });

  it('one that several requests ask at a time is back with the first answer', async () => {
    const { answer, give } = later();
    const { answer: never } = later();
    for (const each of regions) each.answer = (_call, index) => (each === region(0) && index === 1 ? answer : never);
    const first = release();
    void release();
    void release();
    expect(regions.map(({ calls }) => calls.length)).toEqual([3, 2]);
    give(fine);
    await first;
    region(0).answer = () => fine;
    expect([await askedBy(), await askedBy(acquire)]).toEqual([0, 0]);
  });
});

describe('of three Regions', () => {
  beforeEach(() => among(3));

  it('the most preferred that works is asked', async () => {
    fail(0, 1);
    expect([await askedBy(), await askedBy(), await askedBy(), await askedBy()]).toEqual([0, 1, 2, 2]);
  });

  it('each that is due is tried, the most preferred first, and none behind the one that works', async () => {
    fail(0, 1, 2);
    for (let each = 0; each < 3; each++) await release();
    fail(0, 2);
    expect([await askedBy(), await askedBy(), await askedBy()]).toEqual([0, 1, 1]);
    nowMs = 30_000;
    expect([await askedBy(), await askedBy()]).toEqual([0, 1]);
    fail();
    nowMs = 60_000;
    expect([await askedBy(), await askedBy()]).toEqual([0, 0]);
  });
});

it('closes every Region', () => {
  backend.close();
  expect(regions.map(({ closed }) => closed)).toEqual([1, 1]);
});
