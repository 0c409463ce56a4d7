import { parseOptions } from '../../bench/rivals/options.ts';

const known = ['uncontended', 'throughput'];
const parse = (...argv: string[]) => parseOptions(argv, known);

describe('the command line of the benchmark', () => {
  it('measures everything over dynalite, five times, in an order of its own each time', () => {
    const options = parse();
    expect(options).toMatchObject({ database: 'dynalite', size: 'full', repetitions: 5, workloads: known });
    expect(options).not.toHaveProperty('out');
    expect(options).not.toEqual(parse());
  });

  it('takes names of workloads, a database, a seed, a number of repetitions and a folder', () => {
    const line = 'throughput --database both --quick --seed 7 --repetitions 9 --out charts'.split(' ');
    expect(parse(...line)).toEqual({
      database: 'both',
      size: 'quick',
      repetitions: 9,
      seed: 7,
      out: 'charts',
      workloads: ['throughput'],
    });
  });

  it.each([
    ['--quick', 3],
    ['--smoke', 1],
  ])('repeats less with %s', (option, repetitions) => {
    expect(parse(option)).toMatchObject({ repetitions });
  });

  it('explains itself', () => {
    expect(parse('--help')).toBe('help');
  });

  it.each([
    [['--database', 'mysql'], '--database must be one of dynalite, dynamodb-local, both, got mysql'],
    [['contented'], 'a workload must be one of uncontended, throughput, got contented'],
    [['--repetitions', '0'], '--repetitions must be a whole number from 1 to 4294967295, got 0'],
    [['--seed', '1.5'], '--seed must be a whole number from 0 to 4294967295, got 1.5'],
    [['--seed', '4294967296'], '--seed must be a whole number from 0 to 4294967295, got 4294967296'],
  ])('refuses %j', (argv, message) => {
    expect(() => parse(...argv)).toThrow(message);
  });

  it('refuses an option that there is not', () => {
    expect(() => parse('--sead', '7')).toThrow('--sead');
  });
});
