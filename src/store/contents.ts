import { type Filing, symbolsOf } from '../domain/insider/filing.ts';
import type { Frequency } from '../domain/series/date.ts';
import type { HeldVintage } from '../domain/series/merge-plan.ts';
import type { KeptChange } from '../domain/series/revision-history.ts';
import type { SeriesMetadata } from '../domain/series/series.ts';
import { type SearchedSeries, searchableWords } from '../domain/series/words.ts';
import { monthsOf } from '../domain/treasury/curve.ts';
import { searchableNames } from './filings.ts';

/**
 * What a store counts for a series; all of it follows from the rows of the series. Days are empty without a vintage.
 */
export type SeriesFigures = {
  readonly observationCount: number;
  readonly dateCount: number;
  readonly factCount: number;
  readonly firstVintage: string;
  readonly lastVintage: string;
  readonly spacing: Frequency;
  readonly vintageKind: string;
};

/** Everything that a store keeps of a series except its changes. */
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

/** All series of a store together; days are null if there are none. */
export type SeriesTotals = {
  readonly series: number;
  /** Series that are only described. */
  readonly described: number;
  readonly facts: number;
  readonly firstVintage: string | null;
  readonly lastVintage: string | null;
  /** The first and the last of the days to which series are covered. */
  readonly leastCovered: string | null;
  readonly covered: string | null;
};

/** What a store keeps, in the form in which it keeps it, for copies and checks, in the state of a view. */
export interface StoreContents {
  /** The ids of all series, including those that are only described, ascending. */
  seriesIds(): Promise<readonly string[]>;
  series(seriesId: string): Promise<SeriesContents | undefined>;
  /** The changes of a series by date and then as-of date, in batches. */
  changes(seriesId: string): AsyncIterable<readonly KeptChange[]>;
  totals(): Promise<SeriesTotals>;
  size(): Promise<{ readonly format: number; readonly bytes: number }>;
  /** Damage that the engine finds, and contradictions in what it derives from filings: a text for each fault. */
  faults(): Promise<readonly string[]>;
}

const changesAtOnce = 20_000;

/**
 * Every change of a series in batches; `page` reads up to a number of changes after a date and an as-of date, in
 * order.
 */
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

/** What a store derives from a filing, with the columns that it derives it from. */
export type DerivedOfFiling = {
  readonly id: string;
  readonly ticker: string | null;
  /** As JSON. */
  readonly owners: string;
  readonly symbols: readonly string[];
  readonly names: string;
};

/** What a store derives from a filing differently from what the filing says: a text for each fault. */
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

/** A series with its words in an index. */
export type IndexedSeries = SearchedSeries & { readonly words: readonly string[] };

/** Words of a series in an index that differ from those of its id, title and units: a text for each fault. */
export function wordFaults({ words, ...series }: IndexedSeries): readonly string[] {
  const [kept, expected] = [words, searchableWords(series)].map((all) => [...all].sort().join(' '));
  return kept === expected ? [] : [`${series.id} is found by the words ${kept || 'none'}, not ${expected}`];
}

/** A maturity and the number of months that the store keeps for it. */
export type KeptMaturity = { readonly maturity: string; readonly months: number };

/** The fault of a maturity whose kept number of months is wrong. */
export function maturityFaults({ maturity, months }: KeptMaturity): readonly string[] {
  return monthsOf(maturity) === months ? [] : [`a rate of ${maturity} is kept as one of ${months} months`];
}
