import { Fn, Stack } from 'aws-cdk-lib';
import { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { type GrantKind, grantArns } from '../../../infra/grant-arns.ts';
import { encodeLockId } from '../../../sdk/wire/lock-id.ts';
import { fillPath, type Operation, routes } from '../../../sdk/wire/routes.ts';
import { hostileLockIds } from '../../support/hostile-lock-ids.ts';
import { iamMatches } from './iam-glob.ts';
import { newApp } from './synthesized.ts';

const arnPrefix = 'arn:aws:execute-api:eu-central-1:111111111111:api42/$default/';
const stack = new Stack(newApp(), 'Any', { env: { account: '111111111111', region: 'eu-central-1' } });
const api = HttpApi.fromHttpApiAttributes(stack, 'Api', { httpApiId: 'api42' });
const arns = (kind: GrantKind, prefix?: string) => grantArns(kind, api, '$default', prefix);

/** What each grant lets a principal do to a lock that it covers. */
const granted: Readonly<Record<GrantKind, readonly Operation[]>> = {
  grantUse: ['try', 'acquire', 'renew', 'release', 'inspect'],
  grantRead: ['inspect'],
  grantAdmin: ['break'],
};
const kinds = Object.keys(granted) as GrantKind[];

// Ids that look like paths, patterns and policy variables, beside those that are hostile anyway.
const lockIds = [
  ...hostileLockIds,
  'orders-42',
  'a lock of many words',
  '*',
  '?',
  'a*',
  'a?',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of IAM's policies
  '${aws:username}',
  'try',
  'admin/locks',
  'admin/locks/x/break',
  '../admin/locks',
  '../admin/locks/x/break',
  'x/break',
  'x/try',
  'x/break?/try',
  '.a.',
  '..a',
  '....',
].map((lockId) => ({ lockId, named: JSON.stringify(lockId.length > 30 ? `${lockId.slice(0, 9)}…` : lockId) }));

/** The operations that a policy with these resources allows on a lock whose id is spelled `segment` in the path. */
function allowed(resources: readonly string[], segment: string): Operation[] {
  return Object.values(routes)
    .filter((route) => {
      const arn = `${arnPrefix}${route.method}${fillPath(route, segment)}`;
      return resources.some((resource) => iamMatches(resource, arn));
    })
    .map((route) => route.operation);
}

/** Paths in ways that the service never spells them, but a client may. */
const spellings = (lockId: string) => [lockId, ...(lockId.isWellFormed() ? [encodeURIComponent(lockId)] : [])];

describe('a grant without a prefix', () => {
  it.each([
    [
      'grantUse',
      [
        'POST/v1/locks/?*/try',
        'POST/v1/locks/?*/acquire',
        'POST/v1/locks/?*/renew',
        'POST/v1/locks/?*/release',
        'GET/v1/locks/?*',
      ],
    ],
    ['grantRead', ['GET/v1/locks/?*']],
    ['grantAdmin', ['POST/v1/admin/locks/?*/break', 'GET/v1/admin/locks']],
  ] as const)('%s is one resource per operation, which each ends in where the path does', (kind, paths) => {
    expect(arns(kind)).toEqual(paths.map((path) => arnPrefix + path));
  });

  describe.each(kinds)('by %s', (kind) => {
    const whole = kind === 'grantAdmin' ? ['list', 'break'] : granted[kind];

    it.each(lockIds)('reaches what it says of the lock $named, and nothing else', ({ lockId }) => {
      expect(allowed(arns(kind), encodeLockId(lockId))).toEqual(whole);
    });

    it.each(lockIds)('reaches nothing more when the id $named is not escaped', ({ lockId }) => {
      for (const segment of spellings(lockId)) {
        expect(whole).toEqual(expect.arrayContaining(allowed(arns(kind), segment)));
      }
    });
  });

  it('to use or read reaches nothing under /v1/admin/, whatever follows and whatever the method', () => {
    const resources = [...arns('grantUse'), ...arns('grantRead')];
    for (const method of ['GET', 'POST', 'DELETE']) {
      for (const rest of ['', 'locks', 'locks/x/break', 'locks/x/try', 'v1/locks/x/try', '../locks/x/try']) {
        expect(resources.filter((resource) => iamMatches(resource, `${arnPrefix}${method}/v1/admin/${rest}`))).toEqual(
          [],
        );
      }
    }
  });

  it('reaches neither the collection of locks nor another API or stage', () => {
    const resources = kinds.flatMap((kind) => arns(kind));
    const paths = [
      'GET/v1/locks',
      'GET/v1/locks/',
      'POST/v1/locks/try',
      'POST/v1/locks//try',
      'POST/v1/admin/locks/break',
      'POST/v1/admin/locks//break',
      'GET/v1/admin/locks/',
      'GET/v1/admin/locks/x',
    ];
    const elsewhere = [arnPrefix.replace('api42', 'api43'), arnPrefix.replace('$default', 'beta')];
    const other = [
      ...paths.map((path) => arnPrefix + path),
      ...elsewhere.flatMap((start) => [`${start}GET/v1/locks/x`, `${start}POST/v1/admin/locks/x/break`]),
    ];
    expect(other.filter((arn) => resources.some((resource) => iamMatches(resource, arn)))).toEqual([]);
  });
});

describe('a grant with a prefix', () => {
  describe.each(kinds)('by %s', (kind) => {
    it.each(lockIds)('$named covers the locks whose ids begin with it, and no other', ({ lockId: prefix }) => {
      const resources = arns(kind, prefix);
      const longer = ['x', '.', '/', '~', '*', '?', 'é', prefix].map((rest) => prefix + rest);
      for (const lockId of [...lockIds.map((each) => each.lockId), ...longer]) {
        const expected = lockId.startsWith(prefix) ? granted[kind] : [];
        expect([lockId, allowed(resources, encodeLockId(lockId))]).toEqual([lockId, expected]);
      }
    });

    it.each(lockIds)('$named never reaches the list', ({ lockId: prefix }) => {
      const list = `${arnPrefix}GET/v1/admin/locks`;
      expect(arns(kind, prefix).filter((resource) => iamMatches(resource, list))).toEqual([]);
    });
  });

  it('has its characters of patterns and paths escaped', () => {
    expect(arns('grantRead', 'a*?/b')).toEqual([`${arnPrefix}GET/v1/locks/a~2A~3F~2Fb*`]);
  });

  it('of dots covers ids of dots, which are escaped, and ids that only begin with them, which are not', () => {
    expect(arns('grantRead', '..')).toEqual([`${arnPrefix}GET/v1/locks/~2E~2E*`, `${arnPrefix}GET/v1/locks/..?*`]);
    expect(arns('grantRead', '..a')).toEqual([`${arnPrefix}GET/v1/locks/..a*`]);
  });

  it.each([
    ['empty', '', 'got empty text'],
    ['half a character', 'a\uD83D', 'got text with a lone surrogate'],
    ['longer than an id', 'x'.repeat(513), 'got 513 bytes'],
    ['no text', 7 as unknown as string, 'got number'],
  ])('that is %s is refused', (_, prefix, got) => {
    expect(() => arns('grantUse', prefix)).toThrow(
      `grantUse: prefix must be well-formed text of 1 to 512 UTF-8 bytes, ${got}. Leave it out to grant every lock.`,
    );
  });

  it('as long as an id is taken', () => {
    expect(arns('grantRead', 'x'.repeat(512))).toEqual([`${arnPrefix}GET/v1/locks/${'x'.repeat(512)}*`]);
  });

  it('that is only known when the stack is deployed is refused: it could not be escaped', () => {
    expect(() => arns('grantRead', `team-${Fn.ref('Team')}`)).toThrow(
      'grantRead: prefix must be known at synthesis, got a value that is only known when the stack is deployed. Write the text itself',
    );
  });
});

describe('the check of grants', () => {
  it('convicts broader patterns', () => {
    expect(allowed([`${arnPrefix}POST/v1/*/break`], 'x')).toEqual(['break']);
    expect(allowed([`${arnPrefix}GET/v1/*`], 'x')).toEqual(['inspect', 'list']);
    expect(allowed([`${arnPrefix}*`], 'x')).toEqual(Object.keys(routes));
    expect(allowed([`${arnPrefix}GET/v1/locks/a*`], 'ab')).toEqual(['inspect']);
  });
});
