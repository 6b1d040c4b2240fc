import { pagesOf } from '../client/pagination.ts';
import { closest } from '../domain/series/closest.ts';
import { Problem } from '../errors/problem.ts';
import type { Row } from '../operations/envelope.ts';
import { seriesSearch } from '../operations/index.ts';
import type { QueryContext } from './answer.ts';

/** Where series are looked up. */
type Catalogue = Pick<QueryContext, 'client' | 'signal'>;

/**
 * A series that a query is about; `typed` is its id as typed, unless a pattern matched it, and `row` its description,
 * where that was looked up.
 */
export type ResolvedSeries = { readonly id: string; readonly typed?: string; readonly row?: Row };

/**
 * The series that typed ids mean, each once: in upper case, and for an id with `*` every series whose id matches. A
 * pattern without a match stays as it is, to fail like any series that does not exist.
 */
export async function resolveSeries(
  typed: readonly string[],
  catalogue: Catalogue,
): Promise<readonly ResolvedSeries[]> {
  const meant = new Map<string, ResolvedSeries>();
  let known: readonly Row[] | undefined;
  for (const text of typed) {
    const id = text.toUpperCase();
    const matching: ResolvedSeries[] = [];
    if (isPattern(id)) {
      known ??= await allSeries(catalogue);
      const pattern = patternOf(id);
      for (const row of known) if (pattern.test(String(row.id))) matching.push({ id: String(row.id), row });
    }
    for (const one of matching.length > 0 ? matching : [{ id, typed: text }])
      if (!meant.has(one.id)) meant.set(one.id, one);
  }
  return [...meant.values()];
}

function isPattern(id: string): boolean {
  return id.includes('*');
}

function patternOf(id: string): RegExp {
  const parts = id.split(/\*+/).map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

async function allSeries({ client, signal }: Catalogue): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const page of pagesOf(client, seriesSearch, [], {}, signal))
    for (const row of page.results) rows.push(row);
  return rows;
}

/** The most ids that are suggested. */
const mostSuggested = 3;

/** The same failure; where a series does not exist, with a hint at the ids that may be meant. */
export async function withSuggestion(error: unknown, id: string, catalogue: Catalogue): Promise<unknown> {
  if (!(error instanceof Problem) || error.kind !== 'not-found') return error;
  const hinting = (hint: string) => error.with({ hints: [...error.hints, hint] });
  if (isPattern(id)) return hinting('no series id matches this pattern');
  const known = await allSeries(catalogue).catch(() => []);
  const near = nearest(
    id,
    known.map((row) => String(row.id)),
  );
  return near.length === 0 ? error : hinting(`did you mean ${listed(near, 'or')}?`);
}

function nearest(id: string, known: readonly string[]): readonly string[] {
  const near: string[] = [];
  while (near.length < mostSuggested) {
    const next = closest(
      id,
      known.filter((one) => !near.includes(one)),
    );
    if (next === undefined) break;
    near.push(next);
  }
  return near;
}

/** Texts as a list: `A, B or C`. */
export function listed(texts: readonly string[], conjunction: 'and' | 'or'): string {
  return [texts.slice(0, -1).join(', '), texts.at(-1)].filter((part) => part !== '').join(` ${conjunction} `);
}
