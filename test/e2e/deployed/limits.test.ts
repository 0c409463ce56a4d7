import { testKeyPair } from '../../../lambda/local/test-key-pair.ts';
import { Deployment } from '../../deployed/deployment.ts';
import { parseOptions } from '../../deployed/options.ts';
import { closeConnections } from '../../deployed/raw-request.ts';
import { verify } from '../../deployed/run.ts';
import { type PassingAnswer, type PassingRequest, startAlteringProxy } from '../../support/altering-proxy.ts';
import { proxyBefore, stacks } from './deployments.ts';
import { tooMany } from './wrong-deployments.ts';

const served: PassingAnswer = { status: 200, headers: {}, body: '{}' };
const look = { method: 'GET', path: '/v1/locks/a' };

async function before(answer: (request: PassingRequest) => PassingAnswer) {
  const server = await startAlteringProxy('http://127.0.0.1:9', { request: answer });
  const where = {
    url: new URL(server.url),
    region: 'us-east-1',
    administrator: async () => testKeyPair,
    lockPrefix: '',
  };
  return { server, deployment: new Deployment(where, new AbortController().signal) };
}

afterAll(closeConnections);

it('a run sends 1,500 requests and no more', async () => {
  let requests = 0;
  const { server, deployment } = await before(() => {
    requests++;
    return served;
  });
  for (let sent = 0; sent < 1_500; sent++) await deployment.send(look, { by: 'none' });
  await expect(deployment.send(look, { by: 'none' })).rejects.toThrow('more than 1500 requests');
  expect(requests).toBe(1_500);
  await server.stop();
});

it('a throttled request is sent again, 15 times at most', async () => {
  let patient = 0;
  const [soon, never] = await Promise.all([before(() => (++patient > 2 ? served : tooMany)), before(() => tooMany)]);
  const replies = await Promise.all([
    soon.deployment.send(look, { by: 'none' }),
    never.deployment.send(look, { by: 'none' }),
  ]);
  expect(replies.map(({ status }) => status)).toEqual([200, 429]);
  expect([soon.deployment.requests, never.deployment.requests]).toEqual([3, 15]);
  await Promise.all([soon.server.stop(), never.server.stop()]);
});

it('a run that takes too long ends its check, begins no other, and gives back what it took', async () => {
  const url = await proxyBefore(stacks.signed, {
    // The first check waits for what never comes.
    request: (request) => (request.method === 'GET' ? new Promise(() => undefined) : request),
  });
  const options = parseOptions(['--url', url, '--profile', 'admin', '--only', 'signatures'], {});
  if (options === 'help') throw new Error('no options');
  const { entries, left } = await verify(options, () => undefined, new AbortController().signal, 2_000);
  expect(entries[0]).toMatchObject({ result: 'FAILED', got: expect.stringMatching(/^no answer: /) });
  expect(entries.slice(1).every((entry) => 'got' in entry && entry.got.startsWith('not begun'))).toBe(true);
  expect(left).toEqual([]);
});
