import { exitCodeOf, usageExitCodeIn } from '../../../../sdk/cli/exit-codes.ts';
import { failureOf } from '../../../../sdk/cli/failure.ts';
import { UsageError } from '../../../../sdk/cli/usage-error.ts';
import {
  ForbiddenError,
  IllegalArgumentError,
  LeaseLostError,
  LockNotAcquiredError,
  LockServiceError,
} from '../../../../sdk/index.ts';

describe('an exit code', () => {
  it.each([
    ['0', 0],
    ['255', 255],
    ['007', 7],
  ])('%s is %d', (text, code) => {
    expect(exitCodeOf(text, '--x')).toBe(code);
  });

  it.each(['', '-1', '256', '1.0', 'one', '0x1', ' 1'])('%j is none', (text) => {
    expect(() => exitCodeOf(text, '--x')).toThrow(
      `--x must be a whole number from 0 to 255, got ${JSON.stringify(text)}`,
    );
  });

  it.each([
    [[], 64],
    [['run', 'x', '--usage-exit-code', '2'], 2],
    [['--usage-exit-code=3', '--bad'], 3],
    [['--usage-exit-code', '2', '--usage-exit-code=4'], 4],
    [['--usage-exit-code'], 64],
    [['--usage-exit-code', 'two'], 64],
    [['run', '--', 'x', '--usage-exit-code', '2'], 64],
  ])('for a wrong command line %j is %d', (argv, code) => {
    expect(usageExitCodeIn(argv)).toBe(code);
  });
});

describe('an error', () => {
  const cause = new Error('no AWS credentials');
  it.each([
    [new UsageError('odd'), { exitCode: 'usage', code: 'usage', message: 'odd' }],
    [new IllegalArgumentError('odd'), { exitCode: 'usage', code: 'illegal-argument', message: 'odd' }],
    [
      new LockNotAcquiredError('a', 'me', 5),
      { exitCode: 'conflict', message: expect.stringMatching(/^lock "a" is held .* \(holder: me\)$/) },
    ],
    [
      new LockNotAcquiredError('a', undefined, 5),
      { exitCode: 'conflict', message: expect.not.stringContaining('holder:') },
    ],
    [new LeaseLostError('a', 'broken'), { exitCode: 'lost', code: 'lease-lost' }],
    [new ForbiddenError('no'), { exitCode: 'service', code: 'forbidden' }],
    [
      new LockServiceError('nothing was sent', { outcomeUnknown: false, requestId: 'r-1', cause }),
      { exitCode: 'service', message: 'nothing was sent: no AWS credentials (request id r-1)' },
    ],
  ])('is told as what it means: %s', (error, failure) => {
    expect(failureOf(error)).toMatchObject(failure);
  });

  it('that nobody foresaw is none of ours', () => {
    expect(failureOf(new TypeError('x is not a function'))).toBeUndefined();
  });
});
