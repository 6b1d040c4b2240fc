import { closest } from '../../domain/series/closest.ts';
import { Problem } from '../../errors/problem.ts';
import type { Row } from '../../operations/envelope.ts';
import { seriesSearch } from '../../operations/index.ts';
import { everything, pagesOf } from '../run/pages.ts';
import type { Session } from '../run/session.ts';

/** What it takes to look series up. */
export type Catalogue = Pick<Session, 'client' | 'io'>;

/**
 * A series that a command is about; `typed` is the id as it was typed, unless it came from a pattern, and `row` what the
 * service says of it, where that was asked already.
 */
export type Wanted = { readonly id: string; readonly typed?: string; readonly row?: Row };

/**
 * The series that typed ids mean, each once: upper case, and for an id with `*` every series whose id matches.
 * A pattern that matches nothing stays as it is, to fail like any series that does not exist.
 */
export async function wantedSeries(
  catalogue: Catalogue,
  typed: readonly string[],
): Promise<readonly Wanted[]> {
  const wanted = new Map<string, Wanted>();
  let known: readonly Row[] | undefined;
  for (const text of typed) {
    const id = text.toUpperCase();
    const matching: Wanted[] = [];
    if (isPattern(id)) {
      known ??= await allSeries(catalogue);
      const pattern = patternOf(id);
      for (const row of known) if (pattern.test(String(row.id))) matching.push({ id: String(row.id), row });
    }
    for (const one of matching.length > 0 ? matching : [{ id, typed: text }])
      if (!wanted.has(one.id)) wanted.set(one.id, one);
  }
  return [...wanted.values()];
}

function isPattern(id: string): boolean {
  return id.includes('*');
}

function patternOf(id: string): RegExp {
  const parts = id.split(/\*+/).map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

async function allSeries({ client, io }: Catalogue): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const page of pagesOf(client, seriesSearch, [], everything, io.signal)) {
    for (const row of page.results) rows.push(row);
  }
  return rows;
}

/** So many ids are named as what may have been meant. */
const mostMeant = 3;

/** The same failure; where a series does not exist, with the ids that may have been meant. */
export async function withSuggestion(catalogue: Catalogue, id: string, error: unknown): Promise<unknown> {
  if (!(error instanceof Problem) || error.kind !== 'not-found') return error;
  if (isPattern(id)) return error.with({ hints: [...error.hints, 'no id of a series matches this pattern'] });
  const meant = meantBy(
    id,
    (await allSeries(catalogue).catch(() => [])).map((row) => String(row.id)),
  );
  return meant.length === 0
    ? error
    : error.with({ hints: [...error.hints, `did you mean ${listed(meant)}?`] });
}

/** The nearest ids first. */
function meantBy(id: string, known: readonly string[]): readonly string[] {
  const meant: string[] = [];
  while (meant.length < mostMeant) {
    const next = closest(
      id,
      known.filter((one) => !meant.includes(one)),
    );
    if (next === undefined) break;
    meant.push(next);
  }
  return meant;
}

function listed(ids: readonly string[]): string {
  return [ids.slice(0, -1).join(', '), ids.at(-1)].filter((part) => part !== '').join(' or ');
}
