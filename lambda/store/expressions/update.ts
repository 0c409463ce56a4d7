import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb';

type Operation =
  | 'claim'
  | 'claimAsHead'
  | 'claimPast'
  | 'join'
  | 'keepTicket'
  | 'leave'
  | 'renew'
  | 'release'
  | 'handOver'
  | 'releasePast'
  | 'transfer'
  | 'break';

/** One guarded write, as DynamoDB takes it. */
export type Update = { readonly operation: Operation } & Required<
  Pick<
    UpdateCommandInput,
    'ConditionExpression' | 'UpdateExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
  >
>;

const attributes: ReadonlySet<string> = new Set([
  'owner',
  'until',
  'fence',
  'since',
  'holder',
  'principal',
  'last',
  'broken',
  'queue',
  'tickets',
  'rev',
  'ttl',
]);

// Several of the names are reserved words of DynamoDB, so every one is written with #. Unused ones are refused.
export function namesIn(...expressions: string[]): Record<string, string> {
  const names: Record<string, string> = {};
  for (const expression of expressions) {
    for (const [written, name = ''] of expression.matchAll(/#([a-z]+)\b/g)) {
      if (attributes.has(name)) names[written] = name;
    }
  }
  return names;
}

// Of the expressions that name no waiters. Those are a few dozen, and written again and again.
const namesOfFixed = new Map<string, Record<string, string>>();

function fixedNamesIn(guard: string, change: string): Record<string, string> {
  const text = `${guard} ${change}`;
  let names = namesOfFixed.get(text);
  if (!names) {
    names = namesIn(text);
    namesOfFixed.set(text, names);
  }
  return names;
}

/** @param waiterNames of the waiters whose tickets it is about */
export function update(
  operation: Operation,
  guard: string,
  change: string,
  ExpressionAttributeValues: Record<string, unknown>,
  waiterNames?: Record<string, string>,
): Update {
  return {
    operation,
    ConditionExpression: guard,
    UpdateExpression: change,
    ExpressionAttributeNames: waiterNames ? { ...namesIn(guard, change), ...waiterNames } : fixedNamesIn(guard, change),
    ExpressionAttributeValues,
  };
}

/**
 * Takes the first waiters out of the line, with their tickets.
 *
 * The highest index comes first: DynamoDB removes by the old positions, but dynalite one after the other, and in
 * ascending order it would silently leave waiters behind.
 */
export function leaveLine(waiters: readonly string[]): {
  readonly paths: string;
  readonly names: Record<string, string>;
} {
  const places = waiters.map((_waiter, index) => `#queue[${index}]`).reverse();
  const tickets = waiters.map((_waiter, index) => `#tickets.#waiter${index}`);
  return { paths: [...places, ...tickets].join(', '), names: waiterNames(waiters) };
}

/** That the tickets of these waiters, a part of the first ones, have ended by a moment. */
export function ticketsEnded(waiters: readonly string[], among: readonly string[], by: `:${string}`): string {
  return waiters.map((waiter) => ` AND #tickets.#waiter${among.indexOf(waiter)} <= ${by}`).join('');
}

function waiterNames(waiters: readonly string[]): Record<string, string> {
  return Object.fromEntries(waiters.map((waiter, index) => [`#waiter${index}`, waiter]));
}
