/**
 * The known name closest to a mistyped one, ignoring case; undefined if none is close. It is the only name that begins
 * with the text, else the name with the least Damerau-Levenshtein distance, at most 3 and less than 0.6 of its length.
 */
export function closest(wanted: string, known: readonly string[]): string | undefined {
  const typed = wanted.trim().toLowerCase();
  if (typed === '') return undefined;
  const completed = known.filter((name) => name.toLowerCase().startsWith(typed));
  if (completed.length === 1) return completed[0];
  let best: string | undefined;
  let least = 4;
  for (const name of known) {
    const lower = name.toLowerCase();
    const away = distance(typed, lower, least);
    if (away >= least || away >= 0.6 * Math.max(typed.length, name.length)) continue;
    best = name;
    least = away;
  }
  return best;
}

/** The known names among which `closest` chooses; it never gives any other. */
export function closeNames(wanted: string, known: readonly string[]): readonly string[] {
  const typed = wanted.trim().toLowerCase();
  return known.filter((name) => {
    const lower = name.toLowerCase();
    return lower.startsWith(typed) || distance(typed, lower, 3) <= 3;
  });
}

/** The least number of insertions, deletions, substitutions and swaps of neighbours; above `most` if it is more. */
export function distance(a: string, b: string, most = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substituted = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(beforeLast, j - 2) + 1 : substituted;
      row.push(Math.min(substituted, swapped, at(last, j) + 1, at(row, j - 1) + 1));
    }
    // No later row can have a smaller value than the last two rows.
    if (Math.min(...last, ...row) > most) return most + 1;
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
