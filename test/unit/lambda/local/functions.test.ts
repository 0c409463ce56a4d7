import { setEnvironment } from '../../../../lambda/local/functions.ts';

const settings = { endpoint: 'http://127.0.0.1:8000', authorization: 'iam' } as const;

test('the functions get a table, an authorization and an endpoint', () => {
  const env: NodeJS.ProcessEnv = {};
  expect(setEnvironment(env, settings)).toEqual({ table: 'holdfast-local' });
  expect(env).toMatchObject({
    HOLDFAST_TABLE: 'holdfast-local',
    HOLDFAST_AUTHORIZATION: 'iam',
    AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000',
    AWS_REGION: 'us-east-1',
  });
});

test('real credentials are put out of reach', () => {
  const env: NodeJS.ProcessEnv = {
    AWS_PROFILE: 'production',
    AWS_ACCESS_KEY_ID: 'real',
    AWS_SECRET_ACCESS_KEY: 'real',
    AWS_SESSION_TOKEN: 'real',
    AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true',
  };
  setEnvironment(env, settings);
  expect(Object.values(env)).not.toContain('real');
  expect(env).not.toHaveProperty('AWS_PROFILE');
  expect(env).not.toHaveProperty('AWS_SESSION_TOKEN');
  expect(env).not.toHaveProperty('AWS_IGNORE_CONFIGURED_ENDPOINT_URLS');
});

test('a table and a longest lease that the environment names stay', () => {
  const env: NodeJS.ProcessEnv = { HOLDFAST_TABLE: 'mine', HOLDFAST_MAX_LEASE_MS: '5000' };
  expect(setEnvironment(env, settings)).toEqual({ table: 'mine' });
  expect(env).toMatchObject({ HOLDFAST_TABLE: 'mine', HOLDFAST_MAX_LEASE_MS: '5000' });
});

test('metrics are off unless the environment says otherwise', () => {
  const env: NodeJS.ProcessEnv = {};
  setEnvironment(env, settings);
  expect(env).toMatchObject({ POWERTOOLS_METRICS_DISABLED: 'true' });
  const asked: NodeJS.ProcessEnv = { POWERTOOLS_METRICS_DISABLED: 'false' };
  setEnvironment(asked, settings);
  expect(asked).toMatchObject({ POWERTOOLS_METRICS_DISABLED: 'false' });
});
