import type { HistoryEvent } from '../history.ts';
import { gone, grant, historyOf, item, mark, processStart, type Told } from '../told.ts';
import { residue } from './residue.ts';

const check = (...parts: Told[]) => residue.check(historyOf(...parts));
const messages = (...parts: Told[]) => check(...parts).findings.map((each) => each.message);

describe('residue', () => {
  const end = mark('end', 5_000);
  const used = grant('w1.1', [0, 10], 1);
  const atRest = item(6_000, { last: 'alice' });
  const left = (timers: number, busySockets: number): HistoryEvent => {
    return { type: 'leftovers', process: 'w1', atMs: 7_000, timers, busySockets };
  };

  it('says nothing about a run that did not end', () => {
    expect(check(used, item(6_000, { owner: 'alice' }))).toEqual({ checked: 0, findings: [] });
  });

  it('accepts rows at rest, no row at all, and workers that have nothing left', () => {
    expect(check(processStart('w1'), used, end, atRest, left(0, 0))).toEqual({ checked: 2, findings: [] });
    expect(messages(used, end, item(6_000, null))).toEqual([]);
  });

  it.each([
    ['an owner', { owner: 'alice' }, 'its item has the owner alice, with 0 in line and 0 tickets'],
    ['a place in line', { queue: ['bob'] }, 'its item is free, with 1 in line and 0 tickets'],
    ['a ticket', { tickets: { bob: 9_000 } }, 'its item is free, with 0 in line and 1 tickets'],
  ])('finds %s', (_, stored, what) => {
    expect(messages(used, end, item(6_000, stored))).toEqual([what]);
  });

  it('goes by the last look after the end, and finds that nobody looked', () => {
    expect(messages(used, end, item(6_000, { owner: 'alice' }), item(6_500, {}))).toEqual([]);
    expect(messages(used, item(4_000, {}), end)).toEqual(['nobody looked at its item after the end']);
  });

  it('finds timers and requests that a worker has left, and a worker that did not tell', () => {
    const story = [processStart('w1'), ...used, end, atRest];
    expect(messages(story, left(1, 0))).toEqual(['w1 had 1 timers and 0 busy sockets left']);
    expect(messages(story, left(0, 1))).toHaveLength(1);
    expect(messages(story)).toEqual(['w1 did not tell what it had left']);
  });

  it('finds a worker that had to be killed because it did not exit by itself', () => {
    const story = [processStart('w1'), ...used, end, atRest, left(0, 0)];
    expect(messages(story, gone('w1', 8_000, 'exited'))).toEqual([]);
    expect(messages(story, gone('w1', 8_000, 'hung'))).toEqual([
      'w1 did not exit by itself when its factory was disposed',
    ]);
  });

  it('asks nothing of services and of workers that were killed', () => {
    expect(messages(processStart('w1'), gone('w1', 900), processStart('api', 'service'), used, end, atRest)).toEqual(
      [],
    );
    expect(messages(processStart('w1', 'embedded'), used, end, atRest)).toHaveLength(1);
  });
});
