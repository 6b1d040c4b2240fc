import { setImmediate as turn } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Statement } from '../../domain/series/statement.ts';
import { Problem } from '../../errors/problem.ts';
import { formatForFile } from '../../render/formats.ts';
import type { Store, StoreView } from '../../store/store.ts';
import { storeToRead } from '../config/places.ts';
import { outputFile, type TalkFlags, withStoreFlag, withTalkFlags } from '../options/flags.ts';
import { type Catalogue, wantedSeries, withSuggestion } from '../options/ids.ts';
import { chosen } from '../run/session.ts';
import { exitCode } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';
import { reportFailure } from '../terminal/messages.ts';
import { openSink } from '../terminal/open-sink.ts';
import { progress } from '../terminal/progress.ts';
import type { Sink } from '../terminal/sink.ts';

type FactsFlags = TalkFlags & { readonly store?: string; readonly output?: string };

/** `asof facts`: every statement about series, in the CSV that import reads. */
export function factsCommand(command: Command, io: Io, done: (code: number) => void): void {
  withTalkFlags(withStoreFlag(command))
    .argument('<id...>', 'series ids; one with * (quoted) means every series whose id matches')
    .option('-o, --output <file>', 'write to a file, complete or not at all; - is stdout')
    .action(async (typed: readonly string[]) => done(await runFacts(typed, command.opts<FactsFlags>(), io)));
}

async function runFacts(typed: readonly string[], flags: FactsFlags, io: Io): Promise<number> {
  const [{ openStore }, { embeddedClient }] = await Promise.all([
    import('../../store/open.ts'),
    import('../../client/embedded.ts'),
  ]);
  const file = outputFile(flags);
  if (file !== undefined && (formatForFile(file) ?? 'csv') !== 'csv')
    throw new Problem('bad-input', `facts are written as CSV, for import to read, and not to ${file}`, {
      hints: ['-o FILE.csv writes them to a file'],
    });
  const choice = storeToRead(io, flags.store);
  const store = await openStore(choice.path).catch((error) => {
    throw chosen(error, choice);
  });
  try {
    const catalogue = { client: embeddedClient(store, io.clock), io };
    const { known, unknown } = await sorted(store, catalogue, typed);
    if (known.length > 0 && (unknown.length === 0 || file === undefined))
      await store.read(async (view) => writeFacts(view, known, await openSink(file, io), flags, io));
    const codes = unknown.map((error) => reportFailure(error, flags, io));
    return codes[0] ?? exitCode.success;
  } finally {
    await store.close();
  }
}

/** The ids of series that exist, and the failures of those that do not. */
async function sorted(store: Store, catalogue: Catalogue, typed: readonly string[]) {
  const known: string[] = [];
  const unknown: unknown[] = [];
  for (const { id } of await wantedSeries(catalogue, typed)) {
    if ((await store.read((view) => view.findSeries(id))) !== undefined) known.push(id);
    else {
      const problem = new Problem('not-found', `series '${id}' not found`);
      unknown.push(await withSuggestion(catalogue, id, problem));
    }
  }
  return { known, unknown };
}

async function writeFacts(
  view: StoreView,
  ids: readonly string[],
  sink: Sink,
  flags: FactsFlags,
  io: Io,
): Promise<void> {
  const { formatCsvRecord } = await import('../../render/delimited.ts');
  const bar = progress(io, flags);
  try {
    let wanted = await sink.write('series_id,date,as_of_date,value\n');
    for (const [done, id] of ids.entries()) {
      if (!wanted) break;
      for await (const batch of view.statements(id)) {
        // Reading never waits for anything: without a turn of the event loop no signal would be heard.
        await turn();
        io.signal.throwIfAborted();
        wanted = await sink.write(batch.map((statement) => formatCsvRecord(line(statement))).join(''));
        if (!wanted) break;
      }
      const complete = await view.completeVintages(id);
      if (wanted)
        wanted = await sink.write(complete.map((asOf) => formatCsvRecord([id, '', asOf, ''])).join(''));
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

function line({ seriesId, date, asOf, value }: Statement): readonly string[] {
  return [seriesId, date, asOf, value ?? ''];
}
