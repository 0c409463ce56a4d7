import { durationOf, durationText, leaseRange, waitRange } from '../../../../sdk/cli/duration.ts';
import { UsageError } from '../../../../sdk/cli/usage-error.ts';

describe('a duration', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['0s', 0],
    ['8760h', 31_536_000_000],
  ])('%s is %d ms', (text, ms) => {
    expect(durationOf(text, '--wait', waitRange)).toBe(ms);
  });

  it.each([
    '',
    '5',
    's',
    '1.5h',
    '-1s',
    '+1s',
    '1S',
    '1 s',
    ' 1s',
    '1s ',
    '1d',
    '1e3ms',
    '1m30s',
    '8761h',
    '9999999999ms',
    '٣s',
    '1s\n',
  ])('%j is none', (text) => {
    expect(() => durationOf(text, '--wait', waitRange)).toThrow(UsageError);
    expect(() => durationOf(text, '--wait', waitRange)).toThrow(
      `--wait must be a whole number with its unit (500ms, 30s, 5m, 1h), from 0s to 8760h, got ${JSON.stringify(text)}`,
    );
  });

  it('of a lease has bounds', () => {
    for (const text of ['1s', '1000ms', '24h']) expect(durationOf(text, '--lease', leaseRange)).toBeGreaterThan(0);
    for (const text of ['999ms', '25h'])
      expect(() => durationOf(text, '--lease', leaseRange)).toThrow('from 1s to 24h');
  });
});

it.each([
  [-1, '0ms'],
  [0, '0ms'],
  [999.9, '999ms'],
  [1_000, '1s'],
  [59_999, '59s'],
  [60_000, '1m00s'],
  [3_599_999, '59m59s'],
  [3_600_000, '1h00m'],
  [86_399_999, '23h59m'],
  [86_400_000, '1d00h'],
  [460_800_000, '5d08h'],
])('%d ms is %s for people', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
