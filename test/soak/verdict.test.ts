import type { Series, SoakResult } from './soak.ts';
import { allowances, verdictOn } from './verdict.ts';

const flat: Series = { process: 'worker 1', figure: 'sockets', samples: [9, 9, 9, 9, 9, 9] };
const good: SoakResult = {
  series: [flat],
  counter: { inFile: 12, done: 12 },
  holds: 30,
  errors: new Map([['LockServiceError', 2]]),
  faults: new Map([
    ['delay before the API', 1],
    ['mute before the API', 3],
  ]),
  requests: 400,
  struck: 20,
  complaints: [],
};

describe('the verdict on a soak', () => {
  it('is good when nothing grew, was lost or complained of', () => {
    const { text, isGood } = verdictOn(good);
    expect(isGood).toBe(true);
    expect(text).toContain('| worker 1 | sockets | 9           | 9          | 9       | flat |');
    expect(text).toContain('faults: mute before the API 3, delay before the API 1');
  });

  it('is bad when an addition to the counter was lost', () => {
    expect(verdictOn({ ...good, counter: { inFile: 11, done: 12 } }).isGood).toBe(false);
  });

  it('is bad when the counter has more than was added', () => {
    expect(verdictOn({ ...good, counter: { inFile: 13, done: 12 } }).isGood).toBe(false);
  });

  it('is bad when a process complained, and tells what it said', () => {
    const { text, isGood } = verdictOn({ ...good, complaints: ['API: internal error'] });
    expect(isGood).toBe(false);
    expect(text).toContain('complaint: API: internal error');
  });

  it.each(Object.keys(allowances) as Series['figure'][])('is bad when the %s of one process grew', (figure) => {
    const grown = { process: 'worker 1', figure, samples: [40, 40, 60, 80, 100, 120] };
    const { text, isGood } = verdictOn({ ...good, series: [flat, grown] });
    expect(isGood).toBe(false);
    expect(text).toContain('GREW');
  });
});
