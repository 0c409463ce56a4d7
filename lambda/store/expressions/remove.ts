import type { DeleteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Removal } from '../../service/lock-store.ts';
import { namesIn } from './update.ts';

const guard =
  '#rev = :rev AND #fence = :fence AND (attribute_not_exists(#owner) OR #until <= :before) ' +
  'AND attribute_not_exists(#queue[0]) AND #fence < :before AND #ttl <= :ttl';

/**
 * remove(R): the item is what was looked at, and a lock long at rest.
 *
 * `rev` and `fence` refuse whatever was written since the look: every write raises `rev`, and an item made anew has
 * another fence. The rest says again what the look must have shown, so that no caller can remove a lock that is held,
 * or waited for, or whose next fencing token would not be above the last.
 */
export function removeCondition({
  rev,
  fence,
  before,
  ttl,
}: Removal): Pick<
  DeleteCommandInput,
  'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
> {
  return {
    ConditionExpression: guard,
    ExpressionAttributeNames: namesIn(guard),
    ExpressionAttributeValues: { ':rev': rev, ':fence': fence, ':before': before, ':ttl': ttl },
  };
}
