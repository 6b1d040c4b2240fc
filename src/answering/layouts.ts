import { Problem } from '../errors/problem.ts';
import { type Field, type RowFrom, type RowLayout, showing } from '../operations/field.ts';
import type { Query } from './question.ts';

/** The layout of the answer to a query; undefined if its columns depend on the data. */
export function layoutOf({ question, values }: Query): RowLayout | undefined {
  return question.layout(values);
}

/** Returns the ids as typed, with each series once. */
export function namesOf(ids: readonly string[]): readonly string[] {
  const byId = new Map([...ids].reverse().map((typed) => [typed.toUpperCase(), typed]));
  return [...new Set(ids.map((id) => id.toUpperCase()))].map((id) => byId.get(id) ?? id);
}

/** Whether the rows of a query can be drawn as a chart. */
export function isDrawable({ question, values }: Query): boolean {
  return question.isDrawable?.(values) ?? false;
}

/** A row whose columns depend on the query: its day, and a value or null in each other column. */
export type WideRow = { readonly [column: string]: string | null };

const panelFields = [
  { name: 'as_of', type: 'day', description: 'The as-of date.', nullable: true },
  { name: 'series_id', type: 'text', description: 'Identifier of the series.' },
  { name: 'date', type: 'day', description: 'The period that the value belongs to.', nullable: true },
  { name: 'value', type: 'decimal', description: 'Exact decimal value.', nullable: true },
  {
    name: 'as_of_date',
    type: 'day',
    description:
      'The first vintage with the value: the day of its publication, or a later one if it is sampled or fetched.',
    nullable: true,
  },
  {
    name: 'vintage_kind',
    type: 'text',
    description:
      'How the vintage came about that was the newest on the as-of date: exact, fetched, sampled or unknown.',
    nullable: true,
  },
] as const satisfies readonly Field[];

/** The value of a series on a row of a panel. */
export type PanelRow = RowFrom<(typeof panelFields)[number]>;

/** The layout of a panel with a row for each series and day. */
export const longPanelLayout: RowLayout = {
  fields: panelFields,
  columns: panelFields.map(({ name }) => name).filter((name) => name !== 'vintage_kind'),
};

/** The name of the column of values that are some observations before the newest one. */
export function laggedName(typed: string, lag = 0): string {
  return lag === 0 ? typed : `${typed}_lag${lag}`;
}

/** The layout of a panel with a column for each series, named as it was typed. */
export function widePanelLayout(
  first: 'as_of' | 'date',
  names: readonly string[],
  withDates: boolean,
): RowLayout {
  const fields = names.flatMap((typed): readonly Field[] => {
    // A series typed exactly like the first column is written in upper case, to tell them apart.
    const name = typed === first ? typed.toUpperCase() : typed;
    const value: Field = { name, type: 'decimal', description: `Values of ${name}.`, nullable: true };
    if (!withDates) return [value];
    const description = `The period that the value of ${name} belongs to.`;
    return [value, { name: `${name}_date`, type: 'day', description, nullable: true }];
  });
  const repeated = fields.find(({ name }, i) => fields.findIndex((other) => other.name === name) < i);
  if (repeated !== undefined)
    throw new Problem('bad-input', `two columns have the name ${repeated.name}`, {
      field: 'ids',
      hints: ['leave out the dates, or type the id of the series in another letter case'],
    });
  return showing([{ name: first, type: 'day', description: 'What the row is about.' }, ...fields]);
}
