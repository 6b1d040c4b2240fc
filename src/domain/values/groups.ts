/** Appends a value to the group of its key. */
export function addTo<K, V>(groups: Map<K, V[]>, key: K, value: V): void {
  const own = groups.get(key);
  if (own === undefined) groups.set(key, [value]);
  else own.push(value);
}

/** Groups values by key, in the order of first appearance. */
export function groupBy<K, V>(values: Iterable<V>, keyOf: (value: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const value of values) addTo(groups, keyOf(value), value);
  return groups;
}

/** Returns the value of a key; makes and stores a missing one. */
export function entryOf<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: () => V,
): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const entry = make();
  map.set(key, entry);
  return entry;
}
