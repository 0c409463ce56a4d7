import { parseOptions } from '../../bench/rivals/options.ts';
import { workloadNames } from '../../bench/rivals/workload-names.ts';
import { readArguments, UsageError } from '../../bench/usage-error.ts';

const parse = (...argv: string[]) => parseOptions(argv, '/where/i/stand');

describe('the command line of the benchmark', () => {
  it('measures everything over dynalite, five times, in an order of its own each time', () => {
    const options = parse();
    expect(options).toMatchObject({ database: 'dynalite', size: 'full', repetitions: 5, workloads: workloadNames });
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
      out: '/where/i/stand/charts',
      workloads: ['throughput'],
    });
  });

  it.each([
    ['--quick', 3],
    ['--smoke', 1],
  ])('repeats less with %s', (option, repetitions) => {
    expect(parse(option)).toMatchObject({ repetitions });
  });

  it('takes a folder as it is where it is not relative', () => {
    expect(parse('--out', '/charts')).toMatchObject({ out: '/charts' });
  });

  it.each([
    [['--database', 'mysql'], '--database must be one of dynalite, dynamodb-local, both, got mysql'],
    [
      ['contented'],
      'a workload must be one of uncontended, throughput, contended, in-process, take-over, waiting-cost, got contented',
    ],
    [['--repetitions', '0'], '--repetitions must be a whole number from 1 to 4294967295, got 0'],
    [['--seed', '1.5'], '--seed must be a whole number from 0 to 4294967295, got 1.5'],
    [['--seed', '4294967296'], '--seed must be a whole number from 0 to 4294967295, got 4294967296'],
  ])('refuses %j', (argv, message) => {
    expect(() => parse(...argv)).toThrow(new UsageError(message));
  });

  it('refuses an option that there is not', () => {
    expect(() => parse('--sead', '7')).toThrow(UsageError);
    expect(() => parse('--sead', '7')).toThrow(/^Unknown option '--sead'$/);
  });

  it('says the first sentence of what is wrong, also where that has several lines', () => {
    expect(() => parse('--seed', '-7')).toThrow(/^Option '--seed' argument is ambiguous$/);
  });

  it('is not to blame for what the program does wrong', () => {
    const wrong = () => readArguments({ args: 7 as unknown as string[] });
    expect(wrong).toThrow('args');
    expect(wrong).not.toThrow(UsageError);
  });
});
