import type { Day } from '../domain/series/date.ts';
import type { ObservationRow } from '../operations/observations.ts';
import { longPanelLayout, type PanelRow, type RowLayout, type WideRow, widePanelLayout } from './layouts.ts';
import type { SortOrder } from './query.ts';
import type { MeantSeries } from './series-ids.ts';

/** What was known of a series as of a day: a value with its date and its publication, or nothing yet. */
export type PanelPoint = {
  readonly asOf: Day | undefined;
  readonly date: Day | undefined;
  readonly value: string | undefined;
  readonly asOfDate: Day | undefined;
};

/** What a panel holds of one series, by the day that its rows are about: a date, or an as-of date. */
export type PanelColumn = {
  readonly series: MeantSeries;
  readonly points: ReadonlyMap<Day, PanelPoint>;
};

/** An observation as a point of a panel. */
export function pointOf({ date, value, as_of_date }: ObservationRow, asOf: Day | undefined): PanelPoint {
  return { asOf, date, value, asOfDate: as_of_date };
}

/** A panel with a row for each day and series; series in the order given. */
export function longPanel(columns: readonly PanelColumn[], sort: SortOrder) {
  const rows = daysOf(columns, sort).flatMap((day) => longRows(day, columns));
  return { object: 'panel', ...longPanelLayout, rows } as const;
}

/** A panel with a row for each day and a column for each series; `first` names the column of the day. */
export function widePanel(columns: readonly PanelColumn[], sort: SortOrder, first: 'as_of' | 'date') {
  const layout = widePanelLayout(
    first,
    columns.map(({ series: { id, typed = id } }) => typed),
  );
  const rows = daysOf(columns, sort).map((day) => wideRow(day, columns, layout));
  return { object: 'panel', ...layout, rows } as const;
}

function daysOf(columns: readonly PanelColumn[], sort: SortOrder): readonly Day[] {
  const days = [...new Set(columns.flatMap(({ points }) => [...points.keys()]))].sort();
  return sort === 'desc' ? days.reverse() : days;
}

function longRows(day: Day, columns: readonly PanelColumn[]): readonly PanelRow[] {
  return columns.flatMap(({ series, points }) => {
    const point = points.get(day);
    if (point === undefined) return [];
    return [
      {
        as_of: point.asOf ?? null,
        series_id: series.id,
        date: point.date ?? null,
        value: point.value ?? null,
        as_of_date: point.asOfDate ?? null,
      },
    ];
  });
}

function wideRow(day: Day, columns: readonly PanelColumn[], { fields }: RowLayout): WideRow {
  const cells = [day, ...columns.map(({ points }) => points.get(day)?.value ?? null)];
  return Object.fromEntries(fields.map(({ name }, i) => [name, cells[i] ?? null]));
}
