import { Problem } from '../errors/problem.ts';
import type { ArgumentSpec, Flag } from '../operations/flag.ts';
import type { TypedLine } from '../operations/typed-line.ts';
import { type CommandSpec, messagesIn, outputIn } from './command.ts';
import type { StoreLine } from './line.ts';
import { sharedFlags } from './shared-flags.ts';

const { store, messages, output } = sharedFlags;

const yes: Flag = { name: 'yes', short: 'y', about: 'do not ask; needed where there is no terminal' };

const address = (name: string, about: string): ArgumentSpec => ({
  name,
  about: `${about}: a file, or postgres://…`,
});

/** `asof store init`. */
const init: CommandSpec = {
  words: 'store init',
  heading: 'Files',
  summary: 'Make an empty store, or distribute one over Citus',
  about: `Every import makes the store that it needs. This command makes an empty one, such as for a service
that starts before the first import.

With --distribute, Citus spreads the store over the nodes of the cluster: facts by series, filings
by issuer. The address is that of the coordinator. A store that has facts keeps them.`,
  args: [],
  flags: [{ name: 'distribute', about: 'distribute the store over the nodes of Citus' }, store, ...messages],
  read: (line) => ({
    command: 'store init',
    store: line.text('store'),
    distribute: line.has('distribute'),
    messages: messagesIn(line),
  }),
};

/** A command of the family `store`; `own` are the flags besides those that all of them have. */
function storeCommand(
  command: StoreLine['command'],
  summary: string,
  args: readonly ArgumentSpec[],
  own: readonly Flag[],
  about?: string,
): CommandSpec {
  return {
    words: command,
    heading: command.startsWith('series') ? 'Series' : 'Files',
    summary,
    ...(about !== undefined && { about }),
    args,
    flags: [...own, ...messages],
    read: (line) => readLine(command, line),
  };
}

function readLine(command: StoreLine['command'], line: TypedLine): StoreLine {
  return {
    command,
    args: line.args,
    store: line.text('store'),
    merge: line.has('merge'),
    replace: line.has('replace'),
    list: line.has('list'),
    keep: line.count('keep'),
    dryRun: line.has('dry-run'),
    yes: line.has('yes'),
    output: outputIn(line),
    messages: messagesIn(line),
  };
}

const dryRun = (about: string): Flag => ({ name: 'dry-run', about });

const changes: readonly Flag[] = [dryRun('show what would change, write nothing'), yes, store];

const rows = output.filter(({ name }) => name !== 'fail-empty');

/** The commands that care for a store. */
export const storeCommands: readonly CommandSpec[] = [
  init,
  storeCommand('store info', 'Show what a store holds, its size and its format', [], [...rows, store]),
  storeCommand(
    'store check',
    'Check that a store is whole, and that its figures follow from its facts',
    [],
    [store],
    `Reads everything, asks the engine what is damaged, and computes again what the store derives from
its facts. Prints a line for each fault and exits with code 1 if there is any.`,
  ),
  storeCommand(
    'store backup',
    'Write a store into a file, verified, while it is in use',
    [{ name: 'file', about: 'the backup, which is a store itself; with --keep also a folder' }],
    [
      {
        name: 'keep',
        value: 'n',
        about: 'write a new file with the time (UTC) in its name, and keep the newest n such files',
      },
      dryRun('count what the backup would hold, write nothing'),
      yes,
      store,
    ],
    `The file appears when it is complete and was read again and compared. A backup that was stopped goes
on where it stopped. --yes replaces a file that exists.

With --keep, each run writes a file of its own, such as asof-2026-03-15T031500Z.db for the name asof.db
or a folder. When it is complete, the oldest of these files are removed; no other file is.`,
  ),
  storeCommand(
    'store restore',
    'Put a backup in the place of a store',
    [{ name: 'file', about: 'the backup' }],
    [dryRun('check the backup, write nothing'), yes, store],
    `Checks the backup, copies it beside the store, reads the copy again, and puts it in the place of the
store in one step: until then the store stays as it is. A damaged backup is refused, and so is a store
that another process has open, such as a service. A store in PostgreSQL must be empty.`,
  ),
  storeCommand(
    'store copy',
    'Copy a store, also from a file into PostgreSQL and back',
    [address('from', 'the store'), address('to', 'the new store')],
    [dryRun('count what the copy would hold, write nothing'), yes],
    `Copies facts, descriptions, curves, filings, the log of imports and what the store follows, from one
state of it. The copy appears when it is complete and was read again and compared; one that was
stopped goes on where it stopped.`,
  ),
  storeCommand(
    'store merge',
    'Add everything that another store holds to a store',
    [address('from', 'the other store')],
    [
      { name: 'merge', about: 'add to a series that came from another source' },
      { name: 'replace', about: 'replace known values by different ones of the other store' },
      ...changes,
    ],
    `One transaction, by the rules of an import: contradictions refuse it, and all of them are listed. The
log has it as one import.`,
  ),
  storeCommand(
    'store undo',
    'Take an import back, as if it had never been',
    [{ name: 'import', about: 'its number, as --list shows it (default the last)', optional: true }],
    [{ name: 'list', about: 'list the imports that can be taken back' }, ...rows, ...changes],
    `Everything that the import changed is again what it was: facts, descriptions, coverage, rates, filings,
the log, and how far a pull had come. While later imports are about the same series, trade dates or
filings, it is refused, and names them.`,
  ),
  storeCommand(
    'series rename',
    'Give a series of your store another id',
    [
      { name: 'id', about: 'the series' },
      { name: 'new', about: 'its new id, which no series has' },
    ],
    changes,
  ),
  storeCommand(
    'series rm',
    'Remove a series from your store, with its vintages and its description',
    [{ name: 'id', about: 'the series' }],
    changes,
  ),
];

/** The address among the arguments at a place. */
export function addressIn({ args }: Pick<StoreLine, 'args'>, place: number): string {
  const text = args[place] ?? '';
  if (text !== '') return text;
  throw new Problem('bad-input', 'the address of a store is empty', {
    hints: ['name a file, or postgres://…'],
  });
}

/** The number of the import among the arguments; undefined for the last. */
export function importIn({ args: [text] }: Pick<StoreLine, 'args'>): number | undefined {
  if (text === undefined || /^[1-9]\d{0,14}$/.test(text))
    return text === undefined ? undefined : Number(text);
  throw new Problem(
    'bad-input',
    `import ${JSON.stringify(text)}: use the number that \`asof store undo --list\` shows`,
  );
}
