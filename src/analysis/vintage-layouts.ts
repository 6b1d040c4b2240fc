import type { Day } from '../domain/series/date.ts';
import { type Field, type RowFrom, type RowLayout, showing } from '../operations/field.ts';

function decimalColumn(name: string, description: string): Field {
  return { name, type: 'decimal', description, nullable: true };
}

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
