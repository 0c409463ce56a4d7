import { functionEnvironment } from '../../../lambda/environment.ts';
import { defaultTiming } from '../../../lambda/service/timing.ts';

const complete = {
  HOLDFAST_TABLE: 'locks',
  HOLDFAST_AUTHORIZATION: 'iam',
  HOLDFAST_MAX_LEASE_MS: '60000',
  HOLDFAST_SERVICE: 'blue',
  HOLDFAST_LINE_LIMIT: '16',
};

describe('the environment of a function', () => {
  it('is read', () => {
    expect(functionEnvironment(complete)).toEqual({
      table: 'locks',
      authorization: 'iam',
      maxLeaseMs: 60_000,
      lineLimit: 16,
      service: 'blue',
    });
  });

  it.each(['iam', 'jwt', 'none'])('may say that %s authorizes', (authorization) => {
    const env = { ...complete, HOLDFAST_AUTHORIZATION: authorization };
    expect(functionEnvironment(env)).toMatchObject({ authorization });
  });

  it('has defaults for the longest lease, the longest line and the name of the deployment alone', () => {
    const { HOLDFAST_TABLE, HOLDFAST_AUTHORIZATION } = complete;
    expect(functionEnvironment({ HOLDFAST_TABLE, HOLDFAST_AUTHORIZATION })).toMatchObject({
      maxLeaseMs: 3_600_000,
      lineLimit: defaultTiming.lineLimit,
      service: 'holdfast',
    });
  });

  it.each([undefined, ''])('must name the table, and not %j', (table) => {
    expect(() => functionEnvironment({ ...complete, HOLDFAST_TABLE: table })).toThrow(/^HOLDFAST_TABLE must be/);
  });

  it.each([undefined, '', 'IAM', 'JWT', 'None', 'false'])('must say who authorizes, and not %j', (authorization) => {
    expect(() => functionEnvironment({ ...complete, HOLDFAST_AUTHORIZATION: authorization })).toThrow(
      `HOLDFAST_AUTHORIZATION must be one of iam, jwt, none, got ${authorization}`,
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

  it.each(['1', '64'])('may let %s stand in line', (lineLimit) => {
    expect(functionEnvironment({ ...complete, HOLDFAST_LINE_LIMIT: lineLimit })).toMatchObject({
      lineLimit: Number(lineLimit),
    });
  });

  it.each(['0', '65', '1.5', '-1', '', 'many', 'NaN', 'Infinity'])('may not let %j stand in line', (lineLimit) => {
    expect(() => functionEnvironment({ ...complete, HOLDFAST_LINE_LIMIT: lineLimit })).toThrow(
      `HOLDFAST_LINE_LIMIT must be a whole number from 1 to 64, got ${lineLimit}`,
    );
  });
});
