// Why: docs/decisions/search.md
import { closeNames, distance } from './closest.ts';
import type { Day } from './date.ts';
import { type Meaning, synonyms } from './synonyms.ts';
import { plainMatch, type SearchedSeries, searchableWords, wordsOf } from './words.ts';

/** Where to look for a text; `words` looks everywhere, by words and their synonyms. */
export type SearchMatch = 'id' | 'title' | 'any' | 'words';

/**
 * How a series was found: by its id (or one that a synonym names), by its title, by all words of the text, by some of
 * them; `nearest` if nothing matches and the text resembles the id or a word. Null for an empty text.
 */
type MatchedBy = 'id' | 'title' | 'words' | 'some' | 'nearest' | null;

type FoundSeries<T> = { readonly series: T; readonly matched: MatchedBy };

/** A query of an index of the words of series; the index may return more series than match. */
type IndexQuery = {
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

/** What `findIndexed` finds among these series. */
export async function findSeries<T extends SearchedSeries>(
  all: readonly T[],
  text: string,
  match: SearchMatch,
): Promise<readonly FoundSeries<T>[]> {
  const searchable = async (what: 'ids' | 'words') =>
    all.flatMap((one) => (what === 'ids' ? [one.id] : searchableWords(one)));
  return findIndexed({ searchEntries: async () => all, searchable }, text, match);
}

/** The series that a text finds, the best first, then by id. An empty text finds every series. */
export async function findIndexed<T extends SearchedSeries>(
  index: SearchIndex<T>,
  text: string,
  match: SearchMatch,
): Promise<readonly FoundSeries<T>[]> {
  const search = async (query: Partial<IndexQuery>) =>
    inOrder(await index.searchEntries({ words: [], starts: [], ids: [], ...query }));
  if (text.trim() === '') return (await search({ part: '' })).map((series) => ({ series, matched: null }));
  if (match !== 'words') {
    const part = match === 'title' ? {} : { part: text.toUpperCase() };
    const found = (await search({ starts: longestWord(text), ...part })).flatMap((series) => {
      const matched = plainMatch(series, text, match);
      return matched === undefined ? [] : [{ series, matched }];
    });
    return found.sort((a, b) => Number(b.matched === 'id') - Number(a.matched === 'id'));
  }
  const typed = significant(wordsOf(text));
  const upper = text.trim().toUpperCase();
  const first = await search({ ...lookedUp(typed), part: upper });
  const known = new Set(first.flatMap(searchableWords));
  const unknown = typed.filter(
    (start) => !synonyms().words.has(start) && ![...known].some((word) => begins(word, start)),
  );
  const vocabulary = unknown.length === 0 ? undefined : await index.searchable('words');
  const terms = termsOf(typed, (word) =>
    unknown.includes(word) ? (vocabulary ?? []).filter((other) => isTypoOf(word, other)) : undefined,
  );
  const meanings = terms.flatMap(({ meaning }) => meaning ?? []);
  // All words of a phrase must match, so looking up the longest one is enough.
  const phrases = meanings.flatMap((meaning) => meaning.phrases.flatMap(longestWord));
  const corrected = terms.flatMap(({ meant }) => meant).filter((word) => !typed.includes(word));
  const more = lookedUp([...corrected, ...phrases]);
  const second = await search({
    words: [...more.words, ...terms.flatMap(({ near }) => near)],
    starts: more.starts,
    ids: meanings.flatMap(({ ids }) => ids),
  });
  const found = ranked(inOrder([...first, ...second]), upper, terms);
  // A single word that only a typo connects with a series may be a mistyped id.
  const isDoubtful = terms.length === 1 && terms.every(({ near }) => near.length > 0);
  if (found.length > 0 && !isDoubtful) return found;
  const ids = closeNames(text, [...(await index.searchable('ids'))].sort()).slice(0, mostNearest);
  const words = (vocabulary ?? (await index.searchable('words'))).filter((word) =>
    typed.some((start) => resembles(start, word)),
  );
  const like = await search({ words, ids });
  return [...found, ...nearest(like, ids, new Set(words), found)];
}

/** The series with these ids, the nearest first, and those with these words, without those that were found. */
function nearest<T extends SearchedSeries>(
  like: readonly T[],
  ids: readonly string[],
  words: ReadonlySet<string>,
  found: readonly FoundSeries<T>[],
): readonly FoundSeries<T>[] {
  const near = new Set(ids.flatMap((id) => like.find((series) => series.id === id) ?? []));
  for (const series of like)
    if (near.size < mostNearest && searchableWords(series).some((word) => words.has(word))) near.add(series);
  const others = [...near].filter((one) => !found.some(({ series }) => series.id === one.id));
  return others.map((series) => ({ series, matched: 'nearest' as const }));
}

const mostNearest = 5;

/** By id, each series once. */
function inOrder<T extends SearchedSeries>(series: readonly T[]): readonly T[] {
  return [...new Map(series.map((one) => [one.id, one])).values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** How to look up words that must equal a text or begin with it. */
function lookedUp(texts: readonly string[]): Pick<IndexQuery, 'words' | 'starts'> {
  return { words: texts.filter(isWhole), starts: texts.filter((text) => !isWhole(text)) };
}

function longestWord(phrase: string): readonly string[] {
  return [...wordsOf(phrase)].sort((a, b) => b.length - a.length).slice(0, 1);
}

const stopWords: readonly string[] = 'a an and at by for from in of on or the to with'.split(' ');

/** The words that say something about a series; all words if none does. */
function significant(words: readonly string[]): readonly string[] {
  const kept = words.filter((word) => !stopWords.includes(word));
  return kept.length === 0 ? words : kept;
}

/** A word or phrase of the text, as typed and with its typo corrected; `near` are the words that a typo may mean. */
type Term = {
  readonly typed: readonly string[];
  readonly meant: readonly string[];
  readonly meaning?: Meaning;
  readonly near: readonly string[];
};

/** The terms of a text, from its beginning: the longest phrase that has synonyms, otherwise one word. */
function termsOf(
  typed: readonly string[],
  typosOf: (word: string) => readonly string[] | undefined,
): readonly Term[] {
  const { meanings, longest, words } = synonyms();
  const near = typed.map(typosOf);
  const meant = typed.map((word, i) =>
    near[i] === undefined ? word : ([...words].find((other) => isTypoOf(word, other)) ?? word),
  );
  const terms: Term[] = [];
  for (let at = 0; at < typed.length; at += terms.at(-1)?.typed.length ?? 1) {
    let length = Math.min(longest, typed.length - at);
    while (length > 1 && !meanings.has(meant.slice(at, at + length).join(' '))) length -= 1;
    const own = meant.slice(at, at + length);
    const meaning = meanings.get(own.join(' '));
    terms.push({
      typed: typed.slice(at, at + length),
      meant: own,
      near: (length === 1 && near[at]) || [],
      ...(meaning && { meaning }),
    });
  }
  return terms;
}

/** Ranks series by how well they match: smaller numbers of a rank come first. */
function ranked<T extends SearchedSeries>(
  all: readonly T[],
  text: string,
  terms: readonly Term[],
): readonly FoundSeries<T>[] {
  // A text that is one synonym as a whole names series.
  const names = (terms.length === 1 && terms[0]?.meaning?.ids) || [];
  return all
    .flatMap((series) => {
      const rank = rankOf(series, text, terms, names);
      return rank === undefined ? [] : [{ series, ...rank }];
    })
    .sort((a, b) => compare(a.order, b.order))
    .map(({ series, matched }) => ({ series, matched }));
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [i, one] of a.entries()) {
    const difference = one - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function rankOf(
  series: SearchedSeries,
  text: string,
  terms: readonly Term[],
  names: readonly string[],
): { readonly matched: MatchedBy; readonly order: readonly number[] } | undefined {
  const { id } = series;
  if (id === text) return { matched: 'id', order: [0] };
  if (names.includes(id)) return { matched: 'id', order: [1, names.indexOf(id)] };
  if (id.startsWith(text)) return { matched: 'id', order: [2] };
  // Two letters are in many ids.
  if (text.length > 2 && id.includes(text)) return { matched: 'id', order: [3] };
  const titleWords = wordsOf(series.title);
  const words = searchableWords(series);
  const qualities = terms.map((term) => qualityOf(term, id, words));
  const matching = qualities.filter((quality) => quality > 0).length;
  const quality = -qualities.reduce((sum, one) => sum + one, 0);
  const typed = terms.flatMap((term) => term.typed);
  if (typed.length > 0 && typed.every((start) => titleWords.some((word) => begins(word, start))))
    return { matched: 'title', order: [4, quality, titleWords.length] };
  if (matching === 0) return undefined;
  if (matching === terms.length) return { matched: 'words', order: [5, quality, titleWords.length] };
  return { matched: 'some', order: [6, -matching, quality, titleWords.length] };
}

/** How well a term matches: 3 as typed or by the id, 2 by the beginning of a word or a synonym, 1 by a typo, or 0. */
function qualityOf({ typed, meaning, near }: Term, id: string, words: readonly string[]): number {
  if (typed.every((word) => words.includes(word)) || meaning?.ids.includes(id) === true) return 3;
  const hasAll = (starts: readonly string[]) =>
    starts.every((start) => words.some((word) => begins(word, start)));
  if (hasAll(typed) || meaning?.phrases.some((phrase) => hasAll(wordsOf(phrase))) === true) return 2;
  return near.some((word) => words.includes(word)) ? 1 : 0;
}

/** Whether a word begins with a text; a number or a single letter must be the whole word. */
function begins(word: string, start: string): boolean {
  return isWhole(start) ? word === start : word.startsWith(start);
}

function isWhole(text: string): boolean {
  return text.length === 1 || /^\p{N}+$/u.test(text);
}

/** Whether a text is a word, or from five letters on the beginning of a word, with one mistake. */
function isTypoOf(text: string, word: string): boolean {
  if (text.length < 4 || /\p{N}/u.test(text)) return false;
  if (Math.abs(word.length - text.length) <= 1 && distance(text, word, 1) <= 1) return true;
  if (text.length < 5 || word.length <= text.length) return false;
  return [0, 1].some((more) => distance(text, word.slice(0, text.length + more), 1) <= 1);
}

/** Whether two words differ by at most two mistakes and agree in most letters. */
function resembles(text: string, word: string): boolean {
  if (Math.min(text.length, word.length) <= 4 || Math.abs(text.length - word.length) > 2) return false;
  return distance(text, word, 2) <= 2;
}
