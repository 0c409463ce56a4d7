import { IllegalArgumentError } from './errors.ts';
import { shown } from './options.ts';

/**
 * The parts of a DynamoDB request, in the document client's notation, by which an item refuses an older fencing token.
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

/**
 * What makes an item of your own table refuse whoever wrote under an older hold, whatever the clocks do: a holder that was
 * frozen past its lease gets `ConditionalCheckFailedException` where it would have overwritten its successor's work.
 * Every write of the item must bring it.
 *
 * The same in SQL: `UPDATE account SET balance = ?, fence = :fence WHERE id = ? AND fence <= :fence`, and no row updated
 * means refused.
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
 * @param attribute of the item that remembers it; not empty
 * @throws IllegalArgumentError for what is no fencing token, or no name of an attribute
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
  return {
    set: '#holdfastFence = :holdfastFence',
    condition: '(attribute_not_exists(#holdfastFence) OR #holdfastFence <= :holdfastFence)',
    names: { '#holdfastFence': attribute },
    values: { ':holdfastFence': fencingToken as number },
  };
}
