import { markdownTable, median, tailOf } from '../bench/figures.ts';

const columnsOf = (table: string) =>
  table.split('\n').map((line) =>
    line
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1),
  );

describe('the table of a measurement', () => {
  it('says of each figure that has a target whether it was met', () => {
    const table = markdownTable([
      { figure: 'a', target: '< 2', measured: '1', met: true },
      { figure: 'b', target: '< 2', measured: '3', met: false },
      { figure: 'c', measured: '4' },
    ]);
    expect(columnsOf(table.trimEnd()).filter((_, at) => at !== 1)).toEqual([
      ['figure', 'target', 'measured', ''],
      ['a', '< 2', '1', 'met'],
      ['b', '< 2', '3', 'missed'],
      ['c', '', '4', ''],
    ]);
  });

  it('has no column for targets where there are none', () => {
    const table = markdownTable([{ figure: 'a', measured: '1' }]);
    expect(columnsOf(table.trimEnd()).filter((_, at) => at !== 1)).toEqual([
      ['figure', 'measured'],
      ['a', '1'],
    ]);
  });
});

describe('the median', () => {
  it('is the one in the middle, whatever order they come in', () => {
    expect(median([5, 1, 3])).toBe(3);
  });

  it('lies between the two in the middle of an even number', () => {
    expect(median([4, 1])).toBe(2.5);
    expect(median([9, 1, 3, 2])).toBe(2.5);
  });

  it('of nothing is no number', () => {
    expect(median([])).toBeNaN();
  });
});

describe('the far end of some values', () => {
  const upTo = (count: number) => Array.from({ length: count }, (_, at) => count - at);

  it('is their p99 from 100 of them on', () => {
    expect(tailOf(upTo(100), 99)).toEqual({ name: 'p99', value: 99 });
    expect(tailOf(upTo(1_000), 99)).toEqual({ name: 'p99', value: 990 });
  });

  it('is the longest, and called so, where p99 would be nothing else', () => {
    expect(tailOf(upTo(99), 99)).toEqual({ name: 'longest', value: 99 });
    expect(tailOf([7], 99)).toEqual({ name: 'longest', value: 7 });
  });

  it('is their p95 from 20 of them on', () => {
    expect(tailOf(upTo(20), 95)).toEqual({ name: 'p95', value: 19 });
    expect(tailOf(upTo(19), 95)).toEqual({ name: 'longest', value: 19 });
  });

  it('of nothing is no number', () => {
    expect(tailOf([], 99).value).toBeNaN();
  });
});
