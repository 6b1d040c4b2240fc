import type { Command } from 'commander';
import { operations } from '../../operations/index.ts';
import type { Operation } from '../../operations/operation.ts';
import type { BoundBy, Shell } from '../shell.ts';
import type { Io } from '../terminal/io.ts';
import { clustersCommand } from './clusters.ts';
import { curveCommand } from './curve.ts';
import { observationsCommand } from './observations.ts';
import { type QueryCommand, queryCommand } from './query.ts';
import { revisionsCommand } from './revisions.ts';
import { seriesSearchCommand, seriesShowCommand } from './series.ts';
import { spreadCommand } from './spread.ts';
import { vintagesCommand } from './vintages.ts';
import { yieldsCommand } from './yields.ts';

/** What a command's definition may use. */
export type Setting = {
  readonly io: Io;
  /** Takes the exit code. */
  readonly done: (code: number) => void;
  /** Makes a subcommand of a group. */
  readonly subcommand: (group: Command, name: string, summary: string) => Command;
  /** The whole program, in which the command of that name is defined. */
  readonly programWith: (name: string | undefined) => Promise<Command>;
  readonly shell: Shell;
};

/** A command, or a group of them, by its first word; what it takes is defined only when it is named. */
export type Entry = {
  readonly name: string;
  readonly alias?: string;
  readonly summary: string;
  /** Of a command that puts answers of operations together. */
  readonly boundBy?: BoundBy;
  readonly define: (command: Command, setting: Setting) => void | Promise<void>;
};

/** What the command of an operation has besides what the operation declares. */
const special: Readonly<Record<string, QueryCommand>> = {
  series_search: seriesSearchCommand,
  series_show: seriesShowCommand,
  observations: observationsCommand,
  revisions: revisionsCommand,
  vintages: vintagesCommand,
  curve: curveCommand,
  yields: yieldsCommand,
  spread: spreadCommand,
  insider_clusters: clustersCommand,
};

const groups: Readonly<Record<string, string>> = {
  series: 'Find and describe series',
  insider: 'What insiders of companies report of their trades',
};

/** Commands that are no operation. */
const others: readonly Entry[] = [
  {
    name: 'diff',
    summary: 'What two days of knowledge disagree on',
    boundBy: () => undefined,
    define: async (command, { io, done }) => (await import('./diff.ts')).diffCommand(command, io, done),
  },
  {
    name: 'panel',
    summary: 'Several series side by side, as they were known',
    boundBy: ({ asOfEach }) => (asOfEach === undefined ? 'as-of' : 'to'),
    define: async (command, { io, done }) => (await import('./panel.ts')).panelCommand(command, io, done),
  },
  {
    name: 'snapshot',
    summary: 'Write the files of a plan, all as of one day, in one step',
    define: async (command, setting) => (await import('./snapshot.ts')).snapshotCommand(command, setting),
  },
  {
    name: 'verify',
    summary: 'Hold a snapshot against its manifest, and against the data it came from',
    define: async (command, setting) => (await import('./verify.ts')).verifyCommand(command, setting),
  },
  {
    name: 'facts',
    summary: 'Every statement about series, in the CSV that import reads',
    define: async (command, { io, done }) => (await import('./facts.ts')).factsCommand(command, io, done),
  },
  {
    name: 'import',
    summary: 'Read files of vintages and curves into your store',
    define: async (command, { io, done }) => (await import('./import.ts')).importCommand(command, io, done),
  },
  {
    name: 'serve',
    summary: 'Answer the same questions over HTTP',
    define: async (command, { io, done }) => (await import('./serve.ts')).serveCommand(command, io, done),
  },
  {
    name: 'keys',
    summary: 'The keys of the service that this machine serves',
    define: async (command, { io, done, subcommand }) =>
      (await import('./keys.ts')).keysCommands(
        (name, summary) => subcommand(command, name, summary),
        io,
        done,
      ),
  },
  {
    name: 'auth',
    summary: 'The key that you send, one for each base URL',
    define: async (command, { io, done, subcommand }) =>
      (await import('./auth.ts')).authCommand(
        (name, summary) => subcommand(command, name, summary),
        io,
        done,
      ),
  },
  {
    name: 'config',
    summary: 'Settings of your own',
    define: async (command, { io, done, subcommand }) =>
      (await import('./config.ts')).configCommand(
        (name, summary) => subcommand(command, name, summary),
        io,
        done,
      ),
  },
  {
    name: 'completion',
    summary: 'Complete commands, flags and series ids with TAB, in bash, zsh or fish',
    define: async (command, { io, done, programWith }) =>
      (await import('./completion.ts')).completionCommand(command, io, done, programWith),
  },
];

/** Every command of asof but help, in the order in which help lists them. */
export const commands: readonly Entry[] = [...operationEntries(), ...others];

function operationEntries(): Entry[] {
  const first = (operation: Operation) => operation.command.words.split(' ')[0] ?? '';
  return [...new Set(operations.map(first))].map((name) => {
    const own = operations.filter((operation) => first(operation) === name);
    const alias = own[0]?.command.alias;
    return {
      name,
      summary: groups[name] ?? own[0]?.summary ?? '',
      ...(alias !== undefined && { alias }),
      define: (command, setting) => defineOperations(command, own, setting),
    };
  });
}

function defineOperations(command: Command, own: readonly Operation[], setting: Setting): void {
  for (const operation of own) {
    const [, second] = operation.command.words.split(' ');
    const target = second === undefined ? command : setting.subcommand(command, second, operation.summary);
    withArgument(target, operation);
    queryCommand(target, operation, special[operation.name] ?? {}, setting.io, setting.done);
  }
}

function withArgument(command: Command, { command: { argument, several }, params }: Operation): void {
  const param = argument === undefined ? undefined : params[argument];
  if (param === undefined) return;
  const shown = `${param.placeholder}${several === true ? '...' : ''}`;
  command.argument(param.required ? `<${shown}>` : `[${shown}]`);
}
