import {
  type Ask,
  failureOf,
  pagesAbout,
  type QueryAnswer,
  rowsOf,
  textsOf,
} from '../../answering/answer.ts';
import { type ComposedRows, composed } from '../../answering/composed.ts';
import { historyOf } from '../../answering/history.ts';
import { descriptionOf, explainSeries, noteBasis } from '../../answering/notes.ts';
import { pagesOf } from '../../client/pagination.ts';
import { changeBetween, hasBaseYear, isRescaled } from '../../domain/series/arithmetic.ts';
import { type Day, dayNumber, earlier, periodStart, weekendDay } from '../../domain/series/date.ts';
import { dayOfHorizon, type Horizon, horizonName, type VintageRecord } from '../../domain/series/releases.ts';
import { type Change, knownOn } from '../../domain/series/revision-history.ts';
import { revisionStatistics } from '../../domain/series/revision-statistics.ts';
import { parseFrequency } from '../../domain/series/series.ts';
import type { Transformation } from '../../domain/series/transformation.ts';
import { DailyTransformers, firstInput, type Vintages } from '../../domain/series/transformer.ts';
import { counted } from '../../errors/wording.ts';
import type { Envelope, WideRow } from '../../operations/envelope.ts';
import { field, nullable, type RowLayout, showing } from '../../operations/field.ts';
import { observations, revisions as published, seriesShow, vintages } from '../../operations/figures.ts';
import type { RowOf } from '../../operations/operation.ts';
import { defined } from '../../platform/defined.ts';
import { countsOwnPeriods, OneFrequency } from './one-frequency.ts';
import {
  type RevisionRow,
  type RevisionStatisticsRow,
  releaseLayout,
  revisionLayout,
  statisticsLayout,
} from './revision-layouts.ts';

type PublishedValue = RowOf<typeof published>;

type SomeDates = {
  readonly id: string;
  readonly from: Day | undefined;
  readonly to: Day | undefined;
  readonly limit: number | undefined;
  readonly as_of: Day | undefined;
};

type PublishedQuery = SomeDates & { readonly date: Day | undefined; readonly cursor: string | undefined };

/** A triangle of revisions; its values are transformed each from those of its own vintage. */
type TriangleQuery = SomeDates & { readonly units: Transformation | undefined };

type ReleasesQuery = TriangleQuery & { readonly horizons: readonly Horizon[] };

/** Every value of one date or of each date, with the size and the delay of each change. */
export async function answerPublished(
  query: PublishedQuery,
  context: Ask,
): Promise<QueryAnswer<RevisionRow>> {
  return { ...revisionLayout, pages: pagesAbout(query.id, pages(query, context)) };
}

async function* pages(query: PublishedQuery, context: Ask): AsyncGenerator<Envelope<RevisionRow>> {
  const { id, as_of: asOf } = query;
  let isSampled = false;
  let seen = false;
  let record: FirstVintage | undefined;
  for await (const page of publishedPages(query, context)) {
    const { results } = page;
    const kinds = results.map(({ vintage_kind }) => vintage_kind ?? '');
    context.basis.add(id, asOf, page.covered_to, kinds);
    if (kinds.includes('sampled') && !isSampled) {
      isSampled = true;
      const text = `${id} is sampled: these are the first samples with each value`;
      context.note?.({ kind: 'sampled', text });
    }
    seen ||= results.length > 0;
    record ??= results.length === 0 ? undefined : await firstVintageOf(id, context);
    yield compared(page, asOf, record);
  }
  if (!seen && context.explained === true) await noteEmpty(query, context);
  await noteBasis([{ id }], [asOf], context);
}

/** The values published up to the as-of date, of at most `limit` dates. */
async function* publishedPages(
  { id, date, from, to, as_of: asOf, limit, cursor }: PublishedQuery,
  context: Ask,
): AsyncGenerator<Envelope<PublishedValue>> {
  const texts = textsOf(defined({ id, date, from, to }));
  // The service would count dates that were first published after the as-of date towards its limit.
  const isCounted = asOf !== undefined && limit !== undefined;
  const extent = defined({ cursor, limit: isCounted ? undefined : limit });
  let left = isCounted ? limit : Number.POSITIVE_INFINITY;
  for await (const page of pagesOf(context.client, published, texts, extent, context.signal)) {
    const known = page.results.filter((row) => asOf === undefined || row.as_of_date <= asOf);
    const dates = [...new Set(known.map((row) => row.date))];
    const shown = new Set(dates.slice(0, left));
    const results = dates.length > left ? known.filter((row) => shown.has(row.date)) : known;
    left -= shown.size;
    const { next_cursor: _, ...rest } = page;
    const isCut = isCounted && left === 0;
    yield { ...(isCut ? { ...rest, has_more: true } : page), results, results_count: results.length };
    if (isCut) return;
  }
}

/** Notes that a date has no value; reveals nothing later than the as-of date. */
async function noteEmpty({ id, date, as_of: asOf }: PublishedQuery, context: Ask): Promise<void> {
  const known = asOf === undefined ? 'was published' : `was known on ${asOf}`;
  if (date === undefined) {
    context.note?.({ kind: 'empty', text: `no value of ${id} ${known} for these dates` });
    return;
  }
  const frequency = parseFrequency(await frequencyOf(id, asOf, context));
  const period = periodStart(date, frequency ?? '');
  const weekend = frequency === 'D' ? weekendDay(date) : undefined;
  const reasons = [
    ...(period === date ? [] : [`; its period begins on ${period}`]),
    ...(weekend === undefined ? [] : [`, a ${weekend}`]),
  ];
  context.note?.({ kind: 'empty', text: `no value of ${id} ${known} for ${date}${reasons.join('')}` });
}

async function frequencyOf(id: string, asOf: Day | undefined, context: Ask): Promise<string> {
  if (asOf === undefined) return String((await descriptionOf({ id }, context))?.frequency ?? '');
  const [newest] = await rowsOf(context, observations, { id, as_of: asOf }, { limit: 1 });
  return String(newest?.frequency ?? '');
}

type FirstVintage = { readonly asOf: Day; readonly newest: Day };

/**
 * The first vintage of a series; undefined if the service does not say when its record begins. The dates in that
 * vintage were, or may have been, published before the record begins, so their first releases are unknown.
 */
async function firstVintageOf(id: string, context: Ask): Promise<FirstVintage | undefined> {
  const [series] = (await context.client.ask(seriesShow, [['id', id]])).results;
  const asOf = series?.first_vintage ?? '';
  if (asOf === '') return undefined;
  const [newest] = await rowsOf(context, observations, { id, as_of: asOf }, { limit: 1 });
  return { asOf, newest: newest?.date ?? '' };
}

/** The page up to an as-of date, each row compared with the previous one and with the day of the first release. */
function compared(
  page: Envelope<PublishedValue>,
  asOf: Day | undefined,
  record: FirstVintage | undefined,
): Envelope<RevisionRow> {
  const { covered_to: _, ...rest } = page;
  let released: Day | undefined;
  const results = page.results.map((row, i, rows) => {
    const before = rows[i - 1]?.date === row.date ? rows[i - 1] : undefined;
    if (before === undefined)
      released = record === undefined || row.date > record.newest ? row.as_of_date : undefined;
    const change =
      before?.value == null || row.value === null
        ? { change: null, percent: null }
        : changeBetween(before.value, row.value);
    const days = released === undefined ? null : dayNumber(row.as_of_date) - dayNumber(released);
    return { ...row, ...change, days };
  });
  return {
    ...(asOf === undefined ? page : rest),
    ...(asOf !== undefined && { as_of: asOf }),
    results,
    results_count: results.length,
  };
}

/** Every change of the value of one date, oldest first, and its first release if that is on record. */
type DatedHistory = {
  readonly date: Day;
  readonly changes: readonly Change[];
  readonly released: Day | undefined;
};

/** The value of a date on a day, as published or transformed; null if it was not known. */
type ValueOn = (dated: DatedHistory, day: Day) => string | null;

type SeriesHistory = VintageRecord & {
  /** Newest date first. */
  readonly dates: readonly DatedHistory[];
  readonly unit: string;
  readonly firstVintage: FirstVintage | undefined;
  /** Whether a limit left out older dates. */
  readonly hasMore: boolean;
  readonly valueOn: ValueOn;
};

/** The values of a series at some horizons: a row for each date, newest first, and a column for each horizon. */
export function answerReleases(query: ReleasesQuery, context: Ask): Promise<QueryAnswer<WideRow>> {
  return ofHistory(query, context, (history) => {
    const rows = history.dates.flatMap((dated) => {
      const values = query.horizons.map((horizon) => valueAt(horizon, dated, history));
      return values.every((value) => value === null) ? [] : [releaseRow(query.horizons, dated, values)];
    });
    noteBeforeRecord(query, history, context);
    return { object: 'release_table', ...releaseLayout(query.horizons), rows, hasMore: history.hasMore };
  });
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
  context: Ask,
): Promise<QueryAnswer<RevisionStatisticsRow>> {
  return ofHistory(query, context, (history) => {
    const { horizons } = query;
    noteBeforeRecord(query, history, context);
    const compared = horizons.flatMap((earlierOne, i) =>
      horizons
        .slice(i + 1)
        .map((laterOne) => ({ earlierOne, laterOne, pairs: pairsOf(earlierOne, laterOne, history) })),
    );
    const all = compared.flatMap(({ pairs }) => pairs);
    noteBaseYears(query, all, history, context);
    const rows = compared.map(({ earlierOne, laterOne, pairs }) =>
      statisticsRow(earlierOne, laterOne, pairs),
    );
    return { object: 'revision_statistics', ...statisticsLayout, rows };
  });
}

function pairsOf(earlierOne: Horizon, laterOne: Horizon, history: SeriesHistory) {
  return history.dates.flatMap((dated) => {
    const [earlierValue, laterValue] = [earlierOne, laterOne].map((one) => valueAt(one, dated, history));
    // A date without a known first release has no horizon to compare others with.
    if (dated.released === undefined || earlierValue == null || laterValue == null) return [];
    return [{ date: dated.date, earlier: earlierValue, later: laterValue }];
  });
}

function statisticsRow(earlierOne: Horizon, laterOne: Horizon, pairs: ReturnType<typeof pairsOf>) {
  const found = revisionStatistics([...pairs].reverse());
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
export function answerTriangle(query: TriangleQuery, context: Ask): Promise<QueryAnswer<WideRow>> {
  return ofHistory(query, context, ({ dates, vintages, hasMore, valueOn }) => {
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
  });
}

function triangleLayout(vintageDates: readonly Day[]): RowLayout {
  return showing([
    field('date', 'day', 'The period that the values belong to.'),
    ...vintageDates.map((day) => nullable(day, 'decimal', `The value as of ${day}.`)),
  ]);
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

/** Composes an answer from the history of one series, with the notes that every such answer has. */
function ofHistory<R extends WideRow | RevisionStatisticsRow>(
  query: TriangleQuery,
  context: Ask,
  answer: (history: SeriesHistory) => ComposedRows<R>,
): Promise<QueryAnswer<R>> {
  const { id, as_of: asOf, from, to } = query;
  return composed(context, async (counting) => {
    const made = await seriesHistory(query, counting)
      .then(answer)
      .catch((error) => {
        throw failureOf(id, error);
      });
    await noteBasis([{ id }], [asOf], counting);
    if (Array.isArray(made.rows) && made.rows.length === 0)
      await explainSeries([{ series: { id } }], { days: [asOf ?? 'latest'], from, to }, counting);
    return { ...made, ...defined({ asOf }) };
  });
}

async function seriesHistory(
  { id, from = '', to, limit, as_of: asOf, units }: TriangleQuery,
  context: Ask,
): Promise<SeriesHistory> {
  // A transformed value may be computed from one of the year before.
  const first = units === undefined || from === '' ? from : (firstInput(from) ?? from);
  const range = defined({ from: first === '' ? undefined : first, to });
  const [history, listed, firstVintage] = await Promise.all([
    historyOf({ id, ...range }, context, asOf),
    rowsOf(context, vintages, { id, ...defined({ to: asOf }) }),
    firstVintageOf(id, context),
  ]);
  const kinds = [...new Set(listed.map(({ vintage_kind }) => vintage_kind ?? ''))];
  const covered = context.basis.coveredTo(id);
  context.basis.add(id, asOf, covered, kinds);
  const days = listed.map(({ as_of_date }) => as_of_date).sort();
  const last = days.at(-1) ?? '';
  const until = covered === undefined ? last : earlier(asOf ?? covered, covered);
  const asked = [...history.changes].filter(([date]) => date >= from);
  const shown = asked.slice(0, limit);
  const hasMore = shown.length < asked.length;
  const dates = shown.map(([date, changes]) => ({
    date,
    changes,
    released: firstVintage === undefined || date > firstVintage.newest ? changes[0]?.asOf : undefined,
  }));
  noteSampled(id, kinds, context);
  const valueOn =
    units === undefined
      ? publishedOn
      : transformedOn(new DailyTransformers(id, await history.frequencies(), units), history.vintages, {
          id,
          units,
        });
  return { dates, vintages: days, until, unit: history.unit, firstVintage, hasMore, valueOn };
}

const publishedOn: ValueOn = ({ changes }, day) => knownOn(changes, day);

function transformedOn(
  transformers: DailyTransformers,
  vintages: Vintages,
  { id, units }: { readonly id: string; readonly units: Transformation },
): ValueOn {
  const compared = countsOwnPeriods(units) ? new OneFrequency(id, units) : undefined;
  return (dated, day) => {
    const transformer = transformers.on(day);
    if (transformer === undefined) return null;
    if (knownOn(dated.changes, day) !== null) compared?.add(day, transformer.frequency);
    return transformer.valueIn(vintages.on(day), dated.date)?.value ?? null;
  };
}

function noteSampled(id: string, kinds: readonly string[], { note }: Ask): void {
  const inexact = ['sampled', 'fetched', 'unknown'].filter((kind) => kinds.includes(kind));
  if (inexact.length === 0) return;
  const text = `${id} is ${inexact.join(' and ')}: its vintages are not all its releases, so that release_1 is the first vintage with the date, and the first release is not known`;
  note?.({ kind: 'sampled', text });
}

/** Notes that revisions of levels may be changes of the base year, if the unit has one and values changed a lot. */
function noteBaseYears(
  { id, units }: TriangleQuery,
  pairs: ReturnType<typeof pairsOf>,
  { unit }: SeriesHistory,
  { note, naming }: Ask,
): void {
  if (units !== undefined || !hasBaseYear(unit)) return;
  const rescaled = pairs.filter((pair) => isRescaled({ old: pair.earlier, new: pair.later }));
  const { size } = new Set(rescaled.map(({ date }) => date));
  if (size === 0) return;
  const values = size === 1 ? 'the value of 1 date' : `the values of ${size} dates`;
  const text = `${id}: ${values} changed by 3 % or more, and the unit (${unit}) has a base year, which may have changed; compare growth rates, not levels (${naming.param('units', 'pch')})`;
  note?.({ kind: 'rescaled', text });
}

function noteBeforeRecord(
  { id }: TriangleQuery,
  { dates, firstVintage }: SeriesHistory,
  { note }: Ask,
): void {
  const count = dates.filter(({ released }) => released === undefined).length;
  if (count === 0 || firstVintage === undefined) return;
  const { asOf, newest } = firstVintage;
  const text = `the record of ${id} begins on ${asOf}: the releases of ${counted(count, 'date')} up to ${newest} are not in it`;
  note?.({ kind: 'remark', text });
}
