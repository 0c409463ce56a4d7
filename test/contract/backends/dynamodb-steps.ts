import type { IncomingMessage } from 'node:http';
import { dynamoDbOperation } from '../../support/faulty-proxy.ts';
import type { Step } from './network.ts';
import type { Refusals } from './proxied-network.ts';

/** What a request to the table is about, by what its update sets. */
export function dynamoDbStep(request: IncomingMessage, body: Buffer): Step {
  if (dynamoDbOperation(request) !== 'UpdateItem') return 'look';
  const { UpdateExpression: update } = JSON.parse(body.toString()) as { UpdateExpression: string };
  if (update.includes('#broken = :victim')) return 'break';
  if (update.includes('#last = :me') || update.startsWith('SET #rev = #rev + :one REMOVE #queue[')) return 'release';
  if (update.startsWith('SET #owner = :me')) return 'claim';
  if (update.startsWith('SET #until = :until')) return 'renew';
  if (update.includes('#tickets.#waiter0 = :ticketEnd')) return 'join';
  throw new Error(`an update that no step knows: ${update}`);
}

/** As DynamoDB answers. */
export const dynamoDbRefusals: Refusals = {
  throttled: errorAnswer(400, 'ThrottlingException'),
  failed: errorAnswer(500, 'InternalServerError'),
  refused: errorAnswer(400, 'AccessDeniedException'),
};

function errorAnswer(status: number, name: string) {
  const body = JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: 'as the test wants it' });
  return { status, headers: { 'content-type': 'application/x-amz-json-1.0' }, body };
}
