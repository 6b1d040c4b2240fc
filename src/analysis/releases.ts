import { hasBaseYear, isRescaled } from '../domain/series/arithmetic.ts';
import { type Day, earlier } from '../domain/series/date.ts';
import { dayOfHorizon, type Horizon, horizonName, type VintageRecord } from '../domain/series/releases.ts';
import { type Change, knownOn } from '../domain/series/revision-history.ts';
import { type RevisionStatistics, revisionStatistics } from '../domain/series/revision-statistics.ts';
import type { FrequencySince } from '../domain/series/series.ts';
import type { Transformation } from '../domain/series/transformation.ts';
import { firstInput, Vintages } from '../domain/series/transformer.ts';
import { counted } from '../errors/wording.ts';
import { revisions, vintages } from '../operations/figures.ts';
import { commandNaming } from '../operations/operation.ts';
import { explainSeries, failureOf, type QueryAnswer, type QueryContext, rowsOf } from './answer.ts';
import { releasesDrawing } from './charts.ts';
import { type ComposedContext, type ComposedRows, composed } from './composed.ts';
import { noteBasis } from './coverage.ts';
import { DailyTransformers, StatedFrequencies } from './history.ts';
import type { WideRow } from './layouts.ts';
import { countsOwnPeriods, OneFrequency } from './one-frequency.ts';
import type { ReleasesQuery, TriangleQuery } from './query.ts';
import { type FirstVintage, firstVintageOf } from './revisions.ts';
import {
  type RevisionStatisticsRow,
  releaseLayout,
  statisticsLayout,
  triangleLayout,
} from './vintage-layouts.ts';

/** Every change of the value of one date, oldest first, and its first release if that is on record. */
type DatedHistory = {
  readonly date: Day;
  readonly changes: readonly Change[];
  readonly released: Day | undefined;
};

/** The value of a date on a day, as published or transformed; null if it was not known. */
type ValueOn = (dated: DatedHistory, day: Day) => string | null;

/** What is known of a series up to the as-of date. */
type SeriesHistory = VintageRecord & {
  /** Newest date first. */
  readonly dates: readonly DatedHistory[];
  /** How its vintages came about. */
  readonly kinds: readonly string[];
  readonly unit: string;
  readonly firstVintage: FirstVintage | undefined;
  /** Whether a limit left out older dates. */
  readonly hasMore: boolean;
  readonly valueOn: ValueOn;
};

/** The values of a series at some horizons, or statistics of the revisions between them. */
export async function answerReleases(query: ReleasesQuery, context: QueryContext): Promise<QueryAnswer> {
  return query.stats ? answerStatistics(query, context) : answerReleaseTable(query, context);
}

/** The values of a series at some horizons: a row for each date, newest first, and a column for each horizon. */
export function answerReleaseTable(
  query: ReleasesQuery,
  context: QueryContext,
): Promise<QueryAnswer<WideRow>> {
  return composed(context, (counting) =>
    ofHistory(query, counting, async (history) => {
      const rows = history.dates.flatMap((dated) => {
        const values = query.horizons.map((horizon) => valueAt(horizon, dated, history));
        return values.every((value) => value === null) ? [] : [releaseRow(query.horizons, dated, values)];
      });
      noteBeforeRecord(query, history, counting);
      const drawing =
        counting.chart === true ? await releasesDrawing(query, history.kinds, counting) : undefined;
      const layout = releaseLayout(query.horizons);
      const { hasMore } = history;
      return { object: 'release_table', ...layout, rows, hasMore, ...(drawing && { drawing }) };
    }),
  );
}

function releaseRow(
  horizons: readonly Horizon[],
  { date, released }: DatedHistory,
  values: readonly (string | null)[],
): WideRow {
  const cells = horizons.map((horizon, i) => [horizonName(horizon), values[i] ?? null] as const);
  return { date, first_release: released ?? null, ...Object.fromEntries(cells) };
}

/** Statistics of the revisions from each horizon to each later one in the order of the query. */
export function answerStatistics(
  query: ReleasesQuery,
  context: QueryContext,
): Promise<QueryAnswer<RevisionStatisticsRow>> {
  return composed(context, (counting) =>
    ofHistory(query, counting, async (history) => {
      const { horizons } = query;
      noteBeforeRecord(query, history, counting);
      const compared = horizons.flatMap((earlierOne, i) =>
        horizons
          .slice(i + 1)
          .map((laterOne) => ({ earlierOne, laterOne, pairs: pairsOf(earlierOne, laterOne, history) })),
      );
      const all = compared.flatMap(({ pairs }) => pairs);
      noteBaseYears(query, all, history, counting);
      const rows = compared.map(({ earlierOne, laterOne, pairs }) =>
        statisticsRow(earlierOne, laterOne, pairs),
      );
      return { object: 'revision_statistics', ...statisticsLayout, rows };
    }),
  );
}

/** The values of each date at two horizons, newest date first. */
function pairsOf(earlierOne: Horizon, laterOne: Horizon, history: SeriesHistory) {
  return history.dates.flatMap((dated) => {
    const [earlierValue, laterValue] = [earlierOne, laterOne].map((one) => valueAt(one, dated, history));
    // A date without a known first release has no horizon to compare others with.
    if (dated.released === undefined || earlierValue == null || laterValue == null) return [];
    return [{ date: dated.date, earlier: earlierValue, later: laterValue }];
  });
}

function statisticsRow(earlierOne: Horizon, laterOne: Horizon, pairs: ReturnType<typeof pairsOf>) {
  const found: RevisionStatistics = revisionStatistics([...pairs].reverse());
  return {
    earlier: horizonName(earlierOne),
    later: horizonName(laterOne),
    count: found.count,
    first_date: found.firstDate ?? null,
    last_date: found.lastDate ?? null,
    mean: found.mean ?? null,
    t: found.t ?? null,
    t_hac: found.tHac ?? null,
    mean_absolute: found.meanAbsolute ?? null,
    sd: found.sd ?? null,
    upward: found.upward ?? null,
    same_sign: found.sameSign ?? null,
  };
}

/** The triangle of revisions: a row for each date, newest first, and a column for each vintage. */
export function answerTriangle(query: TriangleQuery, context: QueryContext): Promise<QueryAnswer<WideRow>> {
  return composed(context, (counting) =>
    ofHistory(query, counting, async ({ dates, vintages, hasMore, valueOn }) => {
      const first = earliest(dates);
      // Vintages before the first value of any of the dates would give empty columns.
      const columns = vintages.filter((day) => first !== undefined && day >= first);
      const rows = dates.map(
        (dated): WideRow => ({
          date: dated.date,
          ...Object.fromEntries(columns.map((day) => [day, valueOn(dated, day)])),
        }),
      );
      return { object: 'revision_triangle', ...triangleLayout(columns), rows, hasMore };
    }),
  );
}

function earliest(dates: readonly DatedHistory[]): Day | undefined {
  const days = dates.flatMap(({ changes: [change] }) => (change === undefined ? [] : [change.asOf]));
  return days.sort()[0];
}

/** The value of a date at a horizon; null if that is not known, or the value was withdrawn by then. */
function valueAt(horizon: Horizon, dated: DatedHistory, history: SeriesHistory): string | null {
  const day = dayOfHorizon(horizon, dated.released, history);
  return day === undefined ? null : history.valueOn(dated, day);
}

/** Answers a query about the history of one series, with the notes that every such answer has. */
async function ofHistory<R extends WideRow | RevisionStatisticsRow>(
  query: ReleasesQuery | TriangleQuery,
  context: ComposedContext,
  answer: (history: SeriesHistory) => Promise<ComposedRows<R>>,
): Promise<ComposedRows<R>> {
  const { id, asOf, from, to } = query;
  const made = await historyOf(query, context)
    .then(answer)
    .catch((error) => {
      throw failureOf(id, error);
    });
  await noteBasis([{ id }], asOf === undefined ? [] : [asOf], context);
  if (Array.isArray(made.rows) && made.rows.length === 0) {
    const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
    await explainSeries([{ series: { id } }], { days: [asOf ?? 'latest'], ...range }, context);
  }
  return { ...made, ...(asOf !== undefined && { asOf }) };
}

async function historyOf(
  { id, from = '', to, limit, asOf, units }: ReleasesQuery | TriangleQuery,
  context: ComposedContext,
): Promise<SeriesHistory> {
  // A transformed value may be computed from one of the year before.
  const first = units === undefined || from === '' ? from : (firstInput(from) ?? from);
  const range = { ...(first !== '' && { from: first }), ...(to !== undefined && { to }) };
  const [published, listed, firstVintage] = await Promise.all([
    rowsOf(context, revisions, { id, ...range }),
    rowsOf(context, vintages, { id, ...(asOf !== undefined && { to: asOf }) }),
    firstVintageOf(id, context),
  ]);
  const kinds = [...new Set(listed.map(({ vintage_kind }) => vintage_kind ?? ''))];
  const covered = context.basis.coveredTo(id);
  context.basis.add(id, asOf, covered, kinds);
  const days = listed.map(({ as_of_date }) => as_of_date).sort();
  const last = days.at(-1) ?? '';
  const until = covered === undefined ? last : earlier(asOf ?? covered, covered);
  const byDate = new Map<Day, Change[]>();
  const stated = new StatedFrequencies();
  for (const row of published) {
    const { date, as_of_date, value } = row;
    if (asOf !== undefined && as_of_date > asOf) continue;
    stated.add(row);
    byDate.set(date, [...(byDate.get(date) ?? []), { asOf: as_of_date, value }]);
  }
  const asked = [...byDate].filter(([date]) => date >= from);
  const shown = asked.slice(0, limit);
  const hasMore = shown.length < asked.length;
  const dates = shown.map(([date, changes]) => ({
    date,
    changes,
    released: firstVintage === undefined || date > firstVintage.newest ? changes[0]?.asOf : undefined,
  }));
  noteSampled(id, kinds, context);
  const isPart = first !== '' || to !== undefined;
  const valueOn =
    units === undefined
      ? publishedOn
      : transformedOn(id, await stated.ofAll({ id, isPart, asOf }, byDate, context), units, byDate);
  const unit = published[0]?.unit ?? '';
  return { dates, vintages: days, until, kinds, unit, firstVintage, hasMore, valueOn };
}

const publishedOn: ValueOn = ({ changes }, day) => knownOn(changes, day);

function transformedOn(
  id: string,
  frequencies: readonly FrequencySince[],
  units: Transformation,
  changes: ReadonlyMap<Day, readonly Change[]>,
): ValueOn {
  const transformers = new DailyTransformers(id, frequencies, units);
  const vintages = new Vintages(changes);
  const compared = countsOwnPeriods(units) ? new OneFrequency(id, units) : undefined;
  return (dated, day) => {
    const transformer = transformers.on(day);
    if (transformer === undefined) return null;
    if (knownOn(dated.changes, day) !== null) compared?.add(day, transformer.frequency);
    return transformer.valueIn(vintages.on(day), dated.date)?.value ?? null;
  };
}

/** Notes that samples are no releases. */
function noteSampled(id: string, kinds: readonly string[], { note }: QueryContext): void {
  const inexact = ['sampled', 'fetched', 'unknown'].filter((kind) => kinds.includes(kind));
  if (inexact.length === 0) return;
  const text = `${id} is ${inexact.join(' and ')}: its vintages are not all its releases, so that release_1 is the first vintage with the date, and the first release is not known`;
  note?.({ kind: 'sampled', text });
}

/** Notes that revisions of levels may be changes of the base year, if the unit has one and values changed a lot. */
function noteBaseYears(
  { id, units }: ReleasesQuery,
  pairs: ReturnType<typeof pairsOf>,
  { unit }: SeriesHistory,
  { note, naming = commandNaming }: QueryContext,
): void {
  if (units !== undefined || !hasBaseYear(unit)) return;
  const rescaled = pairs.filter((pair) => isRescaled({ old: pair.earlier, new: pair.later }));
  const { size } = new Set(rescaled.map(({ date }) => date));
  if (size === 0) return;
  const values = size === 1 ? 'the value of 1 date' : `the values of ${size} dates`;
  const text = `${id}: ${values} changed by 3 % or more, and the unit (${unit}) has a base year, which may have changed; compare growth rates, not levels (${naming.param('units', 'pch')})`;
  note?.({ kind: 'rescaled', text });
}

/** Notes how many dates have no first release on record. */
function noteBeforeRecord(
  { id }: ReleasesQuery,
  { dates, firstVintage }: SeriesHistory,
  { note }: QueryContext,
): void {
  const count = dates.filter(({ released }) => released === undefined).length;
  if (count === 0 || firstVintage === undefined) return;
  const { asOf, newest } = firstVintage;
  const text = `the record of ${id} begins on ${asOf}: the releases of ${counted(count, 'date')} up to ${newest} are not in it`;
  note?.({ kind: 'remark', text });
}
