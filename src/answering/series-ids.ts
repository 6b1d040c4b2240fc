import { largestPage, pagesOf } from '../client/pagination.ts';
import { throttled } from '../client/throttling.ts';
import { closeNames } from '../domain/series/closest.ts';
import type { Day } from '../domain/series/date.ts';
import { type YieldSeries, yieldSeries } from '../domain/treasury/curve.ts';
import { Problem } from '../errors/problem.ts';
import { listed } from '../errors/wording.ts';
import type { Row } from '../operations/envelope.ts';
import { seriesSearch, seriesShow, spread, yields } from '../operations/figures.ts';
import type { Naming, RowOf } from '../operations/operation.ts';
import { type ParamTexts, without } from '../operations/param.ts';
import { type Ask, failureOf } from './answer.ts';

/** Where series are looked up, and what records the ids that are left out. */
type Catalogue = Pick<Ask, 'basis' | 'client' | 'naming' | 'signal'>;

/** A series of a query, with its id as typed and its description where these are known. */
export type ResolvedSeries = { readonly id: string; readonly typed?: string; readonly row?: Row };

/**
 * The series that typed ids mean, each once: in upper case, and for an id with `*` every series that matches, of those
 * that had begun by a day. If they are several, an id that no series has is a Problem, or is left out with
 * `skipMissing`. A service is asked only for that, or with `lookUp`: otherwise its first answers about the series show
 * the same, without further requests.
 */
export async function resolveSeries(
  {
    ids,
    skip_missing: skipMissing = false,
  }: { readonly ids: readonly string[]; readonly skip_missing?: boolean | undefined },
  asOf: Day | undefined,
  catalogue: Catalogue,
  lookUp = skipMissing || catalogue.client.offers === undefined,
): Promise<readonly ResolvedSeries[]> {
  const meant = await seriesMeant(ids, catalogue, asOf);
  // A single one fails when it is asked for.
  if (meant.length === 1 || !lookUp) return meant;
  const outcomes = await describedAll(meant, catalogue);
  const found = outcomes.flatMap((one) => ('error' in one ? [] : [one]));
  const failures = outcomes.flatMap((one) => ('error' in one ? [one] : []));
  return foundOf(found, failures, skipMissing, catalogue);
}

/** A series that cannot be answered, and why. */
export type FailedSeries = { readonly id: string; readonly error: unknown };

/** What was found of several series; throws the first failure that `skipMissing` does not excuse. */
export function foundOf<T>(
  found: readonly T[],
  failures: readonly FailedSeries[],
  skipMissing: boolean,
  { basis, naming }: Catalogue,
): readonly T[] {
  const [first, ...others] = failures;
  if (first === undefined) return found;
  const other = failures.find(({ error }) => !isUnknown(error));
  if (other !== undefined) throw failureOf(other.id, other.error);
  if (skipMissing && found.length > 0) {
    for (const { id } of failures) basis.missing.add(id);
    return found;
  }
  const { error } = first;
  if (!(error instanceof Problem)) throw error;
  throw error.with({
    hints: [
      ...error.hints,
      ...(others.length === 0
        ? []
        : [
            `also not found: ${listed(
              others.map(({ id }) => id),
              'and',
            )}`,
          ]),
      ...(found.length === 0 ? [] : [`${naming.param('skip_missing')} leaves out what is not found`]),
    ],
  });
}

async function describedAll(
  series: readonly ResolvedSeries[],
  { client, signal }: Catalogue,
): Promise<readonly (FailedSeries | ResolvedSeries)[]> {
  const questionOf = (id: string): ParamTexts => [['id', id]];
  const unknown = series.filter(({ row }) => row === undefined).map(({ id }) => questionOf(id));
  const expected = unknown.length === 0 ? undefined : await client.expect?.(seriesShow, unknown);
  const { ask } = throttled(client, signal, () => undefined);
  return Promise.all(
    series.map(async (one) => {
      if (one.row !== undefined) return one;
      try {
        const { results } = await ask(seriesShow, questionOf(one.id), expected && { expected });
        const [row] = results;
        return row === undefined ? one : { ...one, row };
      } catch (error) {
        return { id: one.id, error: failureOf(one.id, error) };
      }
    }),
  );
}

/** Whether a failure says that no series has the id, or can have it. */
export function isUnknown(error: unknown): boolean {
  return error instanceof Problem && (error.kind === 'not-found' || error.kind === 'validation-error');
}

/** The member of an envelope that names the ids which are left out. */
export function missingMember({ basis: { missing } }: Pick<Ask, 'basis'>) {
  return missing.size === 0 ? {} : { missing: [...missing] };
}

async function seriesMeant(
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
 * The series with statements that typed ids mean; an id that means none is a Problem, or is left out with
 * `skipMissing`. Patterns do not match the series that the curves answer.
 */
export async function seriesWithStatements(
  { ids, skipMissing = false }: { readonly ids: readonly string[]; readonly skipMissing?: boolean },
  has: (id: string) => Promise<boolean>,
  catalogue: Catalogue,
): Promise<readonly string[]> {
  const found: string[] = [];
  const failures: FailedSeries[] = [];
  for (const { id, typed } of await seriesMeant(ids, catalogue))
    if (await has(id)) found.push(id);
    else if (typed !== undefined) failures.push({ id, error: withoutStatements(id, catalogue) });
  if (found.length === 0 && failures.length === 0) throw ofCurves(ids.join(' '), catalogue);
  return foundOf(found, failures, skipMissing, catalogue);
}

function withoutStatements(id: string, catalogue: Catalogue): Problem {
  const series = yieldSeries.find((one) => one.id === id);
  if (series !== undefined) return ofCurves(id, catalogue, series);
  return new Problem('not-found', `series '${id}' not found`, { series: id });
}

function ofCurves(id: string, { naming }: Catalogue, series?: YieldSeries): Problem {
  return new Problem('not-found', `series '${id}' has no statements: the curves answer it`, {
    hints: [`${ratesNamed(naming, series)} gives its rates`],
  });
}

function ratesNamed({ question }: Naming, { rate, less }: Partial<YieldSeries> = {}): string {
  if (rate === undefined) return question(yields);
  if (less !== undefined) return question(spread, { long: rate.maturity, short: less.maturity });
  const type = rate.curveType === 'TIPS' ? { curve_type: rate.curveType } : undefined;
  return question(yields, { maturity: rate.maturity, ...type });
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

const mostSuggested = 3;

const mostPages = 3;

/** The same failure; for an unknown series, with a hint at the ids that may be meant, of those known on a day. */
export async function withSuggestion(
  error: unknown,
  catalogue: Catalogue,
  asOf: Day = '~',
): Promise<unknown> {
  if (!(error instanceof Problem) || error.kind !== 'not-found' || error.series === undefined) return error;
  const { series: id } = error;
  const { naming } = catalogue;
  const hinting = (hint: string) => error.with({ hints: [hint, ...error.hints] });
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
    ? hinting(`${naming.question(seriesSearch)} finds series by words`)
    : hinting(`did you mean ${listed(near, 'or')}?`);
}

/** The ids that a search finds best for a misspelled id, or for a word that means the series. */
async function idsLike(
  text: string,
  known: readonly RowOf<typeof seriesSearch>[],
): Promise<readonly string[]> {
  // Loaded here: most series exist.
  const { findSeries } = await import('../domain/series/search.ts');
  const all = await findSeries(known, text, 'words');
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
