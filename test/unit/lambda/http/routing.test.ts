import { createHandler } from '../../../../lambda/http/handler.ts';
import { lockPath, type Operation, routeKey, routes } from '../../../../sdk/wire/routes.ts';
import { gatewayEvent } from '../../../support/gateway-event.ts';
import { handlersUnderTest } from '../../../support/handlers-under-test.ts';
import { hostileLockIds } from '../../../support/hostile-lock-ids.ts';
import { bob, T0 } from '../../../support/lock-items.ts';
import { serviceUnderTest } from '../../../support/service-under-test.ts';

const operations = Object.keys(routes) as Operation[];
const bodies: Partial<Record<Operation, object>> = {
  renew: { ownerToken: bob },
  release: { ownerToken: bob },
  break: { fencingToken: 1 },
};
const notFound = { status: 404, headers: { 'content-type': 'application/json' }, body: { message: 'Not Found' } };

describe.each(operations)('the route of %s', (operation) => {
  const body = bodies[operation];
  const path = lockPath(routes[operation], 'a');
  const sent = { ...(body && { body }) };

  it.each(['', '/prod', '/api/v2'])('is found behind %j, which a stage or a mapping puts before it', async (before) => {
    const { send } = handlersUnderTest();
    const { status } = await send(operation, { ...sent, rawPath: `${before}${path}` });
    expect(status).not.toBe(404);
  });

  it.each([
    ['a trailing slash', `${path}/`],
    ['two trailing slashes', `${path}//`],
    ['something behind it', `${path}/more`],
    ['another lock', lockPath(routes[operation], 'b').replace('/v1/admin/locks', '/v1/admin/lockz')],
    ['another version', path.replace('/v1/', '/v2/')],
    ['nothing', ''],
    ['upper case', path.toUpperCase()],
  ])('is not found, and the store not asked, when the path has %s', async (_, rawPath) => {
    const under = handlersUnderTest();
    expect(await under.send(operation, { ...sent, rawPath })).toEqual(notFound);
    expect(under.store.calls).toEqual([]);
    expect(under.log).toEqual([]);
  });

  it('is served by its own function only', async () => {
    for (const name of ['acquire', 'lease', 'admin'] as const) {
      const { service, time, store } = serviceUnderTest();
      const log = { info: () => {}, warn: () => {}, error: () => {} };
      const metrics = { add: () => {} };
      const config = { service, authorization: 'none', maxLeaseMs: 60_000, newOwnerToken: () => bob, log } as const;
      const handler = createHandler({ ...config, metrics, function: name });
      const context = { getRemainingTimeInMillis: () => 28_000 };
      const { statusCode } = await time.run(handler(gatewayEvent(operation, sent), context));
      expect(statusCode === 404).toBe(name !== routes[operation].function);
      expect(store.calls.length === 0).toBe(name !== routes[operation].function);
    }
  });
});

describe('a route', () => {
  it.each(['$default', 'POST /v1/locks/{lockId}/steal', 'GET /v1/locks/{lockId}/try', '', 'constructor'])(
    'that does not exist is not found: %j',
    async (key) => {
      const { send } = handlersUnderTest();
      expect(await send('try', { routeKey: key })).toEqual(notFound);
    },
  );

  it('goes by the gateway’s word for the lock id, and the path must agree', async () => {
    const { send, items } = handlersUnderTest();
    expect(await send('try', { segment: 'a', rawPath: '/v1/locks/b/try' })).toEqual(notFound);
    expect(items.size).toBe(0);
  });

  it.each(hostileLockIds)('is found for the lock %j', async (lockId) => {
    const { send } = handlersUnderTest();
    expect(await send('inspect', { lockId })).toMatchObject({ status: 200, body: { lockId } });
  });

  it('of one operation is not taken for that of another', async () => {
    const { send, items } = handlersUnderTest();
    const key = routeKey(routes.try);
    expect(await send('renew', { body: { ownerToken: bob }, routeKey: key })).toEqual(notFound);
    expect(items.size).toBe(0);
  });

  it('is answered by the clock of the service', async () => {
    const { send } = handlersUnderTest();
    const answer = await send('try', { body: { ownerToken: bob } });
    expect(answer.body.expiresAt).toBe(new Date(T0 + 30_000).toISOString());
  });
});
