import { changeBetween } from '../domain/series/arithmetic.ts';
import type { Day } from '../domain/series/date.ts';
import type { RowLayout } from '../operations/field.ts';
import { observations } from '../operations/figures.ts';
import type { ObservationRow } from '../operations/observations.ts';
import { explainSeries, type QueryAnswer, type QueryContext, rowsOf } from './answer.ts';
import { type ComposedContext, composed, eachOf } from './composed.ts';
import { knowledgeDay, noteBasis } from './coverage.ts';
import type { WideRow } from './layouts.ts';
import { requireOneFrequency } from './one-frequency.ts';
import type { SortOrder, VersionsQuery } from './query.ts';
import { noteRescaling } from './rescaling.ts';
import { type ResolvedSeries, resolveSeries } from './series-ids.ts';
import { versionsDrawing } from './version-charts.ts';
import {
  type ComparedRow,
  comparedLayout,
  comparedNames,
  versionsLayout,
  wideComparedLayout,
} from './vintage-layouts.ts';

/** The values of one series as of each of the days of a query, by date. */
type SeriesVersions = {
  readonly series: ResolvedSeries;
  /** The dates that any version has, in the order of the query. */
  readonly dates: readonly Day[];
  /** Whether a limit left out older dates. */
  readonly hasMore: boolean;
  readonly versions: readonly ReadonlyMap<Day, ObservationRow>[];
};

/** The values of series as of several days; with `compared`, the first of two compared with the second. */
export async function answerVersions(query: VersionsQuery, context: QueryContext): Promise<QueryAnswer> {
  if (!query.compared) return answerSideBySide(query, context);
  // A chart shows the rows of the long form.
  return query.wide && context.chart !== true
    ? answerWideComparison(query, context)
    : answerComparison(query, context);
}

/** A row for each date and series, and a column for each day. */
export function answerSideBySide(query: VersionsQuery, context: QueryContext): Promise<QueryAnswer<WideRow>> {
  return answered(query, context, 'versions', versionsLayout(query.days), (all) =>
    all.flatMap(({ series, dates, versions }) =>
      dates.map((date): WideRow => {
        const values = query.days.map((day, i) => [day, versions[i]?.get(date)?.value ?? null] as const);
        return { date, series_id: series.id, ...Object.fromEntries(values) };
      }),
    ),
  );
}

/** A row for each date and series with the two values, their difference, and the difference in percent. */
export function answerComparison(
  query: VersionsQuery,
  context: QueryContext,
): Promise<QueryAnswer<ComparedRow>> {
  return answered(query, context, 'comparison', comparedLayout, comparedRows);
}

/** The same with a row for each date, and the columns of the comparison for each series. */
function answerWideComparison(query: VersionsQuery, context: QueryContext): Promise<QueryAnswer<WideRow>> {
  return answered(query, context, 'comparison', undefined, (all) => {
    const bySeries = all.map((one) => new Map(comparedRows([one]).map((row) => [row.date, row])));
    const dates = sorted([...new Set(all.flatMap(({ dates }) => dates))], query.sort);
    return dates.map((date): WideRow => {
      const cells = all.flatMap(({ series: { id, typed = id } }, i) => {
        const { value = null, vs_value = null, change = null, percent = null } = bySeries[i]?.get(date) ?? {};
        const values = [value, vs_value, change, percent];
        return comparedNames(typed).map((name, at) => [name, values[at] ?? null] as const);
      });
      return { date, ...Object.fromEntries(cells) };
    });
  });
}

/** Composes an answer; without a layout, that of a wide comparison of the series that were found. */
function answered<R extends ComparedRow | WideRow>(
  query: VersionsQuery,
  context: QueryContext,
  object: 'comparison' | 'versions',
  layout: RowLayout | undefined,
  rowsOfAll: (all: readonly SeriesVersions[]) => readonly R[],
): Promise<QueryAnswer<R>> {
  return composed(context, async (counting) => {
    const all = await resolveSeries({ ...query, asOf: knowledgeDay(query) }, counting);
    // The descriptions come first: a chart of too many lines is refused before their values are requested.
    const drawing = counting.chart === true ? await versionsDrawing(all, query, counting) : undefined;
    const done = await eachOf(all, counting, (series) => versionsOf(series, query, counting));
    const days = query.days.filter((day) => day !== 'latest');
    await noteBasis(
      done.map(({ series }) => series),
      days,
      counting,
    );
    for (const one of done) noteRescalings(one, counting);
    if (done.every(({ dates }) => dates.length === 0)) await explainSeries(done, query, counting);
    const names = done.map(({ series: { id, typed = id } }) => typed);
    return {
      object,
      ...(layout ?? wideComparedLayout(names)),
      rows: rowsOfAll(done),
      hasMore: done.some(({ hasMore }) => hasMore),
      ...(drawing && { drawing }),
    };
  });
}

/** Notes if all values changed by about the same factor from one of the days to the next. */
function noteRescalings({ series, dates, versions }: SeriesVersions, context: ComposedContext): void {
  for (const [i, other] of versions.slice(1).entries()) {
    const rows = dates.map((date) => ({ old: versions[i]?.get(date), new: other.get(date) }));
    const unit = rows.find(({ old }) => old !== undefined)?.old?.unit ?? '';
    const pairs = rows.map((row) => ({ old: row.old?.value ?? null, new: row.new?.value ?? null }));
    noteRescaling({ id: series.id, unit }, pairs, context);
  }
}

async function versionsOf(
  series: ResolvedSeries,
  { days, from, to, sort, limit, transformation }: VersionsQuery,
  context: ComposedContext,
): Promise<SeriesVersions> {
  const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  const known = await Promise.all(
    days.map(async (day) => {
      const asOf = day === 'latest' ? {} : { as_of: day };
      return { day, rows: await rowsOf(context, observations, { id: series.id, ...asOf, ...range }) };
    }),
  );
  await requireOneFrequency(series, known, transformation, context);
  const versions = known.map(({ rows }) => new Map(rows.map((row) => [row.date, row])));
  const dates = sorted([...new Set(versions.flatMap((version) => [...version.keys()]))], 'desc');
  const shown = dates.slice(0, limit);
  return { series, dates: sorted(shown, sort), versions, hasMore: shown.length < dates.length };
}

function sorted(days: readonly Day[], sort: SortOrder): readonly Day[] {
  const ascending = [...days].sort();
  return sort === 'desc' ? ascending.reverse() : ascending;
}

function comparedRows(all: readonly SeriesVersions[]): readonly ComparedRow[] {
  return all.flatMap(({ dates, versions: [versionThen, versionOther] }) =>
    dates.flatMap((date) => {
      const [row, vs] = [versionThen?.get(date), versionOther?.get(date)];
      const { series_id = '', unit = '', frequency = '', source = '' } = row ?? vs ?? {};
      const change =
        row === undefined || vs === undefined
          ? { change: null, percent: null }
          : changeBetween(row.value, vs.value);
      return {
        date,
        value: row?.value ?? null,
        vs_value: vs?.value ?? null,
        ...change,
        as_of_date: row?.as_of_date ?? null,
        vs_as_of_date: vs?.as_of_date ?? null,
        series_id,
        unit,
        frequency,
        source,
      };
    }),
  );
}
