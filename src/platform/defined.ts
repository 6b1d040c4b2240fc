type MayBeUndefined<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T];

/** Returns the members that are not undefined. */
export function defined<T extends object>(
  members: T,
): Omit<T, MayBeUndefined<T>> & { readonly [K in MayBeUndefined<T>]?: Exclude<T[K], undefined> } {
  const present: Partial<T> = {};
  for (const name in members) if (members[name] !== undefined) present[name] = members[name];
  // Only members whose type allows undefined can be missing.
  return present as ReturnType<typeof defined<T>>;
}
