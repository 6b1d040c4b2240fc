/** The searched fields of a series. */
export type SearchedSeries = {
  readonly id: string;
  readonly title?: string | null;
  readonly units?: string | null;
};

/** Matches a series by the contract: by a part of the id, or by words that begin words of the title. */
export function plainMatch(
  { id, title }: SearchedSeries,
  text: string,
  match: 'id' | 'title' | 'any',
): 'id' | 'title' | undefined {
  if (match !== 'title' && id.includes(text.toUpperCase())) return 'id';
  if (match === 'id') return undefined;
  const starts = wordsOf(text);
  // A text of punctuation alone has no words, so it matches no title.
  if (starts.length === 0) return undefined;
  const words = wordsOf(title);
  return starts.every((start) => words.some((word) => word.startsWith(start))) ? 'title' : undefined;
}

/** Splits a text into words in lower case. */
export function wordsOf(text: string | null | undefined): readonly string[] {
  return (text ?? '').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Returns the longest word of a phrase; none if it has no words. */
export function longestWord(phrase: string | readonly string[]): readonly string[] {
  const words = typeof phrase === 'string' ? wordsOf(phrase) : phrase;
  return [...words].sort((a, b) => b.length - a.length).slice(0, 1);
}

/** Lists the words by which a search finds a series, each once. */
export function searchableWords({ id, title, units }: SearchedSeries): readonly string[] {
  return [...new Set([id, title ?? '', units ?? ''].flatMap(wordsOf))];
}

/** Finds the known name closest to a mistyped one, ignoring case; undefined if none is close. */
export function closest(wanted: string, known: readonly string[]): string | undefined {
  return closeNames(wanted, known)[0];
}

/** Returns the hint that names what a mistyped name may mean; none if nothing is close. */
export function didYouMean(wanted: string, known: readonly string[]): readonly string[] {
  const meant = closest(wanted, known);
  return meant === undefined ? [] : [`did you mean ${meant}?`];
}

/** Lists known names close to a mistyped one, closest first: a single name that begins with it is closest. */
export function closeNames(wanted: string, known: readonly string[]): readonly string[] {
  const typed = wanted.trim().toLowerCase();
  if (typed === '') return [];
  const completed = known.filter((name) => name.toLowerCase().startsWith(typed));
  return known
    .map((name) => {
      const isOnly = completed.length === 1 && completed[0] === name;
      return { name, away: isOnly ? -1 : distance(typed, name.toLowerCase(), 3) };
    })
    .filter(({ name, away }) => away <= 3 && away < 0.6 * Math.max(typed.length, name.length))
    .sort((a, b) => a.away - b.away)
    .map(({ name }) => name);
}

/** Counts insertions, deletions, substitutions and swaps of neighbours; `most` + 1 if there are more than `most`. */
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
