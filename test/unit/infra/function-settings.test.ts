import { Lazy, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { LockService, type LockServiceProps } from '../../../infra/lock-service.ts';
import { newApp, resourcesOf, standInCode } from './synthesized.ts';

function templateWith(props: LockServiceProps): Template {
  const stack = new Stack(newApp(), 'Mine');
  new LockService(stack, 'Locks', { functionCode: standInCode, ...props });
  return Template.fromStack(stack);
}

const functionsWith = (props: LockServiceProps) =>
  Object.values(resourcesOf(templateWith(props), 'AWS::Lambda::Function')).map(({ Properties }) => Properties);

describe('the longest lease and the longest line', () => {
  it.each<[LockServiceProps, Record<string, string>]>([
    [{ maxLeaseMs: 1_000 }, { HOLDFAST_MAX_LEASE_MS: '1000', HOLDFAST_LINE_LIMIT: '64' }],
    [{ maxLeaseMs: 86_400_000 }, { HOLDFAST_MAX_LEASE_MS: '86400000' }],
    [{ lineLimit: 1 }, { HOLDFAST_MAX_LEASE_MS: '3600000', HOLDFAST_LINE_LIMIT: '1' }],
    [{ lineLimit: 64 }, { HOLDFAST_LINE_LIMIT: '64' }],
  ])('are told to every function: %j', (props, variables) => {
    const functions = functionsWith(props);
    expect(functions).toHaveLength(3);
    for (const { Environment } of functions) expect(Environment).toMatchObject({ Variables: variables });
  });

  it.each([999, 86_400_001, 1_000.5, Number.NaN, '5000' as unknown as number])(
    'are no lease of %j ms',
    (maxLeaseMs) => {
      expect(() => templateWith({ maxLeaseMs })).toThrow(
        'maxLeaseMs must be a whole number of milliseconds from 1000 to 86400000, got ',
      );
    },
  );

  it.each([0, 65, 1.5, -1])('are no line of %j', (lineLimit) => {
    expect(() => templateWith({ lineLimit })).toThrow(
      `lineLimit must be a whole number from 1 to 64, got ${lineLimit}. Set it within these bounds, or leave it out`,
    );
  });

  it('are not what is only known when the stack is deployed', () => {
    expect(() => templateWith({ lineLimit: Lazy.number({ produce: () => 8 }) })).toThrow(
      'lineLimit must be a whole number from 1 to 64, got a value that is only known when the stack is deployed.',
    );
  });
});

describe('the functions’ memory', () => {
  it('is set by function, the others keep theirs', () => {
    const sizes = (props: LockServiceProps) =>
      Object.fromEntries(
        functionsWith(props).map(({ Code, MemorySize }) => [Object.values(Code as object)[0], MemorySize]),
      );
    expect(sizes({ memoryMb: { lease: 10_240, admin: 128 } })).toEqual({
      '// acquire': 128,
      '// lease': 10_240,
      '// admin': 128,
    });
  });

  it.each([127, 10_241, 200.5])('is not %j MB', (lease) => {
    expect(() => templateWith({ memoryMb: { lease } })).toThrow(
      `memoryMb.lease must be a whole number of megabytes from 128 to 10240, got ${lease}.`,
    );
  });

  it('is not that of a function that there is not', () => {
    expect(() => templateWith({ memoryMb: { renew: 256 } as never })).toThrow(
      'memoryMb must have no other names than acquire, lease, admin, got "renew".',
    );
    expect(() => templateWith({ memoryMb: null as never })).toThrow(
      'memoryMb must be an object with any of acquire, lease, admin, got null. Leave it out for the defaults.',
    );
  });
});

describe('the logs', () => {
  it('are kept for as long as is said: the functions’ own, and the access log', () => {
    const template = templateWith({
      logRetention: RetentionDays.ONE_DAY,
      accessLogRetention: RetentionDays.TEN_YEARS,
    });
    const groups = Object.values(resourcesOf(template, 'AWS::Logs::LogGroup')).map(({ Properties }) => Properties);
    const daysOf = (isAccessLog: boolean) =>
      groups.filter((group) => 'LogGroupName' in group === isAccessLog).map(({ RetentionInDays }) => RetentionInDays);
    expect(daysOf(false)).toEqual([1, 1, 1]);
    expect(daysOf(true)).toEqual([3653]);
  });

  it.each(['logRetention', 'accessLogRetention'] as const)(
    'are not kept for ever, nor for just any time: %s',
    (prop) => {
      for (const days of [RetentionDays.INFINITE, 2 as RetentionDays, '30' as unknown as RetentionDays]) {
        expect(() => templateWith({ [prop]: days })).toThrow(
          `${prop} must be one of RetentionDays that ends: 1, 3, 5, 7,`,
        );
      }
    },
  );
});
