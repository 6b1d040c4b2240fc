// Why: docs/decisions/search.md
import { type Area, areaAt, areasOf, areaWords, codesOfAreas, isAbout, wordsAbout } from './areas.ts';
import { Candidates, KnownWords } from './candidates.ts';
import { beginning, formsOf, isTypoOf, isWhole } from './matching.ts';
import { type Meaning, synonyms } from './synonyms.ts';
import { type IndexedSeries, indexOf, type SearchIndex, type SeriesQuery } from './word-index.ts';
import { closeNames, longestWord, plainMatch, type SearchedSeries, wordsOf } from './words.ts';

/** Where to search for a text; `words` includes synonyms. */
export type SearchMatch = 'id' | 'title' | 'any' | 'words';

/** A series that a search finds, and how. */
type FoundSeries = {
  readonly id: string;
  readonly matched: 'id' | 'title' | 'words' | 'some' | 'nearest' | null;
};

/** The part of an answer to return: at most `limit` series after one of them. Default: all. */
type FoundPage = { readonly after?: string | undefined; readonly limit?: number };

/** Finds series like `findIndexed`, without an index. */
export async function findSeries<T extends SearchedSeries>(
  all: readonly T[],
  text: string,
  match: SearchMatch,
): Promise<readonly { readonly series: T; readonly matched: FoundSeries['matched'] }[]> {
  const byId = new Map(all.map((series) => [series.id, series]));
  return (await findIndexed(indexOf(all), text, match)).flatMap(({ id, matched }) => {
    const series = byId.get(id);
    return series === undefined ? [] : [{ series, matched }];
  });
}

/** Finds series by a text, the best first, then by id; an empty text finds every series. */
export async function findIndexed(
  index: SearchIndex<IndexedSeries>,
  text: string,
  match: SearchMatch,
  page: FoundPage = {},
): Promise<readonly FoundSeries[]> {
  const upper = text.trim().toUpperCase();
  const series = (query: Partial<SeriesQuery>) => index.seriesEntries({ keys: [], ids: [], ...query });
  if (upper === '')
    return onPage(
      inOrder(await series({ part: '' })).map(({ id }) => ({ id, matched: null })),
      page,
    );
  if (match !== 'words') {
    const entries = await index.wordEntries({ words: [], starts: longestWord(text) });
    const keys = [...new Set(entries.flatMap(([, found]) => found))];
    const part = match === 'title' ? {} : { part: text.toUpperCase() };
    const found = inOrder(await series({ keys, ...part, titled: true })).flatMap((one) => {
      const matched = plainMatch(one, text, match);
      return matched === undefined ? [] : [{ id: one.id, matched }];
    });
    return onPage(
      found.sort((a, b) => Number(b.matched === 'id') - Number(a.matched === 'id')),
      page,
    );
  }
  const typed = significant(wordsOf(text));
  const known = new KnownWords(index);
  await known.lookUpStarts(typed);
  const found = new Candidates();
  const [last = '', ...others] = [...wordsOf(text)].reverse();
  // Of several words, the last one begins a word of every id that has the text as a part.
  const isFound = others.length > 0 && typed.includes(last) && !isWhole(last);
  const part = isFound ? {} : { part: upper };
  found.add(await series({ keys: known.keysOf([...typed, ...codesOfAreas(typed)]), ...part }));
  const isKnown = (start: string) =>
    synonyms.words.has(start) || areaWords.has(start) || found.placesOf(known.begun(start)).length > 0;
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
  const about = [...codesOfAreas(nearWords), ...areas.flatMap(wordsAbout)];
  await known.lookUpWords([...phrases.flat().flatMap(formsOf), ...about]);
  const keys = new Set(known.keysOf([...nearWords, ...about]));
  for (const phrase of phrases) for (const key of known.keysOfPhrase(phrase)) keys.add(key);
  const ofMeanings = meanings.flatMap(({ ids }) => ids);
  found.add(await series({ keys: [...keys].filter((key) => !found.has(key)), ids: ofMeanings }));
  const ranks = ranked(found, upper, terms, known);
  if (ranks.length > 0) return described(index, firstRanks(ranks, page), terms);
  const ids = closeNames(text, [...(await index.seriesIds())].sort()).slice(0, mostNearest);
  const nearest = new Set((ids.length === 0 ? [] : await series({ ids })).map(({ id }) => id));
  const matched = 'nearest';
  return onPage(
    ids.filter((id) => nearest.has(id)).map((id) => ({ id, matched })),
    page,
  );
}

function onPage(all: readonly FoundSeries[], { after, limit }: FoundPage): readonly FoundSeries[] {
  const begin = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  return all.slice(begin, limit === undefined ? undefined : begin + limit);
}

/** Says how ranked series were found: with every word by their titles, unless these lack one or it is corrected. */
async function described(
  index: SearchIndex<IndexedSeries>,
  ranks: readonly Rank[],
  terms: readonly Term[],
): Promise<readonly FoundSeries[]> {
  const keys = ranks.flatMap(({ level, series }) => (level === complete ? [series.key] : []));
  const titled = keys.length === 0 ? [] : await index.seriesEntries({ keys, ids: [], titled: true });
  const words = new Map(titled.map(({ id, title }) => [id, wordsOf(title)]));
  const typed = terms.flatMap((term) => term.typed.map(beginning));
  const inTitle = (id: string) => typed.every((begins) => words.get(id)?.some(begins) === true);
  // No series has a word that is corrected, so no series has them all as typed.
  const isCorrected = terms.some((term) => term.isCorrected);
  const byWords = (id: string) => (isCorrected ? 'nearest' : inTitle(id) ? 'title' : 'words');
  return ranks.map(({ series: { id }, level }) => ({
    id,
    matched: level < complete ? 'id' : level > complete ? 'some' : byWords(id),
  }));
}

const mostNearest = 5;

function inOrder(series: readonly IndexedSeries[]): readonly IndexedSeries[] {
  const byKey = new Map(series.map((one) => [one.key, one]));
  return [...byKey.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

const stopWords: readonly string[] = 'a an and at by for from in of on or the to with'.split(' ');

function significant(words: readonly string[]): readonly string[] {
  const kept = words.filter((word) => !stopWords.includes(word));
  return kept.length === 0 ? words : kept;
}

/** A word, a phrase with a meaning, or the name of an area; `near` has the words for which one word may be a typo. */
type Term = {
  readonly typed: readonly string[];
  readonly meaning: Meaning | undefined;
  readonly area: Area | undefined;
  readonly near: readonly string[];
  readonly isCorrected: boolean;
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
      isCorrected: near.slice(at, at + length).some((words) => words.length > 0),
      meaning: isArea ? undefined : meanings.get(meant.slice(at, at + length).join(' ')),
      area: isArea ? found.area : undefined,
    });
  }
  return terms;
}

/** The level of series with every term; a lower one is that of ids, a higher one that of series with some terms. */
const complete = 4;

/** How well a series matches: a lower level is better, then a lower place, then a higher score. */
type Rank = {
  readonly series: IndexedSeries;
  /** Its place among the candidates. */
  readonly at: number;
  readonly level: number;
  /** The position in the meaning of a text that is one synonym. */
  readonly place: number;
  /** True if the series is about an area that the text names; undefined if either names none. */
  readonly isThere: boolean | undefined;
  /** True if the series matches only the areas of a text that names more. */
  readonly hasAreaOnly: boolean;
  /** True if the series names an area and the text none. */
  readonly isAreal: boolean;
  /** Known when all series are ranked. */
  score: number;
};

/** The quality of each candidate for each term: above 1 by id, 1 as typed, less otherwise, 0 for none. */
type Qualities = readonly Float64Array[];

/** Ranks the series that match a term: by level, then by the sum of the qualities, of which rare terms weigh more. */
function ranked(
  candidates: Candidates,
  text: string,
  terms: readonly Term[],
  known: KnownWords,
): readonly Rank[] {
  const qualities = terms.map((term) => qualitiesOf(term, known, candidates));
  const rank = ranker(text, terms, qualities);
  const found = candidates.all.map(rank).filter((one) => one !== undefined);
  const byWords = found.filter(({ level }) => level >= complete);
  const score = scorer(byWords, terms, qualities);
  // Series of other areas would only hide those of the area that the text names; so would others of that area.
  const isThere = byWords.some((one) => one.isThere === true);
  const isMatched = byWords.some(({ level }) => level === complete);
  const hides = (one: Rank) => (isThere && one.isThere === false) || (isMatched && one.hasAreaOnly);
  for (const one of byWords) one.score = score(one);
  return found.filter((one) => one.level < complete || !hides(one));
}

function compareRanks(a: Rank, b: Rank): number {
  return a.level - b.level || a.place - b.place || b.score - a.score || (a.series.id < b.series.id ? -1 : 1);
}

/** Returns a page of the ranks in their order; to sort all of them would take longer than to find them. */
function firstRanks(ranks: readonly Rank[], { after, limit = ranks.length }: FoundPage): readonly Rank[] {
  const last = after === undefined ? undefined : ranks.find(({ series }) => series.id === after);
  const best: Rank[] = [];
  let worst: Rank | undefined;
  for (const one of ranks) {
    if (last !== undefined && (one === last || compareRanks(one, last) < 0)) continue;
    if (worst !== undefined && compareRanks(one, worst) > 0) continue;
    best.push(one);
    if (best.length < 2 * limit) continue;
    best.sort(compareRanks).splice(limit);
    worst = best.at(-1);
  }
  return best.sort(compareRanks).slice(0, limit);
}

/** Weighs terms as BM25 does, by their rarity and the length of titles; a plain word counts less than other terms. */
function scorer(
  ranks: readonly Rank[],
  terms: readonly Term[],
  qualities: Qualities,
): (rank: Rank) => number {
  const weighed = qualities.map((column, term) => {
    const having = ranks.filter(({ at }) => (column[at] ?? 0) > 0).length;
    const { meaning, area } = terms[term] ?? {};
    const isPlain = meaning === undefined && area === undefined;
    // Many series have what inflation means: a plain word beside it, such as rate, has to be much rarer.
    const rarity = (isPlain ? 1 : 20) * (ranks.length / Math.max(1, having));
    return { column, weight: Math.log(1 + rarity), isArea: area !== undefined };
  });
  const usual = ranks.reduce((sum, { series }) => sum + series.length, 0) / Math.max(1, ranks.length);
  return ({ at, series: { length }, isAreal }) => {
    const short = 2.2 / (1.3 + 0.9 * (length / Math.max(1, usual)));
    let [sum, having] = [0, 0];
    for (const { column, weight, isArea } of weighed) {
      const quality = column[at] ?? 0;
      sum += weight * quality * (quality <= 1 && !isArea ? short : 1);
      if (quality > 0) having += 1;
    }
    return sum * (having / terms.length) * (isAreal ? 0.8 : 1);
  };
}

/** Returns what ranks a candidate, and completes its qualities by its areas; undefined if it matches no term. */
function ranker(
  text: string,
  terms: readonly Term[],
  qualities: Qualities,
): (series: IndexedSeries, at: number) => Rank | undefined {
  const [first] = terms;
  // A text that is one whole synonym names series.
  const names = (terms.length === 1 && first?.meaning?.ids) || [];
  const isOneArea = terms.length === 1 && first?.area !== undefined;
  const asked = terms.flatMap(({ area }, term) => {
    const column = qualities[term];
    return area === undefined || column === undefined ? [] : [{ area, column }];
  });
  const areasAsked = asked.map(({ area }) => area);
  const levelOfId = (id: string) => {
    if (id === text) return 0;
    if (names.includes(id)) return 1;
    // Two letters are in many ids, and the name of an area is no part of them.
    if (isOneArea || !id.includes(text)) return undefined;
    return id.startsWith(text) ? 2 : text.length > 2 ? 3 : undefined;
  };
  return (series, at) => {
    const { id, areas } = series;
    const byId = levelOfId(id);
    if (byId !== undefined) {
      const place = names.indexOf(id);
      return {
        series,
        at,
        level: byId,
        place,
        isThere: undefined,
        isAreal: false,
        hasAreaOnly: false,
        score: 0,
      };
    }
    const hasOthers = qualities.some((column) => (column[at] ?? 0) > 0);
    const { named, implied } = areasOf(id, areas);
    for (const { area, column } of asked) {
      if (named.has(area)) column[at] = 1;
      // That a series says nothing of its area makes it no match.
      else if (implied === area && hasOthers) column[at] = 0.8;
    }
    const having = qualities.filter((column) => (column[at] ?? 0) > 0).length;
    if (having === 0) return undefined;
    const isComplete = having === terms.length;
    return {
      series,
      at,
      level: isComplete ? complete : complete + 1,
      place: 0,
      isThere: isAbout(areasAsked, { named, implied }),
      isAreal: asked.length === 0 && named.size > 0,
      hasAreaOnly: !isComplete && !hasOthers,
      score: 0,
    };
  };
}

/** Returns how well each candidate has a term: by id, as typed, by a synonym, a beginning or a typo; not by its area. */
function qualitiesOf(
  { typed, meaning, near, area }: Term,
  known: KnownWords,
  candidates: Candidates,
): Float64Array {
  const qualities = new Float64Array(candidates.all.length);
  if (area !== undefined) return qualities;
  const put = (quality: number, places: readonly number[]) => {
    for (const place of places) qualities[place] = quality;
  };
  const allBegun = (starts: readonly string[]) =>
    candidates.placesOfAll(starts.map((start) => known.begun(start)));
  for (const word of near) put(0.4, candidates.placesOf(known.whole(word)));
  put(0.8, allBegun(typed));
  for (const phrase of meaning?.phrases ?? [])
    put(0.9, candidates.placesOfAll(wordsOf(phrase).map((word) => known.inEachForm(word))));
  put(1, candidates.placesOfAll(typed.map((word) => known.whole(word))));
  const ids = new Map(meaning?.ids.map((id, place) => [id, 2 - 0.1 * Math.min(place, 9)]));
  if (ids.size > 0)
    candidates.all.forEach(({ id }, place) => {
      const quality = ids.get(id);
      if (quality !== undefined) qualities[place] = quality;
    });
  return qualities;
}
