import type { IHttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { fillPath, type Operation, routes } from '../sdk/wire/routes.ts';

/** What whoever uses locks may do. Neither the list of all locks nor taking one from its holder is among it. */
const useOperations = ['try', 'acquire', 'renew', 'release', 'inspect'] as const satisfies readonly Operation[];

/**
 * The resources of a policy that lets a principal use every lock: take, renew, release and look at it.
 *
 * In IAM `*` crosses slashes and may stand for nothing. Hence each pattern ends in its operation, and the lock id is
 * `?*`, at least one character. The patterns of CDK's own `route.grantInvoke` end in a bare `*`: do not use it here.
 *
 * @param stageName the stage that serves the API, such as `$default`
 */
export function useArns(api: Pick<IHttpApi, 'arnForExecuteApi'>, stageName: string): string[] {
  return useOperations.map((operation) => {
    const route = routes[operation];
    return api.arnForExecuteApi(route.method, fillPath(route, '?*'), stageName);
  });
}
