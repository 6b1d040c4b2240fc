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
