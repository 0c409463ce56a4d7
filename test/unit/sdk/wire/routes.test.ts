import { decodeLockId } from '../../../../sdk/wire/lock-id.ts';
import { fillPath, lockPath, routeKey, routes } from '../../../../sdk/wire/routes.ts';
import { hostileLockIds } from '../../../support/hostile-lock-ids.ts';

describe('routes', () => {
  it('are these, each served by one function', () => {
    expect(Object.values(routes).map((route) => [route.operation, routeKey(route), route.function])).toEqual([
      ['try', 'POST /v1/locks/{lockId}/try', 'lease'],
      ['acquire', 'POST /v1/locks/{lockId}/acquire', 'acquire'],
      ['renew', 'POST /v1/locks/{lockId}/renew', 'lease'],
      ['release', 'POST /v1/locks/{lockId}/release', 'lease'],
      ['inspect', 'GET /v1/locks/{lockId}', 'admin'],
      ['list', 'GET /v1/admin/locks', 'admin'],
      ['break', 'POST /v1/admin/locks/{lockId}/break', 'admin'],
    ]);
  });

  it('have what an administrator does under /v1/admin/, and nothing else there', () => {
    for (const { operation, path } of Object.values(routes)) {
      expect(path.startsWith('/v1/admin/')).toBe(['list', 'break'].includes(operation));
      expect(path.startsWith('/v1/locks/')).toBe(!['list', 'break'].includes(operation));
    }
  });

  it('are known under their own operation', () => {
    for (const [name, { operation }] of Object.entries(routes)) expect(operation).toBe(name);
  });

  it.each(hostileLockIds)('have a path of one segment for the lock %j', (lockId) => {
    const [, version, locks, segment, operation, ...more] = lockPath(routes.try, lockId).split('/');
    expect([version, locks, operation, more]).toEqual(['v1', 'locks', 'try', []]);
    expect(decodeLockId(segment ?? '')).toBe(lockId);
  });

  it('take a segment as it is, also one that looks like a replacement pattern', () => {
    expect(fillPath(routes.inspect, "$&$'$`$$")).toBe("/v1/locks/$&$'$`$$");
    expect(fillPath(routes.list, 'unused')).toBe('/v1/admin/locks');
  });
});
