import { Stack, Token } from 'aws-cdk-lib';
import { LockService, type LockServiceProps } from '../../../infra/lock-service.ts';
import { propNames } from '../../../infra/prop-names.ts';
import { newApp, standInCode, synthesize, unwatched } from './synthesized.ts';

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
const made = (prop: string, value: unknown) => () => {
  const stack = new Stack(newApp(), 'Mine', { env: { region: 'eu-central-1' } });
  // The alarms that a topic needs are off: what is refused is found before.
  const watching = prop === 'alarmsTopic' ? {} : unwatched;
  new LockService(stack, 'Locks', { functionCode: standInCode, ...watching, [prop]: value });
};

describe.each(propNames)('the prop %s', (prop) => {
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
it.each(propNames.filter((prop) => prop !== 'functionCode'))('the prop %s may be left out by undefined', (prop) => {
  expect(made(prop, undefined)).not.toThrow();
});

const names = propNames.join(', ');

it.each<[object, string]>([
  [{ maxLeaseMS: 5 }, 'maxLeaseMS'],
  [{ throtles: {} }, 'throtles'],
  [{ alarms: false, env: { region: 'eu-central-1' } }, 'env'],
  [{ toString: undefined }, 'toString'],
])('%j is refused for the name that no prop has, with those that there are', (props, name) => {
  const stack = new Stack(newApp(), 'Mine');
  expect(() => new LockService(stack, 'Locks', props as LockServiceProps)).toThrow(
    `the props of LockService must have no other names than ${names}, got "${name}". Correct its spelling, or leave it out.`,
  );
});

it.each([null, 7, 'x', ['alarms']])('%j is refused in place of the props', (props) => {
  const stack = new Stack(newApp(), 'Mine');
  expect(() => new LockService(stack, 'Locks', props as never)).toThrow(
    `the props of LockService must be an object with any of ${names}, got ${JSON.stringify(props)}.`,
  );
});

it('the ready stack hands no name on that the construct has not', () => {
  const misspelled = { functionCode: standInCode, ...unwatched, maxLeaseMS: 5 };
  expect(() => synthesize(misspelled)).toThrow('got "maxLeaseMS"');
});

function messageOf(make: () => void): string {
  try {
    make();
    return 'taken';
  } catch (error) {
    return (error as Error).message;
  }
}
