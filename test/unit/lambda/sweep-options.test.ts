import { parseSweepOptions, sweepUsage } from '../../../lambda/sweep-options.ts';

const dayMs = 86_400_000;
const given = ['--table', 'locks', '--region', 'eu-west-1'];

describe('the sweep’s command line', () => {
  it('names the table and the Region, and means 30 days', () => {
    expect(parseSweepOptions(given)).toEqual({
      table: 'locks',
      region: 'eu-west-1',
      olderThanMs: 30 * dayMs,
      dryRun: false,
    });
  });

  it.each(['7d', '365d'])('may say %s, and that nothing is to go', (text) => {
    expect(parseSweepOptions([...given, '--older-than', text, '--dry-run'])).toMatchObject({
      olderThanMs: Number.parseInt(text, 10) * dayMs,
      dryRun: true,
    });
  });

  it.each(['6d', '0d', '30', '7h', '-7d', 'd', '7.5d', ''])('may not say %j', (text) => {
    expect(() => parseSweepOptions([...given, `--older-than=${text}`])).toThrow(
      `--older-than must be a whole number of days, at least 7, such as 30d, got "${text}"`,
    );
  });

  it.each([
    [['--region', 'eu-west-1'], '--table must be the name of the table, got nothing'],
    [['--table', 'locks'], '--region must be the Region of the table, got nothing'],
    [[...given, '--force'], "Unknown option '--force'"],
    [[...given, 'more'], 'Unexpected argument'],
  ])('is not understood: %j', (argv, message) => {
    expect(() => parseSweepOptions(argv)).toThrow(message);
  });

  it('has help, with every option in it', () => {
    expect(parseSweepOptions(['--help'])).toBe('help');
    for (const option of ['--table', '--region', '--older-than', '--dry-run']) expect(sweepUsage).toContain(option);
  });
});
