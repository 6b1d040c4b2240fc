import type { Client } from '../client/client.ts';
import { largestPage, pagesOf } from '../client/pagination.ts';
import { closeNames } from '../domain/search/words.ts';
import { namedSeries, nameOfSeries } from '../domain/series/transformation.ts';
import { type YieldSeries, yieldSeries } from '../domain/treasury/curve.ts';
import type { Day } from '../domain/values/date.ts';
import { entryOf } from '../domain/values/groups.ts';
import { Problem } from '../errors/problem.ts';
import { listed, someOf } from '../errors/wording.ts';
import type { Naming, RowOf } from '../operations/operation.ts';
import { spread, yields } from '../operations/rates/yields.ts';
import { seriesSearch, seriesShow } from '../operations/series/series.ts';
import {
  type Catalogue,
  type FailedSeries,
  foundOf,
  hadBegun,
  isPattern,
  likelyUnits,
  patternOf,
  seriesMeant,
} from './series-ids.ts';

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
