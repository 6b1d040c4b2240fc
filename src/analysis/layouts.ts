import { maturitiesOf } from '../domain/treasury/curve.ts';
import { Problem } from '../errors/problem.ts';
import { type Field, type RowFrom, type RowLayout, showing } from '../operations/field.ts';
import { curve, revisions, vintages } from '../operations/figures.ts';
import { operationNamed, type RowOf } from '../operations/operation.ts';
import type { Query, YieldTableQuery } from './query.ts';
import {
  comparedLayout,
  releaseLayout,
  statisticsLayout,
  versionsLayout,
  wideComparedLayout,
} from './vintage-layouts.ts';

/** The layout of the answer to a query; undefined if its columns depend on the data. */
export function layoutOf(query: Query): RowLayout | undefined {
  switch (query.kind) {
    case 'operation':
      return operationNamed(query.operation);
    case 'question':
      return query.question.layout(query.values);
    case 'revisions':
      return revisionLayout;
    case 'releases':
      return query.stats ? statisticsLayout : releaseLayout(query.horizons);
    case 'triangle':
      return undefined;
    case 'versions': {
      if (!query.compared) return versionsLayout(query.days);
      if (!query.wide) return comparedLayout;
      return query.ids.some((id) => id.includes('*')) ? undefined : wideComparedLayout(namesOf(query.ids));
    }
    case 'vintages':
      return vintages;
    case 'curve':
      return query.vs === undefined ? curve : comparisonLayout;
    case 'yield-table':
      return yieldTableLayout(query);
    case 'join':
      return undefined;
    case 'check':
      return checkLayout;
  }
}

/** Returns the ids as typed, with each series once. */
export function namesOf(ids: readonly string[]): readonly string[] {
  const byId = new Map([...ids].reverse().map((typed) => [typed.toUpperCase(), typed]));
  return [...new Set(ids.map((id) => id.toUpperCase()))].map((id) => byId.get(id) ?? id);
}

/** Whether the rows of a query can be drawn as a chart. */
export function isDrawable(query: Query): boolean {
  if (query.kind === 'operation') return operationNamed(query.operation).chart !== undefined;
  if (query.kind === 'question') return query.question.isDrawable?.(query.values) ?? false;
  if (query.kind === 'revisions') return query.date !== undefined;
  if (query.kind === 'releases') return !query.stats;
  return !['check', 'join', 'triangle'].includes(query.kind);
}

const changeFields = [
  {
    name: 'change',
    type: 'decimal',
    description: 'Exact difference from the value published before; empty after a withdrawal.',
    nullable: true,
  },
  {
    name: 'percent',
    type: 'decimal',
    description: 'The same in percent of the value before, four decimals; empty where that is 0.',
    nullable: true,
  },
  {
    name: 'days',
    type: 'integer',
    description: 'Days since the first release; empty where that was before the record begins.',
    nullable: true,
  },
] as const satisfies readonly Field[];

/** A published value, compared with the one published before. */
export type RevisionRow = RowOf<typeof revisions> & RowFrom<(typeof changeFields)[number]>;

/** The layout of revisions, each compared with the one before. */
export const revisionLayout: RowLayout = {
  fields: [...revisions.fields, ...changeFields],
  columns: [...revisions.columns, ...changeFields.map(({ name }) => name)],
};

const comparisonFields = [
  { name: 'maturity', type: 'text', description: 'Maturity label.' },
  {
    name: 'rate',
    type: 'decimal',
    description: 'Rate in percent; empty where the curve lacks it.',
    nullable: true,
  },
  { name: 'vs_rate', type: 'decimal', description: 'Rate of the other curve.', nullable: true },
  {
    name: 'change_bps',
    type: 'decimal',
    description: 'The first less the other, in basis points.',
    nullable: true,
  },
  { name: 'trade_date', type: 'day', description: 'Date of the curve.', nullable: true },
  { name: 'vs_trade_date', type: 'day', description: 'Date of the other curve.', nullable: true },
  { name: 'curve_type', type: 'text', description: 'PAR or TIPS.' },
  { name: 'source', type: 'text', description: 'Names of the data sources of both.' },
] as const satisfies readonly Field[];

/** The rates of a maturity on two curves. */
export type CurveComparisonRow = RowFrom<(typeof comparisonFields)[number]>;

/** The layout of two compared curves; the sources of both are shown only on request. */
export const comparisonLayout: RowLayout = {
  fields: comparisonFields,
  columns: comparisonFields.map(({ name }) => name).filter((name) => name !== 'source'),
};

/** A row whose columns depend on the query: its day, and a value or null in each other column. */
export type WideRow = { readonly [column: string]: string | null };

/** The layout of rates with a column for each maturity. */
export function yieldTableLayout({ curveType = 'PAR', maturity }: YieldTableQuery): RowLayout {
  const names = maturity === undefined ? maturitiesOf(curveType) : [maturity];
  return showing([
    { name: 'trade_date', type: 'day', description: 'Date of the curve.' },
    ...names.map(
      (name): Field => ({ name, type: 'decimal', description: 'Rate in percent.', nullable: true }),
    ),
  ]);
}

const checkFields = [
  { name: 'row', type: 'integer', description: 'The row of the file, as an editor counts.' },
  { name: 'day', type: 'day', description: 'The day of the row.' },
  { name: 'column', type: 'text', description: 'The column of the file.' },
  { name: 'series_id', type: 'text', description: 'Identifier of the series.' },
  { name: 'value', type: 'decimal', description: 'The value in the file.' },
  {
    name: 'known',
    type: 'decimal',
    description: 'The value that was known on the day; empty where none was.',
    nullable: true,
  },
  {
    name: 'known_date',
    type: 'day',
    description: 'The period that the known value belongs to.',
    nullable: true,
  },
  {
    name: 'first_known',
    type: 'day',
    description: 'The first day on which the value of the file was known; empty where it never was.',
    nullable: true,
  },
  {
    name: 'value_date',
    type: 'day',
    description: 'The period that the value of the file belongs to.',
    nullable: true,
  },
  {
    name: 'kind',
    type: 'text',
    description:
      'ahead: known only later; never: in no vintage; newer: newer than the lag allows; with all rows also old: known, and older than the newest; known; before: before the first vintage; beyond: after the coverage.',
  },
] as const satisfies readonly Field[];

/** A value of a file, compared with what was known on its day. */
export type CheckRow = RowFrom<(typeof checkFields)[number]>;

/** The layout of what a check of a file finds. */
export const checkLayout = showing(checkFields);

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
