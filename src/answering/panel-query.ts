import { type Day, type Rhythm, schedule } from '../domain/series/date.ts';
import type { Transformation } from '../domain/series/transformation.ts';
import { Problem } from '../errors/problem.ts';
import { type Field, field, nullable, type RowFrom, type RowLayout, showing } from '../operations/field.ts';

/** Oldest or newest row first. */
export type SortOrder = 'asc' | 'desc';

type Transformed = { readonly transformation?: Transformation };

type OfSeries = {
  /** Ids as typed; one with `*` means every series that matches. */
  readonly ids: readonly string[];
  /** Whether ids that no series has are left out; otherwise they are a Problem. */
  readonly skipMissing?: boolean;
};

type PanelForm = OfSeries & Transformed & { readonly wide: boolean; readonly sort: SortOrder };

/** Several series as known on one day, aligned by date. */
export type PanelQuery = PanelForm & {
  readonly asOf?: Day;
  readonly from?: Day;
  readonly to?: Day;
};

/**
 * What a real-time panel shows on as-of dates after the coverage of a series: nothing, the newest known value, or a
 * failure.
 */
export type Beyond = (typeof beyondChoices)[number];

/** The choices for dates beyond the coverage; the first is the default. */
export const beyondChoices = ['empty', 'repeat', 'fail'] as const;

/** The newest values of several series known on each day of a rhythm, or on given days. */
export type RealTimePanelQuery = PanelForm & {
  /** The rhythm, or the days in any order. */
  readonly each: Rhythm | readonly Day[];
  /** Whether each day shows only what was known before it. */
  readonly knownBefore?: boolean;
  /** How many of the newest values each day shows (default 1). */
  readonly last?: number;
  /** How many of the newest values are skipped (default 0). */
  readonly lag?: number;
  readonly beyond: Beyond;
  /** Whether the wide form has the observation date beside each value. */
  readonly withDates: boolean;
  readonly from?: Day;
  readonly to?: Day;
};

/**
 * The days of a real-time panel, ascending; a Problem if a bound is missing or no day is between the bounds. Each day
 * shows what was known on it, or with `knownBefore` on the day before.
 */
export function asOfDates({
  each,
  from,
  to,
}: Pick<RealTimePanelQuery, 'each' | 'from' | 'to'>): readonly Day[] {
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

/** Returns the ids as typed, with each series once. */
export function namesOf(ids: readonly string[]): readonly string[] {
  const byId = new Map([...ids].reverse().map((typed) => [typed.toUpperCase(), typed]));
  return [...new Set(ids.map((id) => id.toUpperCase()))].map((id) => byId.get(id) ?? id);
}

/** A row whose columns depend on the query: its day, and a value or null in each other column. */
export type WideRow = { readonly [column: string]: string | null };

const panelFields = [
  nullable('as_of', 'day', 'The as-of date.'),
  field('series_id', 'text', 'Identifier of the series.'),
  nullable('date', 'day', 'The period that the value belongs to.'),
  nullable('value', 'decimal', 'Exact decimal value.'),
  nullable(
    'as_of_date',
    'day',
    'The first vintage with the value: the day of its publication, or a later one if it is sampled or fetched.',
  ),
  nullable(
    'vintage_kind',
    'text',
    'How the vintage came about that was the newest on the as-of date: exact, fetched, sampled or unknown.',
  ),
] as const;

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
    const value: Field = nullable(name, 'decimal', `Values of ${name}.`);
    if (!withDates) return [value];
    const description = `The period that the value of ${name} belongs to.`;
    return [value, nullable(`${name}_date`, 'day', description)];
  });
  const repeated = fields.find(({ name }, i) => fields.findIndex((other) => other.name === name) < i);
  if (repeated !== undefined)
    throw new Problem('bad-input', `two columns have the name ${repeated.name}`, {
      field: 'ids',
      hints: ['leave out the dates, or type the id of the series in another letter case'],
    });
  return showing([field(first, 'day', 'What the row is about.'), ...fields]);
}
