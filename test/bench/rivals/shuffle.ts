/** The same in an order that chance gives (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const rest = [...items];
  const order: T[] = [];
  while (rest.length > 0) order.push(...rest.splice(Math.floor(random() * rest.length), 1));
  return order;
}
