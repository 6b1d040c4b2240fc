import { parseSeriesId, seriesIdForm } from '../domain/series/series.ts';
import { maturityNamed } from '../domain/treasury/curve.ts';
import { Problem } from '../errors/problem.ts';
import { shownAddress } from '../store/address.ts';
import { readStore, writing } from '../store/open.ts';

/** A series renamed or removed, perhaps in a dry run. */
export type ChangedSeries = {
  readonly store: string;
  readonly id: string;
  /** The new id; undefined for a removed series. */
  readonly to: string | undefined;
  readonly dryRun: boolean;
  readonly facts: number;
  readonly vintages: number;
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

/** Reads the counts of a series; throws if the series may not be renamed or removed. */
function series(address: string, id: string, to?: string): Promise<Omit<ChangedSeries, 'to' | 'dryRun'>> {
  return readStore(address, async (view) => {
    const contents = await view.contents.series(id);
    if (contents === undefined) throw unknown(id);
    const following = (await view.sources.followed()).find(({ name }) => name === id || name === to);
    // A pull would still use the old id, and find no earlier data under it, or the data of another series.
    if (following !== undefined)
      throw new Problem('bad-input', `the store follows ${following.name} at ${following.source}`, {
        hints: [`asof unfollow ${following.source} ${following.name} stops that; the facts stay`],
      });
    const { figures, vintages } = contents;
    return { store: shownAddress(address), id, facts: figures.factCount, vintages: vintages.length };
  });
}

function unknown(id: string): Problem {
  return new Problem('not-found', `series '${id}' not found`);
}

function checkedId(text: string): string {
  const id = parseSeriesId(text);
  if (id === undefined)
    throw new Problem('bad-input', `${JSON.stringify(text)} is not a series id: ${seriesIdForm}`);
  return id;
}
