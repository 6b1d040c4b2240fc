import { setImmediate as turn } from 'node:timers/promises';
import type { Command } from 'commander';
import { latestDay, parseDay, utcDay } from '../../domain/series/date.ts';
import { parseSeriesId } from '../../domain/series/series.ts';
import { Problem } from '../../errors/problem.ts';
import { samplePath } from '../../platform/installation.ts';
import { defaultStorePath, storeToWrite } from '../config/places.ts';
import { importReport } from '../import-report.ts';
import { type TalkFlags, withStoreFlag, withTalkFlags } from '../options/flags.ts';
import { exitCode } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';
import { type Talk, talk } from '../terminal/messages.ts';
import { progress } from '../terminal/progress.ts';
import { importLog } from './import-log.ts';

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
    .argument('[files...]', 'files and folders')
    .option('--kind <kind>', 'the format, where it is not recognised (see asof help formats)')
    .option('--series <id>', 'the series of answers that do not name theirs')
    .option(
      '--id <old=new>',
      'import a series under another id (repeatable)',
      (text: string, all: string[]) => [...all, text],
      [],
    )
    .option('--as-of <date>', 'the day on which whole-vintage files were known')
    .option('--filed-on <date>', 'the day on which ownership XML was filed that does not say it')
    .option('--merge', 'accept a series from a second source')
    .option('--replace', 'accept the new statement where one differs from what is known')
    .option('--complete', 'what a whole vintage does not list is withdrawn')
    .option('--with-sample', 'begin a new store as a copy of the shipped sample')
    .option('--dry-run', 'read and check everything, write nothing')
    .option('--log', 'list all imports with their sha256')
    .action(async (files: readonly string[]) => {
      const flags = command.opts<ImportFlags>();
      if (flags.log === true) return done(await importLog(files, flags, io));
      if (files.length === 0) throw new Problem('bad-input', 'nothing to import: name files or folders');
      done(await runImport(files, flags, io));
    });
}

async function runImport(paths: readonly string[], flags: ImportFlags, io: Io): Promise<number> {
  const [{ sourceFiles }, { recognise }, { load }, { openWriter }] = await Promise.all([
    import('../../import/files/walk.ts'),
    import('../../import/formats/recognise.ts'),
    import('../../import/load/load.ts'),
    import('../../store/open.ts'),
  ]);
  const said = talk(flags, io);
  const asOf = dayFlag('as_of', flags.asOf, io, said);
  const filedOn = dayFlag('filed_on', flags.filedOn, io, said);
  const series = flags.series === undefined ? undefined : seriesId('--series', flags.series);
  const rename = renames(flags.id);
  const files = await sourceFiles(paths);
  const inputs = [];
  const looking = progress(io, flags);
  try {
    for (const [done, file] of files.entries()) {
      io.signal.throwIfAborted();
      inputs.push({ file, format: await recognise(file, flags.kind) });
      looking.show(() => `looking at ${file.path}`, { done: done + 1, total: files.length, unit: 'files' });
    }
  } finally {
    looking.clear();
  }

  const path = storeToWrite(io, flags.store);
  const writer = await openWriter(path, flags.withSample === true ? samplePath() : undefined);
  const bar = progress(io, flags);
  try {
    const now = io.clock();
    const summaries = await load(inputs, writer, {
      rename,
      merge: flags.merge === true,
      replace: flags.replace === true,
      complete: flags.complete === true,
      latest: latestDay(now),
      importedAt: now.toISOString(),
      onProgress: async ({ file, rows, ...bytes }) => {
        await turn();
        io.signal.throwIfAborted();
        bar.show(() => `${rows.toLocaleString('en-US')} rows of ${file}`, { ...bytes, unit: 'bytes' });
      },
      ...(asOf !== undefined && { asOf }),
      ...(filedOn !== undefined && { filedOn }),
      ...(series !== undefined && { series }),
    });
    // The last moment to turn back: a signal that came while SQLite was at work is heard only now.
    await turn();
    io.signal.throwIfAborted();
    if (flags.dryRun === true) await writer.rollback();
    else await writer.commit();
    bar.clear();
    const outcome = {
      path,
      created: writer.created,
      dryRun: flags.dryRun === true,
      insteadOfSample: flags.withSample !== true && path === defaultStorePath(io),
    };
    for (const line of importReport(summaries, outcome)) said.note(line);
    return exitCode.success;
  } catch (error) {
    bar.clear();
    await writer.rollback();
    if (io.signal.aborted) said.note('asof: stopped; nothing was imported');
    throw error;
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
  if (id === undefined)
    throw new Problem('bad-input', `${flag} ${JSON.stringify(text)} cannot be the id of a series`);
  return id;
}

function renames(pairs: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    pairs.map((pair) => {
      const [from, to, ...rest] = pair.split('=');
      if (from === undefined || to === undefined || rest.length > 0) {
        throw new Problem('bad-input', `--id ${JSON.stringify(pair)}: use OLD=NEW`);
      }
      return [seriesId('--id', from), seriesId('--id', to)];
    }),
  );
}
