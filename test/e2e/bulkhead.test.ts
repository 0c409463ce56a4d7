import { CrowdProcess } from '../support/crowd/client-process.ts';
import { type Crowd, Load, type LoadSize } from '../support/crowd/load.ts';
import { startLocalStack } from '../support/local-stack.ts';
import { until } from '../support/until.ts';

// More of it, and with reserved concurrency: npm run bench:bulkhead.

// Six waiters for each of three locks want a slot for 20 s at a time: two more than there are slots.
const slots = ['--concurrency', '16'];
const size: LoadSize = { holders: 5, leaseMs: 12_000, waiters: 18, wantedLocks: 3, startsPerSecond: 20, holdMs: 0 };
// Due at each third of a lease.
const renewals = 2;

let crowd: Crowd;

beforeAll(() => {
  crowd = { holding: new CrowdProcess(), waiting: [new CrowdProcess()] };
});

afterAll(() => Promise.all([crowd.holding, ...crowd.waiting].map((each) => each.kill())));

async function startLoad(name: string, limits: readonly string[], { leaseMs } = size) {
  const stack = await startLocalStack({ args: limits });
  const load = new Load(crowd, name, stack.url, { ...size, leaseMs });
  await load.start();
  return { stack, load };
}

test('with the throttles of a deployment waiters keep nobody from renewing and releasing', async () => {
  const { stack, load } = await startLoad('throttled', [...slots, '--throttle', 'defaults']);
  expect(await load.untilRenewed(renewals)).toMatchObject({ holding: size.holders, lost: [] });
  expect(await load.release('quiet')).toEqual({ released: size.holders, failures: [] });
  expect(await load.release('wanted')).toEqual({ released: size.wantedLocks, failures: [] });
  await until('a waiter got each of the wanted locks', async () => {
    const grants = (await load.waiters()).flatMap((report) => report.grants);
    return new Set(grants.map(({ lockId }) => lockId)).size === size.wantedLocks;
  });
  await stack.kill();
});

test('without them the same waiters cost holders their leases', async () => {
  // With shorter leases only that this is seen sooner.
  const { load } = await startLoad('unprotected', slots, { ...size, leaseMs: 4_000 });
  const { lost } = await load.untilLost();
  expect(lost).toEqual(expect.arrayContaining([expect.stringMatching(/^unprotected\/quiet \d+: unreachable$/)]));
});
