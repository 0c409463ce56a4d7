import { Stack, Token } from 'aws-cdk-lib';
import { LockService, type LockServiceProps } from '../../../infra/lock-service.ts';
import { newApp, standInCode, unwatched } from './synthesized.ts';

// What a program without types may pass. Every one must be refused by name, and never by an error of JavaScript's own.
const nonsense: readonly unknown[] = [null, '', 'x', 7, -1, Number.NaN, true, [], {}, { x: 1 }, new Date(0)];
const sensible: Readonly<Record<string, readonly unknown[]>> = {
  alarms: [true],
  dashboard: [true],
  throttles: [{}],
  reservedConcurrency: [{}],
  memoryMb: [{}],
  lineLimit: [7],
  logRetention: [7],
  accessLogRetention: [7],
};
const props: readonly (keyof LockServiceProps)[] = [
  'authorization',
  'domain',
  'removalPolicy',
  'accessLogRetention',
  'multiRegion',
  'replicaOf',
  'functionCode',
  'maxLeaseMs',
  'lineLimit',
  'logRetention',
  'memoryMb',
  'accountConcurrency',
  'reservedConcurrency',
  'throttles',
  'alarmsTopic',
  'alarms',
  'dashboard',
];

const made = (prop: string, value: unknown) => () => {
  const stack = new Stack(newApp(), 'Mine', { env: { region: 'eu-central-1' } });
  // The alarms that a topic needs are off: what is refused is found before.
  const watching = prop === 'alarmsTopic' ? {} : unwatched;
  new LockService(stack, 'Locks', { functionCode: standInCode, ...watching, [prop]: value });
};

describe.each(props)('the prop %s', (prop) => {
  it('is refused by its name where it is nonsense, with what to do', () => {
    const values = [...nonsense, Token.asNumber({ Ref: 'X' })].filter(
      (value) => !(sensible[prop] ?? []).some((each) => JSON.stringify(each) === JSON.stringify(value)),
    );
    for (const value of values) {
      expect({ value, message: messageOf(made(prop, value)) }).toEqual({
        value,
        message: expect.stringMatching(new RegExp(`^${prop}[. ].*\\bmust\\b.*, got .*[.] [A-Z]`)),
      });
    }
  });
});

// But for the code of the functions, which is there only after the build.
it.each(props.filter((prop) => prop !== 'functionCode'))('the prop %s may be left out by undefined', (prop) => {
  expect(made(prop, undefined)).not.toThrow();
});

function messageOf(make: () => void): string {
  try {
    make();
    return 'taken';
  } catch (error) {
    return (error as Error).message;
  }
}
