import { TokenBucket } from '../../../lambda/local/gateway/token-bucket.ts';
import { defaultThrottles, type Throttle } from '../../../lambda/throttles.ts';
import { LockFactory, LockServiceError } from '../../../sdk/index.ts';
import { inFakeTime } from '../../support/fake-timers.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { ServiceBackend } from '../../support/service-backend.ts';

beforeEach(() => jest.useFakeTimers());

afterEach(() => jest.useRealTimers());

/** A service whose acquire takes only so much, and waiters for one of its locks, each as a process of its own. */
async function serve(waiters: number, acquire: Throttle) {
  const backend = new ServiceBackend();
  const bucket = new TokenBucket(acquire, () => performance.now());
  let throttled = 0;
  backend.fault = ({ operation }) => {
    if (operation !== 'acquire' || bucket.take()) return undefined;
    throttled++;
    return { kind: 'throttled', error: new LockServiceError('slow down', { outcomeUnknown: false }) };
  };
  const random = seededRandom(7);
  const served: number[] = [];
  let holding = 0;
  const holder = await new LockFactory(backend, { random }).createLock('a').acquire();
  const waiting: Promise<void>[] = [];
  for (let waiter = 0; waiter < waiters; waiter++) {
    const lock = new LockFactory(backend, { random }).createLock('a');
    waiting.push(
      lock.acquire().then(async (lease) => {
        served.push(waiter);
        expect(++holding).toBe(1);
        await jest.advanceTimersByTimeAsync(0);
        holding--;
        await lease.release();
      }),
    );
    await jest.advanceTimersByTimeAsync(100);
  }
  await jest.advanceTimersByTimeAsync(15_000);
  await holder.release();
  await inFakeTime(Promise.all(waiting), 300_000);
  return { served, throttled };
}

const inOrder = (waiters: number) => Array.from({ length: waiters }, (_, waiter) => waiter);

test('in an account with the usual quota 30 waiters for a lock are not throttled', async () => {
  const { served, throttled } = await serve(30, defaultThrottles({ account: 1_000, reserved: {} }).acquire);
  expect(throttled).toBe(0);
  expect(served).toEqual(inOrder(30));
});

test('more of them are throttled for a part of the time, and are served in order all the same', async () => {
  const { served, throttled } = await serve(55, defaultThrottles({ account: 1_000, reserved: {} }).acquire);
  expect(throttled).toBeGreaterThan(20);
  expect(served).toEqual(inOrder(55));
});

test('in a new account, where hardly any wait is let in, all are served, in whatever order', async () => {
  const { served, throttled } = await serve(20, defaultThrottles({ account: 10, reserved: {} }).acquire);
  expect(throttled).toBeGreaterThan(20);
  expect([...served].sort((one, other) => one - other)).toEqual(inOrder(20));
});
