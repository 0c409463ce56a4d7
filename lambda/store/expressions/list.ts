import type { ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import type { ListQuery } from '../../service/lock-store.ts';
import { namesIn } from './update.ts';

type Filter = Pick<ScanCommandInput, 'FilterExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'>;

/** Which of the examined items a listing keeps. */
export function stateFilter({ prefix, state, cut }: ListQuery): Filter {
  const conditions: string[] = [];
  const values: Record<string, unknown> = {};
  if (prefix !== '') {
    conditions.push('begins_with(lockId, :prefix)');
    values[':prefix'] = prefix;
  }
  if (state === 'free') conditions.push('attribute_not_exists(#owner)');
  if (state === 'held') conditions.push('attribute_exists(#owner) AND #until > :cut');
  if (state === 'over') conditions.push('attribute_exists(#owner) AND #until <= :cut');
  if (state === 'held' || state === 'over') values[':cut'] = cut;
  if (conditions.length === 0) return {};
  const FilterExpression = conditions.join(' AND ');
  const names = namesIn(FilterExpression);
  return {
    FilterExpression,
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}
