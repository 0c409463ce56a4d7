import { concurrencyOf, type ReservedConcurrency } from '../../../infra/concurrency.ts';
import type { HoldfastStackProps } from '../../../infra/stack.ts';
import type { FunctionName } from '../../../sdk/wire/routes.ts';
import { resourcesOf, synthesize } from './synthesized.ts';

function reservedIn(props?: HoldfastStackProps): Partial<Record<FunctionName, unknown>> {
  const functions = Object.values(resourcesOf(synthesize(props).template, 'AWS::Lambda::Function'));
  return Object.fromEntries(
    functions.flatMap(({ Properties }) => {
      const name = (Properties['Code'] as { ZipFile: string }).ZipFile.replace('// ', '');
      return 'ReservedConcurrentExecutions' in Properties ? [[name, Properties['ReservedConcurrentExecutions']]] : [];
    }),
  );
}

describe('reserved concurrency', () => {
  it('is not asked for unless it is given, because a new account has too little of it', () => {
    expect(reservedIn()).toEqual({});
  });

  it('is set for the functions that it is given for, and for no other', () => {
    expect(reservedIn({ reservedConcurrency: { lease: 20 } })).toEqual({ lease: 20 });
    expect(reservedIn({ reservedConcurrency: { acquire: 100, lease: 20, admin: 1 } })).toEqual({
      acquire: 100,
      lease: 20,
      admin: 1,
    });
  });

  it('leaves 100 slots unreserved', () => {
    const reserving = (lease: number) => () => concurrencyOf({ reservedConcurrency: { lease, acquire: 300 } });
    expect(reserving(600)()).toEqual({ account: 1_000, reserved: { lease: 600, acquire: 300 } });
    expect(reserving(601)).toThrow(
      'reservedConcurrency must leave 100 of accountConcurrency (1000) unreserved, which Lambda needs, got "901 set aside". ' +
        'Reserve less, or have the quota of the account raised and set accountConcurrency to it.',
    );
    expect(() => concurrencyOf({ accountConcurrency: 10, reservedConcurrency: { lease: 2 } })).toThrow(
      /got "2 set aside"/,
    );
  });

  it.each([
    [{ lease: 1 }, 'reservedConcurrency.lease must be a whole number from 2 to 1000000, got 1. Set it within'],
    [
      { lease: null as never },
      'reservedConcurrency.lease must be a whole number from 2 to 1000000, got null. Set it within',
    ],
    [{ acquire: 0 }, 'reservedConcurrency.acquire must be a whole number from 1 to 1000000, got 0. Set it within'],
    [
      null as never,
      'reservedConcurrency must be an object with any of acquire, lease, admin, got null. Leave it out for none.',
    ],
    [{ lease: -1 }, 'reservedConcurrency.lease must be a whole number from 2 to 1000000, got -1. Set it within'],
    [{ admin: 2.5 }, 'reservedConcurrency.admin must be a whole number from 1 to 1000000, got 2.5. Set it within'],
    [
      { renew: 5 } as ReservedConcurrency,
      'reservedConcurrency must have no other names than acquire, lease, admin, got "renew". Leave it out',
    ],
  ])('%j is refused', (reservedConcurrency, message) => {
    expect(() => concurrencyOf({ reservedConcurrency })).toThrow(message);
  });
});

describe('the quota of the account', () => {
  it('is 1,000 unless it is given, from 10', () => {
    expect(concurrencyOf({})).toEqual({ account: 1_000, reserved: {} });
    expect(concurrencyOf({ accountConcurrency: 10 })).toEqual({ account: 10, reserved: {} });
  });

  it.each([9, 10.5, Number.NaN])('%d is refused', (accountConcurrency) => {
    expect(() => concurrencyOf({ accountConcurrency })).toThrow(
      `accountConcurrency must be a whole number from 10 to 1000000, got ${accountConcurrency}.`,
    );
  });
});
