import { type Ask, type QueryAnswer, rowsOf, textsOf } from '../../answering/answer.ts';
import { type ComposedRows, composed } from '../../answering/composed.ts';
import { historyOf } from '../../answering/history.ts';
import { descriptionOf, explainSeries, noteBasis } from '../../answering/notes.ts';
import { firstRows, pagesOf } from '../../client/pagination.ts';
import { largestRevision, revisionsInWords } from '../../domain/series/in-words.ts';
import { type Change, type DatedChange, knownOn } from '../../domain/series/revision-history.ts';
import { revisionStatistics } from '../../domain/series/revision-statistics.ts';
import { type FrequencySince, parseFrequency } from '../../domain/series/series.ts';
import { type Transformation, unitText } from '../../domain/series/transformation.ts';
import { DailyTransformers, firstInput } from '../../domain/series/transformer.ts';
import { changeBetween, hasBaseYear, isRescaled, rescalingOf } from '../../domain/values/arithmetic.ts';
import { addDays, type Day, dayNumber, earlier, periodStart, weekendDay } from '../../domain/values/date.ts';
import { decimalsOf, sameNumber } from '../../domain/values/decimal.ts';
import { entryOf } from '../../domain/values/groups.ts';
import { counted, listed, someOf } from '../../errors/wording.ts';
import type { Envelope, WideRow } from '../../operations/envelope.ts';
import { field, nullable, showing } from '../../operations/field.ts';
import type { RowOf } from '../../operations/operation.ts';
import { observations, revisions as published } from '../../operations/series/observations.ts';
import { seriesShow } from '../../operations/series/series.ts';
import { vintages } from '../../operations/series/vintages.ts';
import { defined } from '../../platform/defined.ts';
import {
  type Horizon,
  horizonName,
  type RevisionAnswerRow,
  type RevisionRow,
  type RevisionStatisticsRow,
  type RevisionSummaryRow,
  statisticsLayout,
  statisticsRow,
} from './revision-layouts.ts';
import { countsOwnPeriods, growthInstead, oneFrequency } from './shared.ts';

type PublishedValue = RowOf<typeof published>;

/** The parameters of revisions; without horizons or `wide`, the published values. */
type RevisionsQuery = {
  readonly id: string;
  readonly date: Day | undefined;
  readonly from: Day | undefined;
  readonly to: Day | undefined;
  readonly as_of: Day | undefined;
  readonly limit: number | undefined;
  readonly cursor: string | undefined;
  readonly wide: boolean | undefined;
  readonly stats: boolean | undefined;
  readonly summary: boolean | undefined;
  /** The transformation of values, each computed within its own vintage. */
  readonly units: Transformation | undefined;
  readonly horizons: readonly Horizon[];
};

/** Answers with published values, values at horizons, statistics, or the triangle of all vintages. */
export async function answerRevisions(
  query: RevisionsQuery,
  context: Ask,
): Promise<QueryAnswer<RevisionAnswerRow>> {
  const { id, as_of: asOf, from, to, wide, stats, summary, horizons } = query;
  if (summary === true) return composed(context, (counting) => summaryOf(query, counting));
  if (wide !== true && horizons.length === 0) return { pages: publishedValues(query, context) };
  const ofTable = stats === true ? statisticsOf : releasesOf;
  const compose = wide === true ? triangleOf : ofTable;
  return composed(context, async (counting) => {
    const history = await seriesHistory(query, counting);
    const made = compose(query, history, counting);
    noteUnits(query, history.firstVintage, counting);
    const changes = history.dates.flatMap((dated) =>
      dated.changes.map((change) => ({ ...dated, ...change })),
    );
    noteRescaledVintages(query, changes, history.firstVintage, counting);
    await noteBasis([{ id }], [asOf], counting);
    if (Array.isArray(made.rows) && made.rows.length === 0)
      await explainSeries([{ series: { id }, ask: counting }], { days: [asOf ?? 'latest'], from, to });
    return { ...made, ...defined({ asOf }) };
  });
}

async function summaryOf(query: RevisionsQuery, context: Ask): Promise<ComposedRows<RevisionSummaryRow>> {
  const { id, date = '', as_of: asOf, units } = query;
  const history = await seriesHistory({ ...query, from: date, to: date }, context);
  const dated = history.dates.find((one) => one.date === date);
  const made = { object: 'revision_summary', ...defined({ asOf }) };
  noteUnits(query, history.firstVintage, context);
  await noteBasis([{ id }], [asOf], context);
  const changes = dated === undefined ? [] : changesOf(dated, history);
  const [oldest, latest] = [changes[0], changes.at(-1)];
  if (dated === undefined || oldest === undefined || latest === undefined) {
    await noteEmpty(query, context);
    return { ...made, rows: [] };
  }
  const releases = [1, 2, 3].flatMap((number): readonly Change[] => {
    const day = dayOfHorizon({ kind: 'release', number }, dated.released, history);
    return day === undefined ? [] : [{ asOf: day, value: history.valueOn(dated, day) }];
  });
  const unit = unitText(units?.units ?? 'lin', history.unit);
  const { isExact } = history;
  const { frequency = '' } = (await history.frequencies()).at(-1) ?? {};
  const summary = revisionsInWords({ name: id, date, frequency, unit, releases, changes, asOf, isExact });
  const largest = largestRevision(changes, unit);
  const change = largest && changeBetween(largest.before, largest.value);
  const [first, second, third] = releases;
  const row = {
    ...{ series_id: id, date, unit, summary },
    ...{ release_1: first?.value ?? null, release_1_date: first?.asOf ?? null },
    ...{ release_2: second?.value ?? null, release_2_date: second?.asOf ?? null },
    ...{ release_3: third?.value ?? null, release_3_date: third?.asOf ?? null },
    ...{ final: latest.value, final_date: latest.asOf },
    ...{ largest_change: change?.change ?? null, largest_percent: change?.percent ?? null },
    largest_date: largest?.asOf ?? null,
  };
  return { ...made, rows: [row], sentence: summary, isText: true };
}

/** Lists the values of a date that differ from the one before, by vintage. */
function changesOf(dated: DatedHistory, { vintages, valueOn }: SeriesHistory): readonly Change[] {
  const changes: Change[] = [];
  for (const asOf of vintages) {
    const value = valueOn(dated, asOf);
    if (!sameNumber(value, changes.at(-1)?.value ?? null)) changes.push({ asOf, value });
  }
  return changes;
}

/** Yields every value of one or each date, with the size and the delay of each change. */
async function* publishedValues(query: RevisionsQuery, context: Ask): AsyncGenerator<Envelope<RevisionRow>> {
  const { id, as_of: asOf } = query;
  let seen = false;
  let record: FirstVintage | undefined;
  const changes: DatedChange[] = [];
  for await (const page of publishedPages(query, context)) {
    const { results } = page;
    const kinds = results.map(({ vintage_kind }) => vintage_kind ?? '');
    context.basis.add(id, asOf, page.covered_to, kinds);
    const text = `${id} is sampled: these are the first samples with each value`;
    if (kinds.includes('sampled')) context.note?.({ kind: 'sampled', text });
    seen ||= results.length > 0;
    record ??= results.length === 0 ? undefined : await firstVintageOf(id, asOf, context);
    changes.push(...results.map((row) => ({ date: row.date, asOf: row.as_of_date, value: row.value })));
    yield compared(page, asOf, record);
  }
  noteUnits(query, record, context);
  noteRescaledVintages(query, changes, record, context);
  if (!seen && context.explained === true) await noteEmpty(query, context);
  await noteBasis([{ id }], [asOf], context);
}

async function* publishedPages(
  { id, date, from, to, as_of: asOf, limit, cursor }: RevisionsQuery,
  context: Ask,
): AsyncGenerator<Envelope<PublishedValue>> {
  const texts = textsOf(defined({ id, date, from, to }));
  if (asOf === undefined) {
    yield* pagesOf(context.client, published, texts, defined({ cursor, limit }), context.signal);
    return;
  }
  // The service would count dates first published after the as-of date.
  const all = pagesOf(context.client, published, texts, defined({ cursor }), context.signal);
  yield* firstRows(knownBy(asOf, all), limit, published);
}

async function* knownBy(
  asOf: Day,
  pages: AsyncIterable<Envelope<PublishedValue>>,
): AsyncGenerator<Envelope<PublishedValue>> {
  for await (const page of pages) {
    const results = page.results.filter((row) => row.as_of_date <= asOf);
    yield { ...page, results, results_count: results.length };
  }
}

/** Adds a note that a date has no value, and nothing that was published after the as-of date. */
async function noteEmpty({ id, date, as_of: asOf }: RevisionsQuery, context: Ask): Promise<void> {
  const known = asOf === undefined ? 'was published' : `was known on ${asOf}`;
  if (date === undefined) {
    context.note?.({ kind: 'empty', text: `no value of ${id} ${known} for these dates` });
    return;
  }
  // The row has the frequency; a description may say more than was known.
  const described =
    asOf === undefined
      ? await descriptionOf({ id }, context)
      : (await rowsOf(context, observations, { id, as_of: asOf }, { limit: 1 }))[0];
  const frequency = parseFrequency(String(described?.frequency ?? ''));
  const period = periodStart(date, frequency ?? '');
  const weekend = frequency === 'D' ? weekendDay(date) : undefined;
  const reasons = [
    ...(period === date ? [] : [`; its period begins on ${period}`]),
    ...(weekend === undefined ? [] : [`, a ${weekend}`]),
  ];
  context.note?.({ kind: 'empty', text: `no value of ${id} ${known} for ${date}${reasons.join('')}` });
}

type FirstVintage = {
  readonly asOf: Day;
  readonly newest: Day;
  readonly unit: string;
  /** The changes of the unit, in words by day. */
  readonly units: ReadonlyMap<Day, string>;
};

/**
 * Reads the first vintage of a series; undefined if the service does not say when its record begins.
 * Dates in that vintage may have been published before, so their first releases are unknown.
 */
async function firstVintageOf(
  id: string,
  day: Day | undefined,
  context: Ask,
): Promise<FirstVintage | undefined> {
  const [series] = (await context.client.ask(seriesShow, [['id', id]])).results;
  const asOf = series?.first_vintage ?? '';
  if (asOf === '') return undefined;
  const [newest] = await rowsOf(context, observations, { id, as_of: asOf }, { limit: 1 });
  const changes = (series?.description_changes ?? []).filter(
    ({ field, changed_on, before }) =>
      field === 'units' && before !== '' && (day === undefined || changed_on <= day),
  );
  const units = new Map(
    changes.map(({ changed_on: changedOn, before, after }) => [
      changedOn,
      `the unit of ${id} changed on ${changedOn}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`,
    ]),
  );
  return { asOf, newest: newest?.date ?? '', unit: series?.units ?? '', units };
}

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

type DatedHistory = {
  readonly date: Day;
  readonly changes: readonly Change[];
  readonly released: Day | undefined;
};

type ValueOn = (dated: DatedHistory, day: Day) => string | null;

type SeriesHistory = {
  /** Ascending. */
  readonly vintages: readonly Day[];
  /** The day through which the vintages cover the series. */
  readonly until: Day;
  /** Newest date first. */
  readonly dates: readonly DatedHistory[];
  readonly unit: string;
  readonly firstVintage: FirstVintage | undefined;
  readonly hasMore: boolean;
  readonly valueOn: ValueOn;
  /** True if the days of all vintages are days of publication. */
  readonly isExact: boolean;
  readonly frequencies: () => Promise<readonly FrequencySince[]>;
};

type FromHistory = (
  query: RevisionsQuery,
  history: SeriesHistory,
  context: Ask,
) => ComposedRows<RevisionStatisticsRow | WideRow>;

/** Makes a row for each date, newest first, with a column for each horizon. */
const releasesOf: FromHistory = (query, history, context) => {
  const { horizons, limit } = query;
  const shown: DatedHistory[] = [];
  const rows: WideRow[] = [];
  let hasMore = false;
  // A date that reached no horizon has no row, and does not count towards the limit.
  for (const dated of history.dates) {
    const cells = horizons.map((one) => [horizonName(one), valueAt(one, dated, history)] as const);
    const isReached = cells.some(([, value]) => value !== null);
    hasMore = isReached && rows.length === limit;
    if (hasMore) break;
    shown.push(dated);
    if (isReached)
      rows.push({ date: dated.date, first_release: dated.released ?? null, ...Object.fromEntries(cells) });
  }
  noteBeforeRecord(query, { ...history, dates: shown }, context);
  return { object: 'release_table', rows, hasMore };
};

/** Makes statistics of the revisions from each horizon to each later one, in the order of the query. */
const statisticsOf: FromHistory = (query, history, context) => {
  const { horizons } = query;
  noteBeforeRecord(query, history, context);
  const compared = horizons.flatMap((one, i) =>
    horizons.slice(i + 1).map((other) => ({ one, other, pairs: pairsOf(one, other, history) })),
  );
  const all = compared.flatMap(({ pairs }) => pairs);
  noteBaseYears(query, all, history, context);
  const rows = compared.map(({ one, other, pairs }) => {
    const horizons = { earlier: horizonName(one), later: horizonName(other) };
    return statisticsRow(horizons, revisionStatistics([...pairs].reverse()));
  });
  const decimals = Math.max(0, ...all.map(({ later }) => decimalsOf(later)));
  return { object: 'revision_statistics', ...statisticsLayout(decimals), rows };
};

function pairsOf(earlierOne: Horizon, laterOne: Horizon, history: SeriesHistory) {
  return history.dates.flatMap((dated) => {
    const [earlierValue, laterValue] = [earlierOne, laterOne].map((one) => valueAt(one, dated, history));
    // Without a known first release a date has no horizon.
    if (dated.released === undefined || earlierValue == null || laterValue == null) return [];
    return [{ date: dated.date, earlier: earlierValue, later: laterValue }];
  });
}

/** Makes the triangle of revisions: a row for each date, newest first, and a column for each vintage. */
const triangleOf: FromHistory = (_query, { dates, vintages: all, hasMore, valueOn }) => {
  const [first] = dates.flatMap(({ changes: [change] }) => change?.asOf ?? []).sort();
  // Vintages before the first value of all dates would make empty columns.
  const days = all.filter((day) => first !== undefined && day >= first);
  const layout = showing([
    field('date', 'day', 'The period of the values, as its first day.'),
    ...days.map((day) => nullable(day, 'decimal', `The value as of ${day}.`)),
  ]);
  const rows = dates.map((dated): WideRow => {
    const cells = days.map((day) => [day, valueOn(dated, day)] as const);
    return { date: dated.date, ...Object.fromEntries(cells) };
  });
  return { object: 'revision_triangle', ...layout, rows, hasMore };
};

/** Returns the value of a date at a horizon; null if unknown, or withdrawn by then. */
function valueAt(horizon: Horizon, dated: DatedHistory, history: SeriesHistory): string | null {
  const day = dayOfHorizon(horizon, dated.released, history);
  return day === undefined ? null : history.valueOn(dated, day);
}

/** Returns the day of a date's horizon; undefined if it is after the record, or the first release is unknown. */
export function dayOfHorizon(
  horizon: Horizon,
  released: Day | undefined,
  { vintages, until }: { readonly vintages: readonly Day[]; readonly until: Day },
): Day | undefined {
  if (horizon.kind === 'final') return until;
  if (released === undefined) return undefined;
  if (horizon.kind === 'release') {
    const first = vintages.indexOf(released);
    return first === -1 ? undefined : vintages[first + horizon.number - 1];
  }
  const day = addDays(released, horizon.days);
  return day <= until ? day : undefined;
}

async function seriesHistory(
  { id, from = '', to, limit, as_of: asOf, units, wide, stats }: RevisionsQuery,
  context: Ask,
): Promise<SeriesHistory> {
  // A transformed value may be computed from one of the year before.
  const first = units === undefined || from === '' ? from : (firstInput(from) ?? from);
  const range = defined({ from: first === '' ? undefined : first, to });
  const [history, listed, firstVintage] = await Promise.all([
    historyOf({ id, ...range }, context, defined({ last: asOf })),
    rowsOf(context, vintages, { id, ...defined({ to: asOf }) }),
    firstVintageOf(id, asOf, context),
  ]);
  const kinds = [...new Set(listed.map(({ vintage_kind }) => vintage_kind ?? ''))];
  const covered = context.basis.coveredTo(id);
  context.basis.add(id, asOf, covered, kinds);
  const days = listed.map(({ as_of_date }) => as_of_date).sort();
  const last = days.at(-1) ?? '';
  const until = covered === undefined ? last : earlier(asOf ?? covered, covered);
  const asked = [...history.changes].filter(([date]) => date >= from);
  // In a table of releases, dates without a row do not count.
  const shown = wide === true || stats === true ? asked.slice(0, limit) : asked;
  const hasMore = shown.length < asked.length;
  const dates = shown.map(([date, changes]) => ({
    date,
    changes,
    released: firstVintage === undefined || date > firstVintage.newest ? changes[0]?.asOf : undefined,
  }));
  const isExact = kinds.every((kind) => kind === 'exact');
  noteSampled(id, kinds, context);
  const valueOn = units === undefined ? publishedOn : await transformedOn(id, units, history);
  const { unit, frequencies } = history;
  return { dates, vintages: days, until, unit, firstVintage, hasMore, valueOn, isExact, frequencies };
}

const publishedOn: ValueOn = ({ changes }, day) => knownOn(changes, day);

async function transformedOn(
  id: string,
  units: Transformation,
  history: Awaited<ReturnType<typeof historyOf>>,
): Promise<ValueOn> {
  const { vintages } = history;
  const transformers = new DailyTransformers(id, await history.frequencies(), units);
  const compared = countsOwnPeriods(units) ? oneFrequency(id, units) : undefined;
  return (dated, day) => {
    const transformer = transformers.on(day);
    if (transformer === undefined) return null;
    if (knownOn(dated.changes, day) !== null) compared?.(day, transformer.frequency);
    return transformer.valueIn(vintages.on(day), dated.date)?.value ?? null;
  };
}

function noteSampled(id: string, kinds: readonly string[], { note }: Ask): void {
  const inexact = ['sampled', 'fetched', 'unknown'].filter((kind) => kinds.includes(kind));
  if (inexact.length === 0) return;
  const text = `${id} is ${inexact.join(' and ')}: it may lack releases; release_1 is the first vintage with the date, perhaps not the first release`;
  note?.({ kind: 'sampled', text });
}

/** Adds a note on each change of the unit, across which levels cannot be compared. */
function noteUnits({ units }: RevisionsQuery, record: FirstVintage | undefined, { note, naming }: Ask): void {
  if (units !== undefined) return;
  for (const change of record?.units.values() ?? [])
    note?.({
      kind: 'rescaled',
      text: `${change}; ${growthInstead(naming)}`,
    });
}

const mostDaysNamed = 3;

/** Adds a note on each vintage that changed the values of all its dates by about the same factor; by date, oldest first. */
function noteRescaledVintages(
  { id, units }: RevisionsQuery,
  changes: readonly DatedChange[],
  record: FirstVintage | undefined,
  { note, naming }: Ask,
): void {
  if (units !== undefined || note === undefined) return;
  const pairs = new Map<Day, { readonly old: string; readonly new: string }[]>();
  for (const [i, { date, asOf, value }] of changes.entries()) {
    const before = changes[i - 1];
    if (before?.date !== date || before.value === null || value === null) continue;
    entryOf(pairs, asOf, () => []).push({ old: before.value, new: value });
  }
  const days = [...pairs.keys()]
    .sort()
    .filter((day) => record?.units.has(day) !== true)
    .filter((day) => rescalingOf(pairs.get(day) ?? [], record?.unit) !== undefined);
  if (days.length === 0) return;
  const named = listed(someOf(days, mostDaysNamed), 'and');
  const text = `${id}: all values that changed on ${named} changed by about the same factor; if units or base year changed, ${growthInstead(naming)}`;
  note({ kind: 'rescaled', text });
}

/** Adds a note that large revisions may be changes of the base year, if the unit has one. */
function noteBaseYears(
  { id, units }: RevisionsQuery,
  pairs: ReturnType<typeof pairsOf>,
  { unit }: SeriesHistory,
  { note, naming }: Ask,
): void {
  if (units !== undefined || !hasBaseYear(unit)) return;
  const rescaled = pairs.filter((pair) => isRescaled({ old: pair.earlier, new: pair.later }));
  const { size } = new Set(rescaled.map(({ date }) => date));
  if (size === 0) return;
  const values = size === 1 ? 'the value of 1 date' : `the values of ${size} dates`;
  const text = `${id}: ${values} changed by 3 % or more, and the unit (${unit}) has a base year, which may have changed; ${growthInstead(naming)}`;
  note?.({ kind: 'rescaled', text });
}

function noteBeforeRecord(
  { id }: RevisionsQuery,
  { dates, firstVintage }: SeriesHistory,
  { note }: Ask,
): void {
  const count = dates.filter(({ released }) => released === undefined).length;
  if (count === 0 || firstVintage === undefined) return;
  const { asOf, newest } = firstVintage;
  const text = `the record of ${id} begins on ${asOf}: the releases of ${counted(count, 'date')} up to ${newest} are not in it`;
  note?.({ kind: 'remark', text });
}
