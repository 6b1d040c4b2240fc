import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readData, testData } from '../repository.ts';

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
};

/** What happens to a request in the place of an answer. */
export type Fault =
  | 'throttled'
  | 'forbidden'
  | 'bad-gateway'
  | 'locked'
  | 'reset'
  | 'cut'
  | 'half'
  | 'slow'
  | 'not-registered';

/** How the loopback FRED behaves; tests change it between requests. */
export type LoopbackState = {
  series: Record<string, LoopbackSeries>;
  /** The day at FRED. */
  today: string;
  maxVintages: number;
  maxRows: number;
  /** Whether answers say when they were sent, or what they say; the days of most tests are long past. */
  isDated: boolean | Date;
  /** The fault of a request, by its number from 0 and its path. */
  fault: (number: number, path: string) => Fault | undefined;
  /** Changes an answer before it is sent. */
  change: (path: string, answer: Record<string, unknown>) => Record<string, unknown>;
};

/** A request as the loopback FRED saw it. */
type SeenRequest = {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly at: number;
};

/** A key that the loopback FRED takes. */
export const loopbackKey = '0123456789abcdef0123456789abcdef';

/** A server that answers as FRED does: it clips real-time periods, has its limits, and words its errors as FRED. */
export type LoopbackFred = {
  /** The base address, with `/fred`. */
  readonly url: string;
  readonly state: LoopbackState;
  readonly requests: SeenRequest[];
  close(): Promise<void>;
};

/** The series GDP as FRED recorded it: its description and its whole history up to 2024-12-19. */
export function recordedGdp(): LoopbackSeries {
  const description = parsed('macro/fred-api/GDP-series.json').seriess[0];
  return { description, rows: recordedRows('macro/fred-api/GDP-observations-all-realtime.json') };
}

/** The rows of a recorded answer. */
export function recordedRows(path: string): readonly HistoryRow[] {
  return parsed(path).observations;
}

function parsed(path: string) {
  return JSON.parse(readData(testData, path).toString('utf8'));
}

/** FRED on a good day: GDP, its limits, and no faults. */
export function wellBehaved(): LoopbackState {
  return {
    series: { GDP: recordedGdp() },
    today: '2025-01-20',
    maxVintages: 2000,
    maxRows: 100_000,
    isDated: false,
    fault: () => undefined,
    change: (_path, answer) => answer,
  };
}

/** Today in Chicago, which is FRED's day, for commands that run by the clock of this machine. */
export function chicagoToday(): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Chicago' }).format(new Date());
}

/** Starts a loopback FRED on a free port. */
export async function loopbackFred(initial: Partial<LoopbackState> = {}): Promise<LoopbackFred> {
  const state: LoopbackState = { ...wellBehaved(), ...initial };
  const requests: SeenRequest[] = [];
  const server = createServer((request, response) => {
    response.sendDate = state.isDated === true;
    if (state.isDated instanceof Date) response.setHeader('date', state.isDated.toUTCString());
    const url = new URL(request.url ?? '/', 'http://loopback');
    const path = url.pathname.replace(/^\/fred\//, '');
    const number = requests.length;
    requests.push({ path, query: Object.fromEntries(url.searchParams), at: Date.now() });
    const fault = state.fault(number, path);
    if (fault !== undefined) fail(fault, request, response);
    else {
      const { status, body } = answer(state, path, url.searchParams);
      send(response, status, body);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/fred`, state, requests, close: () => closed(server) };
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

const page = (title: string) =>
  `<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">\n<html><head><title>${title}</title></head></html>\n`;

function fail(fault: Fault, request: IncomingMessage, response: ServerResponse): void {
  const html = (status: number, title: string) =>
    void response.writeHead(status, { 'content-type': 'text/html' }).end(page(title));
  switch (fault) {
    case 'throttled':
      send(response, 429, { error_code: 429, error_message: 'Too Many Requests.  Exceeded Rate Limit' });
      return;
    case 'forbidden':
      html(403, '403 Forbidden');
      return;
    case 'bad-gateway':
      html(502, '502 Bad Gateway');
      return;
    case 'locked':
      html(423, '423 Locked');
      return;
    case 'reset':
      request.socket.destroy();
      return;
    case 'cut':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
      response.write('{"realtime_start":"2025-01-20","observations":[');
      setTimeout(() => request.socket.destroy(), 5);
      return;
    case 'half':
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"realtime_start":"2025-01');
      return;
    case 'slow':
      return;
    case 'not-registered':
      send(response, 400, refuse('The value for variable api_key is not registered.').body);
      return;
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' }).end(JSON.stringify(body));
}

type Reply = { readonly status: number; readonly body: object };

function refuse(message: string): Reply {
  return { status: 400, body: { error_code: 400, error_message: `Bad Request.  ${message}` } };
}

const beginning = '1776-07-04';
const open = '9999-12-31';

function answer(state: LoopbackState, path: string, query: URLSearchParams): Reply {
  const key = query.get('api_key');
  if (key === null) return refuse('Variable api_key is not set.');
  if (!/^[a-z0-9]{32}$/.test(key))
    return refuse('The value for variable api_key is not a 32 character alpha-numeric lower-case string.');
  if (key !== loopbackKey) return refuse('The value for variable api_key is not registered.');
  const give = (body: Record<string, unknown>): Reply => ({ status: 200, body: state.change(path, body) });
  if (path === 'series/search' || path === 'release/series') {
    const text = (query.get('search_text') ?? '').toUpperCase();
    const byId = query.get('search_type') === 'series_id';
    const found = Object.values(state.series)
      .map(({ description }) => description)
      .filter(({ id, title }) => `${id} ${byId ? '' : title}`.toUpperCase().includes(text));
    return give({ ...listHead(state), ...paged(found, 'seriess', query, 1000) });
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

const earlier = (a: string, b: string) => (a < b ? a : b);
const later = (a: string, b: string) => (a < b ? b : a);

function listHead({ today }: LoopbackState): Record<string, unknown> {
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
