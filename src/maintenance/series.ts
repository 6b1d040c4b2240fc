import { didYouMean } from '../domain/search/words.ts';
import { parseSeriesId, seriesIdForm } from '../domain/series/series.ts';
import { maturityNamed, yieldSeries } from '../domain/treasury/curve.ts';
import { Problem } from '../errors/problem.ts';
import { shownAddress } from '../store/address.ts';
import { readStore, writing } from '../store/open.ts';
import { AliasRefusal } from '../store/sql/series-rows.ts';
import type { Alias, Followed, Series, WholeView } from '../store/store.ts';

/** A series renamed or removed, perhaps in a dry run. */
export type ChangedSeries = {
  readonly store: string;
  readonly id: string;
  /** The new id; undefined for a removed series. */
  readonly to: string | undefined;
  readonly dryRun: boolean;
  readonly facts: number;
  readonly vintages: number;
  /** The aliases that move or go with the series. */
  readonly aliases: readonly string[];
};

/** An alias of a store, and its series. */
export type SeriesAlias = {
  readonly name: string;
  readonly id: string;
  /** The title of the series; null if the store has no such series. */
  readonly title: string | null;
};

/** Options of renaming or removing a series. */
export type SeriesChangeOptions = { readonly dryRun?: boolean | undefined };

/** Renames a series; throws if the new id is taken, or if the store follows the series. */
export async function renameSeries(
  address: string,
  from: string,
  to: string,
  { dryRun = false }: SeriesChangeOptions = {},
): Promise<ChangedSeries> {
  const [id, other] = [checkedId(from), checkedId(to)];
  if (id === other) throw new Problem('bad-input', `${id} is the id that the series has`);
  if (maturityNamed(other) !== undefined)
    throw new Problem(
      'bad-input',
      `${other} is the id of a maturity of the curves, and no series can take it`,
    );
  const found = await series(address, id, other);
  await writing(address, async (writer) => {
    const records = await writer.records([id, other]);
    if (records.has(other))
      throw new Problem('bad-input', `the store has a series ${other} already`, {
        hints: ['name an id that no series has', `asof series rm ${other} removes the series that has it`],
      });
    if (!records.has(id)) throw unknown(id);
    if (dryRun) return writer.rollback();
    await writer.renameSeries(id, other);
    await writer.commit();
  });
  return { ...found, to: other, dryRun };
}

/** Removes a series with all its data; throws if the store follows the series. */
export async function removeSeries(
  address: string,
  from: string,
  { dryRun = false }: SeriesChangeOptions = {},
): Promise<ChangedSeries> {
  const id = checkedId(from);
  const found = await series(address, id);
  if (!dryRun)
    await writing(address, async (writer) => {
      if (!(await writer.removeSeries(id))) throw unknown(id);
      await writer.commit();
    });
  return { ...found, to: undefined, dryRun };
}

/** Lists the aliases of a store, by name. */
export function listAliases(address: string): Promise<readonly SeriesAlias[]> {
  return readStore(address, async (view) => {
    const listed: SeriesAlias[] = [];
    for (const { name, seriesId: id } of await view.aliases.all())
      listed.push({ name, id, title: (await titleOf(view, id)) ?? null });
    return listed;
  });
}

/** Gives a series an alias; throws if a series has the name, or if it is an alias of another series. */
export async function addAlias(
  address: string,
  alias: string,
  of: string,
  { dryRun = false }: SeriesChangeOptions = {},
): Promise<SeriesAlias> {
  const name = checkedId(alias);
  const { id, title, known } = await readStore(address, async (view) => {
    const isSeries = maturityNamed(name) !== undefined || (await view.contents.series(name)) !== undefined;
    const own = checkedId(of);
    const id = (await view.aliases.idOf(own)) ?? own;
    const known = await view.aliases.idOf(name);
    refuseTaken({ name, seriesId: id }, isSeries, known);
    const title = await titleOf(view, id);
    if (title === undefined) {
      const names = (await view.aliases.all()).map((one) => one.name);
      throw unknown(id, didYouMean(id, [...names, ...(await view.contents.seriesIds())]));
    }
    return { id, title, known };
  });
  if (!dryRun && known === undefined)
    await writing(address, async (writer) => {
      // Another process may have written since; from here on, the names are locked.
      const others = await writer.aliases();
      const records = await writer.records([name, id]);
      refuseTaken(
        { name, seriesId: id },
        records.has(name),
        others.find((one) => one.name === name)?.seriesId,
      );
      if (!records.has(id) && !yieldSeries.some((one) => one.id === id)) throw unknown(id);
      await writer.putAlias({ name, seriesId: id });
      await writer.commit();
    });
  return { name, id, title };
}

/** Removes an alias; its series stays. */
export async function removeAlias(
  address: string,
  alias: string,
  { dryRun = false }: SeriesChangeOptions = {},
): Promise<SeriesAlias> {
  const name = checkedId(alias);
  const aliases = await listAliases(address);
  const found = aliases.find((one) => one.name === name);
  if (found === undefined) {
    const near = didYouMean(
      name,
      aliases.map((one) => one.name),
    );
    throw new Problem('not-found', `the store has no alias ${name}`, {
      hints: [...near, '`asof series alias` lists the aliases'],
    });
  }
  if (!dryRun)
    await writing(address, async (writer) => {
      await writer.removeAlias(name);
      await writer.commit();
    });
  return found;
}

/** Throws if a series has the name of an alias, or if the alias stands for another series. */
function refuseTaken({ name, seriesId }: Alias, isSeries: boolean, known: string | undefined): void {
  if (isSeries) throw new Problem('bad-input', `${name} is the id of a series, and no alias can take it`);
  if (known !== undefined && known !== seriesId) throw new AliasRefusal(name, known);
}

/** Returns the title of a series of a store or its curves, the id if it has none; undefined if it is unknown. */
async function titleOf({ contents }: WholeView, id: string): Promise<string | undefined> {
  const found = await contents.series(id);
  if (found !== undefined) return found.stated.title ?? id;
  return yieldSeries.find((one) => one.id === id)?.title;
}

/** Reads the counts of a series; throws if the series may not be renamed or removed. */
function series(address: string, id: string, to?: string): Promise<Omit<ChangedSeries, 'to' | 'dryRun'>> {
  return readStore(address, async (view) => {
    const contents = await view.contents.series(id);
    const aliases = await view.aliases.all();
    const meant = aliases.find(({ name }) => name === id);
    if (meant !== undefined && contents === undefined)
      throw unknown(id, [`${id} is an alias of ${meant.seriesId}: name the series`]);
    if (contents === undefined) throw unknown(id, didYouMean(id, await view.contents.seriesIds()));
    const taken = aliases.find(({ name }) => name === to);
    if (taken !== undefined)
      throw new AliasRefusal(taken.name, taken.seriesId, ': no series can take this id');
    const publishers = (await view.series.find(id))?.publishers ?? '';
    const renamed = to === undefined ? [] : [{ id: to, publishers: '' }];
    await refuseFollowed(await view.sources.followed(), [{ id, publishers }, ...renamed]);
    const { figures, vintages } = contents;
    const own = aliases.filter(({ seriesId }) => seriesId === id).map(({ name }) => name);
    return {
      store: shownAddress(address),
      id,
      facts: figures.factCount,
      vintages: vintages.length,
      aliases: own,
    };
  });
}

/** Throws if a followed subject brings one of the series: a pull would still use the old id, and find no data there. */
async function refuseFollowed(
  followed: readonly Followed[],
  series: readonly Pick<Series, 'id' | 'publishers'>[],
): Promise<void> {
  if (followed.length === 0) return;
  // Loaded here: most stores follow nothing.
  const { pullSources } = await import('../pull/sources.ts');
  const following = followed.find(({ source, name }) => {
    const { brings } = pullSources.find((one) => one.name === source) ?? {};
    return series.some((one) => brings?.(name, one) ?? one.id === name);
  });
  if (following === undefined) return;
  const { source, name } = following;
  throw new Problem('bad-input', `the store follows ${name} at ${source}`, {
    hints: [`asof unfollow ${source} ${name} stops that; the facts stay`],
  });
}

function unknown(id: string, hints: readonly string[] = []): Problem {
  return new Problem('not-found', `series '${id}' not found`, { hints });
}

function checkedId(text: string): string {
  const id = parseSeriesId(text);
  if (id === undefined)
    throw new Problem('bad-input', `${JSON.stringify(text)} is not a series id: ${seriesIdForm}`);
  return id;
}
