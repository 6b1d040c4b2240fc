import type { HttpReply } from '../../client/remote/transport.ts';
import { parseSeriesId } from '../../domain/series/series.ts';
import { type Day, parseDay } from '../../domain/values/date.ts';
import { Problem } from '../../errors/problem.ts';
import { isJsonObject, jsonIn, type UncheckedObject } from '../../import/readers/json.ts';
import type { Followed } from '../../store/store.ts';
import {
  changedSource,
  type Get,
  goneSeries,
  type ReplyFailure,
  sentAt,
  throttled,
  wrongAnswer,
  wrongClock,
} from '../source.ts';

/** Why FRED has no rows, and the texts that say so. */
const refusals = [
  ['no-vintages', /does not exist in ALFRED/],
  ['unknown', /does not exist/],
  ['too-many-vintages', /exceeds the maximum number of vintage dates/],
  ['nothing-then', /^No vintage dates exist/],
] as const;

type FredRefusal = (typeof refusals)[number][0];

const allRefusals = refusals.map(([name]) => name);

/** All rows of a window, unchecked, with the fields around them. */
type UncheckedRows = {
  readonly head: UncheckedObject;
  readonly rows: readonly UncheckedObject[];
  readonly sent?: Date | undefined;
};

/** The bounds of observations. Default: as of FRED's last load. */
type FredQuery = Readonly<
  Partial<Record<'realtime_start' | 'realtime_end' | 'observation_start' | 'observation_end', Day>>
>;

/** A series as FRED's catalogue lists it. */
export type FredListing = {
  readonly id: string;
  readonly title: string;
  readonly units: string;
  readonly frequency: string;
  readonly seasonal_adjustment: string;
  readonly popularity: number | null;
  readonly observation_start: string;
  readonly observation_end: string;
};

const pageSizes = {
  ...{ seriess: 1000, vintage_dates: 10_000, observations: 100_000 },
  release_dates: 1000,
} as const;
const mostRestarts = 3;

type FredParams = Readonly<Record<string, string | number>>;

/** The requests of FRED's API that a pull needs. */
export class FredApi {
  static readonly isAnswer = isAnswer;
  static readonly failureIn = failureIn;
  readonly #get: Get;

  constructor(get: Get) {
    this.#get = get;
  }

  /** Reads the description of a series in FRED's words; throws a Problem if FRED does not have the series. */
  async description({ name: id, bookmark, upTo }: Followed): Promise<string> {
    const reply = await this.#ask('series', { series_id: id }, ['unknown']);
    if (reply !== 'unknown') return reply.text;
    if (bookmark === '')
      throw new Problem('not-found', `FRED has no series '${id}'`, {
        hints: ['asof pull fred --search TEXT lists what FRED has'],
      });
    throw goneSeries({ name: 'fred', title: 'FRED' }, id, upTo);
  }

  /** Asks in which release a series appears: `fred:53`; undefined if FRED names none. */
  async release(id: string): Promise<string | undefined> {
    const path = 'series/release';
    const { releases } = (await this.#ask(path, { series_id: id }, [])).answer;
    if (!Array.isArray(releases)) throw changed(path, 'the answer has no releases');
    const [first] = releases.filter(isJsonObject);
    if (first === undefined) return undefined;
    if (Number.isSafeInteger(first.id)) return `fred:${first.id}`;
    throw changed(path, `a release has the id ${JSON.stringify(first.id)}`);
  }

  /** Reads the days of all releases from a day on as one answer: those that are over, or with `planned` all. */
  async releaseDates(from: Day, planned: boolean) {
    const params = {
      ...{ realtime_start: from, realtime_end: '9999-12-31', order_by: 'release_date', sort_order: 'asc' },
      ...(planned && { include_release_dates_with_no_data: 'true' }),
    };
    const { head, rows } = await this.#pages('releases/dates', params, 'release_dates', []);
    return { ...head, count: rows.length, offset: 0, limit: rows.length, release_dates: rows };
  }

  async vintageDates(id: string, from: Day): Promise<readonly Day[] | 'no-vintages'> {
    const path = 'series/vintagedates';
    const params = { series_id: id, realtime_start: from, realtime_end: '9999-12-31' };
    type NoDates = 'no-vintages' | 'nothing-then';
    const accepted = ['no-vintages', 'nothing-then'] as const;
    const found = await this.#pages<NoDates, unknown>(path, params, 'vintage_dates', accepted);
    if (found === 'no-vintages') return found;
    if (found === 'nothing-then') return [];
    return found.rows.map((date) => {
      const day = typeof date === 'string' ? parseDay(date) : undefined;
      if (day === undefined) throw changed(path, `a vintage date is ${JSON.stringify(date)}`);
      return day;
    });
  }

  /** Reads all rows of the answer to a query, page by page. */
  observations(id: string, query: FredQuery = {}): Promise<UncheckedRows | FredRefusal> {
    const params = { series_id: id, ...query };
    return this.#pages('series/observations', params, 'observations', allRefusals);
  }

  /** Lists the series that match a text, best first, or those of a release. */
  async listing(
    search: { readonly search_text: string } | { readonly release_id: number },
  ): Promise<readonly FredListing[]> {
    const path = 'release_id' in search ? 'release/series' : 'series/search';
    if (!('release_id' in search))
      return (await this.#pages(path, search, 'seriess', [])).rows.map((entry) => listed(entry, path));
    const found = await this.#pages(path, search, 'seriess', ['unknown']);
    if (found !== 'unknown') return found.rows.map((entry) => listed(entry, path));
    throw new Problem('not-found', `FRED has no release ${search.release_id}`);
  }

  /** Reads the rows of an answer, page by page; begins anew when FRED states another count. */
  async #pages<R extends FredRefusal, T = UncheckedObject>(
    path: string,
    params: FredParams,
    name: keyof typeof pageSizes,
    accepted: readonly R[],
  ) {
    const rows: T[] = [];
    let first: number | undefined;
    for (let restarts = 0; restarts <= mostRestarts; ) {
      const paged = { ...params, limit: pageSizes[name], offset: rows.length };
      const reply = await this.#ask(path, paged, accepted);
      if (typeof reply === 'string') return reply;
      const { [name]: page, ...head } = reply.answer;
      const { count } = head;
      if (!Array.isArray(page)) throw changed(path, `the answer has no ${name}`);
      if (typeof count !== 'number') throw changed(path, 'the answer has no count');
      if (rows.length > 0 && count !== first) {
        rows.length = 0;
        restarts += 1;
        continue;
      }
      first = count;
      rows.push(...page);
      if (rows.length >= count) return { rows, head, sent: reply.sent };
      if (page.length === 0) throw changed(path, `the answer has ${rows.length} of ${count} rows`);
    }
    throw new Problem('bad-answer', `FRED's answer to ${path} changes from one page to the next`, {
      hints: ['FRED may be loading data; pull again later'],
    });
  }

  /** Requests an answer, or one of the refusals that are accepted; throws a Problem for any other. */
  async #ask<R extends FredRefusal>(path: string, params: FredParams, accepted: readonly R[]) {
    const query = Object.entries({ ...params, file_type: 'json' })
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&');
    const reply = await this.#get(`/${path}?${query}`).catch((error: unknown) => {
      const { series_id: id } = params;
      const isOfSource = error instanceof Problem && /^(?:bad-answer|service-unavailable)$/.test(error.kind);
      throw isOfSource && id !== undefined ? error.with({ detail: `${id}: ${error.detail}` }) : error;
    });
    const answer = jsonOf(reply) ?? {};
    if (reply.status === 200) {
      refuseOtherAnswer(path, params, answer);
      return { answer, text: reply.body.toString('utf8'), sent: sentAt(reply) };
    }
    const message = errorOf(answer);
    const today = /can not be after today's date \(([^)]*)\)/.exec(message)?.[1];
    if (today !== undefined) throw wrongClock(String(params.realtime_end), `that of FRED ${today}`);
    const [refusal] = refusals.find(([, text]) => text.test(message)) ?? [];
    const known = accepted.find((one) => one === refusal);
    if (known !== undefined) return known;
    throw new Problem('bad-answer', `FRED refused ${path}: ${message}`);
  }
}

function isAnswer({ status }: HttpReply): boolean {
  return status === 200 || status === 400;
}

function failureIn(reply: HttpReply, answered: boolean): ReplyFailure | undefined {
  const { status, url } = reply;
  if (!isAnswer(reply)) return undefined;
  const body = jsonOf(reply);
  if (body === undefined) {
    const detail = `${url} answered ${status} with a body that is not JSON or broke off`;
    return { problem: new Problem('bad-answer', detail), transient: true };
  }
  const message = errorOf(body);
  // Other refusals, of series and periods, are answers.
  if (status === 200 || !message.includes('api_key')) return undefined;
  const transient = message.includes('is not registered');
  // FRED also says so when it throttles.
  if (transient && answered) return throttled('FRED', 'it no longer knows the key', 60);
  const problem = new Problem('unauthorized', `FRED does not take the key: ${message}`, {
    hints: ['https://fredaccount.stlouisfed.org/apikeys shows your keys'],
  });
  return { problem, transient };
}

const echoed = [
  ...['series_id', 'release_id', 'realtime_start', 'realtime_end'],
  ...['observation_start', 'observation_end', 'offset'],
];

function refuseOtherAnswer(path: string, asked: FredParams, answer: UncheckedObject): void {
  const compare = (name: string, given: unknown) => {
    const wanted = asked[name];
    if (wanted === undefined || given === undefined || String(given).toUpperCase() === String(wanted)) return;
    const detail = `FRED's answer to ${path} is about something else: asof asked for ${name} ${wanted} and got ${given}, and stored nothing from it`;
    throw wrongAnswer(detail);
  };
  for (const name of echoed) compare(name, answer[name]);
  const { seriess = [], observations = [] } = answer;
  if (path === 'series' && Array.isArray(seriess))
    for (const { id } of seriess.filter(isJsonObject)) compare('series_id', id ?? 'a series without id');
  if (Array.isArray(observations))
    for (const { series_id: id } of observations.filter(isJsonObject)) compare('series_id', id);
}

function listed(entry: unknown, path: string): FredListing {
  const fields = isJsonObject(entry) ? entry : {};
  const text = (name: string) => (typeof fields[name] === 'string' ? String(fields[name]) : '');
  const id = parseSeriesId(text('id'));
  if (id === undefined) throw changed(path, `a series has the id ${JSON.stringify(fields.id)}`);
  return {
    id,
    title: text('title'),
    units: text('units'),
    frequency: text('frequency'),
    seasonal_adjustment: text('seasonal_adjustment_short'),
    popularity: typeof fields.popularity === 'number' ? fields.popularity : null,
    observation_start: text('observation_start'),
    observation_end: text('observation_end'),
  };
}

function changed(path: string, what: string): Problem {
  return changedSource(`FRED's ${path} has changed: ${what}; asof stored nothing from it`);
}

function jsonOf({ body }: HttpReply): UncheckedObject | undefined {
  const value = jsonIn(body.toString('utf8'));
  return isJsonObject(value) ? value : undefined;
}

function errorOf({ error_message: message }: UncheckedObject): string {
  return typeof message === 'string' ? message.replace(/^Bad Request\.\s*/, '') : 'no reason given';
}
