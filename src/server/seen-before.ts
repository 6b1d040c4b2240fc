/**
 * Tells of each key whether it came before, as long as that is not longer ago than about `memory` other keys. What is
 * kept only from the second time on costs nothing where every question is another one.
 */
export function seenBefore(memory: number): (key: string) => boolean {
  let recent = new Set<string>();
  let older = new Set<string>();
  return (key) => {
    const known = recent.has(key) || older.has(key);
    recent.add(key);
    if (recent.size >= memory) [older, recent] = [recent, new Set()];
    return known;
  };
}
