import { Token } from 'aws-cdk-lib';
import type { IHttpRouteAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import type { Operation } from '../sdk/wire/routes.ts';
import { checkNamed, refusal } from './refusal.ts';

/** The scopes that tokens carry, each another one. */
export interface JwtScopes {
  /** To take, renew, release and look at locks. */
  readonly use: string;
  /** To look at locks. */
  readonly read: string;
  /** To list locks and to break them. */
  readonly admin: string;
}

/**
 * Authorization by JSON Web Tokens. A token has rights on all locks or on none: whoever has the `use` scope may take and
 * renew every lock.
 */
export interface JwtAuthorization {
  /** Address of the issuer, as in the tokens' `iss`: `https://…`. */
  readonly issuer: string;
  /** For whom tokens are made out: one of these must be in a token's `aud` or `client_id`. At least one. */
  readonly audience: readonly string[];
  /** Without scopes on each route the issuer's ID tokens would pass, too. */
  readonly scopes: JwtScopes;
}

/** Who authorizes callers. */
export type AuthorizationProp = 'iam' | JwtAuthorization;

/** How the routes are authorized. */
export interface Authorization {
  readonly kind: 'iam' | 'jwt';
  readonly authorizer: IHttpRouteAuthorizer;
  /** Any of which lets a token through; none where IAM authorizes. */
  scopesOf(operation: Operation): string[] | undefined;
}

/** @throws Error for anything that is neither `iam` nor complete */
export function authorizationOf(prop: AuthorizationProp): Authorization {
  if (prop === 'iam') return { kind: 'iam', authorizer: new HttpIamAuthorizer(), scopesOf: () => undefined };
  checkJwt(prop);
  const { issuer, audience, scopes } = prop;
  const scopesByOperation: Readonly<Record<Operation, string[]>> = {
    try: [scopes.use],
    acquire: [scopes.use],
    renew: [scopes.use],
    release: [scopes.use],
    inspect: [scopes.use, scopes.read],
    list: [scopes.admin],
    break: [scopes.admin],
  };
  return {
    kind: 'jwt',
    authorizer: new HttpJwtAuthorizer('Jwt', issuer, { jwtAudience: [...audience] }),
    scopesOf: (operation) => scopesByOperation[operation],
  };
}

// As RFC 6749 has it: what separates scopes cannot be in one.
const scopePattern = /^[\x21\x23-\x5B\x5D-\x7E]+$/;

function checkJwt(prop: Partial<JwtAuthorization> | null | string | undefined): asserts prop is JwtAuthorization {
  if (typeof prop !== 'object' || prop === null) {
    throw refusal(
      'authorization',
      "must be 'iam' or { issuer, audience, scopes }",
      prop,
      "Leave it out for IAM: a lock service without authorization is not to be had, for whoever reaches it holds everybody's locks.",
    );
  }
  checkNamed('authorization', prop, ['issuer', 'audience', 'scopes'], 'Correct its spelling, or leave it out.');
  const { issuer, audience, scopes } = prop as Partial<JwtAuthorization>;
  if (!isText(issuer) || !(Token.isUnresolved(issuer) || /^https:\/\/[^\s?#]+$/.test(issuer))) {
    throw refusal(
      'authorization.issuer',
      'must be an address that begins with https://',
      issuer,
      'Take what the tokens have as "iss".',
    );
  }
  if (!Array.isArray(audience) || audience.length === 0 || !audience.every(isText)) {
    throw refusal(
      'authorization.audience',
      'must be a list of at least one audience',
      audience,
      'Take what the tokens have as "aud" (Cognito\'s access tokens: as "client_id").',
    );
  }
  const wanted = ['use', 'read', 'admin'] as const;
  for (const name of wanted) {
    const scope = scopes?.[name];
    if (isText(scope) && (Token.isUnresolved(scope) || scopePattern.test(scope))) continue;
    throw refusal(
      `authorization.scopes.${name}`,
      'must be a scope, text without blanks, quotes and backslashes',
      scope,
      'All three are needed: a route without a scope lets every token of the issuer through, ID tokens too.',
    );
  }
  checkNamed('authorization.scopes', scopes, wanted, 'A token has rights by these three only.');
  const distinct = new Set(wanted.map((name) => scopes[name]));
  if (distinct.size < wanted.length) {
    throw refusal(
      'authorization.scopes',
      'must be three different scopes',
      scopes,
      'With one scope for two of them, whoever may do the one may do the other.',
    );
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
