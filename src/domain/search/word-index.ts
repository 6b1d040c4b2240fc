import type { Day } from '../values/date.ts';
import { entryOf } from '../values/groups.ts';
import { areasInTitle } from './areas.ts';
import { type SearchedSeries, searchableWords, wordsOf } from './words.ts';

/** What an index calls a series. */
export type SeriesKey = number | string;

/** What ranks a series in a search, besides its words. */
export type TitleSummary = {
  /** The number of words in the title. */
  readonly length: number;
  /** The areas that the title names, as `areasInTitle` gives them. */
  readonly areas: string;
};

/** Summarises the title of a series. */
export function summaryOfTitle(title: SearchedSeries['title']): TitleSummary {
  const words = wordsOf(title);
  return { length: words.length, areas: areasInTitle(words) };
}

/** A series of an index; its title may be missing, unless the query asks for it. */
export type IndexedSeries = TitleSummary & Pick<SearchedSeries, 'id' | 'title'> & { readonly key: SeriesKey };

/** Words to look up, and beginnings of words. */
export type WordQuery = { readonly words: readonly string[]; readonly starts: readonly string[] };

/** A word, and every series with it. */
type WordEntry = readonly [word: string, keys: readonly SeriesKey[]];

/** Series to look up. */
export type SeriesQuery = {
  readonly keys: readonly SeriesKey[];
  readonly ids: readonly string[];
  /** A part of an id, in upper case. */
  readonly part?: string;
  /** Only series that began on or before this day. */
  readonly upTo?: Day;
  /** True to read titles too, which takes as long again. */
  readonly titled?: boolean;
};

/** An index of the words of all series. */
export interface SearchIndex<T extends IndexedSeries> {
  /** Lists the words that are asked for, or begin so, with their series; a word may come twice, with other series. */
  wordEntries(query: WordQuery): Promise<readonly WordEntry[]>;
  /** Lists the series that have a key, an id or a part of the id; one may come twice, and there may be more. */
  seriesEntries(query: SeriesQuery): Promise<readonly T[]>;
  /** Lists the ids of all series, or of those that began by a day. */
  seriesIds(upTo?: Day): Promise<readonly string[]>;
}

/** Returns the index of a list of series; its keys, unlike ids, begin in lower case. */
export function indexOf<T extends SearchedSeries>(all: readonly T[]): SearchIndex<T & IndexedSeries> {
  const indexed = all.map((series) => ({
    ...series,
    ...summaryOfTitle(series.title),
    key: `listed ${series.id}`,
  }));
  const byKey = new Map<SeriesKey, (typeof indexed)[number]>(indexed.map((series) => [series.key, series]));
  const keysOf = new Map<string, SeriesKey[]>();
  const begunBy = new Map<string, string[]>();
  for (const series of indexed)
    for (const word of searchableWords(series)) {
      const keys = entryOf(keysOf, word, () => []);
      keys.push(series.key);
      if (keys.length > 1) continue;
      for (let end = 1; end <= word.length; end += 1)
        entryOf(begunBy, word.slice(0, end), () => []).push(word);
    }
  return {
    async wordEntries({ words, starts }) {
      const asked = new Set([...words, ...starts.flatMap((start) => begunBy.get(start) ?? [])]);
      return [...asked].flatMap((word) => {
        const keys = keysOf.get(word);
        return keys === undefined ? [] : [[word, keys] as const];
      });
    },
    async seriesEntries({ keys, ids, part }) {
      const askedIds = new Set(ids);
      const entries = indexed.filter(
        ({ id }) => askedIds.has(id) || (part !== undefined && id.includes(part)),
      );
      for (const key of keys) {
        const series = byKey.get(key);
        if (series !== undefined) entries.push(series);
      }
      return entries;
    },
    seriesIds: async () => all.map(({ id }) => id),
  };
}
