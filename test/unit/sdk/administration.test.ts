import {
  type BreakResult,
  ForbiddenError,
  IllegalArgumentError,
  LockFactory,
  LockServiceError,
  type LockView,
} from '../../../sdk/index.ts';
import { inFakeTime } from '../../support/fake-timers.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { ScriptedBackend, throttled, unanswered } from '../../support/scripted-backend.ts';

let backend: ScriptedBackend;
let locks: LockFactory;

beforeEach(() => {
  jest.useFakeTimers();
  backend = new ScriptedBackend();
  locks = new LockFactory(backend, { random: () => 0.999 });
});

afterEach(() => jest.useRealTimers());

const viewOf = (lockId: string, fencingToken = 7): LockView => ({ lockId, state: 'held', fencingToken, waiters: 0 });
const ask: Record<string, (factory: LockFactory) => Promise<unknown>> = {
  inspect: (factory) => factory.inspect('a'),
  list: (factory) => all(factory.list()),
  break: (factory) => factory.break('a', { fencingToken: 7 }),
};
const success = {
  inspect: { kind: 'viewed', view: viewOf('a') },
  list: { kind: 'listed', views: [viewOf('a')], cursor: undefined },
  break: { kind: 'broken', view: viewOf('a') },
} as const;

async function all(views: AsyncIterable<LockView>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { lockId } of views) ids.push(lockId);
  return ids;
}

describe.each(['inspect', 'list', 'break'] as const)('%s', (operation) => {
  const asked = (factory = locks) => ask[operation]?.(factory) ?? Promise.reject(new Error('no such operation'));

  it('is one request when it is answered', async () => {
    backend.answer = () => success[operation];
    await asked();
    expect(backend.calls).toMatchObject([{ operation, timeoutMs: 5_000 }]);
  });

  it.each([
    ['throttled', throttled],
    ['of unknown outcome', unanswered],
  ])('is sent again, the same, while it is %s', async (_name, failure) => {
    backend.answer = (_call, index) => (index < 2 ? failure() : success[operation]);
    await inFakeTime(asked());
    expect(backend.calls).toHaveLength(3);
    expect(backend.calls.map(({ request }) => request)).toEqual(Array(3).fill(backend.calls[0]?.request));
  });

  it('fails typed after 3 tries, and names the request and the cause', async () => {
    const error = await inFakeTime(rejectionOf(asked()));
    expect(error).toBeInstanceOf(LockServiceError);
    // Nothing is done by looking, so nothing may have happened.
    expect(error).toMatchObject({ outcomeUnknown: operation === 'break', requestId: 'r-1' });
    expect(error.cause).toMatchObject({ message: 'connection reset' });
    expect(backend.calls).toHaveLength(3);
  });

  it('knows that nothing happened when every try was throttled', async () => {
    backend.answer = throttled;
    expect(await inFakeTime(rejectionOf(asked()))).toMatchObject({ outcomeUnknown: false });
  });

  it('knows that something may have happened when only the first try was of unknown outcome', async () => {
    backend.answer = (_call, index) => (index === 0 ? unanswered() : throttled());
    const error = await inFakeTime(rejectionOf(asked()));
    expect(error).toMatchObject({ outcomeUnknown: operation === 'break' });
  });

  it('fails within 10 s when nothing ever answers', async () => {
    backend.answer = async ({ timeoutMs }) => {
      await new Promise((resolve) => setTimeout(resolve, timeoutMs));
      return unanswered();
    };
    const startedMs = Date.now();
    await inFakeTime(rejectionOf(asked()));
    expect(Date.now() - startedMs).toBeGreaterThanOrEqual(9_900);
    expect(Date.now() - startedMs).toBeLessThanOrEqual(10_100);
  });

  it('is refused once and for all', async () => {
    backend.answer = () => ({ kind: 'refused', error: new ForbiddenError('not you') });
    await expect(asked()).rejects.toBeInstanceOf(ForbiddenError);
    expect(backend.calls).toHaveLength(1);
  });

  it('works with a disposed factory', async () => {
    backend.answer = () => success[operation];
    await inFakeTime(locks.dispose());
    await asked();
    expect(backend.calls).toHaveLength(1);
  });
});

describe('arguments that are not valid', () => {
  it.each([undefined, null, '', 7, '\uD800', 'x'.repeat(513)])('inspect and break refuse the id %p', async (id) => {
    await expect(locks.inspect(id as never)).rejects.toBeInstanceOf(IllegalArgumentError);
    await expect(locks.break(id as never, { fencingToken: 1 })).rejects.toBeInstanceOf(IllegalArgumentError);
    expect(backend.calls).toEqual([]);
  });

  it.each<unknown>([
    null,
    [],
    'orders',
    { prefix: null },
    { prefix: 7 },
    { prefix: '\uD800' },
    { state: 'provisional' },
    { state: '' },
    { limit: 0 },
    { limit: 1_001 },
    { limit: 1.5 },
    { limit: '5' },
    { limit: Number.NaN },
    { cursor: 'a' },
    { constructor: 1 },
  ])('list refuses %p at once', (options) => {
    expect(() => locks.list(options as never)).toThrow(IllegalArgumentError);
    expect(backend.calls).toEqual([]);
  });

  it.each<unknown>([
    undefined,
    null,
    7,
    {},
    { fencingToken: undefined },
    { fencingToken: 0 },
    { fencingToken: -1 },
    { fencingToken: 1.5 },
    { fencingToken: 2 ** 53 },
    { fencingToken: '7' },
    { fencingToken: Number.NaN },
    { fencingToken: 7, note: '' },
    { fencingToken: 7, note: 'x'.repeat(257) },
    { fencingToken: 7, note: 'a\nb' },
    { fencingToken: 7, note: 'a\u202Eb' },
    { fencingToken: 7, note: null },
    { fencingToken: 7, reason: 'x' },
  ])('break refuses %p', async (options) => {
    await expect(locks.break('a', options as never)).rejects.toBeInstanceOf(IllegalArgumentError);
    expect(backend.calls).toEqual([]);
  });

  it('are named with what is allowed and what was got', async () => {
    await expect(locks.break('a', { fencingToken: 0 })).rejects.toThrow(/fencingToken must be .*1 or more.*, got 0/);
    expect(() => locks.list({ limit: 0 })).toThrow('limit must be a whole number from 1 to 1000, got 0');
  });

  it('both sides of every bound', async () => {
    backend.answer = ({ operation }) => success[operation as keyof typeof success];
    await locks.break('a', { fencingToken: 1, note: 'x' });
    await locks.break('a', { fencingToken: Number.MAX_SAFE_INTEGER, note: 'é'.repeat(128) });
    await all(locks.list({ limit: 1 }));
    await all(locks.list({ limit: 1_000, prefix: '', state: 'over' }));
    await locks.inspect('é'.repeat(256));
    expect(backend.calls).toHaveLength(5);
  });
});

describe('a listing', () => {
  // Three pages; the middle one is empty, as pages of a scan may be.
  const pages = (cursor: string | undefined) =>
    cursor === undefined
      ? { views: [viewOf('a'), viewOf('b')], cursor: 'p2' }
      : cursor === 'p2'
        ? { views: [], cursor: 'p3' }
        : { views: [viewOf('c')], cursor: undefined };

  beforeEach(() => {
    backend.answer = ({ request }) => ({ kind: 'listed', ...pages((request as { cursor?: string }).cursor) });
  });

  it('goes through all pages, an empty one too', async () => {
    expect(await all(locks.list({ prefix: 'p', state: 'all', limit: 2 }))).toEqual(['a', 'b', 'c']);
    const same = { prefix: 'p', state: 'all', limit: 2 };
    expect(backend.calls.map(({ request }) => request)).toEqual([
      { ...same, cursor: undefined },
      { ...same, cursor: 'p2' },
      { ...same, cursor: 'p3' },
    ]);
  });

  it('asks for held locks, 100 at a time, unless told otherwise', async () => {
    await all(locks.list());
    expect(backend.calls[0]?.request).toEqual({ prefix: '', state: 'held', limit: 100, cursor: undefined });
  });

  it('asks for nothing before the loop, and for no page before it is needed', async () => {
    const views = locks.list()[Symbol.asyncIterator]();
    expect(backend.calls).toHaveLength(0);
    await views.next();
    await views.next();
    expect(backend.calls).toHaveLength(1);
    expect(await views.next()).toMatchObject({ value: { lockId: 'c' } });
    expect(backend.calls).toHaveLength(3);
  });

  it('ends when the caller breaks out of the loop', async () => {
    for await (const { lockId } of locks.list()) if (lockId === 'b') break;
    expect(backend.calls).toHaveLength(1);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('begins anew with each loop', async () => {
    const views = locks.list();
    expect(await all(views)).toEqual(await all(views));
    expect(backend.calls).toHaveLength(6);
  });

  it('tries each page anew, and shows what it has seen before one fails', async () => {
    const answer = backend.answer;
    backend.answer = (call, index) => (index === 1 || index === 2 ? unanswered() : answer(call, index));
    expect(await inFakeTime(all(locks.list()))).toEqual(['a', 'b', 'c']);
    backend.calls.length = 0;
    backend.answer = (call, index) => (index > 0 ? unanswered() : answer(call, index));
    const seen: string[] = [];
    const failing = (async () => {
      for await (const { lockId } of locks.list()) seen.push(lockId);
    })();
    expect(await inFakeTime(rejectionOf(failing))).toBeInstanceOf(LockServiceError);
    expect(seen).toEqual(['a', 'b']);
    expect(backend.calls).toHaveLength(4);
  });
});

describe('a break', () => {
  it.each<[string, Parameters<typeof answers>[0], BreakResult]>([
    ['broken', { kind: 'broken', view: viewOf('a', 8) }, { outcome: 'broken', view: viewOf('a', 8) }],
    [
      'holder-changed',
      { kind: 'holder-changed', view: viewOf('a', 9) },
      { outcome: 'holder-changed', view: viewOf('a', 9), perhapsBroken: false },
    ],
    ['not-held', { kind: 'not-held' }, { outcome: 'not-held', perhapsBroken: false }],
  ])('that finds %s says so', async (_name, answer, expected) => {
    answers(answer);
    expect(await locks.break('a', { fencingToken: 7 })).toEqual(expected);
  });

  it.each([
    ['holder-changed', { kind: 'holder-changed', view: viewOf('a', 8) }],
    ['not-held', { kind: 'not-held' }],
  ] as const)('whose reply was lost, and that then finds %s, may have been the one', async (outcome, answer) => {
    backend.answer = (_call, index) => (index === 0 ? unanswered() : answer);
    expect(await inFakeTime(locks.break('a', { fencingToken: 7 }))).toMatchObject({ outcome, perhapsBroken: true });
  });

  it('that was only throttled before was not the one', async () => {
    backend.answer = (_call, index) => (index === 0 ? throttled() : { kind: 'not-held' });
    expect(await inFakeTime(locks.break('a', { fencingToken: 7 }))).toMatchObject({ perhapsBroken: false });
  });

  it('sends the note', async () => {
    answers({ kind: 'not-held' });
    await locks.break('a', { fencingToken: 7, note: 'its host is gone' });
    expect(backend.calls[0]?.request).toEqual({ lockId: 'a', fencingToken: 7, note: 'its host is gone' });
  });

  function answers(answer: Exclude<Awaited<ReturnType<ScriptedBackend['break']>>, { error: unknown }>): void {
    backend.answer = () => answer;
  }
});
