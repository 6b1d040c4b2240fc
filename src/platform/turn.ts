/**
 * Reads something at most once in each turn of the event loop.
 * A request that was sent after a change arrives in a later turn than any reading before the change, so that it sees it.
 */
export function oncePerTurn<T>(read: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => {
    if (known === undefined) {
      known = { value: read() };
      setImmediate(() => {
        known = undefined;
      });
    }
    return known.value;
  };
}
