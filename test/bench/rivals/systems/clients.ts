import { Agent } from 'node:http';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import DynamoDbV2 from 'aws-sdk/clients/dynamodb';
import { createDynamoDbClient } from '../../../../lambda/store/dynamodb-client.ts';

// It would be printed between the figures.
process.env['AWS_SDK_JS_SUPPRESS_MAINTENANCE_MODE_MESSAGE'] = '1';

const region = 'local';
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/** Holdfast's own client: everything on SDK v3 is measured over it. */
export function clientV3(endpoint: string): DynamoDBClient {
  return createDynamoDbClient({ endpoint, region, credentials });
}

/** A client of SDK v2 with the settings that {@link createDynamoDbClient} has. */
export function clientV2(endpoint: string): { client: DynamoDbV2; close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 500 });
  const client = new DynamoDbV2({
    endpoint,
    region,
    credentials,
    maxRetries: 2,
    retryDelayOptions: { customBackoff: (retry) => 50 * (retry + 1) },
    httpOptions: { agent, connectTimeout: 1_000, timeout: 1_500 },
  });
  return { client, close: () => agent.destroy() };
}
