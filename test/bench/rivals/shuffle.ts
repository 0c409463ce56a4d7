/** The same in an order that chance gives (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const rest = [...items];
  const order: T[] = [];
  while (rest.length > 0) order.push(...rest.splice(Math.floor(random() * rest.length), 1));
  return order;
}

/** Does something with each, one after the other in an order that chance gives. What came of them stands in their own order. */
export async function inShuffledOrder<T, R>(
  items: readonly T[],
  random: () => number,
  does: (item: T) => Promise<R>,
): Promise<R[]> {
  const results = new Map<number, R>();
  for (const [at, item] of shuffled([...items.entries()], random)) results.set(at, await does(item));
  return items.map((_, at) => results.get(at) as R);
}
