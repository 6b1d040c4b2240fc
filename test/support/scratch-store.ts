import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Sighting } from '../../src/domain/calendar/sighting.ts';
import type { Filing } from '../../src/domain/insider/filing.ts';
import type { MergeOptions } from '../../src/domain/series/merge-plan.ts';
import type { Statement } from '../../src/domain/series/statements.ts';
import { sourceFiles } from '../../src/import/files/walk.ts';
import type { ImportFile } from '../../src/import/formats/format.ts';
import { recognise } from '../../src/import/formats/recognise.ts';
import { load } from '../../src/import/load/load.ts';
import type { LoadOptions } from '../../src/import/load/registry.ts';
import type { FileSummary } from '../../src/import/load/summary.ts';
import { allFilings, allPoints, digestOfSeries } from '../../src/maintenance/digest.ts';
import { openStore, openWriter, writing } from '../../src/store/open.ts';
import type {
  ObservationQuery,
  Store,
  StoredObservation,
  StoreView,
  WholeView,
} from '../../src/store/store.ts';
import type { StoreWriter } from '../../src/store/writer.ts';
import { scratchFolder } from './folders.ts';

/** The day on which the tests' imports happen. */
const importDay = '2026-01-15';

/** Files by path; an import reads them in this order. */
export type Files = Readonly<Record<string, string>>;

/** The options of an import. */
export type ImportFlags = Partial<LoadOptions> & { readonly dryRun?: boolean };

/** A path for a new store, in a new folder below `folder`. */
export function newStorePath(folder: string): string {
  return join(folder, randomBytes(6).toString('hex'), 'asof.db');
}

const imported = scratchFolder();

/** Writes files and imports them as `asof import` does: whole, or not at all. */
export async function importFiles(
  path: string,
  files: Files,
  flags: ImportFlags = {},
): Promise<readonly FileSummary[]> {
  const folder = join(imported, randomBytes(4).toString('hex'));
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  const typed = Object.keys(files).map((name) => join(folder, name));
  return importPaths(path, typed, flags).finally(() => rmSync(folder, { recursive: true, force: true }));
}

/** Imports existing files and folders. */
export async function importPaths(
  path: string,
  typed: readonly string[],
  { dryRun = false, ...flags }: ImportFlags = {},
): Promise<readonly FileSummary[]> {
  const inputs: ImportFile[] = [];
  for (const file of await sourceFiles(typed)) inputs.push({ file, format: await recognise(file) });
  return writing(path, async (writer) => {
    const summaries = await load(inputs, writer, {
      latest: importDay,
      importedAt: `${importDay}T12:00:00.000Z`,
      ...flags,
    });
    if (dryRun) await writer.rollback();
    else await writer.commit();
    return summaries;
  });
}

/** Imports filings as they are, without files. */
export async function importFilings(
  path: string,
  filings: readonly Filing[],
  options: MergeOptions = { replace: false },
): ReturnType<StoreWriter['mergeFilings']> {
  const writer = await openWriter(path);
  const merged = await writer.mergeFilings(filings, options);
  await writer.commit();
  return merged;
}

/** Imports looks at calendars as they are, without files. */
export async function importSightings(path: string, sightings: readonly Sighting[]): Promise<void> {
  const writer = await openWriter(path);
  for (const sighting of sightings) await writer.mergeSighting(sighting, false);
  await writer.commit();
}

/** Opens a store for reading, passes it to `work`, and closes it. */
export async function withStore<T>(path: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(path);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Opens a view of a store and passes it to `work`. */
export function reading<T>(path: string, work: (view: WholeView) => Promise<T>): Promise<T> {
  return withStore(path, (store) => store.read(work));
}

/** A page of a series' observations; no rows if there is no such series. */
export async function observationsIn(
  view: StoreView,
  query: ObservationQuery,
): Promise<readonly StoredObservation[]> {
  return (await view.series.observations(query))?.rows ?? [];
}

/** Every statement about a series. */
export async function allStatements(view: StoreView, seriesId: string): Promise<readonly Statement[]> {
  const all: Statement[] = [];
  for await (const batch of view.series.statements(seriesId)) all.push(...batch);
  return all;
}

/** The SHA-256 of a store's main file; undefined where there is none. */
export function digestOf(path: string): string | undefined {
  return existsSync(path) ? createHash('sha256').update(readFileSync(path)).digest('hex') : undefined;
}

/** The message of the error that a promise rejects with. */
export async function failureOf(work: Promise<unknown>): Promise<string> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof Error) return outcome.message;
  throw new Error('it did not fail');
}

/** Statements as asof's own CSV: `GDP 2014-10-01 2015-01-30 17710.7` gives a line, without a value a withdrawal. */
export function facts(...lines: readonly string[]): string {
  const rows = lines.map((line) => {
    const [series = '', date = '', asOf = '', value = ''] = line.split(' ');
    return `${series},${date},${asOf},${value}\n`;
  });
  return `series_id,date,as_of_date,value\n${rows.join('')}`;
}

/** Statements of one day as asof's own CSV, for the series S0, S1, … with `datesOfEach` dates from 1950 on. */
export function manyStatements(count: number, datesOfEach: number): string {
  const rows = Array.from({ length: count }, (_, i) => {
    const date = new Date(Date.UTC(1950, 0, 1) + (i % datesOfEach) * 86_400_000).toISOString().slice(0, 10);
    return `S${Math.floor(i / datesOfEach)},${date},2020-01-01,${i}.25\n`;
  });
  return `series_id,date,as_of_date,value\n${rows.join('')}`;
}

/** Everything that a store holds but its log: a digest of each series, its figures, the rates, filings and calendars. */
export function contentOf(address: string) {
  return reading(address, async (view) => {
    const series: unknown[] = [];
    for (const id of await view.contents.seriesIds())
      series.push([id, await digestOfSeries(view, id), (await view.contents.series(id))?.figures]);
    const others: unknown[] = [];
    for await (const points of allPoints(view)) others.push(...points);
    for await (const filings of allFilings(view)) others.push(...filings);
    others.push(...(await view.calendar.sightings()));
    return { series, others, symbols: await view.filings.symbols(), followed: await view.sources.followed() };
  });
}

const parts = ['series', 'rates', 'filings', 'sources'] as const;

type Changes = { readonly [P in (typeof parts)[number]]?: Partial<StoreView[P]> };

/** A store that passes requests to another one, except for the view methods that a test replaces. */
export function changedStore(store: Store, change: (view: WholeView) => Changes): Store {
  const changed = (view: WholeView): WholeView => {
    const { series, rates, filings, sources } = change(view);
    return {
      ...view,
      series: { ...view.series, ...series },
      rates: { ...view.rates, ...rates },
      filings: { ...view.filings, ...filings },
      sources: { ...view.sources, ...sources },
    };
  };
  return {
    address: store.address,
    read: (work) => store.read((view) => work(changed(view))),
    close: () => store.close(),
  };
}

/** A store that calls `count` each time facts are read; reading its state does not count. */
export function countedStore(store: Store, count: () => void): Store {
  const counted = (part: object) =>
    Object.fromEntries(
      Object.entries(part).map(([name, method]) => {
        const call = (...parameters: never[]) => {
          count();
          return (method as (...parameters: never[]) => unknown)(...parameters);
        };
        return [name, call];
      }),
    );
  return changedStore(store, (view) => Object.fromEntries(parts.map((part) => [part, counted(view[part])])));
}

/** The curve of a day as `1M 4.1 source`. */
export function curveOf(
  path: string,
  date: string,
  curveType: 'PAR' | 'TIPS' = 'PAR',
): Promise<readonly string[]> {
  return reading(path, async (store) => {
    const points = await store.rates.curve({ curveType, date, onOrBefore: false });
    return points.map(({ maturity, rate, source }) => `${maturity} ${rate} ${source}`);
  });
}
