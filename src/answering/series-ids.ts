import type { Client } from '../client/client.ts';
import { largestPage, pagesOf } from '../client/pagination.ts';
import { throttled } from '../client/throttling.ts';
import { closeNames, closest, plainMatch } from '../domain/search/words.ts';
import {
  type NamedSeries,
  namedSeries,
  nameOfSeries,
  transformationChoices,
  type Units,
} from '../domain/series/transformation.ts';
import { formulas } from '../domain/series/units.ts';
import { type YieldSeries, yieldSeries } from '../domain/treasury/curve.ts';
import type { Day } from '../domain/values/date.ts';
import { entryOf } from '../domain/values/groups.ts';
import { Problem } from '../errors/problem.ts';
import { listed, someOf } from '../errors/wording.ts';
import type { Row } from '../operations/envelope.ts';
import type { Naming, RowOf } from '../operations/operation.ts';
import type { ParamTexts } from '../operations/param.ts';
import { spread, yields } from '../operations/rates/yields.ts';
import { seriesSearch, seriesShow } from '../operations/series/series.ts';
import { type Ask, failureOf, rowsOf } from './answer.ts';

/** Where series are looked up, and which ids are left out. */
type Catalogue = Pick<Ask, 'basis' | 'client' | 'naming' | 'signal'>;

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

type FailedSeries = { readonly id: string; readonly error: unknown };

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

async function seriesMeant(
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

/**
 * Resolves typed ids to series with statements; patterns do not match series that the curves answer.
 * `find` returns the id of a series that has statements, by its id or an alias.
 */
export async function seriesWithStatements(
  { ids, skipMissing = false }: { readonly ids: readonly string[]; readonly skipMissing?: boolean },
  find: (id: string) => Promise<string | undefined>,
  catalogue: Catalogue,
): Promise<readonly string[]> {
  const outcomes: (FailedSeries | { readonly id: string })[] = [];
  const whole = ids.map((id) => ({ id, typed: id }));
  for (const { id, typed } of await seriesMeant(whole, catalogue)) {
    const found = await find(id);
    if (found !== undefined) outcomes.push({ id: found });
    else if (typed !== undefined) outcomes.push({ id, error: withoutStatements(id, catalogue) });
  }
  if (outcomes.length === 0) throw ofCurves(ids.join(' '), catalogue);
  try {
    return [...new Set(foundOf(outcomes, skipMissing, catalogue).map(({ id }) => id))];
  } catch (error) {
    throw await withSuggestion(error, catalogue);
  }
}

function withoutStatements(id: string, catalogue: Catalogue): Problem {
  const series = yieldSeries.find((one) => one.id === id);
  if (series !== undefined) return ofCurves(id, catalogue, series);
  return new Problem('not-found', `series '${id}' not found`, { series: id });
}

function ofCurves(id: string, { naming }: Catalogue, series?: YieldSeries): Problem {
  return new Problem('not-found', `series '${id}' has no facts: its rates come from the curves`, {
    hints: [`${ratesNamed(naming, series)} gives its rates`],
  });
}

function ratesNamed({ question }: Naming, { rate, less }: Partial<YieldSeries> = {}): string {
  if (rate === undefined) return question(yields);
  if (less !== undefined) return question(spread, { long: rate.maturity, short: less.maturity });
  const type = rate.curveType === 'TIPS' ? { curve_type: rate.curveType } : undefined;
  return question(yields, { maturity: rate.maturity, ...type });
}

/** Tells whether a series had begun by a day; true if the service does not say when it began. */
export function hadBegun({ first_vintage: first }: Row, day: Day): boolean {
  return String(first ?? '') <= day;
}

function isPattern(id: string): boolean {
  return id.includes('*');
}

function patternOf(id: string): RegExp {
  const parts = id.split(/\*+/).map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

const mostPages = 3;

/** Reads the series on the first pages of the list that had begun by a day, each page once. */
async function firstSeries(
  { client, signal }: Catalogue,
  asOf: Day,
): Promise<readonly RowOf<typeof seriesSearch>[]> {
  const rows: RowOf<typeof seriesSearch>[] = [];
  const once: Client = { ...client, ask: (asked, texts) => client.ask(asked, texts, { once: true }) };
  try {
    let pages = 0;
    for await (const { results } of pagesOf(
      once,
      seriesSearch,
      [],
      { limit: mostPages * largestPage },
      signal,
    )) {
      rows.push(...results.filter((row) => hadBegun(row, asOf)));
      pages += 1;
      if (pages === mostPages) break;
    }
  } catch {
    return rows;
  }
  return rows;
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

/** Says what may be meant by the id of a series and, after a colon, something else. */
function unitsHint(id: string, text: string, { basis }: Catalogue): string {
  const first = namedSeries(text).units;
  const second = [...basis.named.values()].find((one) => one.id === text)?.units;
  if (first !== undefined)
    return second === undefined
      ? `name the series without units here: ${id}`
      : `name one unit after the colon: ${id}:${first} or ${id}:${second}`;
  const meant = likelyUnits(text.slice(id.length + 1));
  return meant === undefined
    ? `units after the colon are those of ${id}: asof help units lists them`
    : `did you mean ${listed(
        meant.names.map((units) => nameOfSeries({ id, units })),
        'or',
      )} (${meant.about})?`;
}

const mostSuggested = 3;

/** The most unknown series of a failure that each get a line of hints. */
const mostHinted = 8;

/** Adds hints to a failure about unknown series: ids like each that were known on a day, and what pulls it. */
export async function withSuggestion(
  error: unknown,
  catalogue: Catalogue,
  asOf: Day = '~',
): Promise<unknown> {
  if (!(error instanceof Problem) || error.kind !== 'not-found' || error.series === undefined) return error;
  const { series: id } = error;
  let known: ReturnType<typeof firstSeries> | undefined;
  const hintsOf = (one: string) =>
    hintsOn(one, catalogue, asOf, () => {
      known ??= firstSeries(catalogue, asOf);
      return known;
    });
  const own = await hintsOf(id);
  const others = [...catalogue.basis.missing].filter((other) => other !== id);
  const hinted: string[] = [];
  for (const other of others.slice(0, mostHinted))
    hinted.push([`also not found: ${other}`, ...(await hintsOf(other))].join('; '));
  const more = others.slice(mostHinted);
  const rest = more.length === 0 ? [] : [`also not found: ${listed(someOf(more, mostHinted, 'ids'), 'and')}`];
  const { naming } = catalogue;
  const first = own.length > 0 ? own : [`${naming.question(seriesSearch)} finds series by words`];
  return error.with({ hints: [...first, ...hinted, ...rest, ...error.hints] });
}

/** Lists what may be meant by an unknown id, or what brings it. */
async function hintsOn(
  id: string,
  catalogue: Catalogue,
  asOf: Day,
  firstOnes: () => ReturnType<typeof firstSeries>,
): Promise<readonly string[]> {
  if (isPattern(id)) {
    const pattern = patternOf(id);
    const found = (await firstOnes()).filter((row) => pattern.test(row.id));
    if (found.length === 0) return ['no series id matches this pattern'];
    const ids = found.slice(0, mostSuggested).map((row) => row.id);
    return [`this takes one id, not a pattern: name one series, such as ${listed(ids, 'or')}`];
  }
  const parts = id.split(',').map((part) => part.trim());
  if (parts.length > 1 && !parts.includes(''))
    return [`these are ${parts.length} ids; name them apart: ${parts.join(' ')}`];
  // A service has what its operator pulls.
  const isService = catalogue.client.offers !== undefined;
  const wayOut = isService ? [] : await pullsOf(id, catalogue, asOf);
  // An id that exists elsewhere is not misspelled.
  const known = wayOut.length > 0 || id.trim() === '' ? [] : await firstOnes();
  const unnamed = id.slice(0, Math.max(0, id.lastIndexOf(':')));
  if (known.some((one) => one.id === unnamed)) return [unitsHint(unnamed, id, catalogue)];
  const alike = [...(await aliasesLike(id, known, catalogue)), ...(await idsLike(id, known))];
  const near = alike.slice(0, mostSuggested);
  return near.length > 0 ? [`did you mean ${listed(near, 'or')}?`] : wayOut;
}

/** Says that the sample has a series that had begun by a day, for a store that lacks the series. */
async function inSample(
  id: string,
  { client }: Pick<Catalogue, 'client'>,
  asOf: Day,
): Promise<readonly string[]> {
  const sample = await client.sample?.();
  if (sample === undefined) return [];
  const isThere = await isKnown(id, { client: sample }, asOf);
  await sample.close();
  return isThere
    ? [
        'the sample has it: --store sample asks it, and asof store merge sample --skip-known adds it to your store',
      ]
    : [];
}

/** Says under which id a store has the figures of a series, whether the sample has it, and which pulls bring it. */
export async function pullsOf(
  id: string,
  catalogue?: Pick<Catalogue, 'client'>,
  asOf: Day = '~',
): Promise<readonly string[]> {
  // Loaded here: most series exist.
  const { offersOf } = await import('../domain/series/keyless.ts');
  const { fred, panels, rtdsm, twin } = offersOf(id);
  const isHeld = twin !== undefined && catalogue !== undefined && (await isKnown(twin, catalogue, asOf));
  const held = [
    ...(isHeld ? [`the store has it under another id: ${twin}`] : []),
    ...(catalogue === undefined ? [] : await inSample(id, catalogue, asOf)),
  ];
  const keyless = panels.slice(0, 1).map((panel) => `asof pull ${panel}`);
  if (yieldSeries.some((one) => one.id === id)) keyless.unshift('asof pull treasury');
  if (rtdsm) keyless.unshift(`asof pull rtdsm ${id}`);
  if (!fred)
    return keyless.length === 0 ? held : [...held, `${listed(keyless, 'or')} brings it, without a key`];
  if (!isHeld && twin !== undefined) keyless.push(`asof pull rtdsm ${twin}, which has it as ${twin}`);
  const others = keyless.length === 0 ? '' : `; without a key: ${listed(keyless, 'or')}`;
  return [...held, `asof pull fred ${id} brings it${others}`];
}

/** Lists the pulls that go beyond the end of the sample; `ticker` is the company of the filings, if any. */
export async function pullsBeyond(subjects: readonly string[], ticker: unknown): Promise<readonly string[]> {
  const { offersOf } = await import('../domain/series/keyless.ts');
  const names = new Map<string, string[]>();
  for (const subject of subjects) {
    const isCurve = subject.endsWith(' curve') || yieldSeries.some(({ id }) => id === subject);
    if (isCurve) names.set('treasury', []);
    else if (subject === 'insider filings')
      names.set('sec', ticker === undefined ? ['--daily'] : [`--ticker ${ticker}`]);
    else entryOf(names, offersOf(subject).rtdsm ? 'rtdsm' : 'fred', () => []).push(subject);
  }
  return [...names].map(([source, own]) => `asof pull ${[source, ...own].join(' ')}`);
}

/** Tells whether a store has a series that had begun by a day. */
async function isKnown(id: string, { client }: Pick<Catalogue, 'client'>, asOf: Day): Promise<boolean> {
  try {
    const { results } = await client.ask(seriesShow, [['id', id]], { once: true });
    return results.some((row) => hadBegun(row, asOf));
  } catch {
    return false;
  }
}

async function aliasesLike(
  text: string,
  known: readonly RowOf<typeof seriesSearch>[],
  { client }: Catalogue,
): Promise<readonly string[]> {
  const ids = new Set(known.map(({ id }) => id));
  const aliases = ids.size === 0 ? [] : ((await client.aliases?.()) ?? []);
  const names = aliases.filter(({ seriesId }) => ids.has(seriesId)).map(({ name }) => name);
  return closeNames(text, names);
}

/** Finds the best ids for a misspelled id, or for a word that means a series. */
async function idsLike(
  text: string,
  known: readonly RowOf<typeof seriesSearch>[],
): Promise<readonly string[]> {
  // Loaded here: most series exist.
  const { findSeries } = await import('../domain/search/search.ts');
  const all = await findSeries(known, text, 'words');
  const ids = all.map(({ series }) => series.id);
  const near = all[0]?.matched === 'nearest' ? closeNames(text, ids) : [];
  // For ids that resemble the text, titles do not count.
  const found = all
    .filter(({ series }) => near.length === 0 || near.includes(series.id))
    .slice(0, mostSuggested);
  const best = found[0]?.matched;
  return found.flatMap(({ series, matched }) =>
    matched === best && best !== 'some' && series.id !== text ? [series.id] : [],
  );
}
