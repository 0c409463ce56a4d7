interface Answer {
  readonly __type?: string;
  readonly ConsumedCapacity?: { readonly CapacityUnits?: number };
}

interface Request {
  readonly operation: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Tells how many capacity units each request to a DynamoDB consumed. The database says so of what it did. Of a write that it
 * refused no emulator does: DynamoDB charges for the size of the item that is there, so it is what the last write of that item
 * was charged for, and 1 where there was none.
 */
export class CapacityMeter {
  readonly #lastWrite = new Map<string, number>();

  /** The body of a request, so that its answer says what it consumed. */
  asking(body: string): string {
    return body === '' ? body : JSON.stringify({ ...JSON.parse(body), ReturnConsumedCapacity: 'TOTAL' });
  }

  unitsOf({ operation, body }: Request, answer: string): number {
    const { __type: error, ConsumedCapacity } = parsed(answer);
    const item = itemOf(operation, body);
    if (error?.endsWith('ConditionalCheckFailedException')) return this.#lastWrite.get(item ?? '') ?? 1;
    const units = ConsumedCapacity?.CapacityUnits;
    if (item && units !== undefined) this.#lastWrite.set(item, units);
    return units ?? 0;
  }
}

// Also what is no JSON at all is an answer, of a request that cost nothing.
function parsed(answer: string): Answer {
  try {
    return JSON.parse(answer);
  } catch {
    return {};
  }
}

// Nothing of a put, which has its key among its attributes: the meter cannot tell them apart.
function itemOf(operation: string, { TableName, Key }: Request['body']): string | undefined {
  if (operation !== 'UpdateItem' || Key === undefined) return undefined;
  return JSON.stringify([TableName, Key]);
}
