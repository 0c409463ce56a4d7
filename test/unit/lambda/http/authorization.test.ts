import { type Operation, routes } from '../../../../sdk/wire/routes.ts';
import { handlersUnderTest } from '../../../support/handlers-under-test.ts';
import { bob, heldItem } from '../../../support/lock-items.ts';

const operations = Object.keys(routes) as Operation[];
const userArn = 'arn:aws:sts::123456789012:assumed-role/deploy/alice@example.com';

describe('with IAM authorization', () => {
  it.each([
    ['no authorizer', undefined],
    ['an empty one', {}],
    ['one without an identity', { iam: {} }],
    ['an empty identity', { iam: { userArn: '' } }],
    ['the word of another authorizer', { jwt: { claims: { sub: 'alice' } }, lambda: { userArn } }],
  ])('a request with %s is forbidden on every route, and the store not asked', async (_, authorizer) => {
    for (const operation of operations) {
      const under = handlersUnderTest({ authorization: 'iam', items: [heldItem('a')] });
      const answer = await under.send(operation, { body: { ownerToken: bob }, ...(authorizer && { authorizer }) });
      expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } });
      expect(under.store.calls).toEqual([]);
      expect(under.log).toEqual([
        { level: 'warn', message: 'forbidden', fields: { requestId: 'request-1', operation } },
      ]);
    }
  });

  it('is asked for before the request is read: nobody learns of a fault who may not ask', async () => {
    const { send } = handlersUnderTest({ authorization: 'iam' });
    expect(await send('try', { body: 'nonsense', segment: '~61' })).toMatchObject({ status: 403 });
  });

  it('the holder’s principal is what the authorizer says, whatever the label', async () => {
    const { send, items } = handlersUnderTest({ authorization: 'iam' });
    const body = { ownerToken: bob, holder: 'arn:aws:iam::1:root' };
    expect(await send('try', { body, authorizer: { iam: { userArn } } })).toMatchObject({ status: 200 });
    expect(items.get('a')).toMatchObject({ principal: userArn, holder: 'arn:aws:iam::1:root' });
  });

  it('a renewal puts the principal of the one who renews', async () => {
    const { send, items } = handlersUnderTest({ authorization: 'iam', items: [heldItem('a', { owner: bob })] });
    const body = { ownerToken: bob, leaseMs: 60_000 };
    expect(await send('renew', { body, authorizer: { iam: { userArn } } })).toMatchObject({ status: 200 });
    expect(items.get('a')).toMatchObject({ principal: userArn });
  });
});

describe('with authorization by token', () => {
  const issuer = 'https://tenant.example/';

  it.each([
    ['no authorizer', undefined],
    ['an empty one', {}],
    ['one without claims', { jwt: {} }],
    ['claims without a subject', { jwt: { claims: { iss: issuer } } }],
    ['claims without an issuer', { jwt: { claims: { sub: 'alice' } } }],
    ['an empty subject', { jwt: { claims: { iss: issuer, sub: '' } } }],
    ['an empty issuer', { jwt: { claims: { iss: '', sub: 'alice' } } }],
    ['a subject that is no text', { jwt: { claims: { iss: issuer, sub: { name: 'alice' } } } }],
    ['the word of another authorizer', { iam: { userArn } }],
  ])('a request with %s is forbidden on every route, and the store not asked', async (_, authorizer) => {
    for (const operation of operations) {
      const under = handlersUnderTest({ authorization: 'jwt', items: [heldItem('a')] });
      const answer = await under.send(operation, { body: { ownerToken: bob }, ...(authorizer && { authorizer }) });
      expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } });
      expect(under.store.calls).toEqual([]);
    }
  });

  it('the holder’s principal is the subject, with the issuer that knows it, whatever the label', async () => {
    const { send, items } = handlersUnderTest({ authorization: 'jwt' });
    const authorizer = { jwt: { claims: { iss: issuer, sub: 'alice' }, scopes: ['locks/use'] } };
    expect(await send('try', { body: { ownerToken: bob, holder: 'root' }, authorizer })).toMatchObject({ status: 200 });
    expect(items.get('a')).toMatchObject({ principal: `${issuer}#alice`, holder: 'root' });
  });
});

describe('without authorization', () => {
  it('the principal is `local`, whatever the event says', async () => {
    const { send, items } = handlersUnderTest({ authorization: 'none' });
    await send('try', { body: { ownerToken: bob }, authorizer: { iam: { userArn } } });
    expect(items.get('a')).toMatchObject({ principal: 'local' });
  });
});
