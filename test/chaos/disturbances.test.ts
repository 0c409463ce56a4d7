import { Disturbances, deletionsIn, faultsHitting, pausesIn } from './disturbances.ts';
import { fault, gone, historyOf, processStart } from './told.ts';

describe('disturbances', () => {
  const some = new Disturbances([
    { of: 'w1', fromMs: 100, toMs: 200 },
    { of: 'w1', fromMs: 150, toMs: 250 },
    { of: 'w1', fromMs: 400, toMs: 500 },
    { of: undefined, fromMs: 1_000, toMs: 1_100 },
  ]);

  it.each([
    ['w1', 0, 99, false],
    ['w1', 0, 100, true],
    ['w1', 250, 300, true],
    ['w1', 251, 399, false],
    ['w1', 251, 400, true],
    ['w1', 0, 2_000, true],
    ['w2', 0, 999, false],
    ['w2', 1_100, 1_200, true],
    ['w1', 1_100, 1_200, true],
    ['w1', 1_101, 1_200, false],
  ])('say of %s from %d to %d: %s', (thing, fromMs, toMs, isHit) => {
    expect(some.hit(thing, fromMs, toMs)).toBe(isHit);
  });

  it.each([
    [50, 20, 70],
    [50, 50, 300],
    [120, 20, 270],
    [390, 20, 520],
    [2_000, 20, 2_020],
  ])('say when it was left alone after %d for %d: at %d', (atMs, forMs, settledMs) => {
    expect(some.settledMs('w1', atMs, forMs)).toBe(settledMs);
  });
});

describe('what a history tells of them', () => {
  const frozen = fault('freeze', 'api', [100, 200], ['w1', 'w2']);

  it('is that a frozen service pauses itself, and hits those that use it until they have recovered', () => {
    const history = historyOf(frozen);
    expect(pausesIn(history).hit('api', 150, 160)).toBe(true);
    expect(pausesIn(history).hit('w1', 150, 160)).toBe(false);
    expect(faultsHitting(history).hit('w1', 1_200, 1_200)).toBe(true);
    expect(faultsHitting(history).hit('w1', 1_201, 1_300)).toBe(false);
    expect(faultsHitting(history).hit('w3', 150, 160)).toBe(false);
  });

  it('is that a fault without an end lasts, and one that hits all hits everybody', () => {
    const faults = faultsHitting(historyOf(fault('partition', 'the API', [100], 'all')));
    expect(faults.hit('w9', 9_000, 9_000)).toBe(true);
    expect(faults.hit('w9', 0, 99)).toBe(false);
  });

  it('is that a process that is gone never runs again', () => {
    const history = historyOf(fault('kill', 'w1', [90, 90]), gone('w1', 100));
    expect(pausesIn(history).settledMs('w1', 95, 10)).toBe(Number.POSITIVE_INFINITY);
    expect(faultsHitting(history).hit('w1', 5_000, 6_000)).toBe(true);
    expect(pausesIn(history).hit('w2', 0, 9_000)).toBe(false);
  });

  it('is that a service that stalls hits everybody, and a worker only itself', () => {
    const stall = (process: string) => ({ type: 'stall', process, fromMs: 100, atMs: 200 }) as const;
    const ofService = historyOf(processStart('api', 'service'), stall('api'));
    expect(faultsHitting(ofService).hit('w1', 150, 160)).toBe(true);
    const ofWorker = historyOf(processStart('w2'), stall('w2'));
    expect(faultsHitting(ofWorker).hit('w1', 150, 160)).toBe(false);
    expect(pausesIn(ofWorker).hit('w2', 150, 160)).toBe(true);
  });

  it('is which lock’s item was deleted, also of a lock that is called "all"', () => {
    const deletions = deletionsIn(historyOf(fault('deletion', 'all', [100, 200], []), frozen));
    expect(deletions.hit('all', 150, 160)).toBe(true);
    expect(deletions.hit('a', 150, 160)).toBe(false);
    expect(deletions.hit('api', 150, 160)).toBe(false);
  });
});
