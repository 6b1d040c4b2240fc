import { setImmediate as nextTick } from 'node:timers/promises';
import { missingText, seriesWithStatements, withSuggestion } from '../../analysis/series-ids.ts';
import { embeddedClient } from '../../client/open.ts';
import { latestDay } from '../../domain/series/date.ts';
import type { Statement } from '../../domain/series/revision-history.ts';
import { Problem } from '../../errors/problem.ts';
import { metadataCells, metadataColumns } from '../../import/formats/own/facts.ts';
import { fileIn, messagesIn } from '../../lines/command.ts';
import { sharedFlags } from '../../lines/shared-flags.ts';
import { openSink, type Sink } from '../../platform/sink.ts';
import { formatCsvRecord } from '../../render/delimited.ts';
import { formatForFile, isGzipName } from '../../render/output.ts';
import { printableLines } from '../../render/printable.ts';
import { knownView } from '../../store/known-view.ts';
import { openStore } from '../../store/open.ts';
import type { StoreView, WholeView } from '../../store/store.ts';
import { storeAlone } from '../config/places.ts';
import { ofStore } from '../run/session.ts';
import { exitCode, type Io } from '../terminal/io.ts';
import { messagesOf } from '../terminal/messages.ts';
import { progress } from '../terminal/progress.ts';
import { command } from './command.ts';

const { store, messages, file } = sharedFlags;

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
  flags: [
    {
      name: 'metadata',
      about: 'write titles, units, frequencies, sources and coverage instead, as CSV that import reads',
    },
    ...sharedFlags.skipMissing,
    file,
    store,
    ...messages,
  ],
  read(line) {
    const target = fileIn(line);
    if (target !== undefined && (formatForFile(target) ?? 'csv') !== 'csv')
      throw new Problem('bad-input', `--output ${JSON.stringify(target)}: facts writes only CSV`, {
        hints: ['use -o FILE.csv'],
      });
    return {
      ids: line.args,
      ...(line.has('skip-missing') && { skipMissing: true }),
      metadata: line.has('metadata'),
      file: target,
      store: line.text('store'),
      messages: messagesIn(line),
    };
  },
  async run(line, io) {
    const store = await ofStore(storeAlone(io, { command: 'facts', store: line.store }), openStore);
    try {
      const basis = { missing: new Set<string>() };
      const source = { client: embeddedClient(store, io.clock), signal: io.signal, basis };
      const latest = latestDay(io.clock());
      const has = (id: string) =>
        store.read(async (view) => (await knownView(view, latest).series.find(id)) !== undefined);
      const ids = await seriesWithStatements(line, has, source).catch(async (error) => {
        throw await withSuggestion(error, source);
      });
      await store.read(async (view) =>
        writeRecords(
          line.metadata ? metadataOf(view) : factsOf(knownView(view, latest)),
          ids,
          await factsSink(line.file, io),
          line.messages.quiet,
          io,
        ),
      );
      if (basis.missing.size > 0) messagesOf(line.messages, io).warn(`asof: ${missingText(basis.missing)}`);
      return exitCode.success;
    } finally {
      await store.close();
    }
  },
});

/** `asof facts`: writes every statement about series, or their descriptions, as CSV that import reads. */
export const commands = [writeFacts];

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

/** What is written of series: a header, and batches of records of each. */
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
    header: metadataColumns,
    async *records(id) {
      const contents = await view.contents.series(id);
      if (contents !== undefined) yield [metadataCells(contents)];
    },
  };
}

async function writeRecords(
  { header, records }: SeriesRecords,
  ids: readonly string[],
  sink: Sink,
  quiet: boolean,
  io: Io,
): Promise<void> {
  const bar = progress(io, quiet);
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
