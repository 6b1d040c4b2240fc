import { Command, CommanderError } from 'commander';
import { version } from '../installation.ts';
import { operations } from '../operations/index.ts';
import type { Operation } from '../operations/operation.ts';
import { curveCommand } from './commands/curve.ts';
import { factsCommand } from './commands/facts.ts';
import { addHelp } from './commands/help.ts';
import { importCommand } from './commands/import.ts';
import { observationsCommand } from './commands/observations.ts';
import { type QueryCommand, queryCommand } from './commands/query.ts';
import { seriesSearchCommand, seriesShowCommand } from './commands/series.ts';
import type { Io } from './io.ts';

/** What the command of an operation has besides what the operation declares. */
const special: Readonly<Record<string, QueryCommand>> = {
  series_search: seriesSearchCommand,
  series_show: seriesShowCommand,
  observations: observationsCommand,
  curve: curveCommand,
};

/** Operations whose command takes several ids. */
const severalIds: ReadonlySet<string> = new Set(['observations']);

/** The commander program: a command for each operation of the table, and those that are no operation. */
export function program(io: Io, done: (code: number) => void): Command {
  const root = base(new Command('asof'), io)
    .description('Point-in-time economic data: series as they were known on a day, treasury curves')
    .version(version(), '-V, --version', 'print the version')
    .showHelpAfterError(false);
  for (const operation of operations) {
    const command = commandFor(root, operation, io);
    queryCommand(command, operation, special[operation.name] ?? {}, io, done);
  }
  factsCommand(
    child(root, 'facts', 'Every statement about series, in the CSV that import reads', io),
    io,
    done,
  );
  importCommand(child(root, 'import', 'Read files of vintages and curves into your store', io), io, done);
  addHelp(root, io, done);
  return root;
}

/** The command named by an operation's words, inside of its group where it has one. */
function commandFor(root: Command, operation: Operation, io: Io): Command {
  const { words, argument } = operation.command;
  const [first = '', second] = words.split(' ');
  const parent = second === undefined ? root : group(root, first, io);
  const command = child(parent, second ?? first, operation.summary, io);
  if (argument === undefined) return command;
  const several = severalIds.has(operation.name) ? '...' : '';
  const required = operation.params[argument]?.required === true;
  const name = argument === 'q' ? 'text' : argument;
  return command.argument(required ? `<${name}${several}>` : `[${name}]`);
}

function group(root: Command, name: string, io: Io): Command {
  const known = root.commands.find((command) => command.name() === name);
  return known ?? child(root, name, groups[name] ?? '', io);
}

const groups: Readonly<Record<string, string>> = { series: 'Find and describe series' };

function child(parent: Command, name: string, summary: string, io: Io): Command {
  return base(parent.command(name), io).description(summary);
}

function base(command: Command, io: Io): Command {
  return command
    .exitOverride()
    .allowExcessArguments(false)
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, 'asof: ')),
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
    });
}

export { CommanderError };
