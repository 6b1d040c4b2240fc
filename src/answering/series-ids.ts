import { throttled } from '../client/throttling.ts';
import { closest, plainMatch } from '../domain/search/words.ts';
import {
  formulas,
  type NamedSeries,
  namedSeries,
  nameOfSeries,
  transformationChoices,
  type Units,
} from '../domain/series/transformation.ts';
import type { Day } from '../domain/values/date.ts';
import { Problem } from '../errors/problem.ts';
import type { Row } from '../operations/envelope.ts';
import type { ParamTexts } from '../operations/param.ts';
import { seriesSearch, seriesShow } from '../operations/series/series.ts';
import { type Ask, failureOf, rowsOf } from './answer.ts';

/** Where series are looked up, and which ids are left out. */
export type Catalogue = Pick<Ask, 'basis' | 'client' | 'naming' | 'signal'>;

/** A series of a query; its typed name and its description if known. */
export type ResolvedSeries = NamedSeries & { readonly typed?: string; readonly row?: Row };

/**
 * Resolves typed ids to series, each once; an id with `*` means every match that had begun by a day.
 * Of several, an id that no series has throws a Problem, or is left out with `skipMissing`.
 */
export async function resolveSeries(
  {
    ids,
    skip_missing: skipMissing = false,
  }: { readonly ids: readonly string[]; readonly skip_missing?: boolean | undefined },
  asOf: Day | undefined,
  catalogue: Catalogue,
): Promise<readonly ResolvedSeries[]> {
  const meant = await seriesMeant(ids.map(named), catalogue, asOf);
  // A single one fails when it is asked for; the first answers of a service show whether several exist.
  if (meant.length === 1 || !(skipMissing || catalogue.client.offers === undefined)) return meant;
  return foundOf(await describedAll(meant, catalogue), skipMissing, catalogue);
}

/** A series as typed: an id or a pattern, and its own units. */
type TypedSeries = NamedSeries & { readonly typed: string };

function named(typed: string): TypedSeries {
  return { ...namedSeries(typed), typed };
}

/** A series whose answer is a failure. */
export type FailedSeries = { readonly id: string; readonly error: unknown };

function isFailed(outcome: object): outcome is FailedSeries {
  return 'error' in outcome;
}

/** Returns the outcomes that are no failures; throws the first failure that `skipMissing` does not excuse. */
export function foundOf<T extends object>(
  outcomes: readonly (FailedSeries | T)[],
  skipMissing: boolean,
  { basis, naming }: Catalogue,
): readonly T[] {
  const found = outcomes.flatMap((one) => (isFailed(one) ? [] : [one]));
  const failures = outcomes.filter(isFailed);
  const [first, ...others] = failures;
  if (first === undefined) return found;
  const other = failures.find(({ error }) => !isUnknown(error));
  if (other !== undefined) throw failureOf(other.id, other.error);
  if (skipMissing && found.length > 0) {
    for (const { id } of failures) basis.missing.add(id);
    return found;
  }
  // `withSuggestion` says of each what pulls it.
  for (const { id } of others) basis.missing.add(id);
  const { error } = first;
  if (!(error instanceof Problem) || found.length === 0) throw error;
  throw error.with({
    hints: [...error.hints, `${naming.param('skip_missing')} leaves out what is not found`],
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

/** Tells whether a failure says that no series has the id, or can have it. */
export function isUnknown(error: unknown): boolean {
  return error instanceof Problem && (error.kind === 'not-found' || error.kind === 'validation-error');
}

/** Returns the member of an envelope with the ids that are left out. */
export function missingMember({ basis: { missing } }: Pick<Ask, 'basis'>) {
  return missing.size === 0 ? {} : { missing: [...missing] };
}

/** Resolves typed ids to series that had begun by a day; none is asked for, except by a pattern. */
export async function seriesMeant(
  all: readonly TypedSeries[],
  catalogue: Catalogue,
  asOf: Day = '~',
): Promise<readonly ResolvedSeries[]> {
  const meant = new Map<string, ResolvedSeries>();
  const known = new Map<string, readonly Row[]>();
  for (const { id: text, typed, ...own } of all) {
    const id = catalogue.basis.idOf(text);
    const matching: ResolvedSeries[] = [];
    if (isPattern(id)) {
      // Only series whose ids contain this part are read.
      const [part = ''] = id.split('*').sort((a, b) => b.length - a.length);
      const rows = known.get(part) ?? (await rowsOf(catalogue, seriesSearch, { q: part }));
      known.set(part, rows);
      const pattern = patternOf(id);
      // Another service may not say when a series began.
      for (const row of rows)
        if (pattern.test(String(row.id)) && hadBegun(row, asOf))
          matching.push({ id: String(row.id), ...own, row });
    }
    for (const one of matching.length > 0 ? matching : [{ id, ...own, typed }]) {
      const name = nameOfSeries(one);
      if (!meant.has(name)) meant.set(name, one);
      catalogue.basis.named.set(name, one);
    }
  }
  return [...meant.values()];
}

/** Tells whether a series had begun by a day; true if the service does not say when it began. */
export function hadBegun({ first_vintage: first }: Row, day: Day): boolean {
  return String(first ?? '') <= day;
}

/** Tells whether an id means every series that matches it. */
export function isPattern(id: string): boolean {
  return id.includes('*');
}

/** Returns what the ids that a pattern means match. */
export function patternOf(id: string): RegExp {
  const parts = id.split(/\*+/).map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

/** Finds the units that a text may mean, by a word of their meaning or by a name like it, and their meaning. */
export function likelyUnits(text: string) {
  const { units } = transformationChoices;
  const byMeaning = (one: Units) => plainMatch({ id: '', title: formulas[one].about }, text, 'title');
  const likely = units.find(byMeaning) ?? units.find((one) => one === closest(text, units));
  if (likely === undefined) return undefined;
  const { about } = formulas[likely];
  return { about, names: units.filter((one) => formulas[one].about === about) };
}
