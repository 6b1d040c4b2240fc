import { type Day, dayNumber, rhythms, schedule } from '../domain/series/date.ts';
import { aggregations, coarserFrequencies, unitsChoices } from '../domain/series/transformation.ts';
import { Problem } from '../errors/problem.ts';
import type { Operation } from '../operations/operation.ts';
import { choiceParam, dayParam, type Params, type ParamTexts, textParam } from '../operations/param.ts';
import type { Ask } from './answer.ts';
import { eachOf } from './composed.ts';
import type { KnownColumns } from './history.ts';
import { descriptionOf } from './notes.ts';
import type { PanelPoint } from './panel.ts';
import { beyondChoices, longPanelLayout, type PanelRow, type RealTimePanelQuery } from './panel-query.ts';
import type { ResolvedSeries } from './series-ids.ts';

const extension = { extension: true } as const;

/** The panel of a service of asof, with the parameters that a client sends; a store is read directly. */
export const servicePanel: Operation<Params, PanelRow> = {
  ...longPanelLayout,
  name: 'panel',
  command: { words: 'panel', heading: 'Series' },
  summary: 'The newest values of several series that were known on each of many days',
  description: 'A row for each day and series, and for each of its newest observations.',
  path: '/v1/panel',
  object: 'panel',
  params: {
    ids: { ...textParam('The ids of the series.', extension), namesSeries: true },
    as_of_each: textParam('The rhythm of the days, or the days.', extension),
    from: dayParam('The first day of a rhythm.', undefined, extension),
    to: dayParam('The last day of a rhythm.', undefined, extension),
    last: textParam('How many of the newest observations each day shows.', extension),
    lag: textParam('How many of the newest observations are skipped.', extension),
    beyond: choiceParam('What days after the coverage show.', beyondChoices, 'empty', extension),
    units: choiceParam('A change, a growth rate or a logarithm.', unitsChoices, 'lin', extension),
    digits: textParam('Decimal places of computed values.', extension),
    frequency: choiceParam('A coarser frequency.', coarserFrequencies, undefined, extension),
    aggregate: choiceParam('Average, sum or end of period.', aggregations, 'avg', extension),
    partial: textParam('Also gives periods that are not complete.', extension),
  },
  knownBy: 'as_of',
  gated: true,
  example: { params: {}, row: {} },
  requirements: () => [],
  prepare() {
    throw new Error('a store is not asked for panels');
  },
};

/** The most rows of one request, about 15 MB, and the most characters of its days and of its ids. */
const mostRows = 100_000;
const mostOfDays = 6000;
const mostOfIds = 1500;

/**
 * The requests for the newest values of series on days (ascending); undefined if requests series by series are fewer.
 */
export async function serviceRequests(
  series: readonly ResolvedSeries[],
  days: readonly Day[],
  query: RealTimePanelQuery,
  { client, basis: { demands } }: Pick<Ask, 'basis' | 'client'>,
): Promise<readonly ParamTexts[] | undefined> {
  // Whether vintages are exact depends on the vintages after the days too.
  if (client.offers === undefined || demands.exact === true) return undefined;
  const ids = series.map(({ id }) => id);
  if (days.length === 0 || ids.some((id) => /[,*]/.test(id))) return undefined;
  const parts = daysAsked(days).flatMap(({ texts, count }) =>
    grouped(ids, mostRows / (count * (query.last ?? 1))).map((some) => [
      ['ids', some.join(',')] as const,
      ...texts,
      ...optionsOf(query),
    ]),
  );
  const [first] = parts;
  // Series by series, each one takes two requests: its vintages, and its first releases or its revisions.
  if (first === undefined || parts.length > 2 * ids.length) return undefined;
  return (await client.offers(servicePanel, first)) ? parts : undefined;
}

/** Days in the form of a request, and the number of rows that it gives for each series. */
type DaysAsked = { readonly texts: ParamTexts; readonly count: number };

/**
 * The shortest requests for days: the rhythm that has exactly them; otherwise a list if it is short, a rhythm that
 * has few other days, or several lists.
 */
function daysAsked(days: readonly Day[]): readonly DaysAsked[] {
  const [from = '', to = ''] = [days[0], days.at(-1)];
  const lists = pieces(days, mostOfDays / '2015-01-30%2C'.length);
  const most = lists.length > 1 ? 2 * days.length : days.length;
  // Years are the longest rhythm.
  const fitting =
    dayNumber(to) - dayNumber(from) > 366 * days.length
      ? []
      : rhythms
          .map((rhythm) => ({ rhythm, all: new Set(schedule(rhythm, from, to)) }))
          .filter(({ all }) => all.size <= most && days.every((day) => all.has(day)))
          .sort((a, b) => a.all.size - b.all.size);
  const [best] = fitting;
  if (best === undefined)
    return lists.map((list) => ({ texts: [['as_of_each', list.join(',')]], count: list.length }));
  const { rhythm, all } = best;
  return [
    {
      texts: [
        ['as_of_each', rhythm],
        ['from', from],
        ['to', to],
      ],
      count: all.size,
    },
  ];
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

function optionsOf({ last, lag, beyond, transformation }: RealTimePanelQuery): ParamTexts {
  const { units, digits, aggregation: { frequency, aggregate, partial } = {} } = transformation ?? {};
  const given = { last, lag, beyond, units, digits, frequency, aggregate, partial };
  return Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
}

/**
 * The newest values of series on days (ascending), as a service that offers panels answers them in a few requests.
 * Undefined if it does not answer one of them in full, for any reason: requests series by series then show what can be
 * answered, and what is wrong.
 */
export async function askService(
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
    answers = await Promise.all(requests.map((texts) => client.ask(servicePanel, texts, { once: true })));
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

/**
 * What was known by series and day, newest observation first. Undefined if a row shows what was not known on its day,
 * or is out of order.
 */
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
