import { Stack } from 'aws-cdk-lib';
import { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { useArns } from '../../../infra/use-arns.ts';
import { encodeLockId } from '../../../sdk/wire/lock-id.ts';
import { fillPath, type Operation, routes } from '../../../sdk/wire/routes.ts';
import { iamMatches } from './iam-glob.ts';
import { newApp } from './synthesized.ts';

const prefix = 'arn:aws:execute-api:eu-central-1:111111111111:api42/$default/';
const stack = new Stack(newApp(), 'Any', { env: { account: '111111111111', region: 'eu-central-1' } });
const use = useArns(HttpApi.fromHttpApiAttributes(stack, 'Api', { httpApiId: 'api42' }), '$default');

const longest = 'l'.repeat(512);
const lockIds = [
  'orders-42',
  'x',
  'a lock of many words',
  'Grüße/🔒',
  '.',
  '..',
  '*',
  '?',
  'try',
  'admin',
  'admin/locks',
  'admin/locks/x/break',
  '../admin',
  '../admin/locks',
  '../admin/locks/x/break',
  'x/break',
  'x/try',
  'x/break?/try',
  '/',
  '~2F',
  longest,
].map((lockId) => ({ lockId, named: lockId === longest ? 'of 512 bytes' : JSON.stringify(lockId) }));

/** The operations that a policy with these resources allows on a lock whose id is spelled `segment` in the path. */
function allowed(resources: readonly string[], segment: string): Operation[] {
  return Object.values(routes)
    .filter((route) => {
      const arn = `${prefix}${route.method}${fillPath(route, segment)}`;
      return resources.some((resource) => iamMatches(resource, arn));
    })
    .map((route) => route.operation);
}

describe('a policy that allows to use locks', () => {
  it('is one resource per operation, which each ends in', () => {
    expect(use).toEqual([
      `${prefix}POST/v1/locks/?*/try`,
      `${prefix}POST/v1/locks/?*/acquire`,
      `${prefix}POST/v1/locks/?*/renew`,
      `${prefix}POST/v1/locks/?*/release`,
      `${prefix}GET/v1/locks/?*`,
    ]);
  });

  it.each(lockIds)(
    'reaches try, acquire, renew, release and inspect of the lock $named, and nothing else',
    ({ lockId }) => {
      expect(allowed(use, encodeLockId(lockId))).toEqual(['try', 'acquire', 'renew', 'release', 'inspect']);
    },
  );

  it.each(lockIds)('reaches no route for administrators when the id $named is not escaped', ({ lockId }) => {
    for (const segment of [lockId, encodeURIComponent(lockId)]) {
      expect(allowed(use, segment)).not.toContain('list');
      expect(allowed(use, segment)).not.toContain('break');
    }
  });

  it('reaches nothing under /v1/admin/, whatever follows and whatever the method', () => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      for (const rest of ['', 'locks', 'locks/x/break', 'locks/x/try', 'v1/locks/x/try', '../locks/x/try']) {
        expect(use.filter((resource) => iamMatches(resource, `${prefix}${method}/v1/admin/${rest}`))).toEqual([]);
      }
    }
  });

  it('reaches neither the collection of locks nor another API or stage', () => {
    const paths = ['GET/v1/locks', 'GET/v1/locks/', 'POST/v1/locks/try', 'POST/v1/locks//try'];
    const elsewhere = [prefix.replace('api42', 'api43'), prefix.replace('$default', 'beta')];
    const arns = [...paths.map((path) => prefix + path), ...elsewhere.map((other) => `${other}GET/v1/locks/x`)];
    expect(arns.filter((arn) => use.some((resource) => iamMatches(resource, arn)))).toEqual([]);
  });

  it('is judged by a check that convicts broader patterns', () => {
    expect(allowed([`${prefix}POST/v1/*/break`], 'x')).toEqual(['break']);
    expect(allowed([`${prefix}GET/v1/*`], 'x')).toEqual(['inspect', 'list']);
    expect(allowed([`${prefix}*`], 'x')).toEqual(Object.keys(routes));
  });
});
