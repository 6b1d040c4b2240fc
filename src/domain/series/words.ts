/** What a search compares of a series. */
export type SearchedSeries = {
  readonly id: string;
  readonly title?: string | null;
  readonly units?: string | null;
};

/** Matches as the contract does: the id contains the text, or every word of the text begins a word of the title. */
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

/** The words of a text in lower case. */
export function wordsOf(text: string | null | undefined): readonly string[] {
  return (text ?? '').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The words by which a search finds a series, each once; without a title the id is its title. */
export function searchableWords({ id, title, units }: SearchedSeries): readonly string[] {
  return [...new Set([id, title ?? '', units ?? ''].flatMap(wordsOf))];
}
