import { optionsOf, positiveNumber, UsageError, wholeNumber } from './command.ts';

const options = { seed: { type: 'string', default: '1' }, all: { type: 'boolean', default: false } } as const;

describe('the options of a command', () => {
  it('are what the command line gives, and the defaults', () => {
    expect(optionsOf(['--seed', '7'], options)).toEqual({ seed: '7', all: false });
    expect(optionsOf(['--all'], options)).toEqual({ seed: '1', all: true });
  });

  it.each([
    [['--sead', '7'], "Unknown option '--sead'"],
    [['--seed'], "Option '--seed <value>' argument missing"],
    [['--seed', '-7'], "Option '--seed' argument is ambiguous"],
    [['--all=7'], "Option '--all' does not take an argument"],
    [['seven'], "Unexpected argument 'seven'"],
  ])('refuse %j in one line', (args, message) => {
    const read = () => optionsOf(args, options);
    expect(read).toThrow(UsageError);
    expect(read).toThrow(message);
    expect(read).not.toThrow('\n');
  });
});

describe('numbers of a command line', () => {
  it('are whole and exact where they have to be, from the least that is allowed', () => {
    expect(wholeNumber('--seed', '0', 0)).toBe(0);
    expect(wholeNumber('--seed', '9007199254740991', 0)).toBe(Number.MAX_SAFE_INTEGER);
    expect(wholeNumber('--seconds', '5', 5)).toBe(5);
  });

  it.each(['', ' ', '1.2', '-1', '1e3', 'abc', '0x10', '9007199254740992'])(
    'are not %j, where they are whole',
    (text) => {
      expect(() => wholeNumber('--seed', text, 0)).toThrow(
        new UsageError(`--seed must be a whole number from 0 to 9007199254740991, got "${text}"`),
      );
    },
  );

  it('are not below the least', () => {
    expect(() => wholeNumber('--seconds', '4', 5)).toThrow('--seconds must be a whole number from 5');
  });

  it('are above 0 where they may be fractions', () => {
    expect(positiveNumber('--minutes', '0.5')).toBe(0.5);
    for (const text of ['', '0', '-1', 'abc', 'Infinity']) {
      expect(() => positiveNumber('--minutes', text)).toThrow(UsageError);
    }
  });
});
