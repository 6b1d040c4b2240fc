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

/** Lists the words by which a search finds a series, each once. */
export function searchableWords({ id, title, units }: SearchedSeries): readonly string[] {
  return [...new Set([id, title ?? '', units ?? ''].flatMap(wordsOf))];
}
