import { functionEnvironment } from '../../../lambda/environment.ts';

const complete = {
  HOLDFAST_TABLE: 'locks',
  HOLDFAST_AUTHORIZATION: 'iam',
  HOLDFAST_MAX_LEASE_MS: '60000',
  HOLDFAST_SERVICE: 'blue',
};

describe('the environment of a function', () => {
  it('is read', () => {
    expect(functionEnvironment(complete)).toEqual({
      table: 'locks',
      authorization: 'iam',
      maxLeaseMs: 60_000,
      service: 'blue',
    });
    expect(functionEnvironment({ ...complete, HOLDFAST_AUTHORIZATION: 'none' })).toMatchObject({
      authorization: 'none',
    });
  });

  it('has defaults for the longest lease and the name of the deployment alone', () => {
    const { HOLDFAST_TABLE, HOLDFAST_AUTHORIZATION } = complete;
    expect(functionEnvironment({ HOLDFAST_TABLE, HOLDFAST_AUTHORIZATION })).toMatchObject({
      maxLeaseMs: 3_600_000,
      service: 'holdfast',
    });
  });

  it.each([undefined, ''])('must name the table, and not %j', (table) => {
    expect(() => functionEnvironment({ ...complete, HOLDFAST_TABLE: table })).toThrow(/^HOLDFAST_TABLE must be/);
  });

  it.each([undefined, '', 'IAM', 'jwt', 'None', 'false'])('must say who authorizes, and not %j', (authorization) => {
    expect(() => functionEnvironment({ ...complete, HOLDFAST_AUTHORIZATION: authorization })).toThrow(
      `HOLDFAST_AUTHORIZATION must be one of iam, none, got ${authorization}`,
    );
  });

  it.each(['1000', '86400000'])('may have a longest lease of %s ms', (maxLeaseMs) => {
    expect(functionEnvironment({ ...complete, HOLDFAST_MAX_LEASE_MS: maxLeaseMs })).toMatchObject({
      maxLeaseMs: Number(maxLeaseMs),
    });
  });

  it.each(['999', '86400001', '1000.5', '-1', '0', '', 'an hour', 'NaN', 'Infinity'])(
    'may not have a longest lease of %j',
    (maxLeaseMs) => {
      expect(() => functionEnvironment({ ...complete, HOLDFAST_MAX_LEASE_MS: maxLeaseMs })).toThrow(
        `HOLDFAST_MAX_LEASE_MS must be a whole number of milliseconds from 1000 to 86400000, got ${maxLeaseMs}`,
      );
    },
  );
});
