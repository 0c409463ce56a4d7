import { Duration, Validations } from 'aws-cdk-lib';
import {
  type CfnRoute,
  type CfnStage,
  HttpApi,
  HttpMethod,
  HttpStage,
  type IDomainName,
  PayloadFormatVersion,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Throttle } from '../lambda/throttles.ts';
import { type FunctionName, type Operation, routes } from '../sdk/wire/routes.ts';
import { createAccessLog, numbersInAccessLog } from './access-log.ts';
import type { Authorization } from './authorization.ts';
import { serviceName } from './service-name.ts';
import { throttleRoutes } from './throttles.ts';

/** The longest that an HTTP API can be told to wait for a function. */
const integrationTimeout = Duration.seconds(29);

/**
 * The most that all routes together take: requests a second, and at once. The quota of 10,000 a second is shared by
 * every API of the account in the Region; locks run wild must leave something to the others.
 */
const throttle = { rateLimit: 2_000, burstLimit: 1_000 };

export interface LockApiProps {
  readonly functions: Readonly<Record<FunctionName, IFunction>>;
  readonly authorization: Authorization;
  readonly throttles: Readonly<Record<Operation, Throttle>>;
  readonly accessLogRetention: RetentionDays;
  readonly domain: IDomainName | undefined;
}

/** The HTTP API: every route of the contract, each authorized, each to its function. */
export function createLockApi(
  scope: Construct,
  { functions, authorization, throttles, accessLogRetention, domain }: LockApiProps,
): { readonly api: HttpApi; readonly stage: HttpStage } {
  const api = new HttpApi(scope, 'Api', {
    apiName: serviceName(scope),
    description: 'Holdfast: leased, fenced locks',
    createDefaultStage: false,
    // Of the routes below, and of any that somebody adds to this API without saying otherwise.
    defaultAuthorizer: authorization.authorizer,
    ...optional('defaultAuthorizationScopes', authorization.scopesOf('break')),
  });
  const added = Object.values(routes).flatMap((route) =>
    api.addRoutes({
      path: route.path,
      methods: [HttpMethod[route.method]],
      integration: new HttpLambdaIntegration('Integration', functions[route.function], {
        payloadFormatVersion: PayloadFormatVersion.VERSION_2_0,
        timeout: integrationTimeout,
      }),
      ...optional('authorizationScopes', authorization.scopesOf(route.operation)),
    }),
  );
  const stage = new HttpStage(scope, 'Stage', {
    httpApi: api,
    stageName: '$default',
    autoDeploy: true,
    throttle,
    accessLogSettings: createAccessLog(scope, accessLogRetention),
    ...(domain && { domainMapping: { domainName: domain } }),
  });
  Validations.of(stage).acknowledge(numbersInAccessLog);
  throttleRoutes(
    stage.node.defaultChild as CfnStage,
    added.map((route) => route.node.defaultChild as CfnRoute),
    throttles,
  );
  return { api, stage };
}

function optional<Name extends string>(name: Name, scopes: string[] | undefined): { [name in Name]?: string[] } {
  return (scopes ? { [name]: scopes } : {}) as { [name in Name]?: string[] };
}
