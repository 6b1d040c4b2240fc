import type { Command } from 'commander';
import { parseDay, utcDay } from '../../domain/series/date.ts';
import { parseSeriesId } from '../../domain/series/series.ts';
import { Problem } from '../../errors/problem.ts';
import type { ImportProgress } from '../../import/import.ts';
import { defaultStorePath, storeToRead, storeToWrite } from '../config/places.ts';
import { type TalkFlags, withStoreFlag, withTalkFlags } from '../options/flags.ts';
import { exitCode } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';
import { type Talk, talk } from '../terminal/messages.ts';
import { type Progress, progress } from '../terminal/progress.ts';
import { importLogText } from './import-log.ts';
import { importReport } from './import-report.ts';

type ImportFlags = TalkFlags & {
  readonly kind?: string;
  readonly series?: string;
  readonly id: readonly string[];
  readonly asOf?: string;
  readonly filedOn?: string;
  readonly merge?: boolean;
  readonly replace?: boolean;
  readonly complete?: boolean;
  readonly withSample?: boolean;
  readonly dryRun?: boolean;
  readonly log?: boolean;
  readonly store?: string;
};

/** `asof import`: files and folders into the embedded store, in one transaction. */
export function importCommand(command: Command, io: Io, done: (code: number) => void): void {
  withTalkFlags(withStoreFlag(command))
    .argument('[files...]', 'files, folders and archives')
    .option('--kind <kind>', 'format of the files (default: recognised, see asof help formats)')
    .option('--series <id>', 'series of files that do not name theirs')
    .option(
      '--id <old=new>',
      'import a series under another id (repeatable)',
      (text: string, all: string[]) => [...all, text],
      [],
    )
    .option('--as-of <date>', 'date on which whole-vintage files were known')
    .option('--filed-on <date>', 'filing date of ownership XML that does not state it')
    .option('--merge', 'accept a series from a second source')
    .option('--replace', 'accept new statements that contradict known ones')
    .option('--complete', 'withdraw the dates that a whole vintage does not list')
    .option('--with-sample', 'begin a new store as a copy of the sample')
    .option('--dry-run', 'read and check everything, write nothing')
    .option('--log', 'list all imports as CSV, with their sha256')
    .action(async (files: readonly string[]) => {
      const flags = command.opts<ImportFlags>();
      done(flags.log === true ? await runLog(files, flags, io) : await runImport(files, flags, io));
    });
}

async function runLog(files: readonly string[], flags: ImportFlags, io: Io): Promise<number> {
  if (files.length > 0) throw new Problem('bad-input', '--log takes no files: it lists what was imported');
  const { importLog } = await import('../../import/import.ts');
  io.stdout.write(await importLogText(await importLog(storeToRead(io, flags.store).path)));
  return exitCode.success;
}

async function runImport(paths: readonly string[], flags: ImportFlags, io: Io): Promise<number> {
  const messages = talk(flags, io);
  const asOf = dayFlag('as_of', flags.asOf, io, messages);
  const filedOn = dayFlag('filed_on', flags.filedOn, io, messages);
  const series = flags.series === undefined ? undefined : seriesId('--series', flags.series);
  const rename = renames(flags.id);
  const store = storeToWrite(io, flags.store);
  const line = new ImportProgressLine(() => progress(io, flags));
  const { importFiles } = await import('../../import/import.ts');
  try {
    const { kind, merge, replace, complete, withSample, dryRun } = flags;
    const { clock, signal } = io;
    const result = await importFiles(paths, {
      ...{ store, kind, asOf, filedOn, series, rename, merge, replace, complete, withSample, dryRun },
      clock,
      signal,
      onProgress: (done) => line.show(done),
    });
    line.clear();
    const replacesSample = withSample !== true && store === defaultStorePath(io);
    for (const text of importReport(result, replacesSample)) messages.note(text);
    return exitCode.success;
  } catch (error) {
    line.clear();
    if (io.signal.aborted) messages.note('asof: stopped; nothing was imported');
    throw error;
  }
}

/** The progress line of an import; each stage has its own rate. */
class ImportProgressLine {
  readonly #newLine: () => Progress;
  #stage: ImportProgress['stage'] | undefined;
  #line: Progress | undefined;

  constructor(newLine: () => Progress) {
    this.#newLine = newLine;
    this.#line = newLine();
  }

  show(made: ImportProgress): void {
    if (made.stage !== this.#stage && this.#stage !== undefined) {
      this.clear();
      this.#line = this.#newLine();
    }
    this.#stage = made.stage;
    const { file, done, total } = made;
    if (made.stage === 'recognise') {
      this.#line?.show(() => `looking at ${file}`, { done, total, unit: 'files' });
    } else {
      const { rows } = made;
      this.#line?.show(() => `${rows.toLocaleString('en-US')} rows of ${file}`, {
        done,
        total,
        unit: 'bytes',
      });
    }
  }

  clear(): void {
    this.#line?.clear();
  }
}

function dayFlag(name: string, text: string | undefined, io: Io, said: Talk): string | undefined {
  if (text === undefined) return undefined;
  const today = utcDay(io.clock());
  if (text === 'today') said.detail(`asof: ${name} today is ${today}`);
  const day = text === 'today' ? today : parseDay(text);
  if (day === undefined)
    throw new Problem('bad-input', `invalid '${name}' date: use YYYY-MM-DD format`, { field: name });
  return day;
}

function seriesId(flag: string, text: string): string {
  const id = parseSeriesId(text);
  if (id === undefined) throw new Problem('bad-input', `${flag} ${JSON.stringify(text)}: not a series id`);
  return id;
}

function renames(pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [from, to, ...rest] = pair.split('=');
      if (from === undefined || to === undefined || rest.length > 0) {
        throw new Problem('bad-input', `--id ${JSON.stringify(pair)}: use OLD=NEW`);
      }
      return [seriesId('--id', from), seriesId('--id', to)];
    }),
  );
}
