import { closeNames, closest, distance } from './closest.ts';
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

/** The series that a text finds, the best first, then by id. An empty text finds every series. */
export function findSeries<T extends SearchedSeries>(
  all: readonly T[],
  text: string,
  match: SearchMatch,
): readonly FoundSeries<T>[] {
  const byId = [...all].sort((a, b) => (a.id < b.id ? -1 : 1));
  if (text.trim() === '') return byId.map((series) => ({ series, matched: null }));
  if (match === 'words') return findWords(byId, text);
  const found = byId.flatMap((series) => {
    const matched = plainMatch(series, text, match);
    return matched === undefined ? [] : [{ series, matched }];
  });
  return [
    ...found.filter(({ matched }) => matched === 'id'),
    ...found.filter(({ matched }) => matched !== 'id'),
  ];
}

/** A series with its words; the words of its id and units are among all words. */
type Entry<T> = {
  readonly series: T;
  readonly titleWords: readonly string[];
  readonly words: readonly string[];
};

/** A word or phrase of the text: as typed, what it means in the field, and the known words that it may be a typo of. */
type Term = {
  readonly typed: readonly string[];
  readonly meaning?: Meaning;
  readonly near: readonly string[];
};

/** The place of a series among those found: smaller numbers come first. */
type Rank = { readonly matched: MatchedBy; readonly order: readonly number[] };

const stopWords: readonly string[] = 'a an and at by for from in of on or the to with'.split(' ');

const mostNearest = 5;

function findWords<T extends SearchedSeries>(byId: readonly T[], text: string): readonly FoundSeries<T>[] {
  const entries = byId.map(entryOf);
  const { found, isSure } = rankedWords(entries, text);
  if (isSure) return found;
  const known = new Set(entries.flatMap(({ words }) => words));
  const ids = byId.map(({ id }) => id);
  return withNearest(found, entries, nearestTo(text, ids, known));
}

function entryOf<T extends SearchedSeries>(series: T): Entry<T> {
  const titleWords = wordsOf(series.title);
  return { series, titleWords, words: [...titleWords, ...wordsOf(series.id), ...wordsOf(series.units)] };
}

/** The series that a text finds by words, the best first, and whether the nearest ones can be left out. */
function rankedWords<T extends SearchedSeries>(
  entries: readonly Entry<T>[],
  text: string,
): { readonly found: readonly FoundSeries<T>[]; readonly isSure: boolean } {
  const known = new Set(entries.flatMap(({ words }) => words));
  const { typed, meant, unknown } = meantWords(text, known);
  const terms = termsOf(typed, meant, (word) =>
    unknown.includes(word) ? [...known].filter((other) => isTypoOf(word, other)) : [],
  );
  const names = synonyms().meanings.get(meant.join(' '))?.ids ?? [];
  const upper = text.trim().toUpperCase();
  const ranked = entries.flatMap((entry) => {
    const named = names.indexOf(entry.series.id);
    const rank: Rank | undefined =
      named < 0
        ? rankOf(entry, upper, typed, terms)
        : { matched: 'id', order: [entry.series.id === upper ? 0 : 1, named] };
    return rank === undefined ? [] : [{ series: entry.series, ...rank }];
  });
  const found = ranked
    .sort((a, b) => compare(a.order, b.order))
    .map(({ series, matched }) => ({ series, matched }));
  // A single word that only a typo connects with a series may be a mistyped id.
  const isDoubtful = terms.every(({ near }) => near.length > 0) && terms.length === 1;
  return { found, isSure: found.length > 0 && !isDoubtful };
}

/** The words of a text as typed, with typos of synonyms corrected, and those that no series has. */
function meantWords(
  text: string,
  known: ReadonlySet<string>,
): { readonly [part in 'typed' | 'meant' | 'unknown']: readonly string[] } {
  const typed = significant(wordsOf(text));
  const unknown = typed.filter(
    (start) => !synonyms().words.has(start) && ![...known].some((word) => begins(word, start)),
  );
  const meant = typed.map((word) => (unknown.includes(word) ? (synonymLike(word) ?? word) : word));
  return { typed, meant, unknown };
}

/** The words that say something about a series; all words if none does. */
function significant(words: readonly string[]): readonly string[] {
  const kept = words.filter((word) => !stopWords.includes(word));
  return kept.length === 0 ? words : kept;
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [i, one] of a.entries()) {
    const difference = one - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function rankOf<T extends SearchedSeries>(
  { series: { id }, titleWords, words }: Entry<T>,
  text: string,
  typed: readonly string[],
  terms: readonly Term[],
): Rank | undefined {
  if (id === text) return { matched: 'id', order: [0] };
  if (id.startsWith(text)) return { matched: 'id', order: [2] };
  // Two letters are in many ids.
  if (text.length > 2 && id.includes(text)) return { matched: 'id', order: [3] };
  const qualities = terms.map((term) => qualityOf(term, id, words));
  const matching = qualities.filter((quality) => quality > 0).length;
  const quality = -qualities.reduce((sum, one) => sum + one, 0);
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
  return start.length === 1 || /^\p{N}+$/u.test(start) ? word === start : word.startsWith(start);
}

/** The word of a phrase with synonyms that a misspelled word means. */
function synonymLike(typed: string): string | undefined {
  return [...synonyms().words].find((word) => isTypoOf(typed, word));
}

/** The terms of a text, from its beginning: the longest phrase that has synonyms, otherwise one word. */
function termsOf(
  typed: readonly string[],
  meant: readonly string[],
  near: (word: string) => readonly string[],
): readonly Term[] {
  const terms: Term[] = [];
  for (let at = 0; at < typed.length; ) {
    const length = phraseAt(meant, at);
    const words = meant.slice(at, at + length);
    const meaning = synonyms().meanings.get(words.join(' '));
    const mistyped = typed.slice(at, at + 1).flatMap((word) => near(word));
    terms.push({ typed: words, near: length > 1 ? [] : mistyped, ...(meaning && { meaning }) });
    at += length;
  }
  return terms;
}

function phraseAt(words: readonly string[], at: number): number {
  let length = Math.min(synonyms().longest, words.length - at);
  while (length > 1 && !synonyms().meanings.has(words.slice(at, at + length).join(' '))) length -= 1;
  return length;
}

/** Whether a text is a word, or from five letters on the beginning of a word, with one mistake. */
function isTypoOf(text: string, word: string): boolean {
  if (text.length < 4 || /\p{N}/u.test(text)) return false;
  if (Math.abs(word.length - text.length) <= 1 && distance(text, word, 1) <= 1) return true;
  if (text.length < 5 || word.length <= text.length) return false;
  return [0, 1].some((more) => distance(text, word.slice(0, text.length + more), 1) <= 1);
}

/** What a text without a match resembles most: ids, the nearest first, and words. */
type Resembled = { readonly ids: readonly string[]; readonly words: ReadonlySet<string> };

/** Which of these ids, which come in order, and of these words a text resembles. */
function nearestTo(text: string, ids: readonly string[], words: Iterable<string>): Resembled {
  const found: string[] = [];
  let left = closeNames(text, ids);
  while (found.length < mostNearest) {
    const id = closest(text, left);
    if (id === undefined) break;
    found.push(id);
    left = left.filter((other) => other !== id);
  }
  const typed = significant(wordsOf(text));
  const near = typed.flatMap((start) => [...words].filter((word) => resembles(start, word)));
  return { ids: found, words: new Set(near) };
}

function withNearest<T extends SearchedSeries>(
  found: readonly FoundSeries<T>[],
  entries: readonly Entry<T>[],
  nearest: Resembled,
): readonly FoundSeries<T>[] {
  const near = new Set(
    nearest.ids.flatMap((id) => entries.find(({ series }) => series.id === id)?.series ?? []),
  );
  for (const { series, words } of entries)
    if (near.size < mostNearest && words.some((word) => nearest.words.has(word))) near.add(series);
  const others = [...near].filter((one) => !found.some(({ series }) => series.id === one.id));
  return [...found, ...others.map((series) => ({ series, matched: 'nearest' as const }))];
}

/** Whether two words differ by at most two mistakes and agree in most letters. */
function resembles(text: string, word: string): boolean {
  if (Math.min(text.length, word.length) <= 4 || Math.abs(text.length - word.length) > 2) return false;
  return distance(text, word, 2) <= 2;
}

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
