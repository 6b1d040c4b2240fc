// Why: docs/decisions/search.md
import { type Area, areaAt, areasIn, areasOf, areaWords, codesOfAreas, wordsAbout } from './areas.ts';
import { type Meaning, synonyms } from './synonyms.ts';
import {
  type IndexedSeries,
  indexOf,
  type SearchIndex,
  type SeriesKey,
  type SeriesQuery,
  type WordEntry,
  type WordQuery,
} from './word-index.ts';
import { closeNames, distance, longestWord, plainMatch, type SearchedSeries, wordsOf } from './words.ts';

/** Where to search for a text; `words` includes synonyms. */
export type SearchMatch = 'id' | 'title' | 'any' | 'words';

type FoundSeries<T> = {
  readonly series: T;
  readonly matched: 'id' | 'title' | 'words' | 'some' | 'nearest' | null;
};

/** Finds series like `findIndexed`, without an index. */
export function findSeries<T extends SearchedSeries>(
  all: readonly T[],
  text: string,
  match: SearchMatch,
): Promise<readonly FoundSeries<T>[]> {
  return findIndexed(indexOf(all.map((series) => ({ ...series, key: series.id }))), text, match);
}

/** Finds series by a text, the best first, then by id; an empty text finds every series. */
export async function findIndexed<T extends IndexedSeries>(
  index: SearchIndex<T>,
  text: string,
  match: SearchMatch,
): Promise<readonly FoundSeries<T>[]> {
  const upper = text.trim().toUpperCase();
  const series = async ({ keys = [], ids = [], ...query }: Partial<SeriesQuery>) =>
    unique(await index.seriesEntries({ keys: [...new Set(keys)], ids, ...query }));
  if (upper === '') return inOrder(await series({ part: '' })).map((one) => ({ series: one, matched: null }));
  if (match !== 'words') {
    const entries = await index.wordEntries({ words: [], starts: longestWord(text) });
    const part = match === 'title' ? {} : { part: text.toUpperCase() };
    const found = inOrder(await series({ keys: entries.flatMap(([, keys]) => keys), ...part })).flatMap(
      (one) => {
        const matched = plainMatch(one, text, match);
        return matched === undefined ? [] : [{ series: one, matched }];
      },
    );
    return found.sort((a, b) => Number(b.matched === 'id') - Number(a.matched === 'id'));
  }
  const typed = significant(wordsOf(text));
  const known = new KnownWords(index);
  await known.lookUp(typed);
  const first = await series({ keys: known.having([...typed, ...areaCodes(typed)]), part: upper });
  const isKnown = (start: string) =>
    synonyms.words.has(start) || first.some((one) => known.isBegun(one, start));
  const near = new Map<string, readonly string[]>();
  for (const word of typed.filter((start) => !isKnown(start)))
    near.set(word, [
      ...[...synonyms.words, ...areaWords].filter((other) => isTypoOf(word, other)),
      ...(await known.lookUpTyposOf(word)),
    ]);
  const terms = termsOf(typed, (word) => near.get(word) ?? []);
  const meanings = terms.flatMap(({ meaning }) => meaning ?? []);
  const nearWords = terms.flatMap((term) => term.near);
  const phrases = meanings.flatMap((meaning) => meaning.phrases.map(wordsOf));
  const areas = terms.flatMap(({ area }) => area ?? []);
  const about = [...areaCodes(nearWords), ...areas.flatMap(wordsAbout)];
  await known.lookUp(phrases.flat(), about);
  const keys = [
    ...known.having([...nearWords, ...about]),
    ...phrases.flatMap((phrase) => known.havingAll(phrase)),
  ];
  const seen = new Set(first.map(({ key }) => key));
  const second = await series({
    keys: keys.filter((key) => !seen.has(key)),
    ids: meanings.flatMap(({ ids }) => ids),
  });
  const found = ranked(unique([...first, ...second]), upper, terms, known);
  if (found.length > 0) return found;
  const ids = closeNames(text, [...(await index.seriesIds())].sort()).slice(0, mostNearest);
  const nearest = ids.length === 0 ? [] : await series({ ids });
  return ids.flatMap((id) => {
    const one = nearest.find((other) => other.id === id);
    return one === undefined ? [] : [{ series: one, matched: 'nearest' as const }];
  });
}

/** The words that a search has looked up in an index, with the keys of their series. */
class KnownWords<T extends IndexedSeries> {
  readonly #index: SearchIndex<T>;
  readonly #whole = new Map<string, Set<SeriesKey>>();
  readonly #begun = new Map<string, Set<SeriesKey>>();

  constructor(index: SearchIndex<T>) {
    this.#index = index;
  }

  /** Looks up beginnings of words as `begins` reads them, their areas, and whole words. */
  async lookUp(starts: readonly string[], whole: readonly string[] = []): Promise<void> {
    const words = [...starts.filter(isWhole), ...starts.flatMap(singular), ...areaCodes(starts), ...whole];
    const entries = await this.#read({ words, starts: starts.filter((start) => !isWhole(start)) });
    for (const start of starts) {
      const begun = this.#begun.get(start) ?? new Set();
      const begins = beginning(start);
      for (const [word, keys] of entries) if (begins(word)) for (const key of keys) begun.add(key);
      this.#begun.set(start, begun);
    }
  }

  /** Looks up the words for which a text may be a typo, and returns them. */
  async lookUpTyposOf(text: string): Promise<readonly string[]> {
    const entries = await this.#read({ words: [], starts: startsNear(text) });
    return entries.map(([word]) => word).filter((word) => isTypoOf(text, word));
  }

  async #read(query: WordQuery): Promise<readonly WordEntry[]> {
    if (query.words.length + query.starts.length === 0) return [];
    const entries = await this.#index.wordEntries(query);
    for (const [word, keys] of entries) {
      const known = this.#whole.get(word);
      if (known === undefined) this.#whole.set(word, new Set(keys));
      else for (const key of keys) known.add(key);
    }
    return entries;
  }

  /** Lists the series with any of these words, or of words that begin so; one may come twice. */
  having(words: readonly string[]): readonly SeriesKey[] {
    return words.flatMap((word) => [...(this.#begun.get(word) ?? this.#whole.get(word) ?? [])]);
  }

  /** Lists the series with a word for each beginning. */
  havingAll(starts: readonly string[]): readonly SeriesKey[] {
    const sets = starts.map((start) => this.#begun.get(start) ?? new Set<SeriesKey>());
    const [fewest = new Set<SeriesKey>()] = [...sets].sort((a, b) => a.size - b.size);
    return [...fewest].filter((key) => sets.every((set) => set.has(key)));
  }

  /** Tells whether a series has a word, in its texts or as a name of an area in its id. */
  has({ key, id }: IndexedSeries, word: string): boolean {
    return this.#whole.get(word)?.has(key) === true || areasIn(id).includes(word);
  }

  /** Tells whether a series has a word that begins so. */
  isBegun({ key, id }: IndexedSeries, start: string): boolean {
    return this.#begun.get(start)?.has(key) === true || areasIn(id).some(beginning(start));
  }
}

const mostNearest = 5;

function inOrder<T extends SearchedSeries>(series: readonly T[]): readonly T[] {
  return [...series].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function unique<T extends IndexedSeries>(series: readonly T[]): readonly T[] {
  return [...new Map(series.map((one) => [one.key, one])).values()];
}

function areaCodes(typed: readonly string[]): readonly string[] {
  const starts = typed.map(beginning);
  return codesOfAreas((word) => starts.some((begins) => begins(word)));
}

const stopWords: readonly string[] = 'a an and at by for from in of on or the to with'.split(' ');

function significant(words: readonly string[]): readonly string[] {
  const kept = words.filter((word) => !stopWords.includes(word));
  return kept.length === 0 ? words : kept;
}

/** A word, a phrase with a meaning, or the name of an area; `near` corrects typos. */
type Term = {
  readonly typed: readonly string[];
  readonly meaning: Meaning | undefined;
  readonly area: Area | undefined;
  readonly near: readonly string[];
};

/** Splits a text into terms from its beginning: the longest phrase that has synonyms or is an area, or one word. */
function termsOf(typed: readonly string[], nearTo: (word: string) => readonly string[]): readonly Term[] {
  const { meanings, longest, words } = synonyms;
  const near = typed.map(nearTo);
  const isKnown = (word: string) => words.has(word) || areaWords.has(word);
  const meant = typed.map((word, i) => near[i]?.find(isKnown) ?? word);
  const terms: Term[] = [];
  for (let at = 0; at < typed.length; at += terms.at(-1)?.typed.length ?? 1) {
    let length = Math.min(longest, typed.length - at);
    while (length > 1 && !meanings.has(meant.slice(at, at + length).join(' '))) length -= 1;
    const found = areaAt(meant, at);
    const isArea = found !== undefined && found.length >= length;
    if (isArea) length = found.length;
    terms.push({
      typed: typed.slice(at, at + length),
      near: (length === 1 && near[at]) || [],
      meaning: isArea ? undefined : meanings.get(meant.slice(at, at + length).join(' ')),
      area: isArea ? found.area : undefined,
    });
  }
  return terms;
}

/** How well a series matches: a lower level is better, then a lower place, then a higher score. */
type Rank<T> = {
  readonly series: T;
  readonly matched: 'id' | 'title' | 'words' | 'some';
  readonly level: number;
  /** The position in the meaning of a text that is one synonym. */
  readonly place: number;
  /** The quality for each term, 0 for none. */
  readonly qualities: readonly number[];
  /** The number of words in the title. */
  readonly length: number;
  /** True if the series is about an area that the text names; undefined if either names none. */
  readonly isThere: boolean | undefined;
  /** True if the series matches only the areas of a text that names more. */
  readonly hasAreaOnly: boolean;
  /** True if the series names an area and the text none. */
  readonly isAreal: boolean;
};

/** Ranks the series that match a term: by level, then by the sum of the qualities, of which rare terms weigh more. */
function ranked<T extends IndexedSeries>(
  all: readonly T[],
  text: string,
  terms: readonly Term[],
  known: KnownWords<T>,
): readonly FoundSeries<T>[] {
  const rank = ranker(text, terms, known);
  const found = all.flatMap((series) => rank(series) ?? []);
  const byWords = found.filter(({ matched }) => matched !== 'id');
  const score = scorer(byWords, terms);
  // Series of other areas would only hide those of the area that the text names; so would others of that area.
  const isThere = byWords.some((one) => one.isThere === true);
  const isMatched = byWords.some(({ matched }) => matched !== 'some');
  const hides = (one: Rank<T>) => (isThere && one.isThere === false) || (isMatched && one.hasAreaOnly);
  return found
    .filter((one) => one.matched === 'id' || !hides(one))
    .map((one) => ({ one, score: one.matched === 'id' ? 0 : score(one) }))
    .sort(
      ({ one: a, score }, { one: b, score: other }) =>
        a.level - b.level || a.place - b.place || other - score || (a.series.id < b.series.id ? -1 : 1),
    )
    .map(({ one }) => one);
}

/** Weighs terms as BM25 does: a term in few of the series counts more, and a word of a short title too. */
function scorer(ranks: readonly Rank<unknown>[], terms: readonly Term[]): (rank: Rank<unknown>) => number {
  const weights = terms.map((_, term) => {
    const having = ranks.filter(({ qualities }) => (qualities[term] ?? 0) > 0).length;
    return Math.log(1 + ranks.length / Math.max(1, having));
  });
  const usual = ranks.reduce((sum, { length }) => sum + length, 0) / Math.max(1, ranks.length);
  return ({ qualities, length, isAreal }) => {
    const short = 2.2 / (1.3 + 0.9 * (length / Math.max(1, usual)));
    let [sum, having] = [0, 0];
    qualities.forEach((quality, term) => {
      const isByTitle = quality <= 1 && terms[term]?.area === undefined;
      sum += (weights[term] ?? 0) * quality * (isByTitle ? short : 1);
      if (quality > 0) having += 1;
    });
    return sum * (having / terms.length) * (isAreal ? 0.8 : 1);
  };
}

/** Returns what ranks a series; undefined for one that matches no term. */
function ranker<T extends IndexedSeries>(
  text: string,
  terms: readonly Term[],
  known: KnownWords<T>,
): (series: T) => Rank<T> | undefined {
  const [first] = terms;
  // A text that is one whole synonym names series.
  const names = (terms.length === 1 && first?.meaning?.ids) || [];
  const isOneArea = terms.length === 1 && first?.area !== undefined;
  const asked = terms.flatMap(({ area }) => area ?? []);
  const typed = terms.flatMap((term) => term.typed.map(beginning));
  const qualities = terms.map((term) => (term.area === undefined ? qualityOf(term, known) : () => 0));
  const levelOfId = (id: string) => {
    if (id === text) return 0;
    if (names.includes(id)) return 1;
    // Two letters are in many ids, and the name of an area is no part of them.
    if (isOneArea || !id.includes(text)) return undefined;
    return id.startsWith(text) ? 2 : text.length > 2 ? 3 : undefined;
  };
  return (series) => {
    const { id } = series;
    const byId = levelOfId(id);
    if (byId !== undefined) {
      const about = { qualities: [], length: 0, isThere: undefined, isAreal: false, hasAreaOnly: false };
      return { series, matched: 'id', level: byId, place: names.indexOf(id), ...about };
    }
    const own = qualities.map((quality) => quality(series));
    const titleWords = wordsOf(series.title);
    const { named, implied } = areasOf(id, titleWords);
    const hasOthers = own.some((quality) => quality > 0);
    terms.forEach(({ area }, at) => {
      if (area === undefined) return;
      if (named.has(area)) own[at] = 1;
      // That a series says nothing of its area makes it no match.
      else if (implied === area && hasOthers) own[at] = 0.8;
    });
    const isComplete = !own.includes(0);
    if (own.every((quality) => quality === 0)) return undefined;
    const inTitle = isComplete && typed.every((begins) => titleWords.some(begins));
    const isOf = (area: Area) => (implied === undefined ? named.has(area) : implied === area);
    return {
      series,
      matched: inTitle ? 'title' : isComplete ? 'words' : 'some',
      level: isComplete ? 4 : 5,
      place: 0,
      qualities: own,
      length: titleWords.length,
      isThere:
        asked.length === 0 || (named.size === 0 && implied === undefined) ? undefined : asked.some(isOf),
      isAreal: asked.length === 0 && named.size > 0,
      hasAreaOnly: !isComplete && !hasOthers,
    };
  };
}

/** Returns the quality of a match: above 1 by id, 1 as typed, less by a synonym, a beginning or a typo, or 0. */
function qualityOf<T extends IndexedSeries>(
  { typed, meaning, near }: Term,
  known: KnownWords<T>,
): (series: T) => number {
  const phrases = meaning?.phrases.map(wordsOf) ?? [];
  return (series) => {
    const place = meaning?.ids.indexOf(series.id) ?? -1;
    if (place >= 0) return 2 - 0.1 * Math.min(place, 9);
    if (typed.every((word) => known.has(series, word))) return 1;
    const hasAll = (starts: readonly string[]) => starts.every((start) => known.isBegun(series, start));
    if (phrases.some(hasAll)) return 0.9;
    if (hasAll(typed)) return 0.8;
    return near.some((word) => known.has(series, word)) ? 0.4 : 0;
  };
}

/** Returns what tells whether a word begins so, or is its singular; a number or a single letter is a whole word. */
function beginning(start: string): (word: string) => boolean {
  if (isWhole(start)) return (word) => word === start;
  const singulars = singular(start);
  return (word) => word.startsWith(start) || singulars.includes(word);
}

/** Returns the singular of a text that looks like a plural; none for any other. */
function singular(text: string): readonly string[] {
  return /^\p{L}{3,}[^s]s$/u.test(text) ? [text.slice(0, -1)] : [];
}

function isWhole(text: string): boolean {
  return text.length === 1 || /^\p{N}+$/u.test(text);
}

/** Tells whether a text is a word, or from five letters on the beginning of a word, with one mistake. */
function isTypoOf(text: string, word: string): boolean {
  if (text.length < 4 || /\p{N}/u.test(text)) return false;
  if (distance(text, word, 1) <= 1) return true;
  if (text.length < 5 || word.length <= text.length) return false;
  return [0, 1].some((more) => distance(text, word.slice(0, text.length + more), 1) <= 1);
}

/** Lists beginnings of which every word has one that `isTypoOf` takes a text for, if its letters are Latin. */
function startsNear(text: string): readonly string[] {
  if (text.length < 4) return [];
  const changed = Array.from({ length: text.length + 1 }, (_, at) => {
    const [before, after] = [text.slice(0, at), text.slice(at)];
    const swapped = after.charAt(1) + after.charAt(0) + after.slice(2);
    return [
      after.slice(1),
      swapped,
      ...letters.flatMap((letter) => [letter + after, letter + after.slice(1)]),
    ].map((rest) => before + rest);
  });
  return [...new Set(changed.flat())];
}

/** Digits and the letters of Latin script in European languages, in lower case. */
const letters: readonly string[] = ['0-9', 'a-z', 'ß-ſ'].flatMap((range) => {
  const [first = 0, last = 0] = [range.charCodeAt(0), range.charCodeAt(2)];
  const all = Array.from({ length: last - first + 1 }, (_, at) => String.fromCharCode(first + at));
  return all.filter((letter) => wordsOf(letter)[0] === letter);
});
