import { IllegalArgumentError } from './errors.ts';
import { shown } from './options.ts';

/**
 * The parts of a DynamoDB request, in the document client's notation, by which an item refuses an older fencing token.
 *
 * The placeholders are named after the attribute, `#holdfast_fence` and `:holdfast_fence`: those of two attributes differ,
 * so that one request can bring both. (Each character but `A-Za-z0-9` stands as `_`, its hexadecimal code, `_`.)
 *
 * @example
 * const { set, condition, names, values } = fencing(lease.fencingToken);
 * const update = { UpdateExpression: `SET paid = :yes, ${set}`, ConditionExpression: condition };
 * const attributes = { ExpressionAttributeNames: names, ExpressionAttributeValues: { ':yes': true, ...values } };
 */
export interface Fencing {
  /** For `SET` in the update expression: the item remembers the fencing token. */
  readonly set: string;
  /** For `ConditionExpression`: the item has seen no greater one. */
  readonly condition: string;
  /** For `ExpressionAttributeNames`. */
  readonly names: Readonly<Record<string, string>>;
  /** For `ExpressionAttributeValues`. */
  readonly values: Readonly<Record<string, number>>;
}

// 255 with the # or : before it.
const longestPlaceholder = 254;

/**
 * What makes an item of your own table refuse whoever wrote under an older hold, whatever the clocks do: a holder that was
 * frozen past its lease gets `ConditionalCheckFailedException` where it would have overwritten its successor's work.
 * Every write of the item must bring it.
 *
 * The item must be updated, not deleted: one that is gone has forgotten its fence.
 *
 * The same in SQL, with a column `fence BIGINT NOT NULL DEFAULT 0` (a fencing token has 41 bits or more):
 * `UPDATE account SET balance = $1, fence = $2 WHERE id = $3 AND fence <= $2`. No row updated means refused, or no such
 * row.
 *
 * @example
 * const fence = fencing(lock.fencingToken);
 * await documents.send(new UpdateCommand({
 *   TableName: 'accounts',
 *   Key: { id },
 *   UpdateExpression: `SET balance = :balance, ${fence.set}`,
 *   ConditionExpression: fence.condition,
 *   ExpressionAttributeNames: fence.names,
 *   ExpressionAttributeValues: { ':balance': balance, ...fence.values },
 * }));
 *
 * @param fencingToken of the hold under which the write happens; undefined, as a handle that holds nothing has it, is refused
 * @param attribute of the item that remembers it; not empty, at most 245 characters, fewer where not all are `A-Za-z0-9`
 * @throws IllegalArgumentError for what is no fencing token, or no name of an attribute (a `bigint` is none, as databases
 *   give them: `Number(token)`)
 */
export function fencing(fencingToken: number | undefined, attribute = 'fence'): Fencing {
  if (!Number.isSafeInteger(fencingToken) || (fencingToken as number) < 1) {
    throw new IllegalArgumentError(
      `fencing needs the fencing token of a hold, a whole number from 1, got ${shown(fencingToken)}`,
    );
  }
  if (typeof attribute !== 'string' || attribute === '') {
    throw new IllegalArgumentError(`the attribute needs a name, got ${shown(attribute)}`);
  }
  const placeholder = `holdfast_${escaped(attribute)}`;
  if (placeholder.length > longestPlaceholder) {
    throw new IllegalArgumentError(
      `the name of the attribute must be shorter: DynamoDB takes no placeholder as long as it would need, got ${shown(attribute)}`,
    );
  }
  const [name, value] = [`#${placeholder}`, `:${placeholder}`];
  return {
    set: `${name} = ${value}`,
    condition: `(attribute_not_exists(${name}) OR ${name} <= ${value})`,
    names: { [name]: attribute },
    values: { [value]: fencingToken as number },
  };
}

// What DynamoDB allows in a placeholder, and never the same for two attributes.
function escaped(attribute: string): string {
  return attribute.replace(/[^A-Za-z0-9]/g, (character) => `_${character.charCodeAt(0).toString(16)}_`);
}
