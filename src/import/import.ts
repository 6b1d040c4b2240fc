import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setImmediate as tick } from 'node:timers/promises';
import { type Day, faultOfDay, latestDay, parseDay } from '../domain/series/date.ts';
import { parseSeriesId, seriesIdForm } from '../domain/series/series.ts';
import { Problem } from '../errors/problem.ts';
import { defined } from '../platform/defined.ts';
import { samplePath } from '../platform/installation.ts';
import { inTurn } from '../platform/promises.ts';
import { isDatabase } from '../store/address.ts';
import { readStore, writing } from '../store/open.ts';
import type { LoggedImport } from '../store/store.ts';
import type { StoreWriter } from '../store/writer.ts';
import type { DateOrder, SourceFile } from './files/source-file.ts';
import { sourceFiles } from './files/walk.ts';
import { formatOfKind, recognise, UnknownFile } from './formats/recognise.ts';
import { type ImportFile, load } from './load/load.ts';
import type { LoadProgress } from './load/registry.ts';
import type { FileSummary } from './load/tally.ts';

/** What to import, and how. */
export type ImportOptions = {
  /** The address of the store; a missing store is created. */
  readonly store: string;
  /** The kind of all files (`asof help formats` lists them); without it each file is recognised by its content. */
  readonly kind?: string | undefined;
  /** The vintage date of whole-vintage files; overrides the one in their names. */
  readonly asOf?: Day | undefined;
  /** Whether the month or the day comes first (`M/D/YYYY`, `D/M/YYYY`) in dates of files that leave it open. */
  readonly dateFormat?: string | undefined;
  /** Skips files of unknown formats; without it, one such file refuses the import. */
  readonly skipUnknown?: boolean | undefined;
  /** The content of the path `-`. */
  readonly stdin?: AsyncIterable<Uint8Array> | undefined;
  /** The filing date of ownership XML that no other file dates. */
  readonly filedOn?: Day | undefined;
  /** The series of files that do not name theirs. */
  readonly series?: string | undefined;
  /** The ids under which to store series, by their ids in the files. */
  readonly rename?: Readonly<Record<string, string>> | undefined;
  /** Accepts a series from a second source. */
  readonly merge?: boolean | undefined;
  /** Accepts new statements that contradict known ones. */
  readonly replace?: boolean | undefined;
  /** Withdraws, in a whole vintage, the dates that were known and have no row. */
  readonly complete?: boolean | undefined;
  /** Accepts values of periods that begin after the day on which they were known, in files dated by `asOf`. */
  readonly projections?: boolean | undefined;
  /** The trade dates of curves that are left out, such as a day whose rates are all zero; each must be in a file. */
  readonly skipDays?: readonly Day[] | undefined;
  /** Creates a new store as a copy of the sample. */
  readonly withSample?: boolean | undefined;
  /** Reads and checks everything, and writes nothing. */
  readonly dryRun?: boolean | undefined;
  /** The time of the import (default now); facts of a later day are refused. */
  readonly clock?: (() => Date) | undefined;
  /** Stops the import, which then writes nothing. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the progress after each step of the work. */
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
};

/** The progress of an import: files while it recognises them, bytes of all files while it loads them. */
export type ImportProgress =
  | { readonly stage: 'recognise'; readonly file: string; readonly done: number; readonly total: number }
  | ({ readonly stage: 'load' } & LoadProgress);

/** What an import did, or for a dry run would do. */
export type ImportResult = {
  /** The address of the store. */
  readonly store: string;
  /** Whether the import created the store. */
  readonly created: boolean;
  readonly dryRun: boolean;
  /** Files of earlier imports that were read by an older rule for blank cells: import them again. */
  readonly outdated: readonly string[];
  /** The counts of each file, in the order of reading. */
  readonly files: readonly FileSummary[];
  /** The files that were left out because no format recognises them. */
  readonly skipped: readonly string[];
};

/**
 * Imports files, folders and archives into a store, in one transaction: all of them, or nothing. Imports of one process
 * into one store run one after the other. Throws a Problem that names the file and the place if a file cannot be read,
 * and an ImportRefusal that lists every conflict if statements contradict each other or known ones.
 */
export async function importFiles(paths: readonly string[], options: ImportOptions): Promise<ImportResult> {
  // A second writer would wait inside SQLite for the first, which blocks the process that both need.
  const { store, signal = new AbortController().signal } = options;
  if (isDatabase(store)) return importInTurn(paths, options);
  return inTurn(await fileOf(store), signal, () => importInTurn(paths, options));
}

/** The file that an address means, the same for all its paths; it need not exist. */
async function fileOf(address: string): Promise<string> {
  const path = resolve(address);
  const real = (name: string) => realpath(name).catch(() => undefined);
  return (await real(path)) ?? join((await real(dirname(path))) ?? dirname(path), basename(path));
}

async function importInTurn(paths: readonly string[], options: ImportOptions): Promise<ImportResult> {
  const { store, clock = () => new Date(), signal, onProgress, dryRun = false } = options;
  const asOf = checkedDay('asOf', options.asOf);
  const filedOn = checkedDay('filedOn', options.filedOn);
  const skipDays = options.skipDays?.flatMap((day) => checkedDay('skipDays', day) ?? []);
  const series = options.series === undefined ? undefined : checkedId('series', options.series);
  const rename = new Map(
    Object.entries(options.rename ?? {}).map((ids) => {
      const [from = '', to = ''] = ids.map((id) => checkedId('rename', id));
      return [from, to];
    }),
  );
  if (paths.length === 0) throw new Problem('bad-input', 'nothing to import: name files or folders');
  const order = dateOrder(options.dateFormat);
  const { files, skipped } = await recognisedFiles(paths, options, order);
  const write = async (writer: StoreWriter): Promise<ImportResult> => {
    const now = clock();
    const summaries = await load(files, writer, {
      rename,
      merge: options.merge === true,
      replace: options.replace === true,
      complete: options.complete === true,
      projections: options.projections === true,
      latest: latestDay(now),
      importedAt: now.toISOString(),
      onProgress: async (progress) => {
        await tick();
        signal?.throwIfAborted();
        onProgress?.({ stage: 'load', ...progress });
      },
      ...defined({ asOf, filedOn, series, skipDays }),
    });
    // The last chance to stop: a signal that came while SQLite was working is delivered only in the next tick.
    await tick();
    signal?.throwIfAborted();
    if (dryRun) await writer.rollback();
    else await writer.commit();
    const log = dryRun || writer.created ? [] : await importLog(store);
    const outdated = log.filter((entry) => entry.outdated).map(({ file }) => file);
    const { address, created } = writer;
    return { store: address, created, dryRun, files: summaries, skipped, outdated };
  };
  return writing(store, write, options.withSample === true ? samplePath() : undefined);
}

/** Every import of a store, oldest first. */
export function importLog(address: string): Promise<readonly LoggedImport[]> {
  return readStore(address, (view) => view.sources.imports());
}

/** Recognises every file before it refuses any, so that the user sees all unreadable files at once. */
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

/** The order of month and day in a format of dates: `M/D/YYYY`, `DD.MM.YYYY`, `mdy`. */
function dateOrder(text: string | undefined): DateOrder | undefined {
  if (text === undefined) return undefined;
  const letters = text
    .toLowerCase()
    .replace(/[^a-z]/g, '')
    .replace(/(.)\1+/g, '$1');
  if (letters === 'mdy') return 'M/D/YYYY';
  if (letters === 'dmy') return 'D/M/YYYY';
  throw new Problem('bad-input', `date format ${JSON.stringify(text)}: use M/D/YYYY or D/M/YYYY`, {
    field: 'date-format',
  });
}

function checkedDay(option: string, text: string | undefined): Day | undefined {
  const day = text === undefined ? undefined : parseDay(text);
  if (day === undefined && text !== undefined)
    throw new Problem(
      'bad-input',
      `${option} ${JSON.stringify(text)}: ${faultOfDay(text) ?? 'use YYYY-MM-DD'}`,
    );
  return day;
}

function checkedId(option: string, text: string): string {
  const id = parseSeriesId(text);
  if (id === undefined)
    throw new Problem('bad-input', `${option} ${JSON.stringify(text)}: not a series id: ${seriesIdForm}`);
  return id;
}
