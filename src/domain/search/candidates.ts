import { areasIn, codesOfAreas } from './areas.ts';
import { beginning, formsOf, isTypoOf, isWhole, singular, startsNear } from './matching.ts';
import type { IndexedSeries, SearchIndex, SeriesKey, WordQuery } from './word-index.ts';

/** Series with a word: lists of their keys, and what tells it of a name of an area in the id of another. */
type Having = {
  readonly keys: readonly (readonly SeriesKey[])[];
  readonly isWord: (word: string) => boolean;
};

/** The words that a search has looked up in an index, with the keys of their series. */
export class KnownWords {
  readonly #index: Pick<SearchIndex<IndexedSeries>, 'wordEntries'>;
  readonly #whole = new Map<string, readonly SeriesKey[]>();
  readonly #begun = new Map<string, readonly string[]>();

  constructor(index: Pick<SearchIndex<IndexedSeries>, 'wordEntries'>) {
    this.#index = index;
  }

  /** Looks up beginnings of words as `beginning` reads them, and the codes of areas whose names begin so. */
  async lookUpStarts(starts: readonly string[]): Promise<void> {
    const read = await this.#read({
      words: [...starts.filter(isWhole), ...starts.flatMap(singular), ...codesOfAreas(starts)],
      starts: starts.filter((start) => !isWhole(start)),
    });
    for (const start of starts) this.#begun.set(start, [...new Set(read.filter(beginning(start)))]);
  }

  /** Looks up whole words. */
  async lookUpWords(words: readonly string[]): Promise<void> {
    await this.#read({ words: words.filter((word) => !this.#whole.has(word)), starts: [] });
  }

  /** Looks up the words for which a text may be a typo, and returns them. */
  async lookUpTyposOf(text: string): Promise<readonly string[]> {
    const words = await this.#read({ words: [], starts: startsNear(text) });
    return words.filter((word) => isTypoOf(text, word));
  }

  /** Reads entries of the index, and returns their words. */
  async #read(query: WordQuery): Promise<readonly string[]> {
    if (query.words.length + query.starts.length === 0) return [];
    const read = new Map<string, readonly SeriesKey[]>();
    for (const [word, keys] of await this.#index.wordEntries(query)) {
      const others = read.get(word);
      read.set(word, others === undefined ? keys : [...others, ...keys]);
    }
    for (const [word, keys] of read) this.#whole.set(word, keys);
    return [...read.keys()];
  }

  /** Lists the series with any of these words, or of words that begin so, each once. */
  keysOf(words: readonly string[]): readonly SeriesKey[] {
    const begun = new Set(words.flatMap((word) => this.#begun.get(word) ?? [word]));
    const lists = [...begun].flatMap((word) => {
      const keys = this.#whole.get(word);
      return keys === undefined ? [] : [keys];
    });
    return lists.length === 1 ? (lists[0] ?? []) : [...new Set(lists.flat())];
  }

  /** Lists the series with each word of a phrase, in the singular or the plural. */
  keysOfPhrase(words: readonly string[]): readonly SeriesKey[] {
    const [fewest = [], ...others] = words
      .map((word) => this.keysOf(formsOf(word)))
      .sort((a, b) => a.length - b.length);
    const sets = others.map((keys) => new Set(keys));
    return fewest.filter((key) => sets.every((set) => set.has(key)));
  }

  whole(word: string): Having {
    return { keys: [this.#whole.get(word) ?? []], isWord: (other) => other === word };
  }

  /** Returns the series with a word in the singular or the plural, which names no area. */
  inEachForm(word: string): Having {
    return { keys: formsOf(word).map((form) => this.#whole.get(form) ?? []), isWord: () => false };
  }

  begun(start: string): Having {
    const words = this.#begun.get(start) ?? [];
    return { keys: words.map((word) => this.#whole.get(word) ?? []), isWord: beginning(start) };
  }
}

/** The series that a search has found, each at a place in their list. */
export class Candidates {
  readonly all: IndexedSeries[] = [];
  readonly #places = new Map<SeriesKey, number>();
  readonly #areas: (readonly [place: number, words: readonly string[]])[] = [];

  add(series: readonly IndexedSeries[]): void {
    for (const one of series) {
      if (this.#places.has(one.key)) continue;
      const words = areasIn(one.id);
      if (words.length > 0) this.#areas.push([this.all.length, words]);
      this.#places.set(one.key, this.all.length);
      this.all.push(one);
    }
  }

  has(key: SeriesKey): boolean {
    return this.#places.has(key);
  }

  /** Lists the places of series with a word, in their texts or as a name of an area in the id; one may come twice. */
  placesOf({ keys, isWord }: Having): readonly number[] {
    const places: number[] = [];
    for (const list of keys)
      for (const key of list) {
        const place = this.#places.get(key);
        if (place !== undefined) places.push(place);
      }
    for (const [place, words] of this.#areas) if (words.some(isWord)) places.push(place);
    return places;
  }

  /** Lists the places of series with each of some words. */
  placesOfAll(all: readonly Having[]): readonly number[] {
    const [first = [], ...others] = all.map((one) => this.placesOf(one));
    if (others.length === 0) return first;
    const counts = new Uint8Array(this.all.length);
    for (const place of first) counts[place] = 1;
    others.forEach((places, i) => {
      for (const place of places) if (counts[place] === i + 1) counts[place] = i + 2;
    });
    return first.filter((place) => counts[place] === all.length);
  }
}
