import type { Frequency } from '../domain/series/date.ts';
import type { HeldVintage } from '../domain/series/merge-plan.ts';
import type { KeptChange } from '../domain/series/revision-history.ts';
import type { SeriesMetadata } from '../domain/series/series.ts';

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
type SeriesTotals = {
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
