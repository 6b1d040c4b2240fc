import { type Ask, type QueryAnswer, textsOf } from '../../answering/answer.ts';
import { composed, eachOf } from '../../answering/composed.ts';
import { descriptionOf, kindTexts, noteOutside } from '../../answering/notes.ts';
import { type Reading, requestParams, serviceOperation } from '../../answering/question.ts';
import { type ResolvedSeries, resolveSeries } from '../../answering/series-ids.ts';
import { addDays, type Day } from '../../domain/series/date.ts';
import { Problem } from '../../errors/problem.ts';
import type { WideRow } from '../../operations/envelope.ts';
import type { ParamTexts } from '../../operations/param.ts';
import type { NamedValues } from '../../operations/value.ts';
import { type KnownColumns, knownOfSeries } from './known-on-days.ts';
import {
  asOfDates,
  type PanelColumn,
  type PanelForm,
  type PanelPoint,
  type PanelRow,
  panelRows,
  type RealTimePanelQuery,
} from './panel-rows.ts';

/** Answers with the newest values of several series known on each of some days. */
export function answerRealTimePanel(
  query: PanelForm & RealTimePanelQuery,
  context: Ask,
): Promise<QueryAnswer<PanelRow | WideRow>> {
  return composed<PanelRow | WideRow>(context, async (counting) => {
    // A chart shows the rows of the long form; a line has one value a day, the newest of those requested.
    const asked = counting.drawn ? { ...query, last: 1, wide: false } : query;
    const columns = await columnsOf(await panelSeries(asked, counting), asked, counting);
    return panelRows(columns, asked, 'as_of');
  });
}

/** The series of a panel, of those that had begun by its last as-of date. */
export function panelSeries(query: RealTimePanelQuery, context: Ask): Promise<readonly ResolvedSeries[]> {
  return resolveSeries(query, knownDays(query).at(-1), context);
}

/** The columns of a panel on its as-of dates; notes what they are based on. */
export async function columnsOf(
  series: readonly ResolvedSeries[],
  query: RealTimePanelQuery,
  counting: Ask,
): Promise<readonly PanelColumn[]> {
  const days = knownDays(query);
  // Few vintages may answer any number of days.
  counting.allow?.(series.length * days.length * (query.last ?? 1));
  const known =
    (await askService(series, days, query, counting)) ??
    (await eachOf(series, counting, (one) => knownOfSeries(one, days, query, counting)));
  await noteKnown(known, days, counting);
  const columns = known.flatMap((one) => one.columns);
  return query.known_before_each === true ? columns.map(dayLater) : columns;
}

/** A column of what was known before each day, made from what was known on the previous day. */
function dayLater(column: PanelColumn): PanelColumn {
  return { ...column, points: new Map([...column.points].map(([day, point]) => [addDays(day, 1), point])) };
}

function knownDays(query: RealTimePanelQuery): readonly Day[] {
  const days = asOfDates(query);
  return query.known_before_each === true ? days.map((day) => addDays(day, -1)) : days;
}

/** Notes what was known of series is based on: coverage, samples, days beyond the coverage. */
export async function noteKnown(
  known: readonly Pick<KnownColumns, 'placed'>[],
  days: readonly Day[],
  context: Ask,
): Promise<void> {
  const { note, naming } = context;
  if (note === undefined) return;
  const placed = known.map((one) => one.placed);
  const series = placed.map((one) => one.series);
  await noteOutside(series, [...days.slice(0, 1), ...days.slice(-1)], context);
  const ids = series.map(({ id }) => id);
  for (const text of kindTexts(ids, context))
    note({ kind: 'sampled', text: `${text}: each row shows the newest vintage on its as-of date` });
  if (placed.some(({ beyondCoverage }) => beyondCoverage.length > 0))
    note({
      kind: 'beyond',
      text: `as-of dates after the coverage of a series have no value; ${naming.param('beyond', 'repeat')} shows the newest that is known`,
    });
}

/** What a real-time panel reads. */
export async function readingOfRealTimePanel(query: RealTimePanelQuery, context: Ask): Promise<Reading> {
  const days = knownDays(query);
  const series = await panelSeries(query, context);
  const asked = await serviceRequests(series, days, query, context);
  if (asked !== undefined) return { series, panels: asked.length };
  return { series, days: days.length };
}

/** The most rows of one request, about 15 MB, and the most characters of its days and of its ids. */
const mostRows = 100_000;
const mostOfDays = 6000;
const mostOfIds = 1500;

/**
 * The requests for the newest values of series on days (ascending); undefined if requests series by series are fewer.
 */
async function serviceRequests(
  series: readonly ResolvedSeries[],
  days: readonly Day[],
  query: RealTimePanelQuery,
  { client, basis: { demands } }: Pick<Ask, 'basis' | 'client'>,
): Promise<readonly ParamTexts[] | undefined> {
  // Whether vintages are exact depends on the vintages after the days too.
  if (client.offers === undefined || demands.exact === true) return undefined;
  const ids = series.map(({ id }) => id);
  if (days.length === 0 || ids.some((id) => /[,*]/.test(id))) return undefined;
  const options = optionsOf(query);
  const parts = daysAsked(days, query).flatMap(({ texts, count }) =>
    grouped(ids, mostRows / (count * (query.last ?? 1))).map((some) => [
      ['ids', some.join(',')] as const,
      ...texts,
      ...options,
    ]),
  );
  const [first] = parts;
  // Series by series, each one takes two requests: its vintages and its revisions.
  if (first === undefined || parts.length > 2 * ids.length) return undefined;
  return (await client.offers(serviceOperation(query.panel), first)) ? parts : undefined;
}

/** The days in the form of requests, and the number of rows that each gives for one series. */
function daysAsked(
  days: readonly Day[],
  { as_of_each: each, known_before_each }: RealTimePanelQuery,
): readonly { readonly texts: ParamTexts; readonly count: number }[] {
  if (typeof each !== 'string' || known_before_each === true)
    return pieces(days, mostOfDays / '2015-01-30%2C'.length).map((list) => ({
      texts: [['as_of_each', list.join(',')]],
      count: list.length,
    }));
  const range = { as_of_each: each, from: days[0] ?? '', to: days.at(-1) ?? '' };
  return [{ texts: textsOf(range), count: days.length }];
}

/** Ids in groups of at most `size` that fit into a URL. */
function grouped(ids: readonly string[], size: number): readonly (readonly string[])[] {
  const longest = Math.max(...ids.map((id) => encodeURIComponent(id).length + '%2C'.length));
  return pieces(ids, Math.min(size, mostOfIds / longest));
}

function pieces<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  const step = Math.max(1, Math.floor(size));
  return Array.from({ length: Math.ceil(all.length / step) }, (_, i) => all.slice(i * step, (i + 1) * step));
}

/** The parameters that the client applies to the rows of a service itself. */
const applied = new Set(
  'ids as_of as_of_each known_before_each from to wide with_dates sort skip_missing exact max_age'.split(' '),
);

/** The other parameters of a query, as a service takes them. */
function optionsOf({ panel, ...query }: RealTimePanelQuery): ParamTexts {
  const values: NamedValues = query;
  const names = Object.keys(requestParams(panel)).filter((name) => !applied.has(name));
  return names.flatMap((name) => (values[name] === undefined ? [] : [[name, String(values[name])] as const]));
}

/**
 * The newest values of series on days (ascending), as a service that offers panels answers them in a few requests.
 * Undefined if it does not answer one of them in full, for any reason: requests series by series then show what can be
 * answered, and what is wrong.
 */
async function askService(
  series: readonly ResolvedSeries[],
  days: readonly Day[],
  query: RealTimePanelQuery,
  context: Ask,
): Promise<readonly KnownColumns[] | undefined> {
  const { client, signal, basis } = context;
  const requests = await serviceRequests(series, days, query, context);
  if (requests === undefined) return undefined;
  let answers: readonly { readonly results: readonly PanelRow[] }[];
  try {
    const operation = serviceOperation<PanelRow>(query.panel);
    answers = await Promise.all(requests.map((texts) => client.ask(operation, texts, { once: true })));
  } catch (error) {
    if (!(error instanceof Problem) || signal.aborted) throw error;
    return undefined;
  }
  const known = readPoints(answers, new Set(days));
  if (known === undefined || !series.every(({ id }) => known.get(id)?.size === days.length)) return undefined;
  const { last = 1, lag = 0, beyond } = query;
  return eachOf(series, context, async (one) => {
    const row = await descriptionOf(one, context);
    const described = { ...one, ...(row !== undefined && { row }) };
    const to = typeof row?.covered_to === 'string' ? row.covered_to : undefined;
    const points = [...(known.get(one.id) ?? [])];
    const kinds = new Map(
      points.flatMap(([day, [newest]]) => (newest?.kind === undefined ? [] : [[day, newest.kind]])),
    );
    basis.add(one.id, days.at(-1), to, [...new Set(kinds.values())]);
    const beyondCoverage = beyond === 'repeat' || to === undefined ? [] : days.filter((day) => day > to);
    return {
      placed: { series: described, kinds, beyondCoverage },
      columns: Array.from({ length: last }, (_, i) => ({
        series: described,
        lag: lag + i,
        points: new Map(
          points.flatMap(([day, newest]) => (newest[i] === undefined ? [] : [[day, newest[i]]])),
        ),
      })),
    };
  });
}

/** What was known by series and day, newest first; undefined if a row cannot have been known, or is out of order. */
function readPoints(
  answers: readonly { readonly results: readonly PanelRow[] }[],
  days: ReadonlySet<Day>,
): ReadonlyMap<string, ReadonlyMap<Day, readonly PanelPoint[]>> | undefined {
  const known = new Map<string, Map<Day, PanelPoint[]>>();
  for (const { results } of answers)
    for (const {
      as_of: asOf,
      series_id: id,
      date,
      value,
      as_of_date: asOfDate,
      vintage_kind: kind,
    } of results) {
      if (asOf === null || (date === null) !== (value === null) || (asOfDate ?? '') > asOf) return undefined;
      if (!days.has(asOf)) continue;
      const ofSeries = known.get(id) ?? new Map<Day, PanelPoint[]>();
      const points = ofSeries.get(asOf) ?? [];
      const before = points.at(-1);
      if (before !== undefined && (date ?? '') >= (before.date ?? '')) return undefined;
      points.push({
        date: date ?? undefined,
        value: value ?? undefined,
        asOfDate: asOfDate ?? undefined,
        kind: kind ?? undefined,
      });
      known.set(id, ofSeries.set(asOf, points));
    }
  return known;
}
