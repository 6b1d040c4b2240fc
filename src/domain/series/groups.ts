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

/** The value of a key, which is made and kept if there is none. */
export function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const entry = map.get(key) ?? make();
  map.set(key, entry);
  return entry;
}
