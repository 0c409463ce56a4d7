import type { CountedRequest } from '../bench/counting-proxy.ts';
import { besideModel, isFallbackRead, lockIdOf, unitsOf } from '../bench/model-check.ts';

const request = (operation: string, units: number | undefined, body: object = {}): CountedRequest => ({
  operation,
  body: body as CountedRequest['body'],
  startedMs: 0,
  ...(units !== undefined && { units }),
});

it('units are those of writes and of reads, and what is not answered yet has none', () => {
  const requests = [
    request('UpdateItem', 1),
    request('UpdateItem', 4),
    request('GetItem', 0.5),
    request('GetItem', undefined),
  ];
  expect(unitsOf(requests)).toEqual({ writeUnits: 5, readUnits: 0.5 });
});

it('a strongly consistent read stands in for what the emulator leaves out, and only that', () => {
  expect(isFallbackRead(request('GetItem', 1, { ConsistentRead: true }))).toBe(true);
  expect(isFallbackRead(request('GetItem', 0.5, { ConsistentRead: false }))).toBe(false);
  expect(isFallbackRead(request('UpdateItem', 1, { ConsistentRead: true }))).toBe(false);
});

it('a request of the database tells its lock, one of the API none', () => {
  expect(lockIdOf(request('GetItem', 1, { Key: { lockId: { S: 'orders-42' } } }))).toBe('orders-42');
  expect(lockIdOf(request('try', 1, { ownerToken: 'x' }))).toBeUndefined();
});

const model = { requests: 180, writeUnits: 180, readUnits: 36_000 };

it.each([
  [{ requests: 180, writeUnits: 180, readUnits: 36_000 }, true],
  [{ requests: 198, writeUnits: 180, readUnits: 36_000 }, true],
  [{ requests: 199, writeUnits: 180, readUnits: 36_000 }, false],
  [{ requests: 180, writeUnits: 162, readUnits: 36_000 }, true],
  [{ requests: 180, writeUnits: 161, readUnits: 36_000 }, false],
  [{ requests: 180, writeUnits: 180, readUnits: 23_400 }, true],
  [{ requests: 180, writeUnits: 180, readUnits: 23_399 }, false],
  [{ requests: 180, writeUnits: 180, readUnits: 39_601 }, false],
  [{ requests: 180, writeUnits: 180 }, true],
])('beside a model of 180 requests, 180 writes and 36,000 reads, %j is as counted: %s', (measured, met) => {
  expect(besideModel('waiting', model, measured, 'once').met).toBe(met);
});

it('shows what differs, and by how much', () => {
  const { target, measured } = besideModel('waiting', model, { requests: 180, readUnits: 27_000 }, 'for 40 s');
  expect(target).toBe('180 requests, 36,000 read units');
  expect(measured).toBe('180, 27,000 (-25.0 %) (for 40 s)');
});

it('what the model has no name for is a fault of the benchmark', () => {
  expect(() => besideModel('sleeping', undefined, model, 'once')).toThrow('must have "sleeping"');
});
