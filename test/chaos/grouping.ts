/** Things of locks, apart by lock. */
export function byLock<T extends { readonly lockId: string }>(things: Iterable<T>): Map<string, T[]> {
  return groupedBy(things, ({ lockId }) => lockId);
}

/** Things apart by a key; each group in the order in which its things came. */
export function groupedBy<T, K>(things: Iterable<T>, keyOf: (thing: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const thing of things) {
    const key = keyOf(thing);
    const group = groups.get(key);
    if (group) group.push(thing);
    else groups.set(key, [thing]);
  }
  return groups;
}
