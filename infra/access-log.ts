import { Names, RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { type IAccessLogSettings, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/**
 * What is logged of every request. Nothing that the caller writes (path, query, header, body) is among it: no secret
 * can get in, and no forged line.
 */
export const accessLogFields: Readonly<Record<string, string>> = {
  requestId: '$context.requestId',
  time: '$context.requestTime',
  routeKey: '$context.routeKey',
  status: '$context.status',
  caller: '$context.identity.userArn',
  responseLatencyMs: '$context.responseLatency',
  integrationLatencyMs: '$context.integrationLatency',
  integrationStatus: '$context.integrationStatus',
  integrationError: '$context.integrationErrorMessage',
  gatewayError: '$context.error.responseType',
};

/** The access log of the API: who asked for what, when, and how it ended. */
export function createAccessLog(scope: Construct, retention: RetentionDays): IAccessLogSettings {
  const logGroup = new LogGroup(scope, 'AccessLog', {
    // Under this prefix the gateway needs no entry of its own in the account's log policy, which has room for few.
    logGroupName: `/aws/vendedlogs/holdfast/${Names.uniqueResourceName(scope, { maxLength: 128, separator: '-' })}`,
    retention,
    // A group left behind under a fixed name would stand in the way of the next deployment.
    removalPolicy: RemovalPolicy.DESTROY,
  });
  return {
    destination: new LogGroupLogDestination(logGroup),
    format: AccessLogFormat.custom(JSON.stringify(accessLogFields)),
  };
}
