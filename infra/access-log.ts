import { RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { type IAccessLogSettings, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { createRouteMetrics } from './route-metrics.ts';
import { serviceName } from './service-name.ts';

/**
 * What is logged of every request. Nothing that the caller writes (path, query, header, body) is among it: no secret
 * can get in, and no forged line. What does not apply is `-`.
 */
export const accessLogFields: Readonly<Record<string, string>> = {
  requestId: '$context.requestId',
  time: '$context.requestTime',
  apiId: '$context.apiId',
  routeKey: '$context.routeKey',
  /** The ARN of an IAM caller. */
  caller: '$context.identity.userArn',
  /** The subject of a JWT, as its issuer signed it. */
  subject: '$context.authorizer.claims.sub',
  integrationLatencyMs: '$context.integrationLatency',
  integrationStatus: '$context.integrationStatus',
  integrationError: '$context.integrationErrorMessage',
  gatewayError: '$context.error.responseType',
};

/** What every request has as a number: metrics are made of them, and only a number is one. */
export const accessLogNumbers: Readonly<Record<string, string>> = {
  status: '$context.status',
  responseLatencyMs: '$context.responseLatency',
};

/** The rule looks for a format that is JSON before the variables are filled in. */
export const numbersInAccessLog = {
  id: 'Serverless-APIGWStructuredLogging',
  reason: 'Each line is a JSON object once it is written: its numbers stand without quotes, so that they are numbers.',
};

/** The access log of the API: who asked for what, when, and how it ended; and the metrics of each route out of it. */
export function createAccessLog(scope: Construct, retention: RetentionDays): IAccessLogSettings {
  const logGroup = new LogGroup(scope, 'AccessLog', {
    // Under this prefix the gateway needs no entry of its own in the account's log policy, which has room for few.
    logGroupName: `/aws/vendedlogs/holdfast/${serviceName(scope)}`,
    retention,
    // A group left behind under a fixed name would stand in the way of the next deployment.
    removalPolicy: RemovalPolicy.DESTROY,
  });
  createRouteMetrics(scope, logGroup);
  return { destination: new LogGroupLogDestination(logGroup), format: AccessLogFormat.custom(accessLogFormat()) };
}

function accessLogFormat(): string {
  const texts = Object.entries(accessLogFields).map(([name, variable]) => `"${name}":"${variable}"`);
  const numbers = Object.entries(accessLogNumbers).map(([name, variable]) => `"${name}":${variable}`);
  return `{${[...texts, ...numbers].join(',')}}`;
}
