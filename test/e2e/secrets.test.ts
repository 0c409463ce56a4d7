import { newOwnerToken } from '../../sdk/wire/owner-token.ts';
import { type LocalStackProcess, startLocalStack } from '../support/local-stack.ts';
import { expectNoSecretIn } from '../support/secrets.ts';

let stack: LocalStackProcess;

beforeAll(async () => {
  const metrics = { POWERTOOLS_METRICS_DISABLED: 'false', HOLDFAST_SERVICE: 'blue' };
  stack = await startLocalStack({ env: { POWERTOOLS_LOG_LEVEL: 'DEBUG', ...metrics } });
});

afterAll(() => stack.stop());

const post = async (path: string, body: object) => {
  const response = await fetch(`${stack.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
};

it('no owner token is in any view, list, problem, log line or metric, at the most talkative log level', async () => {
  const [holder, rival, strange] = [newOwnerToken(), newOwnerToken(), newOwnerToken()];
  const path = '/v1/locks/secret';
  const granted = await post(`${path}/try`, { ownerToken: holder, holder: 'me' });
  const { fencingToken } = JSON.parse(granted.text);
  const answers = [
    await post(`${path}/try`, { ownerToken: rival }),
    await post(`${path}/acquire`, { ownerToken: rival, waitMs: 100 }),
    await post(`${path}/renew`, { ownerToken: strange }),
    await post(`${path}/release`, { ownerToken: strange }),
    await post(`${path}/renew`, { ownerToken: holder, leaseMs: 'soon', [`x${rival}`.slice(0, 4)]: rival }),
    await post(`${path}/release`, { ownerToken: `${holder}!` }),
    await post('/v1/admin/locks/secret/break', { fencingToken: 1 }),
    await post('/v1/admin/locks/secret/break', { fencingToken, note: 'the owner is gone' }),
    await post(`${path}/renew`, { ownerToken: holder }),
    await post(`${path}/release`, { ownerToken: holder }),
    await post(`${path}/try`, { ownerToken: holder }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([409, 409, 409, 409, 400, 400, 409, 200, 409, 409, 409]);
  const looks = await Promise.all(
    [path, '/v1/admin/locks?state=all'].map(async (look) => (await fetch(`${stack.url}${look}`)).text()),
  );
  // The log is written before the answer; this one line is the last of it.
  expect(stack.output()).toContain('"reason":"broken"');
  expect(stack.output()).toContain('"service":"blue","operation":"try","Grants":1}');
  expectNoSecretIn([answers, looks, stack.output()], holder, rival, strange);
});
