import { createHash, type Hash } from 'node:crypto';
import type { Filing } from '../domain/insider/filing.ts';
import type { KeptChange } from '../domain/series/revision-history.ts';
import { type CurvePoint, curveTypes } from '../domain/treasury/curve.ts';
import { defined } from '../platform/defined.ts';
import type { SeriesContents } from '../store/contents.ts';
import type { DescriptionChange } from '../store/followed.ts';
import type { StoreView, WholeView } from '../store/store.ts';

/** A digest of what a store keeps of a series; it depends neither on the engine nor on the number of imports. */
export class SeriesDigest {
  readonly #hash: Hash = createHash('sha256');

  constructor({ id, stated, implied, normalisedBy, coveredTo, vintages }: SeriesContents) {
    this.#add([id, sortedFields(stated), sortedFields(implied), normalisedBy, coveredTo]);
    for (const { asOf, dates, complete, kind, clipped = '' } of vintages)
      this.#add([asOf, dates, complete, kind, ...(clipped === '' ? [] : [clipped])]);
  }

  changes(changes: readonly KeptChange[]): void {
    for (const { date, asOf, value, kind } of changes) this.#add([date, asOf, value, kind]);
  }

  descriptions(changes: readonly DescriptionChange[]): void {
    for (const { changedOn, field, before, after } of changes) this.#add([changedOn, field, before, after]);
  }

  /** The digest; must be called once, after everything else. */
  text(): string {
    return this.#hash.digest('hex');
  }

  #add(cells: readonly unknown[]): void {
    this.#hash.update(JSON.stringify(cells));
  }
}

/** The digest of a series in a store; undefined for an unknown id. */
export async function digestOfSeries(view: WholeView, id: string): Promise<string | undefined> {
  const contents = await view.contents.series(id);
  if (contents === undefined) return undefined;
  const digest = new SeriesDigest(contents);
  for await (const changes of view.contents.changes(id)) digest.changes(changes);
  digest.descriptions(await view.series.descriptionChanges(id));
  return digest.text();
}

const rowsAtOnce = 5000;

/** Every rate of the curves, in batches. */
export async function* allPoints(view: StoreView): AsyncGenerator<readonly CurvePoint[]> {
  for (const curveType of curveTypes) {
    let after: CurvePoint | undefined;
    do {
      const points = await view.rates.yields({ curveType, limit: rowsAtOnce, ...defined({ after }) });
      if (points.length > 0) yield points;
      after = points.length < rowsAtOnce ? undefined : points.at(-1);
    } while (after !== undefined);
  }
}

/** Every trade of every filing, in batches. */
export async function* allFilings(view: StoreView): AsyncGenerator<readonly Filing[]> {
  let after: Filing | undefined;
  do {
    const filings = await view.filings.page({ limit: rowsAtOnce, ...defined({ after }) });
    if (filings.length > 0) yield filings;
    after = filings.length < rowsAtOnce ? undefined : filings.at(-1);
  } while (after !== undefined);
}

/** A digest of curves, filings, the log of imports and what the store follows. */
async function digestOfOthers(view: StoreView): Promise<string> {
  const hash = createHash('sha256');
  for await (const points of allPoints(view)) for (const point of points) hash.update(cellsOf(point));
  for await (const filings of allFilings(view)) for (const filing of filings) hash.update(cellsOf(filing));
  for (const record of await view.sources.followed()) hash.update(cellsOf(record));
  for (const { number: _, ...entry } of await view.sources.imports()) hash.update(cellsOf(entry));
  return hash.digest('hex');
}

function cellsOf(record: object): string {
  return JSON.stringify(sortedFields(record));
}

/** The fields of a record in an order that is the same for every engine. */
function sortedFields(record: object): readonly (readonly [name: string, value: unknown])[] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** A digest of everything that a store holds; `series` has the digests of series that are known already. */
export async function digestOfStore(view: WholeView, series?: ReadonlyMap<string, string>): Promise<string> {
  const hash = createHash('sha256');
  for (const id of await view.contents.seriesIds())
    hash.update(`${id} ${series?.get(id) ?? (await digestOfSeries(view, id))}\n`);
  hash.update(await digestOfOthers(view));
  return hash.digest('hex');
}
