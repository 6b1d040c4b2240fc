import type { Day } from '../../domain/series/date.ts';
import type { Row } from '../../operations/envelope.ts';
import type { Field } from '../../operations/field.ts';
import type { Wanted } from '../options/ids.ts';

/** What was known of a series on a day: a value with its date and its publication, or nothing yet. */
export type Point = {
  readonly asOf: Day | undefined;
  readonly date: Day | undefined;
  readonly value: string | undefined;
  readonly asOfDate: Day | undefined;
};

/** What a panel holds of one series, by the day that its rows are about: a date, or a day of knowledge. */
export type PanelColumn = { readonly series: Wanted; readonly points: ReadonlyMap<Day, Point> };

/** How a panel is laid out. */
export type Layout = {
  /** What a row is about, and what its first column in the wide form is called. */
  readonly first: 'as_of' | 'date';
  readonly wide: boolean;
  readonly ascending: boolean;
};

const long: readonly Field[] = [
  { name: 'as_of', type: 'day', description: 'The day of knowledge.', nullable: true },
  { name: 'series_id', type: 'text', description: 'Identifier of the series.' },
  { name: 'date', type: 'day', description: 'The period that the value belongs to.', nullable: true },
  { name: 'value', type: 'decimal', description: 'Exact decimal value.', nullable: true },
  {
    name: 'as_of_date',
    type: 'day',
    description: 'The day on which the value was published.',
    nullable: true,
  },
];

/** The point that an observation is. */
export function pointOf({ date, value, as_of_date }: Row, asOf: Day | undefined): Point {
  return { asOf, date: String(date), value: String(value), asOfDate: String(as_of_date) };
}

/** Rows of a panel: one for each day and series that has a point on it, or with `wide` one for each day; series in the order given. */
export function laidOut(columns: readonly PanelColumn[], layout: Layout) {
  const days = [...new Set(columns.flatMap(({ points }) => [...points.keys()]))].sort();
  if (!layout.ascending) days.reverse();
  const fields = layout.wide ? wideFields(columns, layout) : long;
  const rows = layout.wide
    ? days.map((day) => wideRow(day, columns, fields))
    : days.flatMap((day) => longRows(day, columns));
  return { fields, columns: fields.map(({ name }) => name), rows };
}

function longRows(day: Day, columns: readonly PanelColumn[]): readonly Row[] {
  return columns.flatMap(({ series, points }) => {
    const point = points.get(day);
    if (point === undefined) return [];
    return [
      {
        as_of: cell(point.asOf),
        series_id: series.id,
        date: cell(point.date),
        value: point.value ?? null,
        as_of_date: cell(point.asOfDate),
      },
    ];
  });
}

function cell(day: Day | undefined): string | null {
  return day ?? null;
}

/** Series under the ids as typed; one that is typed like the first column is told from it by its case. */
function wideFields(columns: readonly PanelColumn[], { first }: Layout): readonly Field[] {
  const named = columns.map(({ series: { id, typed = id } }) => (typed === first ? id : typed));
  return [
    { name: first, type: 'day', description: 'What the row is about.' },
    ...named.map(
      (name): Field => ({ name, type: 'decimal', description: `Values of ${name}.`, nullable: true }),
    ),
  ];
}

function wideRow(day: Day, columns: readonly PanelColumn[], fields: readonly Field[]): Row {
  const cells = [day, ...columns.map(({ points }) => points.get(day)?.value ?? null)];
  return Object.fromEntries(fields.map(({ name }, i) => [name, cells[i] ?? null]));
}
