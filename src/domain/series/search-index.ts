import type { Day } from './date.ts';
import {
  begins,
  entryOf,
  type FoundSeries,
  findSeries,
  isTypoOf,
  meantWords,
  nearestTo,
  rankedWords,
  type SearchMatch,
  significant,
  termsOf,
  withNearest,
} from './search.ts';
import { synonyms } from './synonyms.ts';
import { type SearchedSeries, searchableWords, wordsOf } from './words.ts';

/** A query of an index of the words of series; the index may return more series than match. */
export type IndexQuery = {
  /** Whole words. */
  readonly words: readonly string[];
  /** Beginnings of words. */
  readonly starts: readonly string[];
  readonly ids: readonly string[];
  /** A part of an id, in upper case. */
  readonly part?: string;
  /** Only series that began on or before this day. */
  readonly upTo?: Day;
};

/** An index of the words of all series. */
export interface SearchIndex<T extends SearchedSeries> {
  /** The series that have any of these words or ids, or an id with this part. */
  searchEntries(query: IndexQuery): Promise<readonly T[]>;
  /** The ids or the words of all series, or of those that began by a day; the words may include others. */
  searchable(what: 'ids' | 'words', upTo?: Day): Promise<readonly string[]>;
}

/** What `findSeries` would find among all series that an index knows, without reading all of them. */
export async function findIndexed<T extends SearchedSeries>(
  index: SearchIndex<T>,
  text: string,
  match: Exclude<SearchMatch, 'id'>,
): Promise<readonly FoundSeries<T>[]> {
  const upper = text.toUpperCase();
  if (text.trim() === '')
    return findSeries(await index.searchEntries({ words: [], starts: [], ids: [], part: '' }), text, match);
  if (match !== 'words') {
    const asked = { words: [], starts: longestWord(text), ids: [], ...(match === 'any' && { part: upper }) };
    return findSeries(await index.searchEntries(asked), text, match);
  }
  const typed = significant(wordsOf(text));
  const first = await index.searchEntries({ ...lookedUp(typed), part: upper.trim() });
  const { meant, unknown } = meantWords(text, new Set(first.flatMap(searchableWords)));
  let vocabulary: readonly string[] | undefined;
  if (unknown.length > 0) vocabulary = await index.searchable('words');
  const near = vocabulary?.filter((word) => unknown.some((one) => isTypoOf(one, word))) ?? [];
  const meanings = termsOf(meant, meant, () => []).flatMap(({ meaning }) => meaning ?? []);
  // All words of a phrase must match, so looking up the longest one is enough.
  const phrases = meanings.flatMap((meaning) => meaning.phrases.flatMap(longestWord));
  const names = synonyms().meanings.get(meant.join(' '))?.ids ?? [];
  const more = lookedUp([...meant.filter((word) => !typed.includes(word)), ...phrases]);
  const second = await index.searchEntries({
    words: [...more.words, ...near],
    starts: more.starts,
    ids: [...names, ...meanings.flatMap(({ ids }) => ids)],
  });
  const entries = inOrder([...first, ...second]).map(entryOf);
  const { found, isSure } = rankedWords(entries, text);
  if (isSure) return found;
  const ids = [...(await index.searchable('ids'))].sort();
  const nearest = nearestTo(text, ids, vocabulary ?? (await index.searchable('words')));
  const like = await index.searchEntries({ words: [...nearest.words], starts: [], ids: nearest.ids });
  return withNearest(found, inOrder(like).map(entryOf), nearest);
}

/** By id, each series once. */
function inOrder<T extends SearchedSeries>(series: readonly T[]): readonly T[] {
  return [...new Map(series.map((one) => [one.id, one])).values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** How to look up words that must equal a text or begin with it. */
function lookedUp(texts: readonly string[]): Omit<IndexQuery, 'part'> {
  const isWhole = (text: string) => !begins(`${text}x`, text);
  return { words: texts.filter(isWhole), starts: texts.filter((text) => !isWhole(text)), ids: [] };
}

function longestWord(phrase: string): readonly string[] {
  return [...wordsOf(phrase)].sort((a, b) => b.length - a.length).slice(0, 1);
}
