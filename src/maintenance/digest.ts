import { createHash } from 'node:crypto';
import type { Filing } from '../domain/insider/filing.ts';
import { type CurvePoint, curveTypes } from '../domain/treasury/curve.ts';
import type { StoreView, WholeView } from '../store/store.ts';

/** What a digest is about: a view of a store, or a transaction that writes it. */
export type StoredData = Omit<WholeView, 'state'>;

/** Returns a digest of a series, the same for every engine; undefined for an unknown id. */
export async function digestOfSeries(view: StoredData, id: string): Promise<string | undefined> {
  const contents = await view.contents.series(id);
  if (contents === undefined) return undefined;
  const hash = createHash('sha256');
  const add = (...cells: readonly unknown[]) => hash.update(JSON.stringify(cells));
  const { stated, implied, normalisedBy, coveredTo, vintages } = contents;
  add(contents.id, sortedFields(stated), sortedFields(implied), normalisedBy, coveredTo);
  for (const { asOf, dates, complete, kind, clipped = '' } of vintages)
    add(asOf, dates, complete, kind, ...(clipped === '' ? [] : [clipped]));
  // One text of many rows: each call takes as long as the row.
  for await (const changes of view.contents.changes(id))
    hash.update(
      changes.map(({ date, asOf, value, kind }) => JSON.stringify([date, asOf, value, kind])).join(''),
    );
  for (const { changedOn, field, before, after } of await view.series.descriptionChanges(id))
    add(changedOn, field, before, after);
  return hash.digest('hex');
}

const rowsAtOnce = 5000;

async function* inBatches<T>(
  page: (from: { readonly limit: number; readonly after?: T }) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[]> {
  let after: T | undefined;
  do {
    const rows = await page({ limit: rowsAtOnce, ...(after !== undefined && { after }) });
    if (rows.length > 0) yield rows;
    after = rows.length < rowsAtOnce ? undefined : rows.at(-1);
  } while (after !== undefined);
}

/** Yields every rate of the curves, in batches. */
export async function* allPoints({ rates }: Pick<StoreView, 'rates'>): AsyncGenerator<readonly CurvePoint[]> {
  for (const curveType of curveTypes)
    yield* inBatches<CurvePoint>((from) => rates.yields({ curveType, ...from }));
}

/** Yields every trade of every filing, in batches. */
export function allFilings({ filings }: Pick<StoreView, 'filings'>): AsyncGenerator<readonly Filing[]> {
  return inBatches<Filing>((from) => filings.page(from));
}

async function digestOfOthers(view: StoredData): Promise<string> {
  const hash = createHash('sha256');
  // Written out, because there are as many rates as facts: as `cellsOf` writes them.
  const pointOf = ({ curveType, maturity, rate, source, tradeDate }: CurvePoint) =>
    `[["curveType","${curveType}"],["maturity","${maturity}"],["rate","${rate}"],["source",${JSON.stringify(source)}],["tradeDate","${tradeDate}"]]`;
  for await (const points of allPoints(view)) hash.update(points.map(pointOf).join(''));
  for await (const filings of allFilings(view)) for (const filing of filings) hash.update(cellsOf(filing));
  for (const alias of await view.aliases.all()) hash.update(cellsOf(alias));
  for (const sighting of await view.calendar.sightings()) hash.update(cellsOf(sighting));
  for (const record of await view.sources.followed()) hash.update(cellsOf(record));
  for (const { number: _, ...entry } of await view.sources.imports()) hash.update(cellsOf(entry));
  return hash.digest('hex');
}

function cellsOf(record: object): string {
  return JSON.stringify(sortedFields(record));
}

/** Returns the fields of a record in an order that is the same for every engine. */
function sortedFields(record: object): readonly (readonly [name: string, value: unknown])[] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Returns a digest of everything in a store; calls `pause` before each series, of `total`. */
export async function digestOfStore(
  view: StoredData,
  pause?: (done: number, total: number) => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256');
  const ids = await view.contents.seriesIds();
  for (const [index, id] of ids.entries()) {
    await pause?.(index, ids.length);
    hash.update(`${id} ${await digestOfSeries(view, id)}\n`);
  }
  hash.update(await digestOfOthers(view));
  return hash.digest('hex');
}
