import { largestPage, pagesOf } from '../client/pagination.ts';
import { closeNames } from '../domain/series/closest.ts';
import type { Day } from '../domain/series/date.ts';
import { type YieldSeries, yieldSeries } from '../domain/treasury/curve.ts';
import { Problem } from '../errors/problem.ts';
import { listed } from '../errors/wording.ts';
import type { Row } from '../operations/envelope.ts';
import { seriesSearch, spread, yields } from '../operations/figures.ts';
import { commandNaming, type RowOf } from '../operations/operation.ts';
import { type Naming, type ParamTexts, without } from '../operations/param.ts';
import type { QueryContext } from './answer.ts';

/** Where series are looked up. */
type Catalogue = Pick<QueryContext, 'client' | 'naming' | 'signal'>;

/**
 * A series of a query; `typed` is its id as typed, unless a pattern matched it, and `row` its description, if that
 * was looked up.
 */
export type ResolvedSeries = { readonly id: string; readonly typed?: string; readonly row?: Row };

/**
 * The series that typed ids mean, each once: in upper case, and for an id with `*` every series that matches, of those
 * that had begun by a day. A pattern without a match stays as it is, and fails like any unknown series.
 */
export async function resolveSeries(
  typed: readonly string[],
  catalogue: Catalogue,
  asOf: Day = '~',
): Promise<readonly ResolvedSeries[]> {
  const meant = new Map<string, ResolvedSeries>();
  let known: readonly Row[] | undefined;
  for (const text of typed) {
    const id = text.toUpperCase();
    const matching: ResolvedSeries[] = [];
    if (isPattern(id)) {
      known ??= await allSeries(catalogue);
      const pattern = patternOf(id);
      // Another service may not say when a series began.
      for (const row of known)
        if (pattern.test(String(row.id)) && hadBegun(row, asOf)) matching.push({ id: String(row.id), row });
    }
    for (const one of matching.length > 0 ? matching : [{ id, typed: text }])
      if (!meant.has(one.id)) meant.set(one.id, one);
  }
  return [...meant.values()];
}

/**
 * The series with statements that typed ids mean, and a Problem for each id that means none. Patterns do not match
 * the series that the curves answer.
 */
export async function seriesWithStatements(
  typed: readonly string[],
  has: (id: string) => Promise<boolean>,
  catalogue: Catalogue,
): Promise<{ readonly ids: readonly string[]; readonly failures: readonly unknown[] }> {
  const ids: string[] = [];
  const failures: unknown[] = [];
  for (const one of await resolveSeries(typed, catalogue))
    if (await has(one.id)) ids.push(one.id);
    else if (one.typed !== undefined) failures.push(await withoutStatements(one.id, catalogue));
  if (ids.length === 0 && failures.length === 0) failures.push(ofCurves(typed.join(' '), catalogue));
  return { ids, failures };
}

async function withoutStatements(id: string, catalogue: Catalogue): Promise<unknown> {
  const series = yieldSeries.find((one) => one.id === id);
  if (series !== undefined) return ofCurves(id, catalogue, series);
  return withSuggestion(new Problem('not-found', `series '${id}' not found`), id, catalogue);
}

function ofCurves(id: string, { naming = commandNaming }: Catalogue, series?: YieldSeries): Problem {
  return new Problem('not-found', `series '${id}' has no statements: the curves answer it`, {
    hints: [`${naming.question(...questionFor(series))} gives its rates`],
  });
}

function questionFor({ rate, less }: Partial<YieldSeries> = {}): Parameters<Naming['question']> {
  if (rate === undefined) return [yields.name];
  if (less !== undefined) return [spread.name, { long: rate.maturity, short: less.maturity }];
  const type = rate.curveType === 'TIPS' ? { curve_type: rate.curveType } : undefined;
  return [yields.name, { maturity: rate.maturity, ...type }];
}

/** Whether a series had begun by a day; another service may not say, and then it counts. */
function hadBegun({ first_vintage: first }: Row, day: Day): boolean {
  return String(first ?? '') <= day;
}

function isPattern(id: string): boolean {
  return id.includes('*');
}

function patternOf(id: string): RegExp {
  const parts = id.split(/\*+/).map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

/** The series on the first pages of the list that had begun by a day; each page is requested once. */
async function firstSeries({ client }: Catalogue, asOf: Day): Promise<readonly RowOf<typeof seriesSearch>[]> {
  const rows: RowOf<typeof seriesSearch>[] = [];
  let texts: ParamTexts = [['limit', String(largestPage)]];
  try {
    for (let pages = 0; pages < mostPages; pages += 1) {
      const { results, next_cursor: cursor } = await client.ask(seriesSearch, texts, { once: true });
      rows.push(...results.filter((row) => hadBegun(row, asOf)));
      if (cursor === undefined) break;
      texts = [...without(texts, 'cursor'), ['cursor', cursor]];
    }
  } catch {
    return rows;
  }
  return rows;
}

async function allSeries({ client, signal }: Catalogue): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const page of pagesOf(client, seriesSearch, [], {}, signal))
    for (const row of page.results) rows.push(row);
  return rows;
}

/** The most ids in a suggestion. */
const mostSuggested = 3;

/** The most pages of the list of series that are read for a suggestion. */
const mostPages = 3;

/** The same failure; for an unknown series, with a hint at the ids that may be meant, of those known on a day. */
export async function withSuggestion(
  error: unknown,
  id: string | undefined,
  catalogue: Catalogue,
  asOf: Day = '~',
): Promise<unknown> {
  if (!(error instanceof Problem) || error.kind !== 'not-found' || id === undefined) return error;
  const { naming = commandNaming } = catalogue;
  const hinting = (hint: string) => error.with({ hints: [...error.hints, hint] });
  if (isPattern(id)) {
    const ids = (await firstSeries(catalogue, asOf))
      .map((row) => row.id)
      .filter((one) => patternOf(id).test(one));
    if (ids.length === 0) return hinting('no series id matches this pattern');
    const some = ids.slice(0, mostSuggested);
    return hinting(
      `name one series, such as ${listed(some, 'or')}: a pattern is for questions about several`,
    );
  }
  const near = id.trim() === '' ? [] : await idsLike(id, await firstSeries(catalogue, asOf));
  return near.length === 0
    ? hinting(`${naming.question(seriesSearch.name)} finds series by words`)
    : hinting(`did you mean ${listed(near, 'or')}?`);
}

/** The ids that a search finds best for a misspelled id, or for a word that means the series. */
async function idsLike(
  text: string,
  known: readonly RowOf<typeof seriesSearch>[],
): Promise<readonly string[]> {
  // Loaded here: most series exist.
  const { findSeries } = await import('../domain/series/search.ts');
  const all = findSeries(known, text, 'words');
  const ids = all.map(({ series }) => series.id);
  const near = all[0]?.matched === 'nearest' ? closeNames(text, ids) : [];
  // Of what resembles an id, titles do not count.
  const found = all
    .filter(({ series }) => near.length === 0 || near.includes(series.id))
    .slice(0, mostSuggested);
  const best = found[0]?.matched;
  return found.flatMap(({ series, matched }) =>
    matched === best && best !== 'some' && series.id !== text ? [series.id] : [],
  );
}
