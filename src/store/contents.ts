import { type Filing, symbolsOf } from '../domain/insider/filing.ts';
import type { Frequency } from '../domain/series/date.ts';
import type { HeldVintage } from '../domain/series/merge-plan.ts';
import type { KeptChange } from '../domain/series/revision-history.ts';
import type { SeriesMetadata } from '../domain/series/series.ts';
import { type SearchedSeries, searchableWords } from '../domain/series/words.ts';
import { monthsOf } from '../domain/treasury/curve.ts';
import { searchableNames } from './filing-record.ts';

/** What a store counts of a series; it follows from the rows of the series. Days are empty without a vintage. */
export type SeriesFigures = {
  readonly observationCount: number;
  readonly dateCount: number;
  readonly factCount: number;
  readonly firstVintage: string;
  readonly lastVintage: string;
  readonly spacing: Frequency;
  readonly vintageKind: string;
};

/** Everything that a store keeps of a series, but its changes. */
export type SeriesContents = {
  readonly id: string;
  /** Stated by metadata files. */
  readonly stated: SeriesMetadata;
  /** Implied by the formats of its files. */
  readonly implied: SeriesMetadata;
  /** The frequency by which its dates are kept. */
  readonly normalisedBy: Frequency;
  /** Empty without coverage. */
  readonly coveredTo: string;
  readonly figures: SeriesFigures;
  /** Oldest first. */
  readonly vintages: readonly HeldVintage[];
};

/** How large a store is, and in which format. */
export type StoreSize = { readonly format: number; readonly bytes: number };

/** The series of a store together; days are null where there is no value. */
export type SeriesTotals = {
  readonly series: number;
  /** Those that are only described. */
  readonly described: number;
  readonly facts: number;
  readonly firstVintage: string | null;
  readonly lastVintage: string | null;
  /** The first and the last of the days up to which series are covered. */
  readonly leastCovered: string | null;
  readonly covered: string | null;
};

/** What a store keeps, as it keeps it: for copies and checks, in the state of a view. */
export interface StoreContents {
  /** The ids of all series, also of those that are only described, ascending. */
  seriesIds(): Promise<readonly string[]>;
  contents(seriesId: string): Promise<SeriesContents | undefined>;
  /** The changes of a series by date and then as-of date, in batches. */
  changes(seriesId: string): AsyncIterable<readonly KeptChange[]>;
  seriesTotals(): Promise<SeriesTotals>;
  size(): Promise<StoreSize>;
  /** What the engine finds damaged, or contradicts itself in what it derives from filings: a text for each fault. */
  faults(): Promise<readonly string[]>;
}

/** Writes what a store keeps of series as it is, in the transaction of an import. */
export interface ContentsWriter {
  /** Puts a series into the place of the one with its id; `changes` are those that another store keeps. */
  putSeries(contents: SeriesContents, changes: AsyncIterable<readonly KeptChange[]>): Promise<void>;
  /** Removes a series with everything that is kept of it; false for an unknown one. */
  removeSeries(seriesId: string): Promise<boolean>;
  /** Gives a series another id, which no series may have. */
  renameSeries(from: string, to: string): Promise<void>;
}

/** The number of changes that are read at once. */
const changesAtOnce = 20_000;

/** Every change of a series in batches; `page` reads those after a date and an as-of date, in order, up to a number. */
export async function* changesInPages(
  page: (after: Pick<KeptChange, 'date' | 'asOf'>, limit: number) => Promise<readonly KeptChange[]>,
): AsyncGenerator<readonly KeptChange[]> {
  let after = { date: '0001-01-01', asOf: '0001-01-01' };
  for (;;) {
    const changes = await page(after, changesAtOnce);
    const last = changes.at(-1);
    if (last !== undefined) yield changes;
    if (last === undefined || changes.length < changesAtOnce) return;
    after = last;
  }
}

/** What a store derives from a filing, and what it derives it from. */
export type DerivedOfFiling = {
  readonly id: string;
  readonly ticker: string | null;
  /** As JSON. */
  readonly owners: string;
  readonly symbols: readonly string[];
  readonly names: string;
};

/** What is derived of a filing otherwise than it says: a text for each fault. */
export function filingFaults({ id, ticker, owners, symbols, names }: DerivedOfFiling): readonly string[] {
  const listed = [...symbols].sort().join(', ');
  const expected = [...symbolsOf(ticker)].sort().join(', ');
  const named = searchableNames({ owners: JSON.parse(owners) as Filing['owners'] });
  return [
    ...(listed === expected
      ? []
      : [`filing ${id} is listed under ${listed || 'no symbol'}, not ${expected || 'none'}`]),
    ...(named === names ? [] : [`filing ${id} is not found by the names of its owners`]),
  ];
}

/** A series with the words of it that an index has. */
export type IndexedSeries = SearchedSeries & { readonly words: readonly string[] };

/** What an index has of a series otherwise than its id, its title and its units say: a text for each fault. */
export function wordFaults({ words, ...series }: IndexedSeries): readonly string[] {
  const [kept, expected] = [words, searchableWords(series)].map((all) => [...all].sort().join(' '));
  return kept === expected ? [] : [`${series.id} is found by the words ${kept || 'none'}, not ${expected}`];
}

/** A maturity and the months by which the store keeps it. */
export type KeptMaturity = { readonly maturity: string; readonly months: number };

/** The fault of a maturity that is kept by other months than it has. */
export function maturityFaults({ maturity, months }: KeptMaturity): readonly string[] {
  return monthsOf(maturity) === months ? [] : [`a rate of ${maturity} is kept as one of ${months} months`];
}
