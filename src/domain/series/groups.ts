/** Adds a value to those of its key, after them. */
export function addTo<K, V>(groups: Map<K, V[]>, key: K, value: V): void {
  const own = groups.get(key);
  if (own === undefined) groups.set(key, [value]);
  else own.push(value);
}

/** Groups values by key, both in the order in which they first come. */
export function groupBy<K, V>(values: Iterable<V>, keyOf: (value: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const value of values) addTo(groups, keyOf(value), value);
  return groups;
}
