import type { Day } from '../domain/series/date.ts';
import { type Horizon, horizonName } from '../domain/series/releases.ts';
import { type Field, type RowFrom, type RowLayout, showing } from '../operations/field.ts';

/** The layout of values at some horizons, with a column for each. */
export function releaseLayout(horizons: readonly Horizon[]): RowLayout {
  return showing([
    { name: 'date', type: 'day', description: 'The period that the values belong to.' },
    {
      name: 'first_release',
      type: 'day',
      description:
        'The first vintage with a value for the date; empty where that was before the record begins.',
      nullable: true,
    },
    ...horizons.map((horizon) => decimalColumn(horizonName(horizon), 'The value at this horizon.')),
  ]);
}

/** The layout of the triangle of revisions: a column for each vintage. */
export function triangleLayout(vintageDates: readonly Day[]): RowLayout {
  return showing([
    { name: 'date', type: 'day', description: 'The period that the values belong to.' },
    ...vintageDates.map((day) => decimalColumn(day, `The value as of ${day}.`)),
  ]);
}

function decimalColumn(name: string, description: string): Field {
  return { name, type: 'decimal', description, nullable: true };
}

const statisticsFields = [
  { name: 'earlier', type: 'text', description: 'The horizon of the earlier values.' },
  { name: 'later', type: 'text', description: 'The horizon of the later values.' },
  { name: 'count', type: 'integer', description: 'Dates that have a value at both horizons.' },
  { name: 'first_date', type: 'day', description: 'The first of these dates.', nullable: true },
  { name: 'last_date', type: 'day', description: 'The last of these dates.', nullable: true },
  {
    name: 'mean',
    type: 'decimal',
    description: 'Mean revision, later less earlier: the bias of the earlier values.',
    nullable: true,
  },
  {
    name: 't',
    type: 'decimal',
    description: 't-value of the mean, as if revisions were independent.',
    nullable: true,
  },
  {
    name: 't_hac',
    type: 'decimal',
    description: 'The same with the standard error of Newey and West.',
    nullable: true,
  },
  { name: 'mean_absolute', type: 'decimal', description: 'Mean absolute revision.', nullable: true },
  { name: 'sd', type: 'decimal', description: 'Standard deviation of the revisions.', nullable: true },
  { name: 'upward', type: 'decimal', description: 'Share of revisions above 0.', nullable: true },
  {
    name: 'same_sign',
    type: 'decimal',
    description: 'Share of dates whose earlier and later value have the same sign.',
    nullable: true,
  },
] as const satisfies readonly Field[];

/** Statistics of the revisions from one horizon to another. */
export type RevisionStatisticsRow = RowFrom<(typeof statisticsFields)[number]>;

/** The layout of statistics of revisions. */
export const statisticsLayout = showing(statisticsFields);

const comparedFields = [
  { name: 'date', type: 'day', description: 'The period that the values belong to.' },
  { name: 'value', type: 'decimal', description: 'The value as of the first day.', nullable: true },
  { name: 'vs_value', type: 'decimal', description: 'The value as of the other day.', nullable: true },
  {
    name: 'change',
    type: 'decimal',
    description: 'Exact difference: the value as of the other day less the first.',
    nullable: true,
  },
  {
    name: 'percent',
    type: 'decimal',
    description: 'The same in percent of the first, four decimals; empty where that is 0.',
    nullable: true,
  },
  {
    name: 'as_of_date',
    type: 'day',
    description: 'The first vintage with the first value.',
    nullable: true,
  },
  {
    name: 'vs_as_of_date',
    type: 'day',
    description: 'The first vintage with the other value.',
    nullable: true,
  },
  { name: 'series_id', type: 'text', description: 'Identifier of the series.' },
  { name: 'unit', type: 'text', description: 'Unit of the series.' },
  { name: 'frequency', type: 'text', description: 'Frequency code of the series.' },
  { name: 'source', type: 'text', description: 'Name of the data source.' },
] as const satisfies readonly Field[];

/** The value of a date as of one day, compared with that as of another. */
export type ComparedRow = RowFrom<(typeof comparedFields)[number]>;

/** The layout of values as of one day compared with those of another. */
export const comparedLayout = showing(comparedFields);

/** The names of the columns of a series in a wide comparison: `GDP`, `GDP_vs`, `GDP_change`, `GDP_percent`. */
export function comparedNames(typed: string): readonly [string, string, string, string] {
  return [typed === 'date' ? 'DATE' : typed, `${typed}_vs`, `${typed}_change`, `${typed}_percent`];
}

/** The layout of a comparison with the columns of each series side by side. */
export function wideComparedLayout(typed: readonly string[]): RowLayout {
  const columns = typed.flatMap((name) =>
    comparedNames(name).map((column) => decimalColumn(column, `Compared values of ${name}.`)),
  );
  return showing([{ name: 'date', type: 'day', description: 'What the row is about.' }, ...columns]);
}

/** The layout of values as of several days, with a column for each. */
export function versionsLayout(days: readonly (Day | 'latest')[]): RowLayout {
  return showing([
    { name: 'date', type: 'day', description: 'The period that the values belong to.' },
    { name: 'series_id', type: 'text', description: 'Identifier of the series.' },
    ...days.map((day) => decimalColumn(day, `The value as of ${day}.`)),
  ]);
}
