import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setImmediate as tick } from 'node:timers/promises';
import { parseSeriesId } from '../domain/series/series.ts';
import { type DateOrder, latestDay, parseDateOrder } from '../domain/values/date.ts';
import { Problem } from '../errors/problem.ts';
import { defined } from '../platform/defined.ts';
import { samplePath } from '../platform/installation.ts';
import { unlessAborted } from '../platform/promises.ts';
import { isDatabase } from '../store/address.ts';
import { readStore, writing } from '../store/open.ts';
import type { LoggedImport } from '../store/store.ts';
import type { SourceFile } from './files/source-file.ts';
import { sourceFiles } from './files/walk.ts';
import type { ImportFile } from './formats/format.ts';
import { formatOfKind, recognise, UnknownFile } from './formats/recognise.ts';
import { StoppedInParts, storeInParts } from './in-parts.ts';
import { load } from './load/load.ts';
import { ImportParts } from './load/parts.ts';
import type { LoadProgress } from './load/registry.ts';
import type { ImportOptions } from './options.ts';
import type { ImportResult } from './report.ts';

/**
 * Imports files, folders and archives into a store, in one transaction unless `chunked`; one import per store at a time.
 * Throws a Problem for an unreadable file, and an ImportRefusal that lists every conflict.
 */
export async function importFiles(paths: readonly string[], options: ImportOptions): Promise<ImportResult> {
  // A second writer would wait for the first inside SQLite, which blocks the process that both need.
  const { store, signal = new AbortController().signal } = options;
  if (isDatabase(store)) return importInTurn(paths, options);
  return inTurn(await fileOf(store), signal, () => importInTurn(paths, options));
}

/** Returns the one real path behind all paths to a file, which need not exist. */
async function fileOf(address: string): Promise<string> {
  const path = resolve(address);
  const real = (name: string) => realpath(name).catch(() => undefined);
  return (await real(path)) ?? join((await real(dirname(path))) ?? dirname(path), basename(path));
}

async function importInTurn(paths: readonly string[], options: ImportOptions): Promise<ImportResult> {
  const { store, clock = () => new Date(), signal, onProgress, dryRun = false } = options;
  const idOf = (text: string) => parseSeriesId(text) ?? text;
  const rename = new Map(Object.entries(options.rename ?? {}).map(([from, to]) => [idOf(from), idOf(to)]));
  const series = options.series === undefined ? undefined : idOf(options.series);
  if (paths.length === 0) throw new Problem('bad-input', 'nothing to import: name files or folders');
  const order = dateOrder(options.dateFormat);
  const { files, skipped } = await recognisedFiles(paths, options, order);
  // The last chance to stop: a signal that came while SQLite was working is delivered only in the next tick.
  const pause = async () => {
    await tick();
    signal?.throwIfAborted();
  };
  const loading = (report = true) => {
    const now = clock();
    return {
      ...defined({ ...options, series }),
      rename,
      latest: latestDay(now),
      importedAt: now.toISOString(),
      onProgress: async (progress: LoadProgress) => {
        await pause();
        if (report) onProgress?.({ stage: 'load', ...progress });
      },
    };
  };
  const copyOf = options.withSample === true ? samplePath() : undefined;
  const atOnce = () =>
    writing(
      store,
      async (writer) => {
        const summaries = await load(files, writer, loading());
        await pause();
        if (dryRun) await writer.rollback();
        else await writer.commit();
        const { address, created, imports } = writer;
        return { address, created, files: summaries, imports };
      },
      copyOf,
    );
  // A dry run checks the whole import.
  const parts = options.chunked === true && !dryRun ? await ImportParts.of(files, loading(false)) : undefined;
  const stored =
    parts === undefined || parts.count === 1
      ? await atOnce()
      : await storeInParts(files, { paths, options, parts, loading, copyOf, pause });
  const log = dryRun || stored.created ? [] : await importLog(store);
  const outdated = log.filter((entry) => entry.outdated).map(({ file }) => file);
  const { address, ...others } = stored;
  return { store: address, ...others, dryRun, skipped, outdated };
}

export { StoppedInParts };

/** Lists the imports of a store, oldest first. */
export function importLog(address: string): Promise<readonly LoggedImport[]> {
  return readStore(address, (view) => view.sources.imports());
}

/** Recognises every file before it throws, so that the user sees all unreadable files at once. */
async function recognisedFiles(
  paths: readonly string[],
  { kind, signal, onProgress, skipUnknown = false, stdin }: ImportOptions,
  order: DateOrder | undefined,
): Promise<{ readonly files: readonly ImportFile[]; readonly skipped: readonly string[] }> {
  const chosen = kind === undefined ? undefined : formatOfKind(kind);
  const found = await sourceFiles(paths, stdin);
  const total = found.length;
  const files: ImportFile[] = [];
  const skipped: string[] = [];
  const refused: Problem[] = [];
  for (const [index, file] of found.entries()) {
    signal?.throwIfAborted();
    try {
      const format = await recognise(file, chosen);
      files.push({ file: order === undefined ? file : { ...file, dateOrder: order }, format });
    } catch (error) {
      if (!(error instanceof Problem) || error.kind !== 'bad-input') throw error;
      if (error instanceof UnknownFile && (skipUnknown || isReadme(file))) skipped.push(file.path);
      else refused.push(error);
    }
    onProgress?.({ stage: 'recognise', file: file.path, done: index + 1, total });
  }
  if (refused.length > 0) throw unreadable(refused, total);
  if (files.length === 0) throw new Problem('bad-input', `no file to import: ${skipped.join(', ')} left out`);
  return { files, skipped };
}

function isReadme({ name, inArchive }: SourceFile): boolean {
  return inArchive === true && /readme[^.]*\.(?:txt|md|html?)$/i.test(name);
}

function unreadable(refused: readonly Problem[], total: number): Problem {
  const [first, ...others] = refused;
  const hints = refused.some((problem) => problem instanceof UnknownFile)
    ? ['--skip-unknown leaves out the files that no format recognises']
    : [];
  if (first !== undefined && others.length === 0)
    return total === 1 ? first : first.with({ hints: [...hints, ...first.hints] });
  const list = refused.map(({ detail }) => detail);
  const headline = `${refused.length} of ${total} files cannot be read; nothing was imported`;
  return new Problem('bad-input', headline, { hints, list });
}

function dateOrder(text: string | undefined): DateOrder | undefined {
  const order = text === undefined ? undefined : parseDateOrder(text);
  if (text === undefined || order !== undefined) return order;
  throw new Problem('bad-input', `date format ${JSON.stringify(text)}: use M/D/YYYY or D/M/YYYY`, {
    field: 'date-format',
  });
}

const turns = new Map<string, Promise<unknown>>();

/** Calls `work` after all earlier work with the same key in this process. */
async function inTurn<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const before = turns.get(key);
  const turn = unlessAborted(signal, before ?? Promise.resolve()).then(work);
  // Aborted work ends no earlier than the work before it.
  const ended = Promise.allSettled([before, turn]);
  turns.set(key, ended);
  try {
    return await turn;
  } finally {
    if (turns.get(key) === ended) turns.delete(key);
  }
}
