import type { HttpReply } from '../../client/remote/exchange.ts';
import { distance } from '../../domain/search/words.ts';
import { parseSeriesId } from '../../domain/series/series.ts';
import { type Day, parseDay } from '../../domain/values/date.ts';
import { Problem } from '../../errors/problem.ts';
import { isJsonObject, jsonIn, type UncheckedObject } from '../../import/readers/json.ts';
import type { Followed } from '../../store/store.ts';
import type { SourceSettings } from '../options.ts';
import { type Get, type ReplyFailure, type SourceAccess, sentAt } from '../source.ts';

const publicBase = 'https://api.stlouisfed.org/fred';

/** Returns how requests go to FRED; throws `unauthorized` without a key. */
export function fredAccess({ url = publicBase, key }: SourceSettings): SourceAccess {
  if (key === undefined)
    throw new Problem('unauthorized', 'no key for FRED', {
      hints: [
        'https://fredaccount.stlouisfed.org/apikeys gives you one for free',
        'asof auth login --source fred stores it; FRED_API_KEY or ASOF_FRED_API_KEY_FILE names it',
      ],
    });
  const isHost = URL.canParse(url) && new URL(url).pathname === '/';
  return {
    base: isHost ? `${url.replace(/\/+$/, '')}/fred` : url,
    query: `api_key=${encodeURIComponent(key)}`,
    secrets: [...new Set([key, encodeURIComponent(key)])],
    failureIn,
  };
}

/** Statuses that mean FRED is busy or broken for a moment; the body is a page of HTML. */
const passing: ReadonlySet<number> = new Set([408, 423, 500, 502, 503, 504, 520]);

function failureIn(reply: HttpReply, answered: boolean): ReplyFailure | undefined {
  const { status } = reply;
  const said = `${reply.url} answered ${status}`;
  if (status === 200 || status === 400) {
    const body = jsonOf(reply);
    if (body !== undefined) return status === 200 ? undefined : refusedKey(errorOf(body), answered);
    const problem = new Problem('bad-answer', `${said} with a body that is not JSON or broke off`);
    return { problem, transient: true };
  }
  if (status === 429 || status === 403) return throttled(status);
  const transient = passing.has(status);
  return { problem: new Problem(transient ? 'service-unavailable' : 'bad-answer', said), transient };
}

function throttled(status: number): ReplyFailure {
  const problem = new Problem('rate-limit-exceeded', `FRED answered ${status}: too many requests`);
  // FRED wants no request for a minute after it has throttled one.
  return { problem, transient: true, pause: 60 };
}

/** Explains a 400 about the key; undefined for one about series or periods, which is an answer. */
function refusedKey(message: string, answered: boolean): ReplyFailure | undefined {
  if (!message.includes('api_key')) return undefined;
  const problem = new Problem('unauthorized', `FRED does not take the key: ${message}`, {
    hints: ['https://fredaccount.stlouisfed.org/apikeys shows your keys'],
  });
  // FRED also says so when it throttles.
  const transient = /is not registered/.test(message);
  return transient && answered ? throttled(400) : { problem, transient };
}

type FredRefusal =
  | 'unknown'
  | 'no-vintages'
  | 'too-many-vintages'
  | 'nothing-then'
  | 'smaller-limit'
  | { readonly today: Day };

type FredReply =
  | { readonly answer: UncheckedObject; readonly text: string; readonly sent: Date | undefined }
  | { readonly refusal: FredRefusal };

/** All rows of a window, unchecked, with the fields around them. */
export type FredRows = {
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

const listPage = 1000;
const vintagePage = 10_000;
const mostRestarts = 3;
const mostSuggestions = 3;

type FredParams = Readonly<Record<string, string | number>>;

function isRefusal(found: object | string): found is FredRefusal {
  return typeof found === 'string' || 'today' in found;
}

/** The requests of FRED's API that a pull needs. */
export class FredApi {
  readonly #get: Get;
  /** The limits of one answer, which shrink when FRED says that they are too high. */
  readonly limits = { vintages: 2000, rows: 100_000 };

  constructor(get: Get) {
    this.#get = get;
  }

  /** Halves the number of vintages in one request from now on. */
  halveVintages(): void {
    if (this.limits.vintages === 1)
      throw changed('series/observations', 'it takes not even one vintage date');
    this.limits.vintages = Math.floor(this.limits.vintages / 2);
  }

  /** Reads the description of a series in FRED's words; throws a Problem if FRED does not have the series. */
  async description({ name: id, bookmark, upTo }: Followed): Promise<string> {
    const reply = await this.#ask('series', { series_id: id });
    if ('answer' in reply) return reply.text;
    if (reply.refusal !== 'unknown') throw refusedBy('series', reply.refusal);
    if (bookmark === '') throw await this.#unknown(id);
    const last = upTo === undefined ? '' : `, which it gave up to ${upTo}`;
    const detail = `FRED no longer has the series ${id}${last}; the facts stay in the store`;
    throw new Problem('not-found', detail, { hints: [`asof unfollow fred ${id} stops following it`] });
  }

  async vintageDates(id: string, from: Day): Promise<readonly Day[] | 'no-vintages'> {
    const path = 'series/vintagedates';
    const params = { series_id: id, realtime_start: from, realtime_end: '9999-12-31', limit: vintagePage };
    const found = await this.#pages(path, params, 'vintage_dates');
    if (found === 'no-vintages') return found;
    if (found === 'nothing-then') return [];
    if (isRefusal(found)) throw refusedObservations(id, found);
    return found.rows.map((date) => {
      const day = typeof date === 'string' ? parseDay(date) : undefined;
      if (day === undefined) throw changed(path, `a vintage date is ${JSON.stringify(date)}`);
      return day;
    });
  }

  /** Reads all rows of the answer to a query, page by page. */
  async observations(id: string, query: FredQuery = {}): Promise<FredRows | FredRefusal> {
    const path = 'series/observations';
    for (let restarts = 0; restarts <= mostRestarts; ) {
      const params = { series_id: id, ...query, limit: this.limits.rows };
      const found = await this.#pages<UncheckedObject>(path, params, 'observations', { steady: true });
      if (found === 'smaller-limit' && this.limits.rows > 1)
        this.limits.rows = Math.floor(this.limits.rows / 2);
      else if (found === 'smaller-limit') restarts += 1;
      else if (isRefusal(found)) return found;
      else if (!found.isSteady) restarts += 1;
      else if (found.rows.length >= found.count) return found;
      else throw changed(path, `the answer has ${found.rows.length} of ${found.count} rows`);
    }
    throw new Problem('bad-answer', `FRED's answer for ${id} changes from one page to the next`, {
      hints: ['FRED may be loading data; pull again later'],
    });
  }

  /** Lists the series that match a text, best first, or the series of a release by id. */
  async listing(
    search: { readonly text: string; readonly by: 'full_text' | 'series_id' } | { readonly release: number },
    most = Number.POSITIVE_INFINITY,
  ): Promise<readonly FredListing[]> {
    const [path, params] =
      'release' in search
        ? ['release/series', { release_id: search.release }]
        : ['series/search', { search_text: search.text, search_type: search.by }];
    const limit = Math.min(listPage, most);
    const found = await this.#pages(path, { ...params, limit }, 'seriess', { most });
    if (!isRefusal(found)) {
      const series = found.rows.map((entry) => listed(entry, path));
      const text = 'by' in search && search.by === 'series_id' ? search.text : '';
      const other = series.find(({ id }) => !id.includes(text.toUpperCase()));
      if (other !== undefined) throw otherThing(path, `ids with ${text}`, other.id);
      return series;
    }
    if ('release' in search) throw new Problem('not-found', `FRED has no release ${search.release}`);
    throw refusedBy(path, found);
  }

  async #unknown(id: string): Promise<Problem> {
    const like = await this.#listingLike(id).catch((error: unknown) => {
      // FRED does not know the id, with or without suggestions.
      if (error instanceof Problem && error.kind !== 'interrupted') return [];
      throw error;
    });
    const hints = [...like]
      .sort((a, b) => distance(id, a.id) - distance(id, b.id))
      .slice(0, mostSuggestions)
      .map(({ id: other, title }) => `FRED has ${other}: ${title}`);
    return new Problem('not-found', `FRED has no series '${id}'`, {
      hints: [...hints, 'asof pull fred --search TEXT lists what FRED has'],
    });
  }

  async #listingLike(id: string): Promise<readonly FredListing[]> {
    const stem = id.slice(0, Math.max(2, id.length - 1));
    const alike = await this.listing({ text: stem, by: 'series_id' }, listPage);
    return alike.length > 0 ? alike : this.listing({ text: id, by: 'full_text' }, mostSuggestions);
  }

  /** Reads the rows of an answer, page by page, up to `most`; `steady` stops when FRED states another count. */
  async #pages<T = unknown>(
    path: string,
    params: FredParams,
    name: string,
    { most = Number.POSITIVE_INFINITY, steady = false } = {},
  ) {
    const rows: T[] = [];
    let first: number | undefined;
    for (;;) {
      const reply = await this.#ask(path, { ...params, offset: rows.length });
      if ('refusal' in reply) return reply.refusal;
      const { answer, sent } = reply;
      const { [name]: page, ...head } = answer;
      if (!Array.isArray(page)) throw changed(path, `the answer has no ${name}`);
      rows.push(...page);
      const count = countOf(answer, path);
      first ??= count;
      const isSteady = !steady || count === first;
      if (page.length === 0 || rows.length >= Math.min(most, count) || !isSteady)
        return { rows, head, count, isSteady, sent };
    }
  }

  async #ask(path: string, params: FredParams): Promise<FredReply> {
    const query = Object.entries({ ...params, file_type: 'json' })
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&');
    const reply = await this.#get(`/${path}?${query}`).catch((error: unknown) => {
      const { series_id: id } = params;
      const isOfSource = error instanceof Problem && /^(?:bad-answer|service-unavailable)$/.test(error.kind);
      throw isOfSource && id !== undefined ? error.with({ detail: `${id}: ${error.detail}` }) : error;
    });
    const answer = jsonOf(reply) ?? {};
    if (reply.status !== 200) return { refusal: refusalOf(errorOf(answer), path) };
    refuseOtherAnswer(path, params, answer);
    return { answer, text: reply.body.toString('utf8'), sent: sentAt(reply) };
  }
}

const echoed = [
  ...['series_id', 'release_id', 'realtime_start', 'realtime_end'],
  ...['observation_start', 'observation_end', 'offset'],
];

function refuseOtherAnswer(path: string, asked: FredParams, answer: UncheckedObject): void {
  const compare = (name: string, given: unknown) => {
    const wanted = asked[name];
    if (wanted !== undefined && given !== undefined && String(given).toUpperCase() !== String(wanted))
      throw otherThing(path, `${name} ${wanted}`, String(given));
  };
  for (const name of echoed) compare(name, answer[name]);
  const { seriess = [], observations = [] } = answer;
  if (path === 'series' && Array.isArray(seriess))
    for (const { id } of seriess.filter(isJsonObject)) compare('series_id', id ?? 'a series without id');
  if (Array.isArray(observations))
    for (const { series_id: id } of observations.filter(isJsonObject)) compare('series_id', id);
}

function otherThing(path: string, asked: string, given: string): Problem {
  const detail = `FRED's answer to ${path} is about something else: asof asked for ${asked} and got ${given}, and stored nothing from it`;
  return new Problem('bad-answer', detail, { hints: ['pull again later'] });
}

function refusalOf(message: string, path: string): FredRefusal {
  if (/does not exist in ALFRED/.test(message)) return 'no-vintages';
  if (/does not exist/.test(message)) return 'unknown';
  if (/exceeds the maximum number of vintage dates/.test(message)) return 'too-many-vintages';
  if (/^No vintage dates exist/.test(message)) return 'nothing-then';
  const today = /can not be after today's date \((\d{4}-\d\d-\d\d)\)/.exec(message)?.[1];
  if (today !== undefined && parseDay(today) !== undefined) return { today };
  if (/\blimit\b/.test(message)) return 'smaller-limit';
  throw new Problem('bad-answer', `FRED refused ${path}: ${message}`);
}

function countOf({ count }: UncheckedObject, path: string): number {
  if (typeof count === 'number' && Number.isInteger(count) && count >= 0) return count;
  throw changed(path, 'the answer has no count');
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
  return new Problem('bad-answer', `FRED's ${path} has changed: ${what}; asof stored nothing from it`, {
    hints: ['the source may have changed; a newer asof may read it'],
  });
}

function refusedBy(what: string, refusal: FredRefusal): Problem {
  const reason = typeof refusal === 'string' ? refusal.replaceAll('-', ' ') : `today is ${refusal.today}`;
  return new Problem('bad-answer', `FRED refused ${what}: ${reason}`);
}

/** Makes the Problem for a series whose observations FRED refuses without a known reason. */
export function refusedObservations(id: string, refusal: FredRefusal): Problem {
  return refusedBy(`the observations of ${id}`, refusal);
}

function jsonOf({ body }: HttpReply): UncheckedObject | undefined {
  const value = jsonIn(body.toString('utf8'));
  return isJsonObject(value) ? value : undefined;
}

function errorOf({ error_message: message }: UncheckedObject): string {
  return typeof message === 'string' ? message.replace(/^Bad Request\.\s*/, '') : 'no reason given';
}
