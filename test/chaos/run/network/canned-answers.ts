import type { ProxyAnswer } from '../../../support/http-proxy.ts';

/** What the gateway says in place of the functions. */
export const gatewayFaults: readonly ProxyAnswer[] = [
  gateway(500, 'Internal Server Error'),
  gateway(503, 'Service Unavailable'),
];

/** The gateway throttles: nothing happened. */
export const gatewayThrottles = gateway(429, 'Too Many Requests');

/** What DynamoDB says when it failed. */
export const dynamoDbFaults: readonly ProxyAnswer[] = [
  dynamoDb(500, 'InternalServerError'),
  dynamoDb(503, 'ServiceUnavailable'),
];

/** What DynamoDB says when it did nothing, because there was too much to do. */
export const dynamoDbThrottles: readonly ProxyAnswer[] = [
  dynamoDb(400, 'ProvisionedThroughputExceededException'),
  dynamoDb(400, 'ThrottlingException'),
];

function gateway(status: number, message: string): ProxyAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ message }) };
}

function dynamoDb(status: number, error: string): ProxyAnswer {
  return {
    status,
    headers: { 'content-type': 'application/x-amz-json-1.0' },
    body: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${error}`, message: 'by chaos' }),
  };
}
