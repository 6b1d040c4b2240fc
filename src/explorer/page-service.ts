import type { VNode } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { PageState, StateChange } from './state.ts';

/** A row of an answer, with days as `YYYY-MM-DD`. */
export type ServedRow = { readonly [field: string]: unknown };

/** A page of an answer, with the rest of its members. */
type AnswerPage = {
  readonly rows: readonly ServedRow[];
  readonly hasMore: boolean;
  readonly answer: ServedRow;
};

/** Values of parameters; undefined ones are not sent. */
export type AskedParams = { readonly [name: string]: string | undefined };

/** A failure in the service's own words. */
export class ServiceFailure extends Error {
  /** The status of the answer; 0 without one. */
  readonly status: number;

  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

/** The page's own service. The user's key is only in memory. */
export class PageService {
  readonly #base: URL;
  readonly #needsKey: boolean;
  key: string | undefined;

  /** `base` is the page's address without its query. With `needsKey`, nothing is requested without a key. */
  constructor(base: URL, needsKey: boolean) {
    this.#base = base;
    this.#needsKey = needsKey;
  }

  async rows(path: string, params: AskedParams = {}): Promise<readonly ServedRow[]> {
    const text = await this.#text(path, { ...params, format: 'ndjson' });
    const lines = text.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line, shortDays) as ServedRow);
  }

  async page(path: string, params: AskedParams = {}): Promise<AnswerPage> {
    const text = await this.#text(path, params);
    const answer = JSON.parse(text, shortDays) as {
      readonly results: readonly ServedRow[];
      readonly has_more?: boolean;
    };
    return { rows: answer.results, hasMore: answer.has_more ?? false, answer };
  }

  /** Finds series by words, as `asof series search` does. */
  search(text: string, most: number): Promise<AnswerPage> {
    return this.page('series', { q: text, match: 'words', limit: String(most) });
  }

  /** Reads the first columns of an answer of any length, whose texts have no commas. */
  async columns(
    path: string,
    count: number,
    params: AskedParams = {},
  ): Promise<readonly (readonly string[])[]> {
    const lines = (await this.#text(path, { ...params, format: 'csv' })).split('\n');
    return lines.slice(1, -1).map((line) => line.split(',', count));
  }

  async csv(path: string, params: AskedParams = {}): Promise<Blob> {
    return (await this.#ask(path, { ...params, format: 'csv' })).blob();
  }

  async #text(path: string, params: AskedParams): Promise<string> {
    const answer = await this.#ask(path, params);
    return answer.text().catch(() => {
      throw new ServiceFailure(0, 'the answer of the service broke off');
    });
  }

  async #ask(path: string, params: AskedParams): Promise<Response> {
    if (this.#needsKey && this.key === undefined) throw new ServiceFailure(401, 'this service needs a key');
    const headers = this.key === undefined ? {} : { 'X-API-Key': this.key };
    const target = new URL(targetOf(path, params), this.#base);
    const answer = await fetch(target, { headers, credentials: 'omit', redirect: 'error' }).catch(() => {
      const reason = navigator.onLine ? 'it may have been stopped' : 'this browser has no network';
      throw new ServiceFailure(0, `the service does not answer; ${reason}`);
    });
    if (answer.ok) return answer;
    const after = Number(answer.headers.get('retry-after') ?? Number.NaN);
    const wait = Number.isNaN(after) ? '' : `; it may be asked again in ${after} s`;
    throw new ServiceFailure(answer.status, `${await detailOf(answer)}${wait}`);
  }
}

async function detailOf(answer: Response): Promise<string> {
  try {
    const { detail } = JSON.parse(await answer.text()) as { readonly detail?: unknown };
    if (typeof detail === 'string') return detail;
  } catch {
    // Another answer, of the service or a proxy.
  }
  return `the service answered with status ${answer.status}`;
}

/** Returns an address relative to the page, which works below a token or the prefix of a proxy. */
function targetOf(path: string, params: AskedParams): string {
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== '');
  const query = given.map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`).join('&');
  return `v1/${path}${query === '' ? '' : `?${query}`}`;
}

function shortDays(_name: string, value: unknown): unknown {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T00:00:00Z$/.test(value)
    ? value.slice(0, 10)
    : value;
}

/** Returns a field of a row as text; empty if it is missing. */
export function cell(row: ServedRow | undefined, name: string): string {
  const value = row?.[name];
  return value === undefined || value === null ? '' : String(value);
}

/** Returns what the page can do without: the service may fail, and a plan may not allow it. */
export async function orNothing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ServiceFailure) return undefined;
    throw error;
  }
}

/** An answer with its question; without a value if the service failed. */
type NewestAnswer<T> = { readonly question: string; readonly value?: T };

/** Asks when the question changes, and returns the newest answer; answers to earlier questions are dropped. */
export function useAnswer<T>(
  question: string | undefined,
  ask: () => Promise<T>,
  fail: (error: unknown) => void,
): NewestAnswer<T> | undefined {
  const [answer, setAnswer] = useState<NewestAnswer<T>>();
  useLayoutEffect(() => {
    if (question === undefined || answer?.question === question) return;
    let isLatest = true;
    ask().then(
      (value) => isLatest && setAnswer({ question, value }),
      (error) => {
        if (!isLatest) return;
        setAnswer({ question });
        fail(error);
      },
    );
    return () => {
      isLatest = false;
    };
  }, [question]);
  return answer;
}

/** What a view needs of the page. */
export type PageContext = {
  readonly service: PageService;
  /** Changes state and address: with no way back (`replace`), or after a rest (`soon`). */
  readonly go: (change: StateChange, how?: 'push' | 'replace' | 'soon') => void;
  /** Shows faults above the view, until another state is shown. */
  readonly warn: (faults: readonly (string | VNode)[]) => void;
  readonly fail: (error: unknown) => void;
  /** The flags for the store or the service. */
  readonly connection: { readonly [flag: string]: string };
};

/** A view with its data, for any state of its subject. */
export type OpenedView = { readonly title: string; readonly show: (state: PageState) => VNode };
