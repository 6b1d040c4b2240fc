import type { Question, TransformationValues } from '../../answering/question.ts';
import type { ResolvedSeries } from '../../answering/series-ids.ts';
import { kindsText, parseVintageKind } from '../../domain/series/series.ts';
import { nameOfSeries } from '../../domain/series/transformation.ts';
import { type Day, type Rhythm, schedule } from '../../domain/values/date.ts';
import { entryOf } from '../../domain/values/groups.ts';
import { Problem } from '../../errors/problem.ts';
import type { ColumnPage, WideRow } from '../../operations/envelope.ts';
import {
  type Field,
  field,
  nullable,
  type RowFrom,
  type RowLayout,
  rowsFrom,
  showing,
} from '../../operations/field.ts';
import { param } from '../../operations/param.ts';
import { choice } from '../../operations/value.ts';

/** Oldest or newest row first. */
export type SortOrder = 'asc' | 'desc';

const beyondChoices = ['empty', 'repeat', 'fail'] as const;

/** Declares what days after the coverage of a series show; `about` is its help. */
export function beyondParam(about: string) {
  return param(choice(beyondChoices), 'What days after the coverage of a series show.', beyondChoices[0], {
    placeholder: 'choice',
    help: { about, choices: beyondChoices },
  });
}

/** The query of a panel as of several days. */
export type RealTimePanelQuery = Partial<TransformationValues> & {
  readonly ids: readonly string[];
  readonly skip_missing?: boolean | undefined;
  readonly as_of_each: Rhythm | readonly Day[];
  readonly known_before_each?: boolean | undefined;
  /** Instants (ascending, in UTC) by which the columns have their points, instead of as-of dates. */
  readonly instants?: readonly string[];
  readonly from?: Day | undefined;
  readonly to?: Day | undefined;
  readonly last?: number | undefined;
  readonly lag?: number | undefined;
  /** What days after the coverage show: nothing, the newest known value, or a failure. */
  readonly beyond: (typeof beyondChoices)[number];
  /** The panel question, which a service that offers it is asked. */
  readonly panel: Question;
};

/** Returns the days of a real-time panel, ascending; throws a Problem if there are none. */
export function asOfDates({
  as_of_each: each,
  from,
  to,
}: Pick<RealTimePanelQuery, 'as_of_each' | 'from' | 'to'>): readonly Day[] {
  if (typeof each !== 'string') {
    const days = [...new Set(each)].filter((day) => day >= (from ?? '') && day <= (to ?? '~')).sort();
    if (days.length === 0) throw new Problem('bad-input', 'there is no as-of date', { field: 'asOfEach' });
    return days;
  }
  if (from === undefined || to === undefined)
    throw new Problem('bad-input', 'a real-time panel needs the first and the last as-of date');
  const days = schedule(each, from, to);
  if (days.length === 0)
    throw new Problem('bad-input', `there is no ${each} from ${from} to ${to}`, { field: 'asOfEach' });
  return days;
}

const panelFields = [
  nullable('as_of', 'day', 'The as-of date of the row: only what was published by then counts.'),
  field('series_id', 'text', 'Identifier of the series.'),
  nullable('date', 'day', 'The period of the value, as its first day.'),
  nullable('value', 'decimal', 'Exact decimal value.'),
  nullable(
    'as_of_date',
    'day',
    'The first vintage with this value: the day of its publication, or a later day if the vintage is sampled or fetched.',
  ),
  nullable(
    'vintage_kind',
    'text',
    'How the newest vintage on or before the as-of date came about: exact, fetched, sampled or unknown.',
  ),
] as const;

const panelRow = rowsFrom(panelFields);

/** The value of a series on a row of a panel. */
export type PanelRow = RowFrom<(typeof panelFields)[number]>;

/** The layout of a panel with a row for each series and day. */
export const longPanelLayout: RowLayout = showing(panelFields, 'vintage_kind');

/** Returns the column name of values that are `lag` observations before the newest one. */
export function laggedName(typed: string, lag = 0): string {
  return lag === 0 ? typed : `${typed}_lag${lag}`;
}

/** Returns the layout of a panel with a column for each series, named as typed. */
export function widePanelLayout(
  first: 'as_of' | 'date',
  names: readonly string[],
  withDates: boolean,
): RowLayout {
  const fields = names.flatMap((typed): readonly Field[] => {
    // A series typed exactly like the first column is written in upper case, to tell them apart.
    const name = typed === first ? typed.toUpperCase() : typed;
    const value: Field = nullable(name, 'decimal', `Values of ${name}.`);
    if (!withDates) return [value];
    const description = `The period of the value of ${name}, as its first day.`;
    return [value, nullable(`${name}_date`, 'day', description)];
  });
  const repeated = fields.find(({ name }, i) => fields.findIndex((other) => other.name === name) < i);
  if (repeated !== undefined)
    throw new Problem('bad-input', `two columns have the name ${repeated.name}`, {
      field: 'ids',
      hints: ['leave out the dates, or type the id of the series in another letter case'],
    });
  const about =
    first === 'date' ? 'The period of the values, as its first day.' : 'The as-of date of the row.';
  return showing([field(first, 'day', about), ...fields]);
}

/** The value known of a series on some days, or nothing yet. */
export type PanelPoint = {
  readonly date: Day | undefined;
  readonly value: string | undefined;
  readonly asOfDate: Day | undefined;
  /** How the vintage of the value came about. */
  readonly kind: string | undefined;
};

/** One series of a panel, by the day of the row; several columns may share their days. */
export type PanelColumn = {
  readonly series: ResolvedSeries;
  readonly days: readonly Day[];
  /** What is known on each of the days; undefined if the day has no row. */
  readonly points: readonly (PanelPoint | undefined)[];
  /** How many newer values are skipped. Default: 0. */
  readonly lag?: number;
};

/** The form of a panel: a row for each day and series, or with `wide` a row for each day. */
export type PanelForm = {
  readonly wide?: boolean | undefined;
  readonly sort?: SortOrder | undefined;
  /** True if each value has its observation date beside it. */
  readonly with_dates?: boolean | undefined;
};

/** Returns what a column has on a day. */
export function pointsOf({ days, points }: PanelColumn): (day: Day) => PanelPoint | undefined {
  const places = new Map(days.map((day, place) => [day, place]));
  return (day) => points[places.get(day) ?? -1];
}

/** Makes the rows of a panel; `first` says what the days of its columns are, `dayOf` is for a panel by date. */
export function panelRows(
  given: readonly PanelColumn[],
  { wide = false, sort = 'desc', with_dates = false }: PanelForm,
  first: 'as_of' | 'date',
  dayOf: (id: string) => Day | undefined = () => undefined,
) {
  const { days, columns } = onSameDays(given, sort);
  const asOfOn = (day: Day, id: string) => (first === 'as_of' ? day : (dayOf(id) ?? null));
  if (!wide) return { object: 'panel', ...longPanelLayout, rows: longRows(columns, days, asOfOn) } as const;
  const names = columns.map(({ series, lag }) => laggedName(series.typed ?? nameOfSeries(series), lag));
  const layout = widePanelLayout(first, names, with_dates);
  const [, ...cells] = layout.columns;
  const named = namedColumns(columns, cells);
  const rows = wideRows(named, days, first);
  // A panel of one day has that day in its head.
  const byColumn = first === 'date' ? {} : { byColumn: () => wideColumns(named, days, first) };
  return { object: 'panel', ...layout, kinds: kindsOf(columns, names), rows, ...byColumn } as const;
}

function kindsOf(
  columns: readonly PanelColumn[],
  names: readonly string[],
): { readonly [column: string]: string } {
  return Object.fromEntries(
    columns.flatMap(({ points }, i) => {
      const kinds = new Set<string>();
      for (const point of points) if (point?.kind !== undefined) kinds.add(point.kind);
      const words = [...kinds].flatMap((kind) => kind.split('; '));
      const text = kindsText(words.flatMap((word) => parseVintageKind(word) ?? []));
      return text === '' ? [] : [[names[i] ?? '', text]];
    }),
  );
}

/** Returns the days of any column in order, and the columns on all of them. */
function onSameDays(
  columns: readonly PanelColumn[],
  sort: SortOrder,
): { readonly days: readonly Day[]; readonly columns: readonly PanelColumn[] } {
  const found = new Set<Day>();
  for (const own of new Set(columns.map(({ days }) => days))) for (const day of own) found.add(day);
  const days = [...found].sort();
  if (sort === 'desc') days.reverse();
  const placesIn = new Map<readonly Day[], readonly number[]>();
  const placesOf = (own: readonly Day[]) =>
    entryOf(placesIn, own, () => {
      const places = new Map(own.map((day, place) => [day, place]));
      return days.map((day) => places.get(day) ?? -1);
    });
  return {
    days,
    columns: columns.map((column) => ({
      ...column,
      days,
      points: placesOf(column.days).map((place) => column.points[place]),
    })),
  };
}

function* longRows(
  columns: readonly PanelColumn[],
  days: readonly Day[],
  asOfOn: (day: Day, id: string) => Day | null,
): Generator<PanelRow> {
  for (const [place, day] of days.entries()) {
    for (const { series, points } of columns) {
      const point = points[place];
      if (point === undefined) continue;
      yield panelRow(
        { asOf: asOfOn(day, series.id), seriesId: nameOfSeries(series), vintageKind: point.kind },
        point,
      );
    }
  }
}

type NamedColumn = Pick<PanelColumn, 'points'> & {
  readonly value: string;
  readonly date: string | undefined;
};

function namedColumns(columns: readonly PanelColumn[], cells: readonly string[]): readonly NamedColumn[] {
  const step = cells.length / columns.length;
  return columns.map(({ points }, i) => {
    const [value = '', date] = cells.slice(i * step, (i + 1) * step);
    return { points, value, date };
  });
}

async function* wideColumns(
  named: readonly NamedColumn[],
  days: readonly Day[],
  first: string,
): AsyncGenerator<ColumnPage, undefined> {
  const cellsOf = (field: string) => {
    if (field === first) return days;
    const column = named.find(({ value, date }) => value === field || date === field);
    const member = column?.value === field ? 'value' : 'date';
    return (column?.points ?? []).map((point) => point?.[member]);
  };
  yield { rows: days.length, cellsOf };
  return undefined;
}

function* wideRows(named: readonly NamedColumn[], days: readonly Day[], first: string): Generator<WideRow> {
  for (const [place, day] of days.entries()) {
    const row: { [name: string]: string | null } = { [first]: day };
    for (const { points, value, date } of named) {
      const point = points[place];
      row[value] = point?.value ?? null;
      if (date !== undefined) row[date] = point?.date ?? null;
    }
    yield row;
  }
}
