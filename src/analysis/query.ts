import type { Extent } from '../client/pagination.ts';
import { type Day, type Rhythm, schedule } from '../domain/series/date.ts';
import type { Horizon } from '../domain/series/releases.ts';
import type { Transformation } from '../domain/series/transformation.ts';
import type { CurveType, Maturity } from '../domain/treasury/curve.ts';
import { Problem } from '../errors/problem.ts';
import type { QueryParams } from '../operations/param.ts';
import type { Version } from '../operations/value.ts';
import type { QuestionQuery } from './question.ts';

/** Oldest or newest row first. */
export type SortOrder = 'asc' | 'desc';

/** How the values of a query are transformed; without it they are as published. */
type Transformed = { readonly transformation?: Transformation };

/** The series that a query is about. */
type OfSeries = {
  /** Ids as typed; one with `*` means every series that matches. */
  readonly ids: readonly string[];
  /** Whether ids that no series has are left out; otherwise they are a Problem. */
  readonly skipMissing?: boolean;
};

/** The rows of one operation; with `ids`, those of several series one after the other. */
export type OperationQuery = Extent &
  Partial<OfSeries> &
  Transformed & {
    readonly kind: 'operation';
    /** The operation's name. */
    readonly operation: string;
    readonly params: QueryParams;
    /** Whether the answer has no pages, even with a limit: no cursor continues it. */
    readonly unpaged?: boolean;
    /** `asc` reverses the rows of each series, after `limit` or `first` has been applied. */
    readonly sort?: SortOrder;
  };

/** Every value of one date or of each date, with the size and delay of each change, up to `asOf`. */
export type RevisionsQuery = Omit<Extent, 'first'> & {
  readonly kind: 'revisions';
  readonly id: string;
  readonly date?: Day;
  readonly from?: Day;
  readonly to?: Day;
  readonly asOf?: Day;
};

/**
 * The values of a series at some horizons, up to `asOf`: those of each date, or statistics of the revisions between
 * them.
 */
export type ReleasesQuery = {
  readonly kind: 'releases';
  readonly id: string;
  readonly horizons: readonly Horizon[];
  readonly stats: boolean;
  /** How the values are transformed, each from the values of its own vintage. */
  readonly units?: Omit<Transformation, 'aggregation'>;
  readonly from?: Day;
  readonly to?: Day;
  /** The newest dates, at most this number. */
  readonly limit?: number;
  readonly asOf?: Day;
};

/** The values of each date as of each vintage up to `asOf`: the triangle of revisions. */
export type TriangleQuery = Omit<ReleasesQuery, 'horizons' | 'kind' | 'stats'> & {
  readonly kind: 'triangle';
};

/** The vintage dates of a series, up to `asOf`; without it, also what the series covers. */
export type VintagesQuery = Extent & {
  readonly kind: 'vintages';
  readonly id: string;
  readonly from?: Day;
  readonly to?: Day;
  readonly asOf?: Day;
};

/** The curve of a day, or of the newest day up to it; with `vs` beside the curve of another day. */
export type YieldCurveQuery = {
  readonly kind: 'curve';
  readonly curveType?: CurveType;
  readonly date?: Day;
  readonly onOrBefore: boolean;
  readonly vs?: Day;
};

/** Treasury rates with a row for each date and a column for each maturity; `limit` and `first` count dates. */
export type YieldTableQuery = Omit<Extent, 'cursor'> & {
  readonly kind: 'yield-table';
  readonly curveType?: CurveType;
  readonly maturity?: Maturity;
  readonly from?: Day;
  readonly to?: Day;
};

/**
 * The values of series as of several days; with `compared`, those as of the first of two days compared with those of
 * the second.
 */
export type VersionsQuery = PanelForm & {
  readonly kind: 'versions';
  readonly days: readonly Version[];
  readonly compared: boolean;
  readonly from?: Day;
  readonly to?: Day;
  /** The newest dates of each series, at most this number. */
  readonly limit?: number;
};

/** How a panel is laid out: long, or `wide` with a column for each series. */
type PanelForm = OfSeries & Transformed & { readonly wide: boolean; readonly sort: SortOrder };

/** Several series as known on one day, aligned by date. */
export type PanelQuery = PanelForm & {
  readonly kind: 'panel';
  readonly asOf?: Day;
  readonly from?: Day;
  readonly to?: Day;
};

/**
 * What a real-time panel shows on as-of dates after the coverage of a series: nothing, the newest known value, or a
 * failure.
 */
export type Beyond = (typeof beyondChoices)[number];

/** The choices for dates beyond the coverage; the first is the default. */
export const beyondChoices = ['empty', 'repeat', 'fail'] as const;

/** The newest values of several series known on each day of a rhythm, or on given days. */
export type RealTimePanelQuery = PanelForm & {
  readonly kind: 'real-time-panel';
  /** The rhythm, or the days in any order. */
  readonly each: Rhythm | readonly Day[];
  /** Whether each day shows only what was known before it. */
  readonly knownBefore?: boolean;
  /** How many of the newest values each day shows (default 1). */
  readonly last?: number;
  /** How many of the newest values are skipped (default 0). */
  readonly lag?: number;
  readonly beyond: Beyond;
  /** Whether the wide form has the observation date beside each value. */
  readonly withDates: boolean;
  readonly from?: Day;
  readonly to?: Day;
};

/** A query about the user's own table: the table, the column of its days, and what counts as known on each. */
type TableQuery = Transformed & {
  /** The name of the table: of a file, or `-` for standard input. */
  readonly table: string;
  /** Whether each row shows only what was known before its day. */
  readonly strict: boolean;
  /** How many of the newest values are skipped (default 0). */
  readonly lag?: number;
  readonly beyond: Beyond;
};

/** The rows of a table, each with what was known of series on its day. */
export type JoinQuery = TableQuery &
  OfSeries & {
    readonly kind: 'join';
    readonly on: string;
    /** Whether the observation date is beside each value. */
    readonly withDates: boolean;
    /** Whether the number of days since the publication of each value is beside it. */
    readonly withAges: boolean;
  };

/** A column of a table, and the series whose values it has; without an id, the series with the name of the column. */
export type CheckedColumn = { readonly column: string; readonly id?: string };

/** The values of a table that were not known on the day of their row. */
export type CheckQuery = TableQuery &
  Pick<OfSeries, 'skipMissing'> & {
    readonly kind: 'check';
    /** The column of the days; by default the first one. */
    readonly on?: string;
    /** The columns to check; by default every column with the name of a series. */
    readonly columns?: readonly CheckedColumn[];
    /** Whether to list the values that were known as well. */
    readonly allRows: boolean;
  };

/** A query that takes more than the rows of one operation. */
export type AnalysisQuery =
  | JoinQuery
  | CheckQuery
  | RevisionsQuery
  | ReleasesQuery
  | TriangleQuery
  | VintagesQuery
  | YieldCurveQuery
  | YieldTableQuery
  | VersionsQuery;

/** A query of the data, as plain data. */
export type Query = OperationQuery | AnalysisQuery | QuestionQuery;

/**
 * The days of a real-time panel, ascending; a Problem if a bound is missing or no day is between the bounds. Each day
 * shows what was known on it, or with `knownBefore` on the day before.
 */
export function asOfDates({
  each,
  from,
  to,
}: Pick<RealTimePanelQuery, 'each' | 'from' | 'to'>): readonly Day[] {
  if (typeof each !== 'string') {
    const days = [...new Set(each)].filter((day) => day >= (from ?? '') && day <= (to ?? '~')).sort();
    if (days.length === 0) throw new Problem('bad-input', 'there is no as-of date', { field: 'asOfEach' });
    return days;
  }
  if (from === undefined || to === undefined)
    throw new Problem('bad-input', 'a real-time panel needs the first and the last as-of date');
  const days = schedule(each, from, to);
  if (days.length === 0)
    throw new Problem('bad-input', `there is no ${each} from ${from} to ${to}`, { field: 'asOfEach' });
  return days;
}
