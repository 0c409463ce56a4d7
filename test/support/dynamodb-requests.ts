import type { ConsumedCapacity, DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** One request of a client, as it was answered. */
export interface CollectedRequest {
  /** Such as `UpdateItemCommand`. */
  readonly command: string;
  /** Whether it was a strongly consistent read. */
  readonly consistent: boolean;
  /** Units consumed, as the database says; a refused write does not say. */
  readonly units: number | undefined;
  /** Name of the error that it ended with. */
  readonly error: string | undefined;
}

/**
 * Collects every request that a client sends from now on, with what it costs: asks for the consumed capacity in each.
 * Retries of one request count once.
 */
export function collectRequests(client: DynamoDBClient): { requests: CollectedRequest[]; stop(): void } {
  const requests: CollectedRequest[] = [];
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const input = args.input as { ReturnConsumedCapacity?: string; ConsistentRead?: boolean };
      input.ReturnConsumedCapacity = 'TOTAL';
      const seen = { command: String(context.commandName), consistent: input.ConsistentRead === true };
      try {
        const answer = await next(args);
        const { ConsumedCapacity } = answer.output as { ConsumedCapacity?: ConsumedCapacity };
        requests.push({ ...seen, units: ConsumedCapacity?.CapacityUnits, error: undefined });
        return answer;
      } catch (error) {
        requests.push({ ...seen, units: undefined, error: (error as Error).name });
        throw error;
      }
    },
    { step: 'initialize', name: 'collectRequests', priority: 'low' },
  );
  return { requests, stop: () => client.middlewareStack.remove('collectRequests') };
}
