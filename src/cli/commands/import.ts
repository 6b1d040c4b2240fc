import { existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { askOf } from '../../answering/answer.ts';
import { notesOf } from '../../answering/notes.ts';
import { seriesWithStatements } from '../../answering/unknown-series.ts';
import { embeddedClient } from '../../client/open.ts';
import { latestDay, utcDay } from '../../domain/values/date.ts';
import { Problem } from '../../errors/problem.ts';
import { grouped } from '../../errors/wording.ts';
import { type ImportProgress, importValues } from '../../import/options.ts';
import { importReport, outdatedLines } from '../../import/report.ts';
import {
  output as allOutput,
  dayOption,
  keepUndoOption,
  messages,
  option,
  partOf,
  skipMissing,
  store,
  textOption,
  toggle,
} from '../../lines/command.ts';
import { commandNaming } from '../../operations/operation.ts';
import { readFor } from '../../operations/typed-line.ts';
import { naming } from '../../platform/files.ts';
import { print } from '../../platform/sink.ts';
import { formatForFile, outputChoice, rendererFor } from '../../render/output.ts';
import { importLogText } from '../../snapshot/manifest.ts';
import { factColumns, factsOf, idKnown } from '../../store/known-view.ts';
import { openStore } from '../../store/open.ts';
import {
  defaultStorePath,
  replacedSample,
  storeAlone,
  storeToRead,
  storeToWrite,
} from '../config/settings.ts';
import { writeRows } from '../run/rows.ts';
import { ofStore } from '../run/session.ts';
import type { Io } from '../terminal/io.ts';
import type { Messages } from '../terminal/messages.ts';
import { askLine } from '../terminal/prompt.ts';
import { command, shortened } from './command.ts';

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
    asOf: dayOption('as-of', 'as-of date of files with one undated vintage'),
    dateFormat: textOption(
      'date-format',
      'form',
      'order of month and day in dates such as 1/2/2024: M/D/YYYY or D/M/YYYY',
    ),
    filedOn: dayOption('filed-on', 'filing date of ownership XML that has none'),
    merge: toggle('merge', 'add to a series that came from another source'),
    replace: toggle('replace', 'replace known values of the same vintage date'),
    complete: toggle('complete', 'withdraw dates that a complete vintage lacks'),
    projections: toggle('projections', 'accept values of periods that begin after their as-of date'),
    skipDays: {
      ...textOption('skip-days', 'dates', 'leave out the curves of these trade dates, separated by commas'),
      read: (line) => line.days('skip-days'),
    },
    skipUnknown: toggle('skip-unknown', 'skip files of unknown formats, such as a README'),
    keepUndo: keepUndoOption,
    chunked: toggle(
      'chunked',
      'store at most 1000 series at a time; the same command goes on after a failure',
    ),
    withSample: toggle('with-sample', 'start a new store as a copy of the shipped sample'),
    dryRun: toggle('dry-run', 'read and check everything, write nothing'),
    log: {
      ...toggle('log', 'list all imports, with the sha256 of each file'),
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
    const { importFiles, importLog, StoppedInParts } = await import('../../import/import.ts');
    if (log) {
      const entries = await importLog(storeToRead(io, named).path);
      await print(importLogText(entries), io);
      const outdated = entries.filter((entry) => entry.outdated).map(({ file }) => file);
      for (const text of outdatedLines(outdated)) messages.warn(text);
      return;
    }
    messages.resolved(resolved);
    const store = storeToWrite(io, named);
    try {
      const { clock, signal, stdin } = io;
      if (paths.includes('-') && stdin.isTTY === true)
        messages.note('asof: reading the terminal; end the input with Ctrl-D');
      const isFirst = store === defaultStorePath(io) && !existsSync(store);
      const withSample =
        options.withSample || (isFirst && !options.dryRun && (await wantsSample(paths, messages, io)));
      const result = await importFiles(paths, {
        ...options,
        ...{ withSample, store, clock, signal, stdin },
        onProgress: importProgress(messages),
      });
      for (const text of importReport(result)) messages.note(text);
      if (result.created && isFirst && !withSample && !options.dryRun) messages.note(replacedSample);
    } catch (error) {
      const isStopped = io.signal.aborted || (error instanceof Problem && error.kind === 'interrupted');
      if (error instanceof StoppedInParts) {
        messages.note(`asof: ${error.detail}`);
        for (const hint of error.hints) messages.note(`asof: ${hint}`);
      } else if (isStopped) messages.note('asof: stopped; nothing was imported');
      throw await shortened(error, io);
    }
  },
});

/** Asks on the terminal, before the first import, whether the new store begins as a copy of the sample. */
async function wantsSample(paths: readonly string[], { hasReader }: Messages, io: Io): Promise<boolean> {
  // Standard input may be the file.
  if (!hasReader || io.stdin.isTTY !== true || paths.includes('-')) return false;
  // A file that is missing is an error without a question.
  for (const path of paths) await access(path).catch(naming(path));
  const question = 'This makes your own store. Begin with a copy of the sample? [Y/n] ';
  const answer = await askLine(io, question, { answers: /^(?:y|yes|n|no)?$/i });
  return !/^no?$/i.test(answer.trim());
}

function importProgress(messages: Messages): (made: ImportProgress) => void {
  let bar = messages.progress();
  let stage: ImportProgress['stage'] = 'recognise';
  return (made) => {
    const { file, done, total } = made;
    if (made.stage !== stage) {
      bar.clear();
      bar = messages.progress();
      stage = made.stage;
    }
    if (made.stage === 'recognise') bar.show(() => `looking at ${file}`, { done, total, unit: 'files' });
    else bar.show(() => `${grouped(made.rows)} rows of ${file}`, { done, total, unit: 'bytes' });
  };
}

const csv = partOf(allOutput, ['output']);

const writeFacts = command({
  words: 'facts',
  heading: 'Files',
  summary: 'Write every published value of series as CSV for asof import',
  examples: `
# every statement about a series, to keep or to import elsewhere
asof facts GDP -o gdp.csv
# the number of statements
asof facts "PCE*" | tail -n +2 | wc -l
`,
  args: [{ name: 'id', complete: 'ids', about: 'series ids, or a quoted pattern with *', several: true }],
  parts: {
    skipMissing,
    output: {
      ...csv,
      read(line) {
        const flags = csv.read(line);
        if (flags.file === undefined || (formatForFile(flags.file) ?? 'csv') === 'csv')
          return { ...flags, format: 'csv' as const };
        throw new Problem('bad-input', `--output ${JSON.stringify(flags.file)}: facts writes only CSV`, {
          hints: ['use -o FILE.csv'],
        });
      },
    },
    store,
    messages,
  },
  async run({ args, skipMissing, output, store: named, messages }, io) {
    const store = await ofStore(storeAlone(io, { command: 'facts', store: named }), openStore);
    try {
      const client = embeddedClient(store, io.clock);
      const ask = askOf({ client, signal: io.signal, naming: commandNaming }, {}, utcDay(io.clock()));
      const latest = latestDay(io.clock());
      const find = (id: string) => store.read((view) => idKnown(view, latest, id));
      const ids = await seriesWithStatements({ ids: args, skipMissing }, find, ask);
      // A setting or a variable does not change the format.
      const place = io.stdout.isTTY === true ? { terminal: { columns: 80 } } : {};
      const choice = outputChoice(output, place, {});
      const bar = messages.progress(io.stdout.isTTY !== true);
      await store.read(async (view) => {
        const fields = factColumns.map((name) => ({ name, type: 'text', description: '' }) as const);
        const batches = async function* () {
          for (const [done, id] of ids.entries()) {
            yield* factsOf(view, latest, id);
            bar.show(() => id, { done, total: ids.length, unit: 'series' });
          }
        };
        const renderer = await rendererFor(choice, { fields, columns: factColumns }, false);
        await writeRows(choice, renderer, batches(), io);
      });
      for (const { text } of notesOf(ask)) messages.warn(`asof: ${text}`);
    } finally {
      await store.close();
    }
  },
});

/** `asof facts` and `asof import`: a store as CSV, and files into the store. */
export const commands = [writeFacts, importCommand];
