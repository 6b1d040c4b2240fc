import { distance } from '../../domain/series/closest.ts';
import { type Day, parseDay } from '../../domain/series/date.ts';
import { Problem } from '../../errors/problem.ts';
import type { Getter } from '../getter.ts';
import { errorOf, type FredObject, jsonOf } from './access.ts';

/** Why FRED gives no answer about a series. */
export type FredRefusal =
  | 'unknown'
  | 'no-vintages'
  | 'too-many-vintages'
  | 'nothing-then'
  | 'smaller-limit'
  | { readonly today: Day };

/** An answer of FRED, or why there is none. */
type FredReply = { readonly answer: FredObject; readonly text: string } | { readonly refusal: FredRefusal };

/** A row of `series/observations`; what is not checked here is checked by the reader. */
export type FredRow = {
  readonly date?: unknown;
  readonly value?: unknown;
  readonly realtime_start?: unknown;
  readonly realtime_end?: unknown;
};

/** All rows of a window, and the fields around them. */
export type FredRows = { readonly head: FredObject; readonly rows: readonly FredRow[] };

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

  /** Every row of a real-time period, page by page; without one, of the day on which FRED last loaded data. */
  async observations(id: string, from?: Day, to?: Day): Promise<FredRows | FredRefusal> {
    for (let restarts = 0; restarts <= mostRestarts; restarts += 1) {
      const found = await this.#wholeWindow(id, from, to);
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
      const page = listOf(reply.answer, 'seriess', path);
      all.push(...page.map(listed));
      if (page.length === 0 || all.length >= Math.min(most, countOf(reply.answer, path))) return all;
    }
  }

  async #wholeWindow(
    id: string,
    from?: Day,
    to?: Day,
  ): Promise<FredRows | FredRefusal | 'changed-meanwhile'> {
    const path = 'series/observations';
    const rows: FredRow[] = [];
    let head: FredObject | undefined;
    let total: number | undefined;
    for (;;) {
      const reply = await this.#ask(path, {
        series_id: id,
        ...(from !== undefined && { realtime_start: from }),
        ...(to !== undefined && { realtime_end: to }),
        limit: this.#limits.rows,
        offset: rows.length,
      });
      if ('refusal' in reply) return reply.refusal;
      const { observations: page, ...fields } = reply.answer;
      if (!Array.isArray(page)) throw changed(path, 'the answer has no observations');
      const count = countOf(reply.answer, path);
      if (total !== undefined && count !== total) return 'changed-meanwhile';
      total = count;
      head ??= fields;
      rows.push(...page);
      if (rows.length >= count) return { head, rows };
      if (page.length === 0) throw changed(path, `the answer has ${rows.length} of ${count} rows`);
    }
  }

  async #ask(path: string, params: Readonly<Record<string, string | number>>): Promise<FredReply> {
    const query = Object.entries({ ...params, file_type: 'json' })
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&');
    const reply = await this.#get(`/${path}?${query}`);
    const answer = jsonOf(reply) ?? {};
    if (reply.status === 200) return { answer, text: reply.body.toString('utf8') };
    return { refusal: refusalOf(errorOf(answer), path) };
  }
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

function listOf(answer: FredObject, name: string, path: string): readonly unknown[] {
  const list = answer[name];
  if (Array.isArray(list)) return list;
  throw changed(path, `the answer has no ${name}`);
}

function countOf({ count }: FredObject, path: string): number {
  if (typeof count === 'number' && Number.isInteger(count) && count >= 0) return count;
  throw changed(path, 'the answer has no count');
}

function listed(entry: unknown): FredListing {
  const fields = typeof entry === 'object' && entry !== null ? (entry as FredObject) : {};
  const text = (name: string) => (typeof fields[name] === 'string' ? String(fields[name]) : '');
  if (text('id') === '') throw changed('series/search', 'a series has no id');
  return {
    id: text('id'),
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

/** The Problem for a series that FRED said has vintages, and then that it has none. */
export function lostVintages(id: string): Problem {
  return new Problem('bad-answer', `FRED's answers about the vintages of ${id} contradict each other`, {
    hints: ['pull again later'],
  });
}

const mostSuggestions = 3;

/** The Problem for an id that FRED does not know, with the series that it may have meant, if a search finds some. */
export async function unknownSeries(id: string, api: FredApi): Promise<Problem> {
  const listed = await seriesLike(id, api).catch((error: unknown) => {
    // What was asked is answered: FRED does not know the id.
    if (error instanceof Problem && error.kind !== 'interrupted') return [];
    throw error;
  });
  const hints = [...listed]
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
