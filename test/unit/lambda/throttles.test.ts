import {
  type Concurrency,
  defaultAccountConcurrency,
  defaultThrottles,
  sharedConcurrency,
  sharingOf,
  slotsAtOnce,
  waitsAtOnce,
} from '../../../lambda/throttles.ts';
import { routes } from '../../../sdk/wire/routes.ts';

const accounts = [10, 50, 123, 400, defaultAccountConcurrency, 20_000];

test('in an account with the usual quota', () => {
  expect(defaultThrottles({ account: 1_000, reserved: {} })).toEqual({
    acquire: { requestsPerSecond: 20, burst: 100 },
    try: { requestsPerSecond: 1_000, burst: 150 },
    renew: { requestsPerSecond: 2_000, burst: 1_000 },
    release: { requestsPerSecond: 2_000, burst: 1_000 },
    inspect: { requestsPerSecond: 100, burst: 50 },
    list: { requestsPerSecond: 5, burst: 5 },
    break: { requestsPerSecond: 5, burst: 5 },
  });
});

test('in a new account all but renewals and releases are rare', () => {
  expect(defaultThrottles({ account: 10, reserved: {} })).toEqual({
    acquire: { requestsPerSecond: 0.135, burst: 1 },
    try: { requestsPerSecond: 8.5, burst: 1 },
    renew: { requestsPerSecond: 2_000, burst: 1_000 },
    release: { requestsPerSecond: 2_000, burst: 1_000 },
    inspect: { requestsPerSecond: 1, burst: 1 },
    list: { requestsPerSecond: 0.5, burst: 1 },
    break: { requestsPerSecond: 0.5, burst: 1 },
  });
});

const takenIn = (concurrency: Concurrency) => {
  const { slots, taken } = sharingOf(defaultThrottles(concurrency), concurrency);
  return { slots, taken, sum: Object.values(taken).reduce((all, each) => all + each, 0) };
};

test.each([...accounts, 11, 16, 20, 31, 32, 100])(
  'of %i slots an eighth is left to renewals and releases by all others together',
  (account) => {
    const { slots, taken, sum } = takenIn({ account, reserved: {} });
    expect(slots).toBe(account);
    expect(Object.keys(taken).sort()).toEqual(['acquire', 'break', 'inspect', 'list', 'try']);
    expect(sum).toBeLessThanOrEqual((account * 7) / 8 + 1e-6);
    expect(taken.try).toBeLessThanOrEqual(account / 4);
  },
);

test.each([2, 3, 5, 40, 600])('of %i slots for renewals and releases attempts leave a quarter', (lease) => {
  const { slots, taken, sum } = takenIn({ account: 1_000, reserved: { lease } });
  expect(slots).toBe(lease);
  expect(Object.keys(taken)).toEqual(['try']);
  expect(sum).toBeLessThanOrEqual(lease * 0.75);
});

test('what has slots of its own takes none of those of renewals', () => {
  expect(Object.keys(takenIn({ account: 1_000, reserved: { acquire: 60 } }).taken)).not.toContain('acquire');
  expect(Object.keys(takenIn({ account: 1_000, reserved: { admin: 5 } }).taken)).toEqual(['acquire', 'try']);
});

test('a request that ends at once counts for a tenth of a second', () => {
  expect(slotsAtOnce({ requestsPerSecond: 1_000, burst: 150 })).toBe(250);
});

test.each(accounts.filter((account) => account >= 50))(
  'of %i slots waits never take more than half, and nearly all of that when they may',
  (account) => {
    const waits = waitsAtOnce(defaultThrottles({ account, reserved: {} }).acquire);
    expect(waits).toBeLessThanOrEqual(account / 2);
    expect(waits).toBeGreaterThan(account * 0.45);
  },
);

test('a wait counts for the 20 s that it may last', () => {
  expect(waitsAtOnce({ requestsPerSecond: 20, burst: 100 })).toBe(500);
  expect(waitsAtOnce({ requestsPerSecond: 0, burst: 3 })).toBe(3);
});

test('with slots of their own for renewals, waits take half of the rest, and attempts go by those slots', () => {
  const throttles = defaultThrottles({ account: 1_000, reserved: { lease: 40 } });
  expect(waitsAtOnce(throttles.acquire)).toBeCloseTo(480);
  expect(throttles.try).toEqual({ requestsPerSecond: 200, burst: 10 });
});

test('with slots of their own waits need no slow throttle', () => {
  expect(defaultThrottles({ account: 1_000, reserved: { acquire: 60 } }).acquire).toEqual({
    requestsPerSecond: 300,
    burst: 60,
  });
});

test.each(accounts)('every route of an account with %i slots has a throttle that takes something', (account) => {
  const throttles = defaultThrottles({ account, reserved: {} });
  expect(Object.keys(throttles).sort()).toEqual(Object.keys(routes).sort());
  for (const { requestsPerSecond, burst } of Object.values(throttles)) {
    expect(requestsPerSecond).toBeGreaterThan(0);
    expect(Number.isInteger(burst) && burst >= 1).toBe(true);
  }
});

test.each(accounts)('renewals and releases come before all else in an account with %i slots', (account) => {
  const { renew, release, ...others } = defaultThrottles({ account, reserved: {} });
  for (const first of [renew, release]) {
    for (const other of Object.values(others)) {
      expect(first.requestsPerSecond).toBeGreaterThan(other.requestsPerSecond);
      expect(first.burst).toBeGreaterThan(other.burst);
    }
  }
});

test('what is reserved is not shared', () => {
  expect(sharedConcurrency({ account: 1_000, reserved: { lease: 40, acquire: 60 } })).toBe(900);
  expect(sharedConcurrency({ account: 1_000, reserved: {} })).toBe(1_000);
});
