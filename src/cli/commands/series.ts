import { counted } from '../../errors/wording.ts';
import { messages } from '../../lines/shared-parts.ts';
import { storeToChange } from '../config/places.ts';
import { confirm } from '../terminal/confirm.ts';
import type { Io } from '../terminal/io.ts';
import type { Messages } from '../terminal/messages.ts';
import { changes, command } from './command.ts';

const renameCommand = command({
  words: 'series rename',
  summary: 'Give a series of your store another id',
  examples: `
# what would change (needs a store with the series)
asof series rename OLD NEW --dry-run
# another id for a series (needs a store with the series)
asof series rename OLD NEW --yes
`,
  args: [
    { name: 'id', complete: 'ids', about: 'the series' },
    { name: 'new', about: 'its new id, which no series has' },
  ],
  parts: { ...changes, messages },
  run: (line, io) => changeSeries(line, io, true),
});

const removeCommand = command({
  words: 'series rm',
  summary: 'Remove a series from your store, with its vintages and its description',
  examples: `
# what would be removed (needs a store with the series)
asof series rm OLD --dry-run
# remove a series with its history (needs a store with the series)
asof series rm OLD --yes
`,
  args: [{ name: 'id', complete: 'ids', about: 'the series' }],
  parts: { ...changes, messages },
  run: (line, io) => changeSeries(line, io, false),
});

/** `asof series rename` and `asof series rm`. */
export const commands = [renameCommand, removeCommand];

type ChangeLine = {
  readonly args: readonly string[];
  readonly store: string | undefined;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly messages: Messages;
};

async function changeSeries(line: ChangeLine, io: Io, isRenamed: boolean): Promise<void> {
  const { args, dryRun, yes, messages } = line;
  const [id = '', other = ''] = args.map((text) => text.toUpperCase());
  const into = storeToChange(io, line.store);
  const { renameSeries, removeSeries } = await import('../../maintenance/series.ts');
  const change = (options: { readonly dryRun: boolean }) =>
    isRenamed ? renameSeries(into, id, other, options) : removeSeries(into, id, options);
  // What cannot be done is refused before anybody is asked.
  const { facts, vintages, store } = await change({ dryRun: true });
  const what = `${id}, ${counted(facts, 'fact')} in ${counted(vintages, 'vintage')}, ${isRenamed ? `to ${other} in` : 'from'} ${store}`;
  const { note } = messages;
  if (dryRun) return note(`asof: dry run: would ${isRenamed ? 'rename' : 'remove'} ${what}`);
  await confirm(`${isRenamed ? 'rename' : 'remove'} ${what}`, yes, io);
  await change({ dryRun: false });
  note(`asof: ${isRenamed ? 'renamed' : 'removed'} ${what}`);
}
