import { type Ask, rowsOf, textsOf } from '../../answering/answer.ts';
import { type History, historyOf } from '../../answering/history.ts';
import { descriptionOf } from '../../answering/notes.ts';
import type { ResolvedSeries } from '../../answering/series-ids.ts';
import { pagesOf } from '../../client/pagination.ts';
import type { Day, Frequency } from '../../domain/series/date.ts';
import {
  type KnownOnDays,
  type KnownValue,
  newestOnDays,
  realTimePeriodsOf,
} from '../../domain/series/newest-values.ts';
import { type FrequencySince, frequencyOn } from '../../domain/series/series.ts';
import type { Transformation } from '../../domain/series/transformation.ts';
import { DailyTransformers, type Vintages } from '../../domain/series/transformer.ts';
import { Problem } from '../../errors/problem.ts';
import type { Coverage } from '../../operations/envelope.ts';
import { observations, revisions, vintages } from '../../operations/figures.ts';
import type { Operation } from '../../operations/operation.ts';
import { defined } from '../../platform/defined.ts';
import { countsOwnPeriods } from './one-frequency.ts';
import type { Beyond, PanelColumn, PanelPoint, RealTimePanelQuery } from './panel-rows.ts';

/** The most requests for one series when each period takes one. */
const mostDayByDay = 1000;

type Publication = { readonly asOf: Day; readonly changes: boolean; readonly kind: string };

type PlacedDays = {
  readonly series: ResolvedSeries;
  /** The days (ascending) up to its coverage. */
  readonly covered: readonly Day[];
  /** The days after its coverage, which stay without a value. */
  readonly beyondCoverage: readonly Day[];
  /** How the newest vintage on each day came about. */
  readonly kinds: ReadonlyMap<Day, string>;
  /** Its vintages up to the last day, ascending, if the service lists them. */
  readonly publications?: readonly Publication[];
};

/** What was known of a series on days: a column for each of its newest values. */
export type KnownColumns = {
  readonly placed: Pick<PlacedDays, 'beyondCoverage' | 'kinds' | 'series'>;
  readonly columns: readonly PanelColumn[];
};

type ColumnsQuery = Pick<RealTimePanelQuery, 'beyond' | 'lag' | 'last' | 'transformation'>;

/**
 * Finds the newest values of a series on each of the days (ascending), from its history. Values that are not
 * transformed need none: a service without it, or whose list of vintages does not show that every answer meets the
 * demands, is asked day by day.
 */
export async function knownOfSeries(
  series: ResolvedSeries,
  days: readonly Day[],
  query: ColumnsQuery,
  context: Ask,
): Promise<KnownColumns> {
  if (query.transformation !== undefined) return historyOnDays(series, days, query, context);
  const placed = await placeDays(series, days, query.beyond, context);
  const isShown = meetsDemands(placed, context);
  const history = isShown ? await ifOffered(() => historyOf({ id: series.id }, context)) : undefined;
  if (history !== undefined) return columnsOf(history, placed, query, context);
  const lacking = placed.publications === undefined ? vintages : isShown ? revisions : undefined;
  const known = await knownDayByDay(placed, query, lacking, context);
  return { placed, columns: columnsOn(known, placed, query) };
}

/** Whether the vintages show that every answer as of the days meets the demands. */
function meetsDemands({ publications }: PlacedDays, { basis: { demands } }: Ask): boolean {
  if (demands.exact === true) return publications?.every(({ kind }) => kind === 'exact') === true;
  return publications !== undefined || demands.maxAge === undefined;
}

/** The history of a series, and its newest values on some days. */
export type HistoryOnDays = {
  readonly placed: PlacedDays;
  readonly columns: readonly PanelColumn[];
  readonly vintages: Vintages;
  /** Compute transformed values; undefined if the values are not transformed. */
  readonly transformers: DailyTransformers | undefined;
};

/** Reads the history of a series, and finds its newest values on each of the days (ascending). */
export async function historyOnDays(
  series: ResolvedSeries,
  days: readonly Day[],
  query: ColumnsQuery,
  context: Ask,
): Promise<HistoryOnDays> {
  const placed = await placeDays(series, days, query.beyond, context);
  return columnsOf(await historyOf({ id: series.id }, context), placed, query, context);
}

async function columnsOf(
  history: History,
  placed: PlacedDays,
  query: ColumnsQuery,
  context: Ask,
): Promise<HistoryOnDays> {
  const { vintages } = history;
  const { last = 1, lag = 0, transformation } = query;
  const { series, covered, beyondCoverage } = placed;
  const { id } = series;
  const lastDay = beyondCoverage.at(-1) ?? covered.at(-1);
  const frequencies = transformation === undefined ? [] : await history.frequencies();
  const transformers = transformation && new DailyTransformers(id, frequencies, transformation, lastDay);
  const known = newestOnDays(vintages, covered, lag + last, transformers);
  if (countsOwnPeriods(transformation)) noteFrequencies(id, known, frequencies, transformation, context);
  return { placed, vintages, transformers, columns: columnsOn(known, placed, query) };
}

function noteFrequencies(
  id: string,
  known: readonly KnownOnDays[],
  frequencies: readonly FrequencySince[],
  { units }: Transformation,
  { note }: Ask,
): void {
  const used = new Map<Frequency, Day>();
  for (const { days, since } of known) {
    const frequency = since === undefined ? '' : frequencyOn(frequencies, since);
    if (frequency !== '' && !used.has(frequency)) used.set(frequency, days[0] ?? '');
  }
  if (used.size < 2) return;
  const each = Array.from(used, ([frequency, since]) => `${frequency} from ${since} on`).join(', ');
  const text = `by the spacing of the dates known on each day ${id} is ${each}, and its ${units} too`;
  note?.({ kind: 'remark', text });
}

/** A column for each of the newest values; days with the same knowledge share a point. */
function columnsOn(
  known: readonly KnownOnDays[],
  { series, beyondCoverage, kinds }: PlacedDays,
  { last = 1, lag = 0 }: ColumnsQuery,
): readonly PanelColumn[] {
  const nothing = { days: beyondCoverage, values: [] };
  return Array.from({ length: last }, (_, i) => {
    const points = new Map<Day, PanelPoint>();
    for (const { days, values } of [...known, nothing]) {
      const value = values[lag + i];
      // A day on which nothing is known has one row, which says so.
      if (value !== undefined || i === 0) addPoints(points, days, value, kinds);
    }
    return { series, points, lag: lag + i };
  });
}

function addPoints(
  points: Map<Day, PanelPoint>,
  days: readonly Day[],
  known: KnownValue | undefined,
  kinds: ReadonlyMap<Day, string>,
): void {
  let point: PanelPoint | undefined;
  for (const day of days) {
    const kind = kinds.get(day);
    if (point === undefined || point.kind !== kind)
      point = { date: known?.date, value: known?.value, asOfDate: known?.asOf, kind };
    points.set(day, point);
  }
}

/**
 * The newest values on days, by a request for each real-time period; for each day if the vintages are not listed.
 * `lacking` is what a service would have to offer to be asked less.
 */
async function knownDayByDay(
  { series: { id }, covered, publications }: PlacedDays,
  { last = 1, lag = 0 }: ColumnsQuery,
  lacking: Operation | undefined,
  context: Ask,
): Promise<readonly KnownOnDays[]> {
  const changed = publications?.flatMap(({ asOf, changes }) => (changes ? [asOf] : []));
  const periods = realTimePeriodsOf(covered, changed ?? covered);
  if (lacking !== undefined && periods.length > mostDayByDay) throw tooMany(id, lacking, periods.length);
  return Promise.all(
    periods.map(async ({ days, since }) => {
      const [day = ''] = days;
      return {
        days,
        since,
        values: since === undefined ? [] : await newestAsOf(id, day, lag + last, context),
      };
    }),
  );
}

function tooMany(id: string, { path }: Operation, requests: number): Problem {
  return new Problem(
    'bad-answer',
    `the service has no ${path.replace('{id}', id)}; without it ${id} takes ${requests} requests, more than ${mostDayByDay}`,
    { hints: ['ask for fewer as-of dates'] },
  );
}

async function newestAsOf(id: string, day: Day, count: number, context: Ask): Promise<readonly KnownValue[]> {
  // Two rows show in which order a service gives them; with one row, finding that out takes another request.
  const rows = await rowsOf(context, observations, { id, as_of: day }, { limit: Math.max(2, count) });
  return rows.map(({ date, value, as_of_date: asOf }) => ({ date, value, asOf }));
}

async function placeDays(
  series: ResolvedSeries,
  days: readonly Day[],
  beyond: Beyond,
  context: Ask,
): Promise<PlacedDays> {
  const last = days.at(-1) ?? '';
  const listed = await ifOffered(() => publicationsOf(series, last, context));
  const row = listed?.row ?? (beyond === 'repeat' ? series.row : await descriptionOf(series, context));
  const described = { ...series, ...defined({ row }) };
  const covered = coveredDays(described, days, beyond);
  const placed = { series: described, covered, beyondCoverage: days.slice(covered.length) };
  if (listed === undefined) return { ...placed, kinds: new Map() };
  const { publications } = listed;
  const kinds = kindsOn(covered, publications);
  context.basis.add(series.id, last, listed.row?.covered_to, [...new Set(kinds.values())]);
  // A publication after the last day may show that the last vintage is not the last publication before it.
  if (context.basis.demands.exact === true) await newestAsOf(series.id, last, 1, context);
  return { ...placed, kinds, publications };
}

/** The days (ascending) up to the coverage of a series; all of them if it is not stated, or values repeat. */
function coveredDays({ id, row }: ResolvedSeries, days: readonly Day[], beyond: Beyond): readonly Day[] {
  const to = typeof row?.covered_to === 'string' ? row.covered_to : '';
  if (beyond === 'fail' && to === '')
    throw new Problem('bad-answer', `the service does not say to which day ${id} is covered`);
  if (beyond === 'repeat' || to === '') return days;
  const covered = days.filter((day) => day <= to);
  const [first] = days.slice(covered.length);
  if (beyond === 'fail' && first !== undefined)
    throw new Problem('too-old', `${id} is covered to ${to}: its value on ${first} is not known`, {
      field: 'beyond',
    });
  return covered;
}

/** How the newest vintage on each day came about; days before the first vintage are missing. */
function kindsOn(days: readonly Day[], publications: readonly Publication[]): ReadonlyMap<Day, string> {
  const kinds = new Map<Day, string>();
  let passed = 0;
  for (const day of days) {
    while ((publications[passed]?.asOf ?? '~') <= day) passed += 1;
    const newest = publications[passed - 1];
    if (newest !== undefined) kinds.set(day, newest.kind);
  }
  return kinds;
}

/** The answer of a service, or undefined if it does not offer what was asked. */
async function ifOffered<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Problem && error.missing) return undefined;
    throw error;
  }
}

async function publicationsOf({ id }: ResolvedSeries, last: Day, { client, signal }: Ask) {
  const publications: Publication[] = [];
  let row: Coverage | undefined;
  const texts = textsOf({ id, to: last });
  for await (const page of pagesOf(client, vintages, texts, { whole: true }, signal)) {
    row ??= page.coverage;
    for (const { as_of_date: asOf, added, revised, withdrawn, vintage_kind: kind } of page.results)
      publications.push({ asOf, changes: added + revised + withdrawn > 0, kind: kind ?? '' });
  }
  return { publications: publications.reverse(), row };
}
