import { isDataChange } from '../client/client.ts';
import { pagesOf } from '../client/pagination.ts';
import type { Day } from '../domain/series/date.ts';
import {
  type FirstRelease,
  type Newest,
  newestByFirstRelease,
  type Publication,
  type RealTimePeriod,
  realTimePeriodsOf,
} from '../domain/series/real-time-periods.ts';
import { Problem } from '../errors/problem.ts';
import type { Coverage, Row } from '../operations/envelope.ts';
import { observations, revisions, seriesShow, vintages } from '../operations/figures.ts';
import type { ObservationRow } from '../operations/observations.ts';
import { type QueryContext, rowsOf } from './answer.ts';
import type { PanelPoint } from './panel.ts';
import type { Beyond } from './query.ts';
import type { ResolvedSeries } from './series-ids.ts';

/** How to find the newest values of a series on many as-of dates: those known already, and the remaining requests. */
export type RealTimePlan = {
  readonly series: ResolvedSeries;
  readonly periods: readonly RealTimePeriod[];
  /** The days after the coverage of the series, which stay without a value. */
  readonly beyondCoverage: readonly Day[];
  /** How the newest vintage on each day came about. */
  readonly kinds: ReadonlyMap<Day, string>;
  readonly known: ReadonlyMap<RealTimePeriod, FirstRelease>;
  /** The periods that share a newest date, by that date: its revisions answer all of them. */
  readonly byDate: ReadonlyMap<Day, readonly RealTimePeriod[]>;
};

/** The most requests for one series without a list of vintages, when every day takes a request. */
const mostWithoutVintages = 1000;

/** From this number of periods on, it takes fewer requests to ask for all first releases. */
const manyPeriods = 4;

/** The places of as-of dates in the history of a series. */
export type PlacedDays = {
  readonly series: ResolvedSeries;
  /** The days (ascending) up to its coverage. */
  readonly covered: readonly Day[];
  /** The days after its coverage, which stay without a value. */
  readonly beyondCoverage: readonly Day[];
  /** How the newest vintage on each day came about. */
  readonly kinds: ReadonlyMap<Day, string>;
  /** Its vintages up to the last day, ascending, if the service lists them. */
  readonly publications?: readonly DatedKind[];
};

/**
 * Finds out which of the days (ascending) a series covers, and with which vintages; refuses what does not meet the
 * demands.
 */
export async function placeDays(
  series: ResolvedSeries,
  days: readonly Day[],
  beyond: Beyond,
  context: QueryContext,
): Promise<PlacedDays> {
  const last = days.at(-1) ?? '';
  const listed = await ifOffered(() => publicationsOf(series, last, context));
  const row = listed?.row ?? (beyond === 'repeat' ? series.row : await describedIfPossible(series, context));
  const described = { ...series, ...(row !== undefined && { row }) };
  const covered = coveredDays(described, days, beyond);
  const placed = { series: described, covered, beyondCoverage: days.slice(covered.length) };
  if (listed === undefined) return { ...placed, kinds: new Map() };
  const { publications } = listed;
  const kinds = kindsOn(covered, publications);
  context.basis.add(series.id, last, listed.row?.covered_to, [...new Set(kinds.values())]);
  // A publication after the last day may show that the last vintage is not the last publication before it.
  if (context.basis.demands.exact === true) await newestIn(series, { days: [last], since: last }, context);
  return { ...placed, kinds, publications };
}

/** Finds out with few requests which real-time periods of a series the days (ascending) are in. */
export async function planOf(
  asked: ResolvedSeries,
  days: readonly Day[],
  beyond: Beyond,
  context: QueryContext,
): Promise<RealTimePlan> {
  const nothingKnown = separateRevised(new Map());
  const last = days.at(-1);
  if (last === undefined)
    return { series: asked, periods: [], beyondCoverage: [], kinds: new Map(), ...nothingKnown };
  const { series, covered, beyondCoverage, kinds, publications } = await placeDays(
    asked,
    days,
    beyond,
    context,
  );
  if (publications === undefined) {
    if (covered.length > mostWithoutVintages) throw tooMany(series, covered.length);
    const periods = covered.map((day) => ({ days: [day], since: day }));
    return { series, periods, beyondCoverage, kinds, ...nothingKnown };
  }
  const periods = realTimePeriodsOf(covered, publications);
  const plan = { series, periods, beyondCoverage, kinds };
  const isExact = publications.every(({ kind }) => kind === 'exact');
  const isListed = context.basis.demands.exact !== true || isExact;
  if (!isListed || periods.filter(({ since }) => since !== undefined).length < manyPeriods)
    return { ...plan, ...nothingKnown };
  const releases = await ifOffered(() => firstReleases(series, last, context));
  return { ...plan, ...separateRevised(newestByFirstRelease(periods, publications, releases ?? [])) };
}

/** The description of a series; another service may lack it. */
async function describedIfPossible(
  { id, row }: ResolvedSeries,
  { client }: QueryContext,
): Promise<Row | undefined> {
  if (row !== undefined) return row;
  try {
    return (await client.ask(seriesShow, [['id', id]])).results[0];
  } catch (error) {
    if (error instanceof Problem && !isDataChange(error)) return undefined;
    throw error;
  }
}

/**
 * The days (ascending) up to the coverage of a series; all of them if values repeat or the service states no
 * coverage.
 */
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

/** A vintage date, and how it came about. */
type DatedKind = Publication & { readonly kind: string };

/** How the newest vintage on each day came about; days before the first vintage are missing. */
function kindsOn(days: readonly Day[], publications: readonly DatedKind[]): ReadonlyMap<Day, string> {
  const kinds = new Map<Day, string>();
  let passed = 0;
  for (const day of days) {
    while ((publications[passed]?.asOf ?? '~') <= day) passed += 1;
    const newest = publications[passed - 1];
    if (newest !== undefined) kinds.set(day, newest.kind);
  }
  return kinds;
}

/** Separates the periods that first releases answer from those that the revisions of one date answer together. */
function separateRevised(
  newest: ReadonlyMap<RealTimePeriod, Newest>,
): Pick<RealTimePlan, 'known' | 'byDate'> {
  const known = new Map<RealTimePeriod, FirstRelease>();
  const revised = new Map<Day, RealTimePeriod[]>();
  for (const [period, { release, revised: isRevised }] of newest) {
    if (!isRevised) known.set(period, release);
    else revised.set(release.date, [...(revised.get(release.date) ?? []), period]);
  }
  return { known, byDate: new Map([...revised].filter(([, periods]) => periods.length > 1)) };
}

/** The periods that take a request each. */
function alone({ periods, known, byDate }: RealTimePlan): readonly RealTimePeriod[] {
  const shared = new Set([...byDate.values()].flat());
  return periods.filter((period) => period.since !== undefined && !known.has(period) && !shared.has(period));
}

/** The number of requests that a plan still takes. */
export function requestsIn(plan: RealTimePlan): number {
  return alone(plan).length + plan.byDate.size;
}

/** The newest value of a series as of each of the days. */
export async function newestValues(
  plan: RealTimePlan,
  context: QueryContext,
): Promise<ReadonlyMap<Day, PanelPoint>> {
  const { series, periods, beyondCoverage, kinds, known, byDate } = plan;
  const found = new Map<RealTimePeriod, FirstRelease | undefined>(known);
  const ask = async (period: RealTimePeriod): Promise<void> => {
    found.set(period, await newestIn(series, period, context));
  };
  await Promise.all([
    ...alone(plan).map(ask),
    ...[...byDate].map(async ([date, sharing]) => {
      const history = await ifOffered(() => changesOf(series, date, context));
      for (const period of sharing) {
        const change = history?.findLast(({ asOf }) => asOf <= (period.since ?? ''));
        if (change?.value === undefined) await ask(period);
        else found.set(period, { date, value: change.value, asOf: change.asOf });
      }
    }),
  ]);
  const points = new Map<Day, PanelPoint>();
  for (const period of periods) addPoints(points, period.days, found.get(period), kinds);
  addPoints(points, beyondCoverage, undefined, kinds);
  return points;
}

/** Adds the same knowledge to each of the days. */
export function addPoints(
  points: Map<Day, PanelPoint>,
  days: readonly Day[],
  known: FirstRelease | undefined,
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

/** The answer of a service, or undefined if it does not offer what was asked. */
async function ifOffered<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Problem && error.missing) return undefined;
    throw error;
  }
}

function tooMany({ id }: ResolvedSeries, requests: number): Problem {
  return new Problem(
    'bad-answer',
    `the service has no ${vintages.path.replace('{id}', id)}; without it ${id} takes ${requests} requests, more than ${mostWithoutVintages}`,
    { hints: ['ask for fewer as-of dates'] },
  );
}

/** The vintage dates up to `last`, ascending, and what the series covers. */
async function publicationsOf({ id }: ResolvedSeries, last: Day, { client, signal }: QueryContext) {
  const publications: DatedKind[] = [];
  let row: Coverage | undefined;
  const texts = [
    ['id', id],
    ['to', last],
  ] as const;
  for await (const page of pagesOf(client, vintages, texts, {}, signal)) {
    row ??= page.coverage;
    for (const { as_of_date, added, revised, withdrawn, vintage_kind } of page.results) {
      const [adds, revises, withdraws] = [added > 0, revised > 0, withdrawn > 0];
      publications.push({ asOf: as_of_date, adds, revises, withdraws, kind: vintage_kind ?? '' });
    }
  }
  publications.sort((a, b) => (a.asOf < b.asOf ? -1 : 1));
  return { publications, row };
}

async function firstReleases(
  { id }: ResolvedSeries,
  last: Day,
  context: QueryContext,
): Promise<readonly FirstRelease[]> {
  const rows = await rowsOf(context, observations, { id, as_of: last, release: 'first' });
  return rows.map(releaseOf);
}

/** Every change of the value of one date, oldest first; a withdrawal has no value. */
async function changesOf({ id }: ResolvedSeries, date: Day, context: QueryContext) {
  const rows = await rowsOf(context, revisions, { id, date });
  const changes = rows.map(({ as_of_date, value }) => ({
    asOf: as_of_date,
    value: value ?? undefined,
  }));
  return changes.sort((a, b) => (a.asOf < b.asOf ? -1 : 1));
}

/** The newest date that has a value in a period. */
async function newestIn(
  { id }: ResolvedSeries,
  { days: [day = ''] }: RealTimePeriod,
  context: QueryContext,
): Promise<FirstRelease | undefined> {
  // Two rows show in which order a service gives them; with one row, finding that out takes another request.
  const [first] = await rowsOf(context, observations, { id, as_of: day }, { limit: 2 });
  return first && releaseOf(first);
}

function releaseOf({ date, value, as_of_date }: ObservationRow): FirstRelease {
  return { date, value, asOf: as_of_date };
}
