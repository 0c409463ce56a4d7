import { TokenBucket } from '../../../../../lambda/local/gateway/token-bucket.ts';

let nowMs: number;

beforeEach(() => {
  nowMs = 1_000;
});

const bucketOf = (requestsPerSecond: number, burst: number) =>
  new TokenBucket({ requestsPerSecond, burst }, () => nowMs);

/** How many of this many requests, all at one moment, are let in. */
const takenOf = (requests: number, bucket: TokenBucket) =>
  Array.from({ length: requests }, () => bucket.take()).filter((taken) => taken).length;

test('as many as it holds are let in at once, and not one more', () => {
  expect(takenOf(10, bucketOf(1, 4))).toBe(4);
});

test('a request is let in again when a whole token has come in, and not sooner', () => {
  const bucket = bucketOf(2, 1);
  expect(bucket.take()).toBe(true);
  nowMs += 499;
  expect(bucket.take()).toBe(false);
  nowMs += 1;
  expect(bucket.take()).toBe(true);
  expect(bucket.take()).toBe(false);
});

test('requests that are refused keep nobody out', () => {
  const bucket = bucketOf(1, 1);
  bucket.take();
  for (let tries = 0; tries < 9; tries++) {
    nowMs += 100;
    expect(bucket.take()).toBe(false);
  }
  nowMs += 100;
  expect(bucket.take()).toBe(true);
});

test('a long silence fills it to its burst, and no further', () => {
  const bucket = bucketOf(100, 4);
  takenOf(4, bucket);
  nowMs += 3_600_000;
  expect(takenOf(10, bucket)).toBe(4);
});

test('over a long time it takes its burst and its rate', () => {
  const bucket = bucketOf(20, 100);
  let taken = 0;
  for (const endMs = nowMs + 20_000; nowMs < endMs; nowMs += 10) taken += takenOf(3, bucket);
  expect(taken).toBe(100 + 20 * 20 - 1);
});
