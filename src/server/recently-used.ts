/** Values by key, of which those that were not asked for longest give way when there is no room. */
export type RecentlyUsed<T> = {
  readonly get: (key: string) => T | undefined;
  readonly set: (key: string, value: T) => void;
  readonly delete: (key: string) => void;
  readonly clear: () => void;
};

/** An empty collection that never takes more room than `most`; `roomOf` tells how much a value takes. */
export function recentlyUsed<T>(most: number, roomOf: (value: T, key: string) => number): RecentlyUsed<T> {
  const values = new Map<string, T>();
  let room = 0;

  const drop = (key: string): void => {
    const value = values.get(key);
    if (value === undefined) return;
    values.delete(key);
    room -= roomOf(value, key);
  };

  return {
    get(key) {
      const value = values.get(key);
      if (value === undefined) return undefined;
      // A Map remembers insertion: what is put back stands last in the line of those that give way.
      values.delete(key);
      values.set(key, value);
      return value;
    },

    set(key, value) {
      drop(key);
      values.set(key, value);
      room += roomOf(value, key);
      for (const oldest of values.keys()) {
        if (room <= most) break;
        drop(oldest);
      }
    },

    delete: drop,

    clear() {
      values.clear();
      room = 0;
    },
  };
}
