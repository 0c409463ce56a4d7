import { markdownTable } from '../bench/figures.ts';

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
