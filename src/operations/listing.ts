import type { Day } from '../domain/series/date.ts';
import type { StoreState, StoreView } from '../store/store.ts';
import { changedSince, checkVersion } from './cursor.ts';
import { type Page, type PagePosition, pageOf } from './page.ts';

/** The next part of a search: what it found, and the day from which on nothing is left to find; undefined at the end. */
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

/** What a search finds in one state of a store, newest day first, read as far as its pages need it. */
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

  /** In order, and as far as nothing is left to find between them. */
  get rows(): readonly T[] {
    const from = this.#completeFrom;
    return from === undefined ? this.#found : this.#found.filter((one) => this.#search.dayOf(one) >= from);
  }

  /** Whether everything of a day and of those after it is found; without a day, everything. */
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
      // The search may have taken rows without finding what they lead to.
      this.#next = this.#search.begin();
      this.#found = [];
      this.#completeFrom = '~';
      throw error;
    }
  }
}

/** Selects a page of what a search finds: the rows that are wanted, on a day and later, after a position. */
type ListingPage<T> = {
  /** Everything that the search depends on. */
  readonly asked: object;
  readonly search: ListingSearch<T>;
  readonly isWanted: (one: T) => boolean;
  readonly from: Day | undefined;
  readonly position: PagePosition | undefined;
  readonly limit: number;
};

/** The last listing of each state of a store, so that all its pages are of one search. */
export class LastListings<T> {
  readonly #last = new WeakMap<StoreState, { readonly asked: string; readonly listing: Listing<T> }>();

  /** A page of rows, and where the next one begins. Refuses a position of another state: an import may change any row. */
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
