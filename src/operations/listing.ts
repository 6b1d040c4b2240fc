import type { Day } from '../domain/series/date.ts';
import type { StoreState, StoreView } from '../store/store.ts';
import { changedSince, checkVersion } from './cursor.ts';
import { type Page, type PagePosition, pageOf } from './page.ts';

/**
 * The next part of a search: the rows that it found, and the day from which on the search is complete; undefined at
 * the end.
 */
export type ListingPart<T> = { readonly found: readonly T[]; readonly completeFrom: Day | undefined };

/** How a search finds rows part by part, newest day first. */
export type ListingSearch<T> = {
  /** Begins the search; each call of the result finds the next part. */
  readonly begin: () => (view: StoreView) => Promise<ListingPart<T>>;
  readonly dayOf: (one: T) => Day;
  readonly compare: (one: T, other: T) => number;
  /** The key of a row; it is unique. */
  readonly keyOf: (one: T) => readonly string[];
};

/** What a search finds in one state of a store, newest day first. Reads only as far as the requested pages need. */
export class Listing<T> {
  readonly #search: ListingSearch<T>;
  #next: (view: StoreView) => Promise<ListingPart<T>>;
  #found: readonly T[] = [];
  #parts = 0;
  #completeFrom: Day | undefined = '~';
  #reading: Promise<void> = Promise.resolve();

  constructor(search: ListingSearch<T>) {
    this.#search = search;
    this.#next = search.begin();
  }

  /** The rows found so far, in order, up to the first gap that the search may still fill. */
  get rows(): readonly T[] {
    const from = this.#completeFrom;
    return from === undefined ? this.#found : this.#found.filter((one) => this.#search.dayOf(one) >= from);
  }

  /** Whether all rows of a day and later are found; without a day, all rows. */
  isComplete(from: Day | undefined): boolean {
    return this.#completeFrom === undefined || (from !== undefined && this.#completeFrom <= from);
  }

  /** Finds the next part. Callers that wait at the same time get the same part. */
  async readOn(view: StoreView): Promise<void> {
    const parts = this.#parts;
    const before = this.#reading.catch(() => undefined);
    this.#reading = before.then(() => (this.#parts === parts ? this.#readPart(view) : undefined));
    return this.#reading;
  }

  async #readPart(view: StoreView): Promise<void> {
    try {
      const { found, completeFrom } = await this.#next(view);
      this.#found = [...this.#found, ...found].sort(this.#search.compare);
      this.#completeFrom = completeFrom;
      this.#parts += 1;
    } catch (error) {
      // The search may have consumed rows and lost their results, so it begins again.
      this.#next = this.#search.begin();
      this.#found = [];
      this.#completeFrom = '~';
      throw error;
    }
  }
}

/** Which page of a listing: the wanted rows of a day and later, after a position. */
type ListingPage<T> = {
  /** Everything that the search depends on. */
  readonly asked: object;
  readonly search: ListingSearch<T>;
  readonly isWanted: (one: T) => boolean;
  readonly from: Day | undefined;
  readonly position: PagePosition | undefined;
  readonly limit: number;
};

/** The newest listing of each state of a store, so that the pages of one query continue one search. */
export class LastListings<T> {
  readonly #last = new WeakMap<StoreState, { readonly asked: string; readonly listing: Listing<T> }>();

  /**
   * A page of rows, and where the next page begins. Refuses a position in another state, because an import may change
   * any row.
   */
  async page<R>(
    view: StoreView,
    page: ListingPage<T>,
    rowOf: (one: T) => R,
  ): Promise<Pick<Page<R>, 'rows' | 'next'>> {
    const state = await view.state();
    const { revision: version } = state;
    checkVersion(page.position, version);
    const { keyOf } = page.search;
    const found = await readPage(view, this.#listingOf(state, page), page);
    return pageOf(found, page.limit, rowOf, (last) => ({ key: keyOf(last), version }));
  }

  #listingOf(state: StoreState, { asked, search }: ListingPage<T>): Listing<T> {
    const text = JSON.stringify(asked);
    const known = this.#last.get(state);
    if (known?.asked === text) return known.listing;
    const listing = new Listing(search);
    this.#last.set(state, { asked: text, listing });
    return listing;
  }
}

/** The rows of a page, and one more if there are more. */
async function readPage<T>(
  view: StoreView,
  listing: Listing<T>,
  { search: { keyOf }, isWanted, from, position, limit }: ListingPage<T>,
): Promise<readonly T[]> {
  const after = position?.key.join('\n');
  for (;;) {
    const isComplete = listing.isComplete(from);
    const wanted = listing.rows.filter(isWanted);
    const start = after === undefined ? 0 : wanted.findIndex((one) => keyOf(one).join('\n') === after) + 1;
    const isFound = after === undefined || start > 0;
    // Another store may have the same revision.
    if (isComplete && !isFound) throw changedSince();
    if (isComplete || (isFound && wanted.length > start + limit))
      return wanted.slice(start, start + limit + 1);
    await listing.readOn(view);
  }
}
