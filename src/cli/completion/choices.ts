import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { formatNames } from '../../render/formats.ts';
import { settings } from '../config/settings.ts';
import { topics } from '../help/topics.ts';
import { type Io, variable } from '../terminal/io.ts';
import { beginningWith, type Choice, type Choices, nothing, wordsOf } from './choice.ts';
import { flagsOf, type Position } from './position.ts';
import { seriesIds } from './series-ids.ts';

/** What a kind of value may be at a position. */
type Values = (position: Position, io: Io) => Choices | Promise<Choices>;

const files: Values = () => ({ kind: 'files' });
const folders: Values = () => ({ kind: 'folders' });
const day: Values = () => wordsOf(['today']);
const free: Values = () => nothing;

/** The values of flags, by the name that help gives them: a flag whose value has one of these names is completed. */
export const flagValues: Readonly<Record<string, Values>> = {
  date: day,
  format: () => wordsOf(formatNames),
  id: ids,
  kind: async () =>
    described(
      (await import('../../import/formats/recognise.ts')).formats.map(({ kind, summary }) => [kind, summary]),
    ),
  plan: plans,
  file: files,
  path: files,
  dir: folders,
  ...named(free, ['cursor', 'host', 'n', 'name', 'names', 'old=new', 'port', 'seconds', 'text', 'url']),
};

/** The values of arguments, by the name that help gives them. */
export const argumentValues: Readonly<Record<string, Values>> = {
  id: ids,
  day,
  other: day,
  files,
  plan: files,
  dir: folders,
  name: () => described(settings),
  value: settingValues,
  ...named(free, ['text', 'key-id', 'words']),
};

function named(values: Values, names: readonly string[]): Readonly<Record<string, Values>> {
  return Object.fromEntries(names.map((name) => [name, values]));
}

/** What may be typed at a position, so far as asof knows it. */
export async function choicesAt(position: Position, io: Io): Promise<Choices> {
  return beginningWith(await allAt(position, io), position.text);
}

async function allAt(position: Position, io: Io): Promise<Choices> {
  const { command, wanted, typed, text } = position;
  switch (wanted.kind) {
    case 'command':
      return described(commandsOf(command));
    case 'help':
      return described([
        ...commandsOf(command.parent, typed),
        ...(typed.length === 0 ? topics.map((topic) => [topic, 'a topic'] as const) : []),
      ]);
    case 'flag':
      return described(unusedFlags(position));
    case 'value': {
      const choices = wanted.option.argChoices ?? wordsInHelp(wanted.option.flags, text);
      return choices === undefined
        ? valuesOf(flagValues, valueName(wanted.option.flags), position, io)
        : wordsOf(choices);
    }
    case 'argument': {
      const choices = wanted.argument.argChoices;
      return choices === undefined
        ? valuesOf(argumentValues, wanted.argument.name(), position, io)
        : wordsOf(choices);
    }
    case 'nothing':
      return nothing;
  }
}

function valuesOf(known: typeof flagValues, name: string, position: Position, io: Io) {
  return (Object.hasOwn(known, name) ? known[name] : free)?.(position, io) ?? nothing;
}

/** `format` of `-f, --format <format>`. */
export function valueName(flags: string): string {
  return /<([^>]+)>/.exec(flags)?.[1] ?? '';
}

/** The words that help names in place of a value, as in `--type <par|tips>`; they are read in any case, so also completed in it. */
function wordsInHelp(flags: string, text: string): readonly string[] | undefined {
  const name = valueName(flags);
  if (!name.includes('|')) return undefined;
  return (/[A-Z]/.test(text) ? name.toUpperCase() : name).split('|');
}

function described(pairs: readonly (readonly [value: string, about: string])[]): Choices {
  return { kind: 'words', words: pairs.map(([value, about]) => ({ value, about })) };
}

/** The commands of a command, or of the one that `path` leads to from there. */
function commandsOf(command: Command | null, path: readonly string[] = []): (readonly [string, string])[] {
  let group = command;
  for (const word of path)
    group = group?.commands.find((child) => child.name() === word || child.aliases().includes(word)) ?? null;
  return (group?.commands ?? []).map((child) => [child.name(), child.description()]);
}

function unusedFlags({ command, flags }: Position): (readonly [string, string])[] {
  return flagsOf(command).flatMap(({ long, short, description, defaultValue }) => {
    const name = long ?? short ?? '';
    // A flag that collects values may come again.
    if (flags.has(name) && !Array.isArray(defaultValue)) return [];
    return [name, ...(short === undefined || short === name ? [] : [short])].map(
      (word) => [word, description] as const,
    );
  });
}

async function ids({ text, typed, flags }: Position, io: Io): Promise<Choices> {
  const store = flags.get('--store');
  const baseUrl = flags.get('--base-url');
  const source = {
    ...(store !== undefined && { store: fromHome(store, io) }),
    ...(baseUrl !== undefined && { baseUrl }),
  };
  const taken = new Set(typed.map((id) => id.toUpperCase()));
  const found = await seriesIds(text, source, io);
  return { kind: 'words', words: found.filter(({ value }: Choice) => !taken.has(value)) };
}

async function plans({ flags }: Position, io: Io): Promise<Choices> {
  const { plansOf } = await import('../commands/serve.ts');
  const file = flags.get('--plans');
  return wordsOf([...(await plansOf(file === undefined ? undefined : fromHome(file, io))).keys()]);
}

/** The values of the setting that was named before. */
function settingValues({ typed: [name = ''] }: Position): Choices {
  if (name === 'format') return wordsOf(formatNames);
  return name === 'store' ? { kind: 'files' } : nothing;
}

/** A path as it was typed: a shell that completes has not yet put a home in the place of `~`. */
function fromHome(path: string, io: Io): string {
  return path.startsWith('~/') ? join(variable(io, 'HOME') ?? homedir(), path.slice(2)) : path;
}
