import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { RequestProblem } from './request-problem.ts';

/** Who authorizes callers: the gateway by IAM or by a JSON Web Token, or nobody (the local stack). */
export const authorizations = ['iam', 'jwt', 'none'] as const;
export type Authorization = (typeof authorizations)[number];

interface Authorizer {
  readonly iam?: { readonly userArn?: unknown };
  readonly jwt?: { readonly claims?: { readonly iss?: unknown; readonly sub?: unknown } };
}

/**
 * Says who the authorizer says the caller is: the ARN of the IAM user or assumed role; the issuer of its token and the
 * subject there, as `issuer#subject`; `local` without authorization.
 *
 * Fails closed: where authorization is configured, a request without the authorizer's word did not come through it.
 */
export function principalOf(event: APIGatewayProxyEventV2, authorization: Authorization): string {
  if (authorization === 'none') return 'local';
  const { authorizer } = event.requestContext as { authorizer?: Authorizer };
  const principal = authorization === 'iam' ? iamPrincipal(authorizer) : jwtPrincipal(authorizer);
  if (!principal) throw new RequestProblem('forbidden', 'the request carries no authorized identity');
  return principal;
}

function iamPrincipal({ iam }: Authorizer = {}): string | undefined {
  return text(iam?.userArn);
}

// A subject is unique within its issuer only, and an issuer is an address, which has no # in it.
function jwtPrincipal({ jwt }: Authorizer = {}): string | undefined {
  const [issuer, subject] = [text(jwt?.claims?.iss), text(jwt?.claims?.sub)];
  return issuer && subject && `${issuer}#${subject}`;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
