import type { Operation } from '../../../../sdk/wire/routes.ts';
import type { Sent } from '../../../support/gateway-event.ts';
import { handlersUnderTest } from '../../../support/handlers-under-test.ts';
import { alice, bob, heldItem } from '../../../support/lock-items.ts';
import { expectNoSecretIn } from '../../../support/secrets.ts';

const withBody: Operation[] = ['try', 'acquire', 'renew', 'release', 'break'];
const needBody: Operation[] = ['renew', 'release', 'break'];

/** Sends a request that must be refused, and expects that the store was not asked. */
async function refused(operation: Operation, sent: Sent) {
  const under = handlersUnderTest({ items: [heldItem('a')] });
  const answer = await under.send(operation, sent);
  expect(under.store.calls).toEqual([]);
  return answer;
}

const invalid = (errors: object[]) => ({ status: 400, body: { code: 'invalid-request', errors } });

// JSON of exactly so many bytes, with a field of spaces that JSON allows before its end.
function bodyOfBytes(bytes: number, start = `{"ownerToken":"${bob}"`): string {
  return `${start}${' '.repeat(bytes - Buffer.byteLength(start) - 1)}}`;
}

describe('a body', () => {
  describe.each(withBody)('of %s', (operation) => {
    it.each([
      ['not JSON', 'nonsense'],
      ['cut off', `{"ownerToken":"${bob}`],
      ['two texts', '{}{}'],
      ['a comment', '{} // comment'],
      ['single quotes', "{'leaseMs':1000}"],
    ])('that is %s is refused, and not quoted', async (_, body) => {
      const answer = await refused(operation, { body });
      const bytes = Buffer.byteLength(body);
      expect(answer).toMatchObject(invalid([{ path: '', detail: `is not JSON (${bytes} bytes of it)` }]));
      expectNoSecretIn(answer, bob);
    });

    it.each([
      ['null', 'null', 'null'],
      ['an array', '[]', 'an array'],
      ['a number', '42', '42'],
      ['a text', '"text"', 'text of 4 characters'],
      ['a flag', 'true', 'true'],
    ])('that is %s is refused', async (_, body, got) => {
      const answer = await refused(operation, { body });
      expect(answer).toMatchObject(invalid([{ path: '', detail: `must be a JSON object, got ${got}` }]));
    });

    it('with an unknown field is refused, and told what is allowed', async () => {
      const answer = await refused(operation, { body: { ownerToken: bob, fencingToken: 1, nonsense: 1 } });
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid-request' } });
      expect(answer.body.errors).toContainEqual({
        path: '/nonsense',
        detail: expect.stringMatching(/^is not a field of this request; allowed: ([a-zA-Z]+(, )?)+$/),
      });
    });

    it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
      'with a field %s is refused',
      async (field) => {
        const answer = await refused(operation, { body: `{"${field}":{"leaseMs":5000}}` });
        expect(answer).toMatchObject({ status: 400 });
        expect(answer.body.errors).toContainEqual(expect.objectContaining({ path: `/${field}` }));
      },
    );

    it('of 4,097 bytes is too large', async () => {
      const answer = await refused(operation, { body: bodyOfBytes(4_097) });
      expect(answer).toMatchObject({
        status: 413,
        body: { code: 'too-large', detail: expect.stringContaining('4097') },
      });
    });

    it('is measured in bytes, not in characters', async () => {
      const start = `{"holder":"${'é'.repeat(2_040)}"`;
      const body = bodyOfBytes(4_097, start);
      expect(body.length).toBeLessThan(4_096);
      expect(await refused(operation, { body })).toMatchObject({ status: 413 });
    });

    it('is measured as it was sent when it comes in base64', async () => {
      const encode = (text: string) => Buffer.from(text).toString('base64');
      const large = { body: encode(bodyOfBytes(4_097, '{"nonsense":1')), isBase64Encoded: true };
      expect(await refused(operation, large)).toMatchObject({ status: 413 });
      const fits = { body: encode(bodyOfBytes(4_096, '{"nonsense":1')), isBase64Encoded: true };
      expect(fits.body.length).toBeGreaterThan(4_096);
      expect(await refused(operation, fits)).toMatchObject({ status: 400 });
    });

    it('of 4,096 bytes is read', async () => {
      expect(await refused(operation, { body: bodyOfBytes(4_096, '{"nonsense":1') })).toMatchObject({ status: 400 });
    });

    it.each([
      ['a stray byte', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
      ['half a character', Buffer.concat([Buffer.from('{"holder":"'), Buffer.from([0xc3]), Buffer.from('"}')])],
      ['Latin-1', Buffer.from('{"holder":"Größe"}', 'latin1')],
      ['UTF-16', Buffer.from('{}', 'utf16le')],
    ])('that is not UTF-8 is refused: %s', async (_, bytes) => {
      const answer = await refused(operation, { body: bytes.toString('base64'), isBase64Encoded: true });
      expect(answer).toMatchObject(invalid([{ path: '', detail: expect.stringContaining('is not JSON') }]));
    });

    it.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      'application/json-patch+json',
      'application/problem+json',
      'multipart/form-data; boundary=application/json',
      'text/application/json',
      '',
      null,
    ])('of media type %j is refused', async (contentType) => {
      const answer = await refused(operation, { body: { ownerToken: bob }, contentType });
      expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported-media-type' } });
    });
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'APPLICATION/JSON',
    'application/json ; charset=utf-8',
  ])('of media type %j is read', async (contentType) => {
    const { send } = handlersUnderTest();
    expect(await send('try', { body: { ownerToken: bob }, contentType })).toMatchObject({ status: 200 });
  });

  it('of 4,096 bytes is a request like any other', async () => {
    const { send } = handlersUnderTest();
    expect(await send('try', { body: bodyOfBytes(4_096) })).toMatchObject({ status: 200, body: { ownerToken: bob } });
  });

  it('in base64 is a request like any other', async () => {
    const { send } = handlersUnderTest();
    const body = Buffer.from(JSON.stringify({ ownerToken: bob, holder: 'Größe' })).toString('base64');
    expect(await send('try', { body, isBase64Encoded: true })).toMatchObject({
      status: 200,
      body: { ownerToken: bob },
    });
  });

  it.each(needBody)('may not be missing from %s', async (operation) => {
    expect(await refused(operation, {})).toMatchObject({ status: 400, body: { code: 'invalid-request' } });
    expect(await refused(operation, { contentType: null })).toMatchObject({ status: 415 });
  });

  it('names every fault at once, what is allowed, and of what was sent only the kind', async () => {
    const secret = `${'s'.repeat(30)}!secret`;
    const answer = await refused('acquire', {
      body: { ownerToken: secret, holder: `${secret}\n`, leaseMs: 999, waitMs: '5000', confirm: 1, extra: secret },
    });
    expect(answer).toMatchObject(
      invalid([
        { path: '/ownerToken', detail: 'must be 22 to 43 characters of A-Za-z0-9_-, got text of 37 characters' },
        {
          path: '/holder',
          detail:
            'must be text of 1 to 256 UTF-8 bytes without control or bidirectional formatting characters, got text of 38 characters',
        },
        { path: '/leaseMs', detail: 'must be a whole number from 1000 to 3600000 milliseconds, got 999' },
        { path: '/waitMs', detail: 'must be a whole number from 0 to 20000 milliseconds, got text of 4 characters' },
        { path: '/confirm', detail: 'must be true or false, got 1' },
        {
          path: '/extra',
          detail:
            'is not a field of this request; allowed: ownerToken, holder, leaseMs, waitMs, confirm, keepPlace, resume',
        },
      ]),
    );
    for (const { path, detail } of answer.body.errors) expect(answer.body.detail).toContain(`${path}: ${detail}`);
    expectNoSecretIn(answer, secret);
  });

  it.each([null, {}, [], 42, true])('names the kind of an owner token that is %j', async (ownerToken) => {
    expect(await refused('release', { body: { ownerToken } })).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/ownerToken', detail: expect.stringContaining('must be 22 to 43 characters') }] },
    });
  });

  it('has faults at JSON pointers, also for field names with the pointer’s own characters', async () => {
    const answer = await refused('try', { body: { 'a/b~c': 1 } });
    expect(answer).toMatchObject({ body: { errors: [{ path: '/a~1b~0c' }] } });
  });

  it('with a huge or odd field name is refused without being repeated at length', async () => {
    const answer = await refused('try', { body: { [`\u202E${'n'.repeat(3_000)}`]: 1 } });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer).length).toBeLessThan(1_000);
    expect(answer.body.errors[0].path).toMatch(/^\/\\u\{202E\}n+…$/);
  });

  it('with a lease longer than the deployment allows is refused, and the longest one is not', async () => {
    const { send } = handlersUnderTest({ maxLeaseMs: 60_000 });
    expect(await send('try', { body: { leaseMs: 60_001 } })).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/leaseMs', detail: expect.stringContaining('from 1000 to 60000') }] },
    });
    expect(await send('try', { body: { leaseMs: 60_000 } })).toMatchObject({ status: 200 });
  });
});

describe('a lock id in the path', () => {
  const perLock: Operation[] = [...withBody, 'inspect'];

  it.each([
    ['', 'an empty one'],
    ['a b', 'a decoded space'],
    ['a/b', 'a decoded slash'],
    ['é', 'a decoded letter'],
    ['..', 'dots as they are'],
    ['~61', 'an escape that is not needed'],
    ['~2f', 'lower-case hexadecimal'],
    ['~FF', 'no UTF-8'],
    ['a'.repeat(513), 'more than 512 bytes'],
  ])('that is not canonical is refused everywhere: %j, %s', async (segment) => {
    for (const operation of perLock) {
      const answer = await refused(operation, { segment, body: { ownerToken: alice } });
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid-request' } });
      expect(answer.body.errors[0]).toEqual({
        path: 'lockId',
        detail: expect.stringContaining('must be the canonical spelling of a lock id of 1 to 512 UTF-8 bytes'),
      });
    }
  });

  it('is named beside the faults of the body', async () => {
    const answer = await refused('renew', { segment: '~61', body: { ownerToken: bob, leaseMs: 1 } });
    expect(answer.body.errors.map(({ path }: { path: string }) => path)).toEqual(['lockId', '/leaseMs']);
  });
});

describe('a list’s query', () => {
  it.each([
    [{ limit: '0' }, 'query.limit', 'must be a whole number from 1 to 1000, got 0'],
    [{ limit: '1001' }, 'query.limit', 'must be a whole number from 1 to 1000, got 1001'],
    [{ limit: '-1' }, 'query.limit', 'got text of 2 characters'],
    [{ limit: '1.5' }, 'query.limit', 'got text of 3 characters'],
    [{ limit: '1e2' }, 'query.limit', 'got text of 3 characters'],
    [{ limit: '' }, 'query.limit', 'got text of 0 characters'],
    [{ limit: 'ten' }, 'query.limit', 'got text of 3 characters'],
    [{ limit: '9'.repeat(30) }, 'query.limit', 'got text of 30 characters'],
    [{ state: 'provisional' }, 'query.state', 'must be one of held, over, free, all'],
    [{ state: '' }, 'query.state', 'must be one of held, over, free, all'],
    [{ cursor: '' }, 'query.cursor', 'must be a cursor that a page of this list gave'],
    [{ cursor: 'a/b' }, 'query.cursor', 'must be a cursor that a page of this list gave'],
    [{ cursor: '~61' }, 'query.cursor', 'must be a cursor that a page of this list gave'],
    [{ prefix: '\uD800' }, 'query.prefix', 'must be well-formed text'],
    [{ nonsense: '1' }, 'query.nonsense', 'allowed: prefix, state, limit, cursor'],
    [{ Limit: '1' }, 'query.Limit', 'allowed: prefix, state, limit, cursor'],
  ])('%j is refused', async (query, path, detail) => {
    const answer = await refused('list', { query: query as Record<string, string> });
    expect(answer).toMatchObject(invalid([{ path, detail: expect.stringContaining(detail) }]));
  });

  it.each([{ limit: '1' }, { limit: '1000' }, { prefix: '' }, { prefix: 'é/' }, { cursor: 'a~2Fb' }, {}])(
    '%j is read',
    async (query) => {
      const { send } = handlersUnderTest();
      expect(await send('list', { query: query as Record<string, string> })).toMatchObject({ status: 200 });
    },
  );

  it('names every fault at once', async () => {
    const answer = await refused('list', { query: { limit: '0', state: 'x', nonsense: '1' } });
    expect(answer.body.errors.map(({ path }: { path: string }) => path)).toEqual([
      'query.state',
      'query.limit',
      'query.nonsense',
    ]);
  });
});
