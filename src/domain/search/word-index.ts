import type { Day } from '../values/date.ts';
import { type SearchedSeries, searchableWords } from './words.ts';

/** What an index calls a series. */
export type SeriesKey = number | string;

/** A series of an index. */
export type IndexedSeries = SearchedSeries & { readonly key: SeriesKey };

/** Words to look up, and beginnings of words. */
export type WordQuery = { readonly words: readonly string[]; readonly starts: readonly string[] };

/** A word, and every series with it. */
export type WordEntry = readonly [word: string, keys: readonly SeriesKey[]];

/** Series to look up. */
export type SeriesQuery = {
  readonly keys: readonly SeriesKey[];
  readonly ids: readonly string[];
  /** A part of an id, in upper case. */
  readonly part?: string;
  /** Only series that began on or before this day. */
  readonly upTo?: Day;
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

/** Returns the index of a list of series. */
export function indexOf<T extends IndexedSeries>(all: readonly T[]): SearchIndex<T> {
  return {
    async wordEntries({ words, starts }) {
      const [whole, begun] = [new Set(words), new Set(starts)];
      const isAsked = (word: string) =>
        whole.has(word) ||
        Array.from(word, (_, at) => word.slice(0, at + 1)).some((start) => begun.has(start));
      return all.flatMap((series) =>
        searchableWords(series)
          .filter(isAsked)
          .map((word) => [word, [series.key]] as const),
      );
    },
    async seriesEntries({ keys, ids, part }) {
      const [askedKeys, askedIds] = [new Set(keys), new Set(ids)];
      return all.filter(
        ({ key, id }) => askedKeys.has(key) || askedIds.has(id) || (part !== undefined && id.includes(part)),
      );
    },
    seriesIds: async () => all.map(({ id }) => id),
  };
}
