import { CfnParameter, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpUrlIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { AuthorizationProp, JwtAuthorization } from '../../../infra/authorization.ts';
import { LockService } from '../../../infra/lock-service.ts';
import { newApp, resourcesOf, standInCode } from './synthesized.ts';

const jwt: JwtAuthorization = {
  issuer: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_abc',
  audience: ['client-1', 'client-2'],
  scopes: { use: 'locks/use', read: 'locks/read', admin: 'locks/admin' },
};

function serviceWith(authorization: AuthorizationProp) {
  const stack = new Stack(newApp(), 'Mine');
  return { stack, locks: new LockService(stack, 'Locks', { functionCode: standInCode, authorization }) };
}

const routesOf = (stack: Stack) =>
  Object.fromEntries(
    Object.values(resourcesOf(Template.fromStack(stack), 'AWS::ApiGatewayV2::Route')).map(({ Properties }) => [
      Properties['RouteKey'],
      [Properties['AuthorizationType'], Properties['AuthorizationScopes']],
    ]),
  );

describe('authorization by token', () => {
  it('asks for a scope on every route: one to use, to look, or to administer locks', () => {
    const { stack } = serviceWith(jwt);
    expect(routesOf(stack)).toEqual({
      'POST /v1/locks/{lockId}/try': ['JWT', ['locks/use']],
      'POST /v1/locks/{lockId}/acquire': ['JWT', ['locks/use']],
      'POST /v1/locks/{lockId}/renew': ['JWT', ['locks/use']],
      'POST /v1/locks/{lockId}/release': ['JWT', ['locks/use']],
      'GET /v1/locks/{lockId}': ['JWT', ['locks/use', 'locks/read']],
      'GET /v1/admin/locks': ['JWT', ['locks/admin']],
      'POST /v1/admin/locks/{lockId}/break': ['JWT', ['locks/admin']],
    });
  });

  it('asks administrators’ scope of a route that is added and says nothing', () => {
    const { stack, locks } = serviceWith(jwt);
    const integration = new HttpUrlIntegration('Elsewhere', 'https://example.com');
    locks.api.addRoutes({ path: '/silent', methods: [HttpMethod.GET], integration });
    expect(routesOf(stack)).toMatchObject({ 'GET /silent': ['JWT', ['locks/admin']] });
  });

  it('takes tokens of the issuer, made out for the audience, from the authorization header', () => {
    const template = Template.fromStack(serviceWith(jwt).stack);
    template.resourceCountIs('AWS::ApiGatewayV2::Authorizer', 1);
    template.hasResourceProperties('AWS::ApiGatewayV2::Authorizer', {
      AuthorizerType: 'JWT',
      IdentitySource: ['$request.header.Authorization'],
      JwtConfiguration: { Issuer: jwt.issuer, Audience: jwt.audience },
    });
  });

  it.each<[AuthorizationProp, string]>([
    [jwt, 'jwt'],
    ['iam', 'iam'],
  ])('is told to the functions', (authorization, told) => {
    const functions = resourcesOf(Template.fromStack(serviceWith(authorization).stack), 'AWS::Lambda::Function');
    expect(Object.keys(functions)).toHaveLength(3);
    for (const { Properties } of Object.values(functions)) {
      expect(Properties['Environment']).toMatchObject({ Variables: { HOLDFAST_AUTHORIZATION: told } });
    }
  });

  it('takes an issuer that another resource will have', () => {
    const stack = new Stack(newApp(), 'Mine');
    const issuer = new CfnParameter(stack, 'Issuer').valueAsString;
    new LockService(stack, 'Locks', { functionCode: standInCode, authorization: { ...jwt, issuer } });
    Template.fromStack(stack).hasResourceProperties('AWS::ApiGatewayV2::Authorizer', {
      JwtConfiguration: { Issuer: { Ref: 'Issuer' } },
    });
  });

  const scopes = (more: object) => ({ ...jwt, scopes: { ...jwt.scopes, ...more } });

  it.each<[string, unknown, string]>([
    ['none', 'none', `authorization must be 'iam' or { issuer, audience, scopes }, got "none". Leave it out for IAM`],
    ['null', null, `authorization must be 'iam' or { issuer, audience, scopes }, got null. Leave it out for IAM`],
    [
      'no issuer',
      { ...jwt, issuer: undefined },
      'authorization.issuer must be an address that begins with https://, got nothing.',
    ],
    [
      'an issuer without TLS',
      { ...jwt, issuer: 'http://a' },
      'authorization.issuer must be an address that begins with https://, got "http://a".',
    ],
    ['an issuer with a blank', { ...jwt, issuer: 'https://a b' }, 'authorization.issuer must be'],
    [
      'no audience',
      { ...jwt, audience: [] },
      'authorization.audience must be a list of at least one audience, got [].',
    ],
    [
      'an empty audience',
      { ...jwt, audience: [''] },
      'authorization.audience must be a list of at least one audience, got [""].',
    ],
    [
      'an audience that is no list',
      { ...jwt, audience: 'a' },
      'authorization.audience must be a list of at least one audience, got "a".',
    ],
    ['no scopes', { ...jwt, scopes: undefined }, 'authorization.scopes.use must be a scope'],
    ['no scope to use', scopes({ use: undefined }), 'authorization.scopes.use must be a scope'],
    ['no scope to read', scopes({ read: '' }), 'authorization.scopes.read must be a scope'],
    ['no scope to administer', scopes({ admin: undefined }), 'authorization.scopes.admin must be a scope'],
    ['two scopes in one', scopes({ admin: 'a b' }), 'authorization.scopes.admin must be a scope'],
    [
      'a name that there is not',
      { ...jwt, audiences: ['b'] },
      'authorization must have no other names than issuer, audience, scopes, got "audiences". Correct its spelling',
    ],
    [
      'a scope that there is not',
      scopes({ write: 'locks/write' }),
      'authorization.scopes must have no other names than use, read, admin, got "write". A token',
    ],
    [
      'one scope for two',
      scopes({ admin: 'locks/use' }),
      'authorization.scopes must be three different scopes, got {"use":"locks/use"',
    ],
  ])('refuses %s', (_, authorization, message) => {
    expect(() => serviceWith(authorization as AuthorizationProp)).toThrow(message);
  });
});
