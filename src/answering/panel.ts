import type { Day } from '../domain/series/date.ts';
import { kindsText, parseVintageKind } from '../domain/series/series.ts';
import { observations } from '../operations/figures.ts';
import type { ObservationRow } from '../operations/series/observations.ts';
import { defined } from '../platform/defined.ts';
import { type Ask, type QueryAnswer, rowsOf } from './answer.ts';
import { composed, eachOf } from './composed.ts';
import { explainSeries, noteBasis } from './notes.ts';
import {
  laggedName,
  longPanelLayout,
  type PanelQuery,
  type PanelRow,
  type SortOrder,
  type WideRow,
  widePanelLayout,
} from './panel-query.ts';
import { type ResolvedSeries, resolveSeries } from './series-ids.ts';

/** Several series as known on one day, aligned by date. */
export function answerPanel(query: PanelQuery, context: Ask): Promise<QueryAnswer> {
  return query.wide ? answerWidePanel(query, context) : answerLongPanel(query, context);
}

function answerLongPanel(query: PanelQuery, context: Ask): Promise<QueryAnswer<PanelRow>> {
  return composed(context, async (counting) => {
    const { columns, ...rest } = await columnsOf(query, counting);
    return { ...longPanel(columns, query.sort, () => rest.asOf), ...rest };
  });
}

function answerWidePanel(query: PanelQuery, context: Ask): Promise<QueryAnswer<WideRow>> {
  return composed(context, async (counting) => {
    const { columns, ...rest } = await columnsOf(query, counting);
    return { ...widePanel(columns, query.sort, 'date', false), ...rest };
  });
}

async function columnsOf(query: PanelQuery, context: Ask) {
  const { asOf, from, to } = query;
  const series = await resolveSeries(query, context);
  const columns = await eachOf(series, context, async (one) => {
    const rows = await rowsOf(context, observations, { id: one.id, ...defined({ as_of: asOf, from, to }) });
    const kind = context.basis.vintageOn(one.id, asOf)?.vintage_kind;
    return { series: one, points: new Map(rows.map((row) => [row.date, pointOf(row, kind)])) };
  });
  await noteBasis(
    columns.map((column) => column.series),
    asOf === undefined ? [] : [asOf],
    context,
  );
  if (columns.every(({ points }) => points.size === 0))
    await explainSeries(columns, { days: [asOf ?? 'latest'], ...query }, context);
  return { columns, ...defined({ asOf }) };
}

/**
 * What was known of a series: a value with its date and its publication, or nothing yet. Days with the same knowledge
 * share the object.
 */
export type PanelPoint = {
  readonly date: Day | undefined;
  readonly value: string | undefined;
  readonly asOfDate: Day | undefined;
  /** How the vintage of the value came about, if the service states it. */
  readonly kind: string | undefined;
};

/** What a panel holds of one series, by the day of the row: a date, or an as-of date. */
export type PanelColumn = {
  readonly series: ResolvedSeries;
  readonly points: ReadonlyMap<Day, PanelPoint>;
  /** How many newer values are skipped (default 0). */
  readonly lag?: number;
};

function pointOf({ date, value, as_of_date }: ObservationRow, kind: string | undefined): PanelPoint {
  return { date, value, asOfDate: as_of_date, kind };
}

/**
 * A panel with a row for each day and series; series in the order given. `asOfOn` gives the as-of date of the rows of
 * a day.
 */
export function longPanel(
  columns: readonly PanelColumn[],
  sort: SortOrder,
  asOfOn: (day: Day) => Day | undefined,
) {
  return { object: 'panel', ...longPanelLayout, rows: longRows(columns, sort, asOfOn) } as const;
}

/**
 * A panel with a row for each day and a column for each series; `first` names the column of the day. With dates, each
 * series has a second column with the observation dates of its values.
 */
export function widePanel(
  columns: readonly PanelColumn[],
  sort: SortOrder,
  first: 'as_of' | 'date',
  withDates: boolean,
) {
  const names = columns.map(({ series: { id, typed = id }, lag }) => laggedName(typed, lag));
  const layout = widePanelLayout(first, names, withDates);
  const fields = layout.fields.map(({ name }) => name);
  const rows = wideRows(columns, sort, fields, withDates);
  return { object: 'panel', ...layout, kinds: kindsOf(columns, names), rows } as const;
}

function kindsOf(
  columns: readonly PanelColumn[],
  names: readonly string[],
): { readonly [column: string]: string } {
  return Object.fromEntries(
    columns.flatMap(({ points }, i) => {
      const kinds = new Set<string>();
      for (const { kind } of points.values()) if (kind !== undefined) kinds.add(kind);
      const words = [...kinds].flatMap((kind) => kind.split('; '));
      const text = kindsText(words.flatMap((word) => parseVintageKind(word) ?? []));
      return text === '' ? [] : [[names[i] ?? '', text]];
    }),
  );
}

function daysOf(columns: readonly PanelColumn[], sort: SortOrder): readonly Day[] {
  const found = new Set<Day>();
  for (const { points } of columns) for (const day of points.keys()) found.add(day);
  const days = [...found].sort();
  return sort === 'desc' ? days.reverse() : days;
}

function* longRows(
  columns: readonly PanelColumn[],
  sort: SortOrder,
  asOfOn: (day: Day) => Day | undefined,
): Generator<PanelRow> {
  for (const day of daysOf(columns, sort)) {
    const asOf = asOfOn(day) ?? null;
    for (const { series, points } of columns) {
      const point = points.get(day);
      if (point === undefined) continue;
      yield {
        as_of: asOf,
        series_id: series.id,
        date: point.date ?? null,
        value: point.value ?? null,
        as_of_date: point.asOfDate ?? null,
        vintage_kind: point.kind ?? null,
      };
    }
  }
}

function* wideRows(
  columns: readonly PanelColumn[],
  sort: SortOrder,
  fields: readonly string[],
  withDates: boolean,
): Generator<WideRow> {
  for (const day of daysOf(columns, sort)) yield wideRow(day, columns, fields, withDates);
}

/** The row of a day; `names` are the names of its cells. */
function wideRow(
  day: Day,
  columns: readonly PanelColumn[],
  [first = '', ...names]: readonly string[],
  withDates: boolean,
): WideRow {
  const row: { [name: string]: string | null } = { [first]: day };
  let place = 0;
  const add = (cell: string | undefined) => {
    row[names[place] ?? ''] = cell ?? null;
    place += 1;
  };
  for (const { points } of columns) {
    const point = points.get(day);
    add(point?.value);
    if (withDates) add(point?.date);
  }
  return row;
}
