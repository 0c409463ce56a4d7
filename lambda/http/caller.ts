import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { RequestProblem } from './request-problem.ts';

/** Who authorizes callers: the gateway by IAM, or nobody (the local stack). */
export const authorizations = ['iam', 'none'] as const;
export type Authorization = (typeof authorizations)[number];

interface IamAuthorizer {
  readonly iam?: { readonly userArn?: string };
}

/**
 * Says who the authorizer says the caller is: the ARN of the IAM user or assumed role, or `local` without authorization.
 *
 * Fails closed: where authorization is configured, a request without the authorizer's word did not come through it.
 */
export function principalOf(event: APIGatewayProxyEventV2, authorization: Authorization): string {
  if (authorization === 'none') return 'local';
  const { authorizer } = event.requestContext as { authorizer?: IamAuthorizer };
  const userArn = authorizer?.iam?.userArn;
  if (!userArn) throw new RequestProblem('forbidden', 'the request carries no authorized identity');
  return userArn;
}
