import type { WideRow } from '../../operations/envelope.ts';
import {
  type Field,
  field,
  nullable,
  type RowFrom,
  type RowLayout,
  rowsFrom,
  showing,
} from '../../operations/field.ts';
import type { RowOf } from '../../operations/operation.ts';
import { revisions as published } from '../../operations/series/observations.ts';

/** When a value is read: n-th release, days after the first, or end. */
export type Horizon =
  | { readonly kind: 'release'; readonly number: number }
  | { readonly kind: 'after'; readonly days: number }
  | { readonly kind: 'final' };

/** Returns the name of a horizon as a column: `release_2`, `after_90d` or `final`. */
export function horizonName(horizon: Horizon): string {
  if (horizon.kind === 'release') return `release_${horizon.number}`;
  return horizon.kind === 'after' ? `after_${horizon.days}d` : 'final';
}

const changeFields = [
  nullable(
    'change',
    'decimal',
    'Exact difference from the value published before; empty after a withdrawal.',
    { rank: 'high' },
  ),
  nullable(
    'percent',
    'decimal',
    'The change in percent of the value before, to four decimals; empty if that value is 0.',
    { rank: 'high' },
  ),
  nullable('days', 'integer', 'Days since the first release; empty if the record begins later.'),
] as const;

/** A published value, compared with the one published before. */
export type RevisionRow = RowOf<typeof published> & RowFrom<(typeof changeFields)[number]>;

/** The layout of revisions, each compared with the one before. */
export const revisionLayout: RowLayout = {
  fields: [...published.fields, ...changeFields],
  columns: [...published.columns, ...changeFields.map(({ name }) => name)],
};

/** Returns the layout of values with a column for each horizon. */
export function releaseLayout(horizons: readonly Horizon[]): RowLayout {
  return showing([
    field('date', 'day', 'The period of the values, as its first day.'),
    nullable(
      'first_release',
      'day',
      'The first vintage with a value for the date; empty if the record begins later.',
    ),
    ...horizons.map((horizon) => nullable(horizonName(horizon), 'decimal', 'The value at this horizon.')),
  ]);
}

const release = (number: 1 | 2 | 3, nth: string) =>
  [
    nullable(`release_${number}`, 'decimal', `The value at the ${nth} release; empty if it is unknown.`),
    nullable(`release_${number}_date`, 'day', `The day of the ${nth} release.`),
  ] as const;

const summaryFields = [
  field('series_id', 'text', 'Identifier of the series.'),
  field('date', 'day', 'The period of the value, as its first day.'),
  ...release(1, 'first'),
  ...release(2, 'second'),
  ...release(3, 'third'),
  nullable('final', 'decimal', 'The latest value; empty after a withdrawal.'),
  field('final_date', 'day', 'The first day with the latest value.'),
  nullable('largest_change', 'decimal', 'The largest change from one value to the next.'),
  nullable('largest_percent', 'decimal', 'This change in percent of the value before.'),
  nullable('largest_date', 'day', 'The day of this change.'),
  field('unit', 'text', 'Unit of the values.'),
  field('summary', 'text', 'All of this in words.'),
] as const;

/** The releases of a date, its latest value and its largest change, with all of them in words. */
export type RevisionSummaryRow = RowFrom<(typeof summaryFields)[number]>;

/** The layout of a summary. */
export const summaryLayout = showing(summaryFields);

const statisticsFields = [
  field('earlier', 'text', 'The horizon of the earlier values.'),
  field('later', 'text', 'The horizon of the later values.'),
  field('count', 'integer', 'Number of dates that have a value at both horizons.'),
  nullable('first_date', 'day', 'The first of these dates.', { rank: 'low' }),
  nullable('last_date', 'day', 'The last of these dates.', { rank: 'low' }),
  nullable('mean', 'decimal', 'Mean revision, later less earlier: the bias of the earlier values.'),
  nullable('t', 'decimal', 't-value of the mean, as if revisions were independent.', { digits: 2 }),
  nullable('t_hac', 'decimal', 't-value of the mean with the standard error of Newey and West.', {
    digits: 2,
  }),
  nullable('mean_absolute', 'decimal', 'Mean absolute revision.', { head: 'mean_abs' }),
  nullable('sd', 'decimal', 'Standard deviation of the revisions.'),
  nullable('upward', 'decimal', 'Share of revisions above 0.', { digits: 2 }),
  nullable('same_sign', 'decimal', 'Share of dates whose earlier and later value have the same sign.', {
    digits: 2,
    rank: 'low',
  }),
] as const;

/** Statistics of the revisions from one horizon to another. */
export type RevisionStatisticsRow = RowFrom<(typeof statisticsFields)[number]>;

/** Makes a row of revision statistics. */
export const statisticsRow = rowsFrom(statisticsFields);

/** Returns the layout of statistics of values with some decimals; a table shows their means with one more. */
export function statisticsLayout(decimals?: number): RowLayout {
  const means = ['mean', 'mean_absolute', 'sd'];
  const digits = decimals === undefined ? {} : { digits: decimals + 1 };
  return showing(
    statisticsFields.map((one: Field) => (means.includes(one.name) ? { ...one, ...digits } : one)),
  );
}

/** A row of any answer about revisions. */
export type RevisionAnswerRow = RevisionRow | RevisionStatisticsRow | RevisionSummaryRow | WideRow;
