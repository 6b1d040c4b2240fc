import { setImmediate as nextTick } from 'node:timers/promises';
import { askOf } from '../../answering/answer.ts';
import { notesOf } from '../../answering/notes.ts';
import { seriesWithStatements, withSuggestion } from '../../answering/series-ids.ts';
import { embeddedClient } from '../../client/open.ts';
import { latestDay, utcDay } from '../../domain/series/date.ts';
import type { Statement } from '../../domain/series/revision-history.ts';
import { Problem } from '../../errors/problem.ts';
import { grouped } from '../../errors/wording.ts';
import { type ImportProgress, importValues } from '../../import/options.ts';
import { importReport, outdatedLines } from '../../import/report.ts';
import { dayOption, option, textOption, toggle } from '../../lines/command.ts';
import { file, messages, skipMissing, store } from '../../lines/shared-parts.ts';
import { commandNaming } from '../../operations/operation.ts';
import { readFor } from '../../operations/typed-line.ts';
import { openSink, print, type Sink } from '../../platform/sink.ts';
import { formatCsvRecord } from '../../render/delimited.ts';
import { formatForFile, isGzipName } from '../../render/output.ts';
import { printableLines } from '../../render/printable.ts';
import { importLogText } from '../../snapshot/manifest.ts';
import { knownView } from '../../store/known-view.ts';
import { openStore } from '../../store/open.ts';
import type { StoreView, WholeView } from '../../store/store.ts';
import { defaultStorePath, storeAlone, storeToRead, storeToWrite } from '../config/places.ts';
import { ofStore } from '../run/session.ts';
import type { Io } from '../terminal/io.ts';
import type { Messages } from '../terminal/messages.ts';
import { command } from './command.ts';

const importCommand = command({
  words: 'import',
  heading: 'Files',
  summary: 'Import files of vintages, curves and filings into your store',
  examples: `
# a store of your own from facts of the sample
asof facts GDP -o gdp.csv && asof import gdp.csv --store mine.db
# check a download from FRED without writing (needs the file)
asof import GDP.csv --as-of 2024-04-25 --dry-run
# the files that were imported
asof import --log
`,
  args: [
    {
      name: 'files',
      complete: 'files',
      about: 'files and folders; - is standard input',
      optional: true,
      several: true,
    },
  ],
  parts: {
    kind: textOption('kind', 'kind', 'format of the files (default: by content; see asof help formats)', {
      complete: 'kinds',
    }),
    series: option('series', 'series id for files that do not name one', importValues.series),
    rename: {
      flags: [{ name: 'id', value: 'old=new', about: 'import a series under another id', repeatable: true }],
      read: (line) =>
        Object.assign(
          {},
          ...line
            .texts('id')
            .map((text) => readFor('--id', text, () => importValues.rename.parse(text, 'id', line.clock))),
        ),
    },
    asOf: dayOption('as-of', 'as-of date of files that hold one vintage and do not date it'),
    dateFormat: textOption(
      'date-format',
      'form',
      'M/D/YYYY or D/M/YYYY: whether 1/2/2024 is in January or in February',
    ),
    filedOn: dayOption('filed-on', 'filing date of ownership XML that does not state it'),
    merge: toggle('merge', 'add to a series that came from another source'),
    replace: toggle('replace', 'replace known values by different ones of the same vintage date'),
    complete: toggle('complete', 'withdraw the dates that a complete vintage does not list'),
    projections: toggle('projections', 'accept values of periods that begin after their as-of date'),
    skipDays: {
      flags: [
        {
          name: 'skip-days',
          value: 'dates',
          about: 'leave out the curves of these trade dates, separated by commas',
        },
      ],
      read: (line) => line.days('skip-days'),
    },
    skipUnknown: toggle('skip-unknown', 'skip files of unknown formats, such as a README'),
    withSample: toggle('with-sample', 'start a new store as a copy of the shipped sample'),
    dryRun: toggle('dry-run', 'read and check everything, write nothing'),
    log: {
      flags: [{ name: 'log', about: 'list all imports, with the sha256 of each file' }],
      read(line) {
        const isLog = line.has('log');
        if (isLog && line.args.length > 0)
          throw new Problem('bad-input', '--log lists past imports and takes no files');
        if (!isLog && line.args.length === 0)
          throw new Problem('bad-input', 'nothing to import: name files or folders');
        return isLog;
      },
    },
    store,
    messages,
    resolved: { flags: [], read: (line) => line.resolved },
  },
  async run({ args: paths, log, store: named, messages, resolved, ...options }, io) {
    if (log) return printLog(named, io);
    messages.resolved(resolved);
    const store = storeToWrite(io, named);
    const bar = importProgress(messages);
    const { importFiles } = await import('../../import/import.ts');
    try {
      const { clock, signal, stdin } = io;
      if (paths.includes('-') && stdin.isTTY === true)
        messages.note('asof: reading the terminal; end the input with Ctrl-D');
      const result = await importFiles(paths, {
        ...options,
        ...{ store, clock, signal, stdin },
        onProgress: bar.show,
      });
      bar.clear();
      const replacesSample = !options.withSample && store === defaultStorePath(io);
      for (const text of importReport(result, replacesSample)) messages.note(text);
    } catch (error) {
      bar.clear();
      if (io.signal.aborted) messages.note('asof: stopped; nothing was imported');
      throw io.stderr.isTTY === true ? await shortened(error) : error;
    }
  },
});

/** More conflicts would scroll their counts off a terminal. */
const mostConflicts = 100;

/** A failure whose list of conflicts fits a terminal. */
export async function shortened(error: unknown): Promise<unknown> {
  const { ImportRefusal } = await import('../../import/load/conflict.ts');
  return error instanceof ImportRefusal ? error.cutAt(mostConflicts) : error;
}

async function printLog(store: string | undefined, io: Io): Promise<void> {
  const { importLog } = await import('../../import/import.ts');
  const log = await importLog(storeToRead(io, store).path);
  await print(importLogText(log), io);
  const outdated = log.filter((entry) => entry.outdated).map(({ file }) => file);
  for (const text of outdatedLines(outdated)) io.stderr.write(`${text}\n`);
}

/** The progress of an import, in which each stage has its own rate. */
function importProgress(messages: Messages) {
  let line = messages.progress();
  let stage: ImportProgress['stage'] | undefined;
  return {
    show(made: ImportProgress): void {
      if (stage !== undefined && made.stage !== stage) {
        line.clear();
        line = messages.progress();
      }
      stage = made.stage;
      const { file, done, total } = made;
      if (made.stage === 'recognise') line.show(() => `looking at ${file}`, { done, total, unit: 'files' });
      else line.show(() => `${grouped(made.rows)} rows of ${file}`, { done, total, unit: 'bytes' });
    },
    clear: () => line.clear(),
  };
}

const writeFacts = command({
  words: 'facts',
  heading: 'Files',
  summary: 'Write every published value of series, as CSV that import reads',
  examples: `
# every statement about a series, to keep or to import elsewhere
asof facts GDP -o gdp.csv
# titles, units and frequencies, to import with the statements
asof facts GDP --metadata -o gdp-metadata.csv
# the number of statements
asof facts "PCE*" | tail -n +2 | wc -l
`,
  args: [
    {
      name: 'id',
      complete: 'ids',
      about: 'series ids; one with * (quoted) means every series whose id matches',
      several: true,
    },
  ],
  parts: {
    metadata: toggle(
      'metadata',
      'write titles, units, frequencies, sources and coverage instead, as CSV that import reads',
    ),
    skipMissing,
    file: {
      ...file,
      read(line) {
        const target = file.read(line);
        if (target === undefined || (formatForFile(target) ?? 'csv') === 'csv') return target;
        throw new Problem('bad-input', `--output ${JSON.stringify(target)}: facts writes only CSV`, {
          hints: ['use -o FILE.csv'],
        });
      },
    },
    store,
    messages,
  },
  async run({ args, metadata, skipMissing, file, store: named, messages }, io) {
    const store = await ofStore(storeAlone(io, { command: 'facts', store: named }), openStore);
    try {
      const client = embeddedClient(store, io.clock);
      const ask = askOf({ client, signal: io.signal, naming: commandNaming }, {}, utcDay(io.clock()));
      const latest = latestDay(io.clock());
      const has = (id: string) =>
        store.read(async (view) => (await knownView(view, latest).series.find(id)) !== undefined);
      const ids = await seriesWithStatements({ ids: args, skipMissing }, has, ask).catch(async (error) => {
        throw await withSuggestion(error, ask);
      });
      await store.read(async (view) =>
        writeRecords(
          metadata ? metadataOf(view) : factsOf(knownView(view, latest)),
          ids,
          await factsSink(file, io),
          messages,
          io,
        ),
      );
      for (const { text } of notesOf(ask)) messages.warn(`asof: ${text}`);
    } finally {
      await store.close();
    }
  },
});

/** The sink of the file, compressed if its name ends in .gz; a terminal gets no control characters. */
async function factsSink(file: string | undefined, io: Io): Promise<Sink> {
  const sink = await openSink(file, io);
  if (file === undefined && io.stdout.isTTY === true)
    return { ...sink, write: (chunk) => sink.write(printableLines(String(chunk))) };
  if (!isGzipName(file)) return sink;
  const { GzipMembers } = await import('../../render/gzip.ts');
  const members = new GzipMembers();
  return {
    ...sink,
    write: (chunk) => sink.write(members.write(chunk)),
    finish: async () => {
      await sink.write(members.end());
      await sink.finish();
    },
  };
}

type SeriesRecords = {
  readonly header: readonly string[];
  readonly records: (id: string) => AsyncIterable<readonly (readonly string[])[]>;
};

/** Every statement, and a line without a date for each vintage that speaks for all dates. */
function factsOf(view: StoreView): SeriesRecords {
  return {
    header: ['series_id', 'date', 'as_of_date', 'value', 'vintage_kind'],
    async *records(id) {
      for await (const batch of view.series.statements(id)) yield batch.map(recordOf);
      yield (await view.series.completeVintages(id)).map(({ asOf, kind }) => [id, '', asOf, '', kind]);
    },
  };
}

/** What is stated about a series, or implied by the formats of its files. */
function metadataOf(view: WholeView): SeriesRecords {
  return {
    header: [
      ...['series_id', 'title', 'units', 'frequency', 'seasonal_adjustment', 'source'],
      ...['covered_to', 'vintage_kind'],
    ],
    async *records(id) {
      const contents = await view.contents.series(id);
      if (contents === undefined) return;
      const { stated, implied, coveredTo } = contents;
      const frequency = stated.frequency ?? implied.frequency;
      const source = implied.source ?? stated.source;
      const { title, units, seasonalAdjustment, vintageKind } = stated;
      const cells = [title, units, frequency, seasonalAdjustment, source, coveredTo, vintageKind];
      yield [[stated.seriesId, ...cells.map((cell) => cell ?? '')]];
    },
  };
}

async function writeRecords(
  { header, records }: SeriesRecords,
  ids: readonly string[],
  sink: Sink,
  messages: Messages,
  io: Io,
): Promise<void> {
  const bar = messages.progress();
  try {
    let wanted = await sink.write(formatCsvRecord(header));
    for (const [done, id] of ids.entries()) {
      for await (const batch of records(id)) {
        if (!wanted) break;
        // Reading never waits for I/O: without a tick of the event loop no signal is noticed.
        await nextTick();
        io.signal.throwIfAborted();
        wanted = await sink.write(batch.map(formatCsvRecord).join(''));
      }
      if (!wanted) break;
      if (io.stdout.isTTY !== true) bar.show(() => id, { done, total: ids.length, unit: 'series' });
    }
    await sink.finish();
  } catch (error) {
    await sink.abandon();
    throw error;
  } finally {
    bar.clear();
  }
}

function recordOf({ seriesId, date, asOf, value, kind }: Statement): readonly string[] {
  return [seriesId, date, asOf, value ?? '', kind ?? ''];
}

/** `asof facts` and `asof import`: what a store keeps as CSV, and files into the store. */
export const commands = [writeFacts, importCommand];
