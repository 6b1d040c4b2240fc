import { Readable } from 'node:stream';
import { ownKind, publishedStatements } from '../domain/series/merge-plan.ts';
import type { Change } from '../domain/series/revision-history.ts';
import { type DescriptionChange, daysOfUnits, unitOn } from '../domain/series/series.ts';
import { Statements } from '../domain/series/statements.ts';
import { type Day, latestDay, startOfTime } from '../domain/values/date.ts';
import { addTo } from '../domain/values/groups.ts';
import { Problem } from '../errors/problem.ts';
import type { SourceFile } from '../import/files/source-file.ts';
import type { Batch, ImportFormat } from '../import/formats/format.ts';
import { ImportRefusal } from '../import/load/conflict.ts';
import { load } from '../import/load/load.ts';
import type { LoadProgress } from '../import/load/registry.ts';
import type { ImportResult } from '../import/report.ts';
import { defined } from '../platform/defined.ts';
import { pause } from '../platform/promises.ts';
import { shownAddress } from '../store/address.ts';
import { readStore, writing } from '../store/open.ts';
import type { Alias, Followed, SeriesContents, WholeView } from '../store/store.ts';
import type { StoreWriter } from '../store/writer.ts';
import { refuseSame } from './copy.ts';
import { allFilings, allPoints, digestOfStore } from './digest.ts';

/** Options of a merge of stores. */
export type StoreMergeOptions = {
  /** Accepts a series from a second source. */
  readonly merge?: boolean | undefined;
  /** Takes the other store's values where the two stores contradict each other. */
  readonly replace?: boolean | undefined;
  /** Leaves out the series that the store has already. */
  readonly skipKnown?: boolean | undefined;
  /** Reads and checks everything, but writes nothing. */
  readonly dryRun?: boolean | undefined;
  /** The time of the merge. Default: now. */
  readonly clock?: (() => Date) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
};

/** Adds the data and followed items of the store `from`, in one transaction, by the rules of an import. */
export async function mergeStore(
  from: string,
  into: string,
  options: StoreMergeOptions = {},
): Promise<ImportResult> {
  refuseSame(from, into);
  const { clock = () => new Date(), signal, onProgress, dryRun = false } = options;
  return readStore(from, (view) =>
    writing(into, async (writer) => {
      const now = clock();
      const followed = new Set((await writer.followed()).map(nameOf));
      const file = await fileOf(view, from);
      const all = await view.contents.seriesIds();
      const known = options.skipKnown === true ? await writer.records(all) : undefined;
      const ids = all.filter((id) => known?.has(id) !== true);
      const files = await load([{ file, format: storeFormat(view, ids) }], writer, {
        ...defined({ merge: options.merge, replace: options.replace }),
        latest: latestDay(now),
        importedAt: now.toISOString(),
        onProgress: async (progress) => {
          await pause(signal);
          onProgress?.(progress);
        },
      }).catch((error) => {
        throw refusalOf(error);
      });
      await mergeAliases(await view.aliases.all(), writer, options.replace === true);
      for (const record of await view.sources.followed())
        if (!followed.has(nameOf(record))) await writer.follow(record);
      if (dryRun) await writer.rollback();
      else await writer.commit();
      const { address, created, imports } = writer;
      return { store: shownAddress(address), created, dryRun, files, imports, skipped: [], outdated: [] };
    }),
  );
}

/** Adds the aliases of another store; throws if one stands for another series here, unless it is replaced. */
async function mergeAliases(others: readonly Alias[], writer: StoreWriter, replace: boolean): Promise<void> {
  if (others.length === 0) return;
  const own = new Map((await writer.aliases()).map(({ name, seriesId }) => [name, seriesId]));
  // Read after `aliases` has locked the names.
  const records = await writer.records(others.map(({ name }) => name));
  const refused = others.flatMap(({ name, seriesId }) => {
    const known = records.has(name) ? 'a series of its own' : own.get(name);
    const isContradiction = known !== undefined && known !== seriesId && !(replace && own.has(name));
    return isContradiction ? [`${name} is ${known} here, and ${seriesId} there`] : [];
  });
  if (refused.length > 0)
    throw new Problem('bad-input', 'the stores have aliases that contradict each other', {
      list: refused,
      hints: ['`asof series alias --rm NAME` in one of the stores removes an alias'],
    });
  for (const alias of others) await writer.putAlias(alias);
}

/** Makes a refusal suggest leaving out a series, or renaming it in one of the stores. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof ImportRefusal)) return error;
  return new ImportRefusal(
    error.conflicts,
    '--skip-known leaves out the series that the store has; `asof series rename OLD NEW` in one of the stores keeps both',
  );
}

function nameOf({ source, name }: Followed): string {
  return `${source} ${name}`;
}

/** Presents a store as a file to import; its size is its number of facts. */
async function fileOf(view: WholeView, address: string): Promise<SourceFile> {
  const { facts } = await view.contents.totals();
  const empty = async () => Buffer.alloc(0);
  return {
    name: shownAddress(address),
    path: shownAddress(address),
    size: facts,
    read(counter) {
      counter?.(facts);
      return Readable.from([]);
    },
    head: empty,
    sha256: () => digestOfStore(view),
    siblings: async () => [],
  };
}

/** Makes the import format of a store, which reads each vintage with its published dates. */
function storeFormat(view: WholeView, ids: readonly string[]): ImportFormat {
  return {
    kind: 'store',
    summary: ['what another store keeps', ''],
    statesSources: true,
    recognise: () => false,
    async *read(file) {
      for (const id of ids) {
        const contents = await view.contents.series(id);
        if (contents === undefined) continue;
        yield descriptionOf(contents, await view.series.descriptionChanges(id));
        yield* statementsIn(view, contents);
      }
      for await (const points of allPoints(view)) yield { points };
      for await (const filings of allFilings(view)) yield { filings };
      yield { sightings: await view.calendar.sightings() };
      file.read();
    },
  };
}

function descriptionOf(
  { id: seriesId, stated, implied, coveredTo, vintages }: SeriesContents,
  changes: readonly DescriptionChange[],
): Batch {
  const { source, ...others } = implied;
  const { units, ...described } = stated;
  const metadata = vintages.length === 0 ? stated : described;
  return {
    ...(Object.keys(metadata).length > 1 && { metadata: [metadata] }),
    changed: changes.filter(({ field }) => field !== 'units'),
    ...(units !== undefined && { units: unitsIn(seriesId, units, vintages, changes) }),
    ...(implied.frequency !== undefined && { implied: [others] }),
    ...(coveredTo !== '' && { coverage: [{ seriesId, coveredTo }] }),
    claims: (source?.split('; ') ?? []).map((one) => ({ seriesId, source: one })),
    complete: vintages
      .filter(({ complete }) => complete)
      .map(({ asOf, kind }) => ({ seriesId, asOf, kind: ownKind(kind) })),
  };
}

/** Lists the units that are known from the start, of each vintage, and of each day on which the unit changed. */
function unitsIn(
  seriesId: string,
  units: string,
  vintages: SeriesContents['vintages'],
  changes: readonly DescriptionChange[],
): Required<Batch>['units'] {
  if (vintages.length === 0) return [];
  const days = new Set([startOfTime, ...vintages.map(({ asOf }) => asOf), ...daysOfUnits(changes)]);
  return [...days]
    .sort()
    .map((asOf) => ({ seriesId, asOf, units: unitOn(asOf, units, changes) }))
    .filter((one) => one.units !== '');
}

const statementsAtOnce = 5000;

/** Yields every statement about a series, with its published date. */
async function* statementsIn(view: WholeView, contents: SeriesContents): AsyncGenerator<Batch> {
  const { id: seriesId, normalisedBy: frequency, vintages } = contents;
  const changes = new Map<Day, Change[]>();
  for await (const batch of view.contents.changes(seriesId))
    for (const { date, asOf, value } of batch) addTo(changes, date, { asOf, value });
  const held = { frequency, vintages, changes };
  let statements = new Statements(seriesId);
  for (const { date, asOf, value, kind } of publishedStatements(held)) {
    statements.add(date, asOf, value, kind);
    if (statements.length < statementsAtOnce) continue;
    yield { statements: [statements] };
    statements = new Statements(seriesId, [], statements.dates.all);
  }
  if (statements.length > 0) yield { statements: [statements] };
}
