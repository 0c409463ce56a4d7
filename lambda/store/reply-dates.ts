import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** One reply of DynamoDB, errors included. Times are epoch milliseconds of this host. */
export interface DatedReply {
  readonly sentMs: number;
  readonly receivedMs: number;
  /** The `Date` header as it came: the clock of DynamoDB, in whole seconds. */
  readonly date: string | undefined;
}

/** Tells of every reply that the client gets, attempt by attempt. `now` is the clock of this host. */
export function onReply(client: DynamoDBClient, now: () => number, told: (reply: DatedReply) => void): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const sentMs = now();
      const result = await next(args);
      const { headers } = (result.response ?? {}) as { headers?: Record<string, string> };
      told({ sentMs, receivedMs: now(), date: headers?.['date'] });
      return result;
    },
    // Next to the network: neither the pauses between attempts nor the reading of the answer count, and replies that
    // will be errors are replies.
    { step: 'deserialize', name: 'holdfastReplyDates', priority: 'low' },
  );
}
