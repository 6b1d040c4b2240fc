import { earlier, later } from '../../../src/domain/values/date.ts';
import { readData, testData } from '../repository.ts';
import { type Loopback, loopback, type Trouble } from './loopbacks.ts';

/** A value of a date, and the real-time period in which it was known. */
export type HistoryRow = {
  readonly date: string;
  readonly realtime_start: string;
  readonly realtime_end: string;
  readonly value: string;
};

/** A series of the loopback FRED: its description, and its history; without vintages it has current values alone. */
export type LoopbackSeries = {
  readonly description: Readonly<Record<string, unknown>>;
  readonly rows: readonly HistoryRow[];
  readonly withoutVintages?: boolean;
  /** The release in which it appears. Default: FRED names none. */
  readonly release?: Readonly<Record<string, unknown>>;
};

/** The key that the loopback FRED takes. */
export const loopbackKey = '0123456789abcdef0123456789abcdef';

/** A day of a release; without data, nothing was or is released yet. */
type ReleaseDay = {
  readonly release_id: number;
  readonly release_name: string;
  readonly date: string;
  readonly hasData?: boolean;
};

/** How the loopback FRED behaves; tests change it between requests. */
export type FredState = {
  /** The days of releases, oldest first. */
  releaseDays: readonly ReleaseDay[];
  series: Record<string, LoopbackSeries>;
  /** The day at FRED. */
  today: string;
  maxVintages: number;
  maxRows: number;
  /** Changes an answer before it is sent. */
  change: (path: string, answer: Record<string, unknown>) => Record<string, unknown>;
};

/**
 * A server that answers as FRED does: it clips real-time periods, has its limits, and words its errors as FRED. What
 * is asked for is a path, such as `series/observations`.
 */
export type LoopbackFred = Loopback & {
  readonly state: FredState;
  /** The parameters of the requests, oldest first. */
  readonly queries: Readonly<Record<string, string>>[];
  /** Brings its first state back, with some changes, and no faults. */
  readonly restore: (state?: Partial<FredState>) => void;
};

const page = (title: string) =>
  `<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">\n<html><head><title>${title}</title></head></html>\n`;

/** What FRED answers on bad days. */
export const fredFaults = {
  throttled: json(429, { error_code: 429, error_message: 'Too Many Requests.  Exceeded Rate Limit' }),
  forbidden: { status: 403, body: page('403 Forbidden') },
  badGateway: { status: 502, body: page('502 Bad Gateway') },
  locked: { status: 423, body: page('423 Locked') },
  half: { status: 200, body: '{"realtime_start":"2025-01', type: 'application/json' },
  notRegistered: refuse('The value for variable api_key is not registered.'),
} as const satisfies Readonly<Record<string, Trouble>>;

/** The series GDP as FRED recorded it: its description and its whole history up to 2024-12-19. */
export function recordedGdp(since = ''): LoopbackSeries {
  const [description] = parsed('macro/fred-api/GDP-series.json').seriess;
  const rows = recordedRows('macro/fred-api/GDP-observations-all-realtime.json');
  // As FRED answers for the release of another series: catalogue-release.json.
  const release = { id: 53, name: 'Gross Domestic Product', press_release: true };
  return { description, release, rows: rows.filter(({ date }) => date >= since) };
}

/** The rows of a recorded answer. */
export function recordedRows(path: string): readonly HistoryRow[] {
  return parsed(path).observations;
}

function parsed(path: string) {
  return JSON.parse(readData(testData, path).toString('utf8'));
}

/** Starts a loopback FRED that has GDP. */
export async function loopbackFred(initial: Partial<FredState> = {}): Promise<LoopbackFred> {
  const gdp = recordedGdp();
  const goodDay = (): FredState => ({
    ...{ today: '2025-01-20', maxVintages: 2000, maxRows: 100_000, releaseDays: [] },
    change: (_path, answer) => answer,
    ...initial,
    series: { ...(initial.series ?? { GDP: gdp }) },
  });
  const state = goodDay();
  const queries: LoopbackFred['queries'] = [];
  const source = await loopback(
    ({ pathname, searchParams }) => {
      const what = pathname.replace(/^\/fred\//, '');
      queries.push(Object.fromEntries(searchParams));
      return { what, reply: answer(state, what, searchParams) };
    },
    (url) => ({ fred: { url, key: loopbackKey } }),
  );
  const restore: LoopbackFred['restore'] = (changed) => {
    Object.assign(state, goodDay(), changed);
    Object.assign(source, { trouble: () => undefined, isDated: false });
  };
  return Object.assign(source, { state, queries, restore });
}

function json(status: number, body: object) {
  return { status, body: JSON.stringify(body), type: 'application/json; charset=UTF-8' } as const;
}

function refuse(message: string) {
  return json(400, { error_code: 400, error_message: `Bad Request.  ${message}` });
}

const beginning = '1776-07-04';
const open = '9999-12-31';

function answer(state: FredState, path: string, query: URLSearchParams) {
  const key = query.get('api_key');
  if (key === null) return refuse('Variable api_key is not set.');
  if (!/^[a-z0-9]{32}$/.test(key))
    return refuse('The value for variable api_key is not a 32 character alpha-numeric lower-case string.');
  if (key !== loopbackKey) return refuse('The value for variable api_key is not registered.');
  const give = (body: Record<string, unknown>) => json(200, state.change(path, body));
  if (path === 'series/search' || path === 'release/series') {
    const text = (query.get('search_text') ?? '').toUpperCase();
    const byId = query.get('search_type') === 'series_id';
    const found = Object.values(state.series)
      .map(({ description }) => description)
      .filter(({ id, title }) => `${id} ${byId ? '' : title}`.toUpperCase().includes(text));
    return give({ ...listHead(state), ...paged(found, 'seriess', query, 1000) });
  }
  if (path === 'releases/dates') {
    const from = query.get('realtime_start') ?? `${state.today.slice(0, 4)}-01-01`;
    const isPlanned = query.get('include_release_dates_with_no_data') === 'true';
    const found = state.releaseDays
      .filter(({ date, hasData = false }) => date >= from && (isPlanned || hasData))
      .map(({ hasData: _, ...day }) => day);
    const ascending = query.get('sort_order') === 'asc' ? found : found.reverse();
    const bounds = { realtime_start: from, realtime_end: query.get('realtime_end') ?? open };
    const order = { order_by: 'release_date', sort_order: query.get('sort_order') ?? 'desc' };
    return give({
      ...bounds,
      ...order,
      ...paged(ascending, 'release_dates', query, Math.min(1000, state.maxRows)),
    });
  }
  const id = (query.get('series_id') ?? '').toUpperCase();
  const series = state.series[id];
  const bounded = query.has('realtime_start') || query.has('realtime_end');
  const [start, end] = [query.get('realtime_start') ?? state.today, query.get('realtime_end') ?? state.today];
  for (const [name, day] of [
    ['realtime_start', start],
    ['realtime_end', end],
  ])
    if (day !== open && (day ?? '') > state.today)
      return refuse(`Variable ${name} can not be after today's date (${state.today}).`);
  const isToday = start === state.today && end === state.today;
  if (series === undefined || (series.withoutVintages === true && bounded && !isToday && path !== 'series')) {
    return refuse(
      bounded && !isToday
        ? "The series does not exist in ALFRED but may exist in FRED.  Try setting realtime_start and realtime_end to today's date or removing the realtime_start and realtime_end variables."
        : 'The series does not exist.',
    );
  }
  if (path === 'series')
    return give({ realtime_start: state.today, realtime_end: state.today, seriess: [series.description] });
  if (path === 'series/release') {
    const dated = { realtime_start: state.today, realtime_end: state.today };
    const releases = series.release === undefined ? [] : [{ ...series.release, ...dated }];
    return give({ ...dated, releases });
  }
  const published = series.rows.filter((row) => row.realtime_start <= state.today);
  const vintages = [...new Set(published.map((row) => row.realtime_start))].sort();
  if (path === 'series/vintagedates') {
    const within = vintages.filter((day) => day >= (query.get('realtime_start') ?? beginning) && day <= end);
    return give({
      realtime_start: start,
      realtime_end: end,
      order_by: 'vintage_date',
      sort_order: 'asc',
      ...paged(within, 'vintage_dates', query, 10_000),
    });
  }
  if (path !== 'series/observations') return refuse('The endpoint does not exist.');
  // Without a period FRED answers with the day on which it last loaded data.
  const loaded = vintages.at(-1) ?? state.today;
  const [from, to] = bounded ? [start, end] : [loaded, loaded];
  const count = vintages.filter((day) => day >= from && day <= to).length;
  if (count > state.maxVintages && series.withoutVintages !== true)
    return refuse(
      `There are ${count} vintage dates in the specified real-time period: ${from} to ${to}.  This exceeds the maximum number of vintage dates allowed for this file type (${state.maxVintages}).`,
    );
  const [firstDate, lastDate] = [
    query.get('observation_start') ?? '1600-01-01',
    query.get('observation_end') ?? open,
  ];
  const rows = published
    .filter(({ date }) => date >= firstDate && date <= lastDate)
    .map((row) => ({ ...row, realtime_end: row.realtime_end > state.today ? open : row.realtime_end }))
    .filter((row) => row.realtime_start <= to && row.realtime_end >= from)
    .map((row) => ({
      realtime_start: later(row.realtime_start, from),
      realtime_end: earlier(row.realtime_end, to),
      date: row.date,
      value: row.value,
    }));
  if (rows.length === 0)
    return refuse(`No vintage dates exist for the specified real-time period: ${from} to ${to}.`);
  const asked = Number(query.get('limit') ?? state.maxRows);
  if (asked > 100_000 || asked < 1) return refuse('Variable limit is not between 1 and 100000.');
  return give({
    realtime_start: from,
    realtime_end: to,
    observation_start: firstDate,
    observation_end: lastDate,
    units: 'lin',
    output_type: 1,
    file_type: 'json',
    order_by: 'observation_date',
    sort_order: 'asc',
    ...paged(rows, 'observations', query, state.maxRows),
  });
}

function listHead({ today }: FredState): Record<string, unknown> {
  return { realtime_start: today, realtime_end: today, order_by: 'search_rank', sort_order: 'desc' };
}

function paged(
  items: readonly unknown[],
  name: string,
  query: URLSearchParams,
  most: number,
): Record<string, unknown> {
  const offset = Number(query.get('offset') ?? 0);
  const limit = Math.min(Number(query.get('limit') ?? most), most);
  return { count: items.length, offset, limit, [name]: items.slice(offset, offset + limit) };
}
