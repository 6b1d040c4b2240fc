import { type Ask, type QueryAnswer, rowsOf, textsOf } from '../../answering/answer.ts';
import { type ComposedRows, composed, eachOf } from '../../answering/composed.ts';
import { descriptionOf, explainSeries, noteBasis } from '../../answering/notes.ts';
import { transformationIn } from '../../answering/question.ts';
import { askingFor } from '../../answering/run.ts';
import { type ResolvedSeries, resolveSeries } from '../../answering/series-ids.ts';
import { thenAndNow } from '../../domain/series/in-words.ts';
import { parseFrequency } from '../../domain/series/series.ts';
import { nameOfSeries } from '../../domain/series/transformation.ts';
import { changeBetween, rescalingOf } from '../../domain/values/arithmetic.ts';
import { type Day, latestOf } from '../../domain/values/date.ts';
import { sameNumber } from '../../domain/values/decimal.ts';
import { counted } from '../../errors/wording.ts';
import type { Row, WideRow } from '../../operations/envelope.ts';
import { dayOfKnown, knownIn, type ParamValues, type periodRange } from '../../operations/param.ts';
import { type ObservationRow, observations } from '../../operations/series/observations.ts';
import { placeOfVersion, type Version } from '../../operations/value.ts';
import { defined } from '../../platform/defined.ts';
import type { SortOrder } from './panel-rows.ts';
import { countsOwnPeriods, growthInstead, oneFrequency, type unitsParams } from './shared.ts';

type AskedOfDays = ParamValues<typeof periodRange & typeof unitsParams> & {
  readonly ids: readonly string[];
  readonly days: readonly Version[];
  readonly skip_missing?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly sort?: SortOrder | undefined;
  readonly all_rows?: boolean | undefined;
};

/** Answers with a column for each day; with `change`, adds how the last day differs from the first. */
export function answerVersions(
  asked: AskedOfDays & { readonly change?: boolean | undefined },
  ask: Ask,
): Promise<QueryAnswer<WideRow>> {
  // A chart draws each day to its end.
  return answerOf({ ...asked, all_rows: asked.all_rows === true || Boolean(ask.drawn) }, ask, (all) => {
    if (asked.change === true && all.some(({ dates }) => dates.length > 0)) noteReversed(asked, ask);
    return {
      object: 'versions',
      rows: all.flatMap((one) => one.dates.map((date) => rowOf(date, one, asked))),
    };
  });
}

/** Answers with the dates whose values differ between two days; with `all_rows`, with all dates. */
export function answerDiff(asked: AskedOfDays, ask: Ask) {
  return answerOf({ ...asked, all_rows: true }, ask, (all) => {
    noteReversed(asked, ask);
    const rows = all.flatMap((one) =>
      comparedFirst(one.dates, one.found).map((date) => {
        const [was = null, is = null] = one.found.map((rows) => rows.get(date)?.value ?? null);
        const cells = { series_id: nameOfSeries(one.series), date, old: was, new: is };
        return { ...cells, ...changeOn(date, one), kind: kindOf(was, is) };
      }),
    );
    const differing = rows.filter(({ kind }) => kind !== 'unchanged');
    return {
      object: 'diff',
      rows: asked.all_rows === true ? rows : differing,
      differs: differing.length > 0,
    };
  });
}

function rowOf(
  date: Day,
  one: SeriesVersions,
  { days, change }: Parameters<typeof answerVersions>[0],
): WideRow {
  const cells = days.map((day, i) => [day, one.found[i]?.get(date)?.value ?? null] as const);
  return {
    date,
    series_id: nameOfSeries(one.series),
    ...Object.fromEntries(cells),
    ...(change === true && changeOn(date, one)),
  };
}

function noteReversed({ days }: AskedOfDays, { note }: Ask): void {
  const [first = '', last = ''] = [days[0], days.at(-1)];
  const text = `${last} is earlier than ${first}: the changes run from the later date to the earlier`;
  if (placeOfVersion(first) > placeOfVersion(last)) note?.({ kind: 'remark', text });
}

/** Returns the change of a date from the first day to the last; empty if one of them has no value. */
function changeOn(date: Day, { found }: SeriesVersions) {
  const [was, is] = [found[0]?.get(date), found.at(-1)?.get(date)];
  return was && is ? changeBetween(was.value, is.value) : { change: null, percent: null };
}

type SeriesVersions = {
  readonly series: ResolvedSeries;
  /** What asks for its values. */
  readonly ask: Ask;
  /** Dates with a value on each day, or with `all_rows` on any day, in the requested order. */
  readonly dates: readonly Day[];
  /** Dates with a value on some of the days, without a row. */
  readonly omitted: number;
  readonly hasMore: boolean;
  readonly found: readonly ReadonlyMap<Day, ObservationRow>[];
};

function answerOf<R extends Row>(
  asked: AskedOfDays,
  ask: Ask,
  make: (all: readonly SeriesVersions[], ask: Ask) => ComposedRows<R>,
): Promise<QueryAnswer<R>> {
  return composed(ask, async (counting) => {
    const all = await readVersions(asked, counting);
    const sentence = sentenceOf(all, asked);
    const hasMore = all.some((one) => one.hasMore);
    return { ...make(all, counting), ...defined({ sentence }), hasMore };
  });
}

/** Reads the values of series as of several days; notes what they are based on. */
export async function readVersions(asked: AskedOfDays, ask: Ask): Promise<readonly SeriesVersions[]> {
  const { days, from, to } = asked;
  const series = await seriesOnDays(asked, ask);
  const all = await eachOf(series, ask, (one) => versionsOf(one, asked, ask));
  await noteBasis(series, days, ask);
  for (const one of all) noteRescalings(one, days, ask);
  const omitted = all.reduce((sum, one) => sum + one.omitted, 0);
  const isEmpty = all.every(({ dates }) => dates.length === 0);
  if (omitted > 0)
    ask.note?.({ kind: isEmpty ? 'empty' : 'remark', text: omittedText(omitted, days.length, ask) });
  else if (isEmpty) await explainSeries(all, { days, from, to });
  return all;
}

function omittedText(count: number, days: number, { naming }: Ask): string {
  const known = days === 2 ? 'only one of the days knows' : 'only some of the days know';
  const [are, them] = count === 1 ? ['is', 'it'] : ['are', 'them'];
  return `${counted(count, 'date')} that ${known} ${are} left out; ${naming.param('all_rows')} has ${them}`;
}

/** Says of one series and two days what the newest value that both know was then, and is now. */
function sentenceOf(all: readonly SeriesVersions[], asked: AskedOfDays): string | undefined {
  const { days } = asked;
  const [one] = all;
  if (one === undefined || all.length > 1 || days.length !== 2) return undefined;
  const [then, now] = one.found
    .map((rows, i) => ({ day: days[i] ?? '', rows }))
    .sort((a, b) => (placeOfVersion(a.day) < placeOfVersion(b.day) ? -1 : 1));
  const date = inOrder(then?.rows.keys() ?? [], 'desc').find((day) => now?.rows.has(day)) ?? '';
  const [was, is] = [then?.rows.get(date), now?.rows.get(date)];
  if (then === undefined || now === undefined || was === undefined || is === undefined) return undefined;
  const { unit } = is;
  const { id } = one.series;
  const isLevel = (transformationIn(asked, one.series)?.units ?? 'lin') === 'lin';
  const name = isLevel ? id : `${id} (${unit})`;
  const about = { name, date, frequency: parseFrequency(is.frequency) ?? '', unit };
  const isExact = one.ask.basis.kindsOf(id).has('exact');
  const on = ({ value, as_of_date: own }: ObservationRow, day: Version) => {
    return { day, value, recordedOn: isExact ? undefined : own };
  };
  return thenAndNow(about, on(was, then.day), on(is, now.day));
}

/** Returns the series of an answer as of several days, as known on the newest of them. */
export function seriesOnDays(
  asked: Pick<AskedOfDays, 'days' | 'ids' | 'skip_missing'>,
  ask: Ask,
): Promise<readonly ResolvedSeries[]> {
  const days = asked.days.map((day) => dayOfKnown(knownIn(day)) ?? '~');
  return resolveSeries(asked, latestOf(days), ask);
}

/** Adds a note if the unit changed between two days, or if all values changed by about the same factor. */
function noteRescalings(
  { series: { id }, dates, found }: SeriesVersions,
  days: readonly Version[],
  { note, naming }: Ask,
): void {
  if (note === undefined) return;
  const wayOut = growthInstead(naming);
  for (const [i, other] of found.slice(1).entries()) {
    const [before, after] = [found[i], other].map((rows) => rows?.values().next().value?.unit ?? '');
    if (before !== '' && after !== '' && before !== after) {
      const texts = [before, after].map((unit, n) => `${JSON.stringify(unit)} on ${days[i + n]}`);
      note({ kind: 'rescaled', text: `${id}: the unit is ${texts.join(', and ')}; ${wayOut}` });
      continue;
    }
    const pairs = dates.flatMap((date) => {
      const [was, is] = [found[i]?.get(date), other.get(date)];
      return was === undefined || is === undefined ? [] : [{ old: was.value, new: is.value }];
    });
    const [first] = found[i]?.values() ?? [];
    const rescaling = rescalingOf(pairs, first?.unit ?? '');
    if (rescaling === undefined) continue;
    const { count, least, most } = rescaling;
    const factors = new Set([least, most].map((factor) => String(+factor.toPrecision(4))));
    const values =
      count === 1 ? 'value of the only common date is' : `values of all ${count} common dates are`;
    note({
      kind: 'rescaled',
      text:
        `${id}: the new ${values} ${[...factors].join(' to ')} times the old; ` +
        `if units or base year changed, ${wayOut}`,
    });
  }
}

async function versionsOf(series: ResolvedSeries, asked: AskedOfDays, context: Ask): Promise<SeriesVersions> {
  const ask = await askingFor(series, asked, context);
  const { days, from, to, sort, limit, all_rows } = asked;
  const { id } = series;
  const answers = await Promise.all(
    days.map((day) => rowsOf(ask, observations, { id, ...defined({ ...knownIn(day), from, to }) })),
  );
  const transformation = transformationIn(asked, series);
  if (countsOwnPeriods(transformation) && answers.some((rows) => rows.length > 0)) {
    const requireSame = oneFrequency(id, transformation);
    for (const [i, day] of days.entries())
      requireSame(day, answers[i]?.[0]?.frequency ?? (await frequencyOn(series, day, ask)));
  }
  const found = answers.map((rows) => new Map(rows.map((row) => [row.date, row])));
  const known = inOrder(new Set(found.flatMap((version) => [...version.keys()])), 'desc');
  const dates = all_rows === true ? known : known.filter((date) => found.every((rows) => rows.has(date)));
  const shown = dates.slice(0, limit);
  const omitted = known.length - dates.length;
  return { series, ask, dates: inOrder(shown, sort), omitted, found, hasMore: shown.length < dates.length };
}

/** Reads the frequency of a series as known on a day; empty if the service does not say it. */
async function frequencyOn(series: ResolvedSeries, day: Version, ask: Ask): Promise<string> {
  if (day === 'latest') return String((await descriptionOf(series, ask))?.frequency ?? '');
  const { series: known } = await ask.client.ask(
    observations,
    textsOf(defined({ id: series.id, ...knownIn(day), limit: 1 })),
  );
  return known?.frequency ?? '';
}

function inOrder(days: Iterable<Day>, sort: AskedOfDays['sort']): readonly Day[] {
  const ascending = [...days].sort();
  return sort === 'asc' ? ascending : ascending.reverse();
}

function kindOf(was: string | null, is: string | null): string {
  if (was === null || is === null) return was === null ? 'added' : 'withdrawn';
  return sameNumber(was, is) ? 'unchanged' : 'revised';
}

/** Returns dates in their order, first those that every version knows. */
function comparedFirst(dates: readonly Day[], versions: readonly ReadonlyMap<Day, unknown>[]) {
  const unknown = (date: Day) => versions.filter((one) => !one.has(date)).length;
  return [...dates].sort((a, b) => unknown(a) - unknown(b));
}
