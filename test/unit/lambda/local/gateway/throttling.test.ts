import { type RunningGateway, runGateway } from './running-gateway.ts';

let gateway: RunningGateway;

afterEach(() => gateway.close());

const tooMany = { status: 429, body: '{"message":"Too Many Requests"}' };
const post = (operation: string) => ({ method: 'POST', path: `/v1/locks/a/${operation}` });

test('a route takes its burst, answers 429 without calling its function, and takes more as time passes', async () => {
  let nowMs = 0;
  gateway = await runGateway(undefined, {
    throttles: { acquire: { requestsPerSecond: 1, burst: 2 } },
    clock: () => nowMs,
  });
  for (let requests = 0; requests < 2; requests++) {
    expect(await gateway.send(post('acquire'))).toMatchObject({ status: 200 });
  }
  expect(await gateway.send(post('acquire'))).toMatchObject({
    ...tooMany,
    headers: { 'content-type': 'application/json', 'apigw-requestid': expect.any(String) },
  });
  expect(gateway.calls).toHaveLength(2);
  nowMs += 999;
  expect(await gateway.send(post('acquire'))).toMatchObject(tooMany);
  nowMs += 1;
  expect(await gateway.send(post('acquire'))).toMatchObject({ status: 200 });
});

test('one bucket serves all locks of a route', async () => {
  gateway = await runGateway(undefined, { throttles: { try: { requestsPerSecond: 0.001, burst: 1 } } });
  expect(await gateway.send({ method: 'POST', path: '/v1/locks/a/try' })).toMatchObject({ status: 200 });
  expect(await gateway.send({ method: 'POST', path: '/v1/locks/b/try' })).toMatchObject(tooMany);
});

test('other routes, also of the same function, are not throttled with it', async () => {
  gateway = await runGateway(undefined, { throttles: { try: { requestsPerSecond: 0.001, burst: 1 } } });
  await gateway.send(post('try'));
  expect(await gateway.send(post('try'))).toMatchObject(tooMany);
  for (const operation of ['acquire', 'renew', 'release']) {
    expect(await gateway.send(post(operation))).toMatchObject({ status: 200 });
  }
});

test('a throttled request with a body gets its answer, and its connection serves the next', async () => {
  gateway = await runGateway(undefined, { throttles: { try: { requestsPerSecond: 0.001, burst: 1 } } });
  const url = `${gateway.url}/v1/locks/a/`;
  const ask = (operation: string) => fetch(`${url}${operation}`, { method: 'POST', body: 'x'.repeat(100_000) });
  expect((await ask('try')).status).toBe(200);
  const refused = await ask('try');
  expect([refused.status, await refused.text()]).toEqual([tooMany.status, tooMany.body]);
  expect((await ask('release')).status).toBe(200);
});
