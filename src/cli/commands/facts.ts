import type { Command } from 'commander';
import type { Statement } from '../../model/statement.ts';
import { Problem } from '../../problem.ts';
import type { Store } from '../../store/store.ts';
import { exitCode } from '../exit-code.ts';
import { type TalkFlags, withStoreFlag, withTalkFlags } from '../flags.ts';
import { wantedSeries, withSuggestion } from '../ids.ts';
import type { Io } from '../io.ts';
import { storeToRead } from '../places.ts';
import { fileSink, type Sink, streamSink } from '../sink.ts';

type FactsFlags = TalkFlags & { readonly store?: string; readonly output?: string };

/** `asof facts`: every statement about series, in the CSV that import reads. */
export function factsCommand(command: Command, io: Io, done: (code: number) => void): void {
  withTalkFlags(withStoreFlag(command))
    .argument('<id...>', 'series ids; one with * (quoted) means every series whose id matches')
    .option('-o, --output <file>', 'write to a file, complete or not at all; - is stdout')
    .action(async (typed: readonly string[]) => {
      const flags = command.opts<FactsFlags>();
      const { openStore } = await import('../../store/open.ts');
      const store = await openStore(storeToRead(io, flags.store).path);
      const sink =
        flags.output === undefined || flags.output === '-' ? streamSink(io.stdout) : fileSink(flags.output);
      try {
        await writeFacts(store, typed, sink, io);
        await sink.finish();
      } catch (error) {
        await sink.abandon();
        throw error;
      } finally {
        await store.close();
      }
      done(exitCode.success);
    });
}

async function writeFacts(store: Store, typed: readonly string[], sink: Sink, io: Io): Promise<void> {
  const [{ stringify }, { embeddedClient }] = await Promise.all([
    import('csv-stringify/sync'),
    import('../../client/embedded.ts'),
  ]);
  const client = embeddedClient(store, io.clock);
  const wanted = await wantedSeries(client, typed);
  for (const { id } of wanted) {
    if ((await store.findSeries(id)) !== undefined) continue;
    throw await withSuggestion(client, id, new Problem('not-found', `series '${id}' not found`));
  }
  if (!(await sink.write('series_id,date,as_of_date,value\n'))) return;
  for (const { id } of wanted) {
    for await (const batch of store.statements(id)) {
      io.signal.throwIfAborted();
      if (!(await sink.write(stringify(batch.map(line))))) return;
    }
  }
}

function line({ seriesId, date, asOf, value }: Statement): readonly string[] {
  return [seriesId, date, asOf, value ?? ''];
}
