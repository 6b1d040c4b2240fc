import type { Day } from '../domain/series/date.ts';
import type { Row } from '../operations/envelope.ts';
import { longPanelLayout, type RowLayout, widePanelLayout } from './layouts.ts';
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

/** How a panel is laid out; `first` says what a row is about, and is the first column of the wide form. */
type PanelLayout = { readonly first: 'as_of' | 'date'; readonly wide: boolean; readonly sort: SortOrder };

/** An observation as a point of a panel. */
export function pointOf({ date, value, as_of_date }: Row, asOf: Day | undefined): PanelPoint {
  return { asOf, date: String(date), value: String(value), asOfDate: String(as_of_date) };
}

/** The rows of a panel: one for each day and series, or one for each day if it is wide; series in the order given. */
export function panelOf(columns: readonly PanelColumn[], { first, wide, sort }: PanelLayout) {
  const days = [...new Set(columns.flatMap(({ points }) => [...points.keys()]))].sort();
  if (sort === 'desc') days.reverse();
  if (!wide)
    return {
      object: 'panel',
      ...longPanelLayout,
      rows: days.flatMap((day) => longRows(day, columns)),
    } as const;
  const layout = widePanelLayout(
    first,
    columns.map(({ series: { id, typed = id } }) => typed),
  );
  return { object: 'panel', ...layout, rows: days.map((day) => wideRow(day, columns, layout)) } as const;
}

function longRows(day: Day, columns: readonly PanelColumn[]): readonly Row[] {
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

function wideRow(day: Day, columns: readonly PanelColumn[], { fields }: RowLayout): Row {
  const cells = [day, ...columns.map(({ points }) => points.get(day)?.value ?? null)];
  return Object.fromEntries(fields.map(({ name }, i) => [name, cells[i] ?? null]));
}
