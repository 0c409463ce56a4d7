import { until } from '../../../../support/until.ts';
import { type Reply, type RunningGateway, runGateway } from './running-gateway.ts';

let gateway: RunningGateway;
// Ends the functions that run, in the order of their calls.
let ends: Array<(result: unknown) => void>;
// Of the requests that wait for them.
let replies: Promise<Reply>[];

const unavailable = { status: 503, body: '{"message":"Service Unavailable"}' };

async function start(config: Parameters<typeof runGateway>[1]): Promise<void> {
  ends = [];
  replies = [];
  gateway = await runGateway(() => new Promise((resolve) => ends.push(resolve)), config);
}

afterEach(async () => {
  for (const end of ends) end({ statusCode: 200 });
  await Promise.all(replies);
  await gateway.close();
});

const ask = (operation: string) => gateway.send({ method: 'POST', path: `/v1/locks/a/${operation}` });

/** Sends requests and waits until their functions run. */
async function keepBusy(...operations: string[]): Promise<void> {
  const called = ends.length + operations.length;
  replies.push(...operations.map(ask));
  await until(`${called} functions were called`, () => ends.length === called);
}

test('functions share the slots of the account; whoever finds none is answered 503 at once', async () => {
  await start({ concurrency: { account: 2, reserved: {} } });
  await keepBusy('acquire', 'acquire');
  expect(await ask('renew')).toMatchObject(unavailable);
  expect(gateway.calls).toHaveLength(2);
});

test('a slot is free again when its function has ended', async () => {
  await start({ concurrency: { account: 1, reserved: {} } });
  await keepBusy('acquire');
  ends[0]?.({ statusCode: 200 });
  expect(await replies[0]).toMatchObject({ status: 200 });
  await keepBusy('renew');
  ends[1]?.({ statusCode: 204 });
  expect(await replies[1]).toMatchObject({ status: 204 });
});

test('a function that fails frees its slot', async () => {
  ends = [];
  replies = [];
  gateway = await runGateway(async () => Promise.reject(new Error('broken')), {
    concurrency: { account: 1, reserved: {} },
  });
  for (let requests = 0; requests < 2; requests++) expect(await ask('renew')).toMatchObject({ status: 500 });
});

test('a function that the gateway gave up still holds its slot, until it has ended', async () => {
  await start({ concurrency: { account: 1, reserved: {} }, integrationTimeoutMs: 20 });
  await keepBusy('acquire');
  expect(await replies[0]).toMatchObject(unavailable);
  expect(await ask('renew')).toMatchObject(unavailable);
  expect(gateway.calls).toHaveLength(1);
  ends[0]?.({ statusCode: 200 });
  await new Promise(setImmediate);
  await ask('renew');
  expect(gateway.calls).toHaveLength(2);
});

test('a function with a reservation runs although the others have taken all that is shared', async () => {
  await start({ concurrency: { account: 3, reserved: { lease: 1 } } });
  await keepBusy('acquire', 'acquire');
  expect(await ask('acquire')).toMatchObject(unavailable);
  await keepBusy('renew');
  expect(gateway.calls.map(({ name }) => name)).toEqual(['acquire', 'acquire', 'lease']);
});

test('a function with a reservation gets no more than that, and leaves the rest to the others', async () => {
  await start({ concurrency: { account: 3, reserved: { acquire: 1 } } });
  await keepBusy('acquire');
  expect(await ask('acquire')).toMatchObject(unavailable);
  await keepBusy('renew', 'release');
  expect(await ask('try')).toMatchObject(unavailable);
});

test('without a limit any number runs', async () => {
  await start({});
  await keepBusy(...Array.from({ length: 40 }, () => 'acquire'));
  expect(gateway.calls).toHaveLength(40);
});
