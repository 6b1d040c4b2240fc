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

/** In cells; an array cannot push any number of them at once. */
const appendedAtOnce = 4096;

/** Appends the cells from one to the one before another; a push of each cell takes ten times as long. */
export function appendCells<T>(column: T[], cells: readonly T[], from: number, to: number): void {
  for (let at = from; at < to; at += appendedAtOnce)
    column.push(...cells.slice(at, Math.min(to, at + appendedAtOnce)));
}
