import type { HttpReply } from '../../client/remote/exchange.ts';
import { distance } from '../../domain/series/closest.ts';
import { type Day, parseDay } from '../../domain/series/date.ts';
import { parseSeriesId } from '../../domain/series/series.ts';
import { Problem } from '../../errors/problem.ts';
import { isJsonObject, type UncheckedObject } from '../../import/readers/json.ts';
import type { Getter } from '../getter.ts';
import { errorOf, jsonOf } from './access.ts';

/** Why FRED gives no answer about a series. */
export type FredRefusal =
  | 'unknown'
  | 'no-vintages'
  | 'too-many-vintages'
  | 'nothing-then'
  | 'smaller-limit'
  | { readonly today: Day };

/** An answer of FRED, or why there is none. */
type FredReply =
  | { readonly answer: UncheckedObject; readonly text: string; readonly sent: Date | undefined }
  | { readonly refusal: FredRefusal };

/** All rows of a window, which the reader checks, the fields around them, and when FRED sent them, if it said so. */
export type FredRows = {
  readonly head: UncheckedObject;
  readonly rows: readonly UncheckedObject[];
  readonly sent?: Date | undefined;
};

/** What observations are asked for; without bounds, as of the day on which FRED last loaded data. */
export type FredQuery = {
  readonly realtime_start?: Day;
  readonly realtime_end?: Day;
  readonly observation_start?: Day;
  readonly observation_end?: Day;
};

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

/** The limits of one answer; they shrink when FRED says that they are too high. */
export type FredLimits = { vintages: number; rows: number };

/** FRED's own limits. */
export const fredLimits = { vintages: 2000, rows: 100_000 } as const;

const listPage = 1000;
const vintagePage = 10_000;
const mostRestarts = 3;

/** The requests of FRED's API that a pull needs. */
export class FredApi {
  readonly #get: Getter['get'];
  readonly #limits: FredLimits;

  constructor(get: Getter['get'], limits: FredLimits = { ...fredLimits }) {
    this.#get = get;
    this.#limits = limits;
  }

  /** The description of a series as FRED words it; undefined if there is no such series. */
  async description(id: string): Promise<string | undefined> {
    const reply = await this.#ask('series', { series_id: id });
    if ('answer' in reply) return reply.text;
    if (reply.refusal === 'unknown') return undefined;
    throw unexpected('series', reply.refusal);
  }

  /** The vintage dates between two days, ascending. */
  async vintageDates(id: string, from: Day, to: Day): Promise<readonly Day[] | FredRefusal> {
    const all: Day[] = [];
    for (;;) {
      const reply = await this.#ask('series/vintagedates', {
        series_id: id,
        realtime_start: from,
        realtime_end: to,
        limit: vintagePage,
        offset: all.length,
      });
      if ('refusal' in reply) return reply.refusal;
      const page = listOf(reply.answer, 'vintage_dates', 'series/vintagedates');
      for (const date of page) {
        const day = typeof date === 'string' ? parseDay(date) : undefined;
        if (day === undefined)
          throw changed('series/vintagedates', `a vintage date is ${JSON.stringify(date)}`);
        all.push(day);
      }
      if (page.length === 0 || all.length >= countOf(reply.answer, 'series/vintagedates')) return all;
    }
  }

  /** Every row of the answer to a query, page by page. */
  async observations(id: string, query: FredQuery = {}): Promise<FredRows | FredRefusal> {
    for (let restarts = 0; restarts <= mostRestarts; restarts += 1) {
      const found = await this.#wholeWindow(id, query);
      if (found === 'smaller-limit') {
        this.#limits.rows = Math.max(1, Math.floor(this.#limits.rows / 2));
        restarts -= this.#limits.rows > 1 ? 1 : 0;
      } else if (found !== 'changed-meanwhile') return found;
    }
    throw new Problem('bad-answer', `FRED's answer for ${id} changes from one page to the next`, {
      hints: ['FRED may be loading data; pull again later'],
    });
  }

  /** The series that match a text, best first, or those of a release by id. */
  async listing(
    search: { readonly text: string; readonly by: 'full_text' | 'series_id' } | { readonly release: number },
    most = Number.POSITIVE_INFINITY,
  ): Promise<readonly FredListing[]> {
    const [path, params] =
      'release' in search
        ? ['release/series', { release_id: search.release }]
        : ['series/search', { search_text: search.text, search_type: search.by }];
    const all: FredListing[] = [];
    for (;;) {
      const limit = Math.min(listPage, most);
      const reply = await this.#ask(path, { ...params, limit, offset: all.length });
      if ('refusal' in reply) {
        if ('release' in search) throw new Problem('not-found', `FRED has no release ${search.release}`);
        throw unexpected(path, reply.refusal);
      }
      const page = listOf(reply.answer, 'seriess', path).map((entry) => listed(entry, path));
      if ('by' in search && search.by === 'series_id') refuseOtherIds(path, search.text, page);
      all.push(...page);
      if (page.length === 0 || all.length >= Math.min(most, countOf(reply.answer, path))) return all;
    }
  }

  async #wholeWindow(id: string, query: FredQuery): Promise<FredRows | FredRefusal | 'changed-meanwhile'> {
    const path = 'series/observations';
    const rows: UncheckedObject[] = [];
    let head: UncheckedObject | undefined;
    let total: number | undefined;
    for (;;) {
      const params = { series_id: id, ...query, limit: this.#limits.rows, offset: rows.length };
      const reply = await this.#ask(path, params);
      if ('refusal' in reply) return reply.refusal;
      const { observations: page, ...fields } = reply.answer;
      if (!Array.isArray(page)) throw changed(path, 'the answer has no observations');
      const count = countOf(reply.answer, path);
      if (total !== undefined && count !== total) return 'changed-meanwhile';
      total = count;
      head ??= fields;
      rows.push(...page);
      if (rows.length >= count) return { head, rows, sent: reply.sent };
      if (page.length === 0) throw changed(path, `the answer has ${rows.length} of ${count} rows`);
    }
  }

  async #ask(path: string, params: Readonly<Record<string, string | number>>): Promise<FredReply> {
    const query = Object.entries({ ...params, file_type: 'json' })
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&');
    const reply = await this.#get(`/${path}?${query}`).catch((error: unknown) => {
      throw naming(params.series_id, error);
    });
    const answer = jsonOf(reply) ?? {};
    if (reply.status !== 200) return { refusal: refusalOf(errorOf(answer), path) };
    refuseOtherAnswer(path, params, answer);
    return { answer, text: reply.body.toString('utf8'), sent: sentAt(reply) };
  }
}

/** A failure of the source, with the series that was asked for; any other error as it is. */
function naming(id: string | number | undefined, error: unknown): unknown {
  const isOfSource = error instanceof Problem && /^(?:bad-answer|service-unavailable)$/.test(error.kind);
  return isOfSource && id !== undefined ? error.with({ detail: `${id}: ${error.detail}` }) : error;
}

/** The time at which a reply was made; undefined if it has no date. */
function sentAt({ headers }: HttpReply): Date | undefined {
  const sent = Date.parse(headers.date ?? '') + 1000 * Number(headers.age ?? 0);
  return Number.isNaN(sent) ? undefined : new Date(sent);
}

/** What an answer repeats of its request. */
const echoed = [
  ...['series_id', 'release_id', 'realtime_start', 'realtime_end'],
  ...['observation_start', 'observation_end', 'offset'],
];

/** Refuses an answer that says of itself, of its series or of a row that it is about something else than asked. */
function refuseOtherAnswer(
  path: string,
  asked: Readonly<Record<string, string | number>>,
  answer: UncheckedObject,
): void {
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

/** Refuses a list in which an id does not contain the text that was searched for. */
function refuseOtherIds(path: string, text: string, list: readonly FredListing[]): void {
  const other = list.find(({ id }) => !id.includes(text.toUpperCase()));
  if (other !== undefined) throw otherThing(path, `ids with ${text}`, other.id);
}

function otherThing(path: string, asked: string, given: string): Problem {
  const detail = `FRED's answer to ${path} is about something else: asked for ${asked}, it gave ${given}; nothing of it was stored`;
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

function listOf(answer: UncheckedObject, name: string, path: string): readonly unknown[] {
  const list = answer[name];
  if (Array.isArray(list)) return list;
  throw changed(path, `the answer has no ${name}`);
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

/** The Problem for an answer that is not as FRED documents it. */
export function changed(path: string, what: string): Problem {
  return new Problem('bad-answer', `FRED's ${path} is not as it was: ${what}; nothing was stored of it`, {
    hints: ['asof may be older than a change at the source'],
  });
}

function unexpected(path: string, refusal: FredRefusal): Problem {
  const reason = typeof refusal === 'string' ? refusal : `its today is ${refusal.today}`;
  return new Problem('bad-answer', `FRED refused ${path}: ${reason}`);
}

/** The Problem for observations of a series that FRED should have given. */
export function refusedObservations(id: string, refusal: FredRefusal): Problem {
  const reason = typeof refusal === 'string' ? refusal.replaceAll('-', ' ') : `today is ${refusal.today}`;
  return new Problem('bad-answer', `FRED refused the observations of ${id}: ${reason}`);
}

/** The Problem for a series that FRED had, and has no longer. */
export function goneSeries(id: string, upTo: Day | undefined): Problem {
  const last = upTo === undefined ? '' : `, which it gave up to ${upTo}`;
  return new Problem('not-found', `FRED no longer has the series ${id}${last}; the facts stay in the store`, {
    hints: [`asof unfollow fred ${id} stops following it`],
  });
}

/** The Problem for a series that FRED said has vintages, and then that it has none. */
export function lostVintages(id: string): Problem {
  return new Problem('bad-answer', `FRED's answers about the vintages of ${id} contradict each other`, {
    hints: ['pull again later'],
  });
}

const mostSuggestions = 3;

/** The Problem for an id that FRED does not know, with the series that it may have meant, if a search finds some. */
export async function unknownSeries(id: string, api: FredApi): Promise<Problem> {
  const hints = [...(await seriesLike(id, api).catch(nothingIfFailed))]
    .sort((a, b) => distance(id, a.id) - distance(id, b.id))
    .slice(0, mostSuggestions)
    .map(({ id: other, title }) => `FRED has ${other}: ${title}`);
  return new Problem('not-found', `FRED has no series '${id}'`, {
    hints: [...hints, 'asof pull fred --search TEXT lists what FRED has'],
  });
}

async function seriesLike(id: string, api: FredApi): Promise<readonly FredListing[]> {
  const stem = id.slice(0, Math.max(2, id.length - 1));
  const alike = await api.listing({ text: stem, by: 'series_id' }, 1000);
  return alike.length > 0 ? alike : api.listing({ text: id, by: 'full_text' }, mostSuggestions);
}

/** No suggestions where the search for them fails: that FRED does not know the id is certain without them. */
function nothingIfFailed(error: unknown): readonly FredListing[] {
  if (error instanceof Problem && error.kind !== 'interrupted') return [];
  throw error;
}
