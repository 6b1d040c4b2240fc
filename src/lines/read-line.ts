import { Argument, Command, CommanderError, Option } from 'commander';
import { shapesOf } from '../answering/question.ts';
import { Problem } from '../errors/problem.ts';
import {
  type ArgumentSpec,
  type CommandGroup,
  commandGroups,
  type Flag,
  TypedLine,
} from '../operations/typed-line.ts';
import { clockAt } from '../operations/value.ts';
import { selectColumns } from '../render/columns.ts';
import { outputChoice } from '../render/output.ts';
import type { CommandSpec, HelpLine, QueryLine } from './command.ts';

type FirstWord<Line = unknown> = {
  readonly name: string;
  readonly heading: CommandGroup;
  readonly summary: string;
  readonly isFamily: boolean;
  readonly specs: readonly CommandSpec<Line>[];
};

const families: Readonly<Record<string, Pick<FirstWord, 'heading' | 'summary'>>> = {
  series: { heading: 'Series', summary: 'Find and describe series' },
  insider: { heading: 'Insiders', summary: 'List trades of company insiders, and clusters of them' },
  store: { heading: 'Files', summary: 'Inspect, check, back up and move a store' },
  keys: { heading: 'Service', summary: 'Manage the keys of your own service' },
  auth: { heading: 'Service', summary: 'Manage the keys that you send to services' },
  config: { heading: 'Setup', summary: 'Manage settings' },
};

/** Lists the words that a command line may begin with, in the order of help. */
export function firstWords<Line>(specs: readonly CommandSpec<Line>[]): readonly FirstWord<Line>[] {
  const names = [...new Set(specs.map(({ words }) => words.split(' ')[0] ?? ''))];
  const all = names.map((name) => {
    const members = specs.filter(({ words }) => words === name || words.startsWith(`${name} `));
    const [only] = members;
    const { heading = 'Setup', summary = '' } = families[name] ?? only ?? {};
    return { name, heading, summary, isFamily: Object.hasOwn(families, name), specs: members };
  });
  return commandGroups.flatMap((heading) => all.filter((word) => word.heading === heading));
}

/** Finds a first word by its name or alias. */
export function firstWordOf<Line>(
  specs: readonly CommandSpec<Line>[],
  typed: string | undefined,
): FirstWord<Line> | undefined {
  return firstWords(specs).find(
    (word) => word.name === typed || word.specs.some(({ alias }) => alias !== undefined && alias === typed),
  );
}

/** Returns the second word of a command in a family. */
export function secondWord({ words }: CommandSpec<unknown>): string {
  return words.split(' ')[1] ?? '';
}

type VersionLine = { readonly command: 'version' };

/**
 * Reads a command line as plain data; `specs` has at least all commands with its first word.
 * Throws a Problem for an error of usage.
 */
export function readLine<Line>(
  argv: readonly string[],
  specs: readonly CommandSpec<Line>[],
  now: Date,
): Line | HelpLine | VersionLine {
  if (argv.length === 0) return { command: 'help', words: [], isMistake: false };
  const lines: Line[] = [];
  const program = programOf(specs, argv[0], (spec, command) => {
    checkArguments(spec, command.args);
    lines.push(spec.read(new TypedLine(command.args, flagTexts(spec, command), clockAt(now))));
  });
  try {
    program.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.version') return { command: 'version' };
    // The first word of a family alone, such as `asof series`, is a mistake.
    const isMistake = error.code === 'commander.help';
    if (!isMistake && error.code !== 'commander.helpDisplayed') throw usageProblem(error, specs, argv);
    return { command: 'help', words: wordsOf(specs, argv), isMistake };
  }
  const [line] = lines;
  if (line === undefined) throw new Error(`nothing was parsed: ${argv.join(' ')}`);
  return line;
}

/** Returns the texts of the typed flags, by name; throws a Problem for a flag that is wrongly repeated. */
function flagTexts(spec: CommandSpec<unknown>, command: Command): ReadonlyMap<string, readonly string[]> {
  const typed = new Map<string, readonly string[]>();
  for (const option of command.options) {
    const attribute = option.attributeName();
    if (command.getOptionValueSource(attribute) !== 'cli') continue;
    const name = (option.long ?? '').slice('--'.length);
    const value: unknown = command.getOptionValue(attribute);
    const texts = Array.isArray(value) ? value.map(String) : [];
    const [first = '', second] = texts;
    if (second !== undefined && spec.flags.find((flag) => flag.name === name)?.repeatable !== true)
      throw new Problem('bad-input', `--${name} is given twice: ${quoted(first)} and ${quoted(second)}`, {
        hints: ['leave one of them out'],
      });
    typed.set(name, texts);
  }
  return typed;
}

function checkArguments(spec: CommandSpec<unknown>, typed: readonly string[]): void {
  const { words, args, surplus } = spec;
  if (typed.length <= args.length || args.some(({ several }) => several === true)) return;
  const [first = '', ...others] = typed.slice(args.length);
  const free = [...spec.flags];
  const meant = [first, ...others].map((text) => {
    const index = free.findIndex(({ accepts }) => accepts?.(text) === true);
    return index === -1 ? undefined : `--${free.splice(index, 1)[0]?.name} ${text}`;
  });
  const line = ['asof', words, ...typed.slice(0, args.length), ...meant].join(' ');
  const found = meant.includes(undefined) ? `asof ${words} --help lists its flags` : `did you mean ${line}?`;
  throw new Problem('bad-input', `unexpected argument ${quoted(first)} for 'asof ${words}'`, {
    hints: [surplus ?? found],
  });
}

function quoted(value: string): string {
  return /^[\w./:-]+$/.test(value) ? value : JSON.stringify(value);
}

type OtherWord = readonly [words: RegExp, linesFor: (typed: string) => readonly string[]];

/** Words that people type for commands of another name, and what to type for them. */
const otherWords: readonly OtherWord[] = [
  [
    /^(?:chart|draw|graph|plot)$/,
    (ids) => [`asof observations ${ids || 'ID'} --plot draws ${ids || 'a series'}`],
  ],
  [
    /^(?:find|list|ls|search)$/,
    (text) => [`asof series search${text && ` ${text}`} lists ${text ? 'what it finds' : 'the series'}`],
  ],
  [
    /^(?:download|export|save)$/,
    (ids) => [
      `asof observations ${ids || 'ID'} -o FILE.csv writes values; the endings .xlsx, .parquet and .json do too`,
      `asof facts ${ids || 'ID'} -o FILE.csv writes every value that was ever published`,
      `asof pull fred ${ids || 'ID'} downloads from FRED into your store`,
    ],
  ],
  [/^(?:fetch|get|show|values)$/, (ids) => [`asof observations ${ids || 'ID'} shows values`]],
];

function usageProblem(
  { code, message }: CommanderError,
  specs: readonly CommandSpec<unknown>[],
  argv: readonly string[],
): Problem {
  const [, said = '', meant] = /^(?:error: )?(.*)(?:\n\(Did you mean (.*)\))?/.exec(message) ?? [];
  // The value of a flag may be secret, such as the password of a database.
  const detail = code === 'commander.unknownOption' ? said.replace(/=.*'$/s, "'") : said;
  const hintsOf = (): readonly string[] => {
    const [word = '', ...rest] = argv;
    const typed = rest.filter((text) => !text.startsWith('-')).join(' ');
    const named = firstWordOf(specs, word);
    const called = wordsOf(specs, argv).join(' ');
    const spec = specs.find(({ words }) => words === called);
    const use = named === undefined && otherWords.find(([words]) => words.test(word));
    if (use) return [...use[1](typed), 'asof help lists the commands'];
    if (meant !== undefined) return [`did you mean ${meant}`];
    if (code === 'commander.unknownOption' && named === undefined) return hintsOfOrder(specs, argv);
    if (code === 'commander.missingArgument' && spec !== undefined)
      return [`usage: asof ${[spec.words, ...spec.args.map(termOf)].join(' ')}`];
    if (code !== 'commander.unknownCommand') return [];
    if (named !== undefined) return [`use ${named.specs.map(({ words }) => `asof ${words}`).join(', ')}`];
    const id = /^[A-Z]/.test(word) || typed === '' ? word : typed;
    return /^[A-Za-z][\w^.-]*$/.test(word)
      ? [`for the values of a series: asof observations ${id}`, 'asof help lists the commands']
      : [];
  };
  return new Problem('bad-input', detail, { hints: hintsOf() });
}

/** Says where a flag of a command belongs that stands before it, without its value, which may be secret. */
function hintsOfOrder(
  specs: readonly CommandSpec<unknown>[],
  [typed = '', ...rest]: readonly string[],
): readonly string[] {
  const [name = ''] = typed.replace(/^--?/, '').split('=');
  const word = rest.find((one) => firstWordOf(specs, one) !== undefined);
  const flags = firstWordOf(specs, word)?.specs.flatMap((spec) => spec.flags) ?? [];
  const flag = flags.find((one) => one.name === name || one.short === name);
  if (flag === undefined) return [];
  const value = flag.value === undefined ? '' : ` ${flag.value.toUpperCase()}`;
  return [`put it after the command: asof ${word} … --${flag.name}${value}`];
}

function wordsOf(
  specs: readonly CommandSpec<unknown>[],
  [first, second]: readonly string[],
): readonly string[] {
  const named = firstWordOf(specs, first);
  if (named === undefined) return [];
  const isSecond = named.isFamily && named.specs.some((spec) => secondWord(spec) === second);
  return second !== undefined && isSecond ? [named.name, second] : [named.name];
}

/** Refuses a format or columns that the query cannot give, as far as that is clear without the data. */
export function checkOutput({ query, output }: QueryLine): void {
  const { drawn, columns } = outputChoice(output, {}, shapesOf(query));
  const layout = query.question.layout(query.values);
  if (!drawn && layout !== undefined) selectColumns(layout.fields, layout.columns, columns);
}

type OnParsed<Line> = (spec: CommandSpec<Line>, command: Command) => void;

/** Makes the commander program of commands; to save time, only those that begin with `word` get their flags. */
export function programOf<Line>(
  specs: readonly CommandSpec<Line>[],
  word: string | undefined,
  onParsed: OnParsed<Line>,
): Command {
  const root = silent(new Command('asof'))
    .description(
      'Point-in-time economic data: series as they were known on a date, treasury curves, insider trades',
    )
    .version('', '-V, --version', 'print the version')
    .configureHelp({ subcommandTerm: (command) => [command.name(), ...command.aliases()].join('|') });
  const named = firstWordOf(specs, word);
  for (const first of named === undefined ? firstWords(specs) : [named]) {
    const [only] = first.specs;
    const command = silent(root.command(first.name))
      .helpGroup(`${first.heading}:`)
      .description(first.summary);
    if (only?.alias !== undefined) command.alias(only.alias);
    if (first.name !== named?.name || only === undefined) continue;
    if (!first.isFamily) define(command, only, onParsed);
    else for (const spec of first.specs) define(silent(command.command(secondWord(spec))), spec, onParsed);
  }
  return root;
}

/** Makes a command silent: it prints nothing, and throws instead of ending the process. */
function silent(command: Command): Command {
  return command
    .exitOverride()
    .allowExcessArguments()
    .helpCommand(false)
    .helpOption('-h, --help', 'show help')
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined, outputError: () => undefined });
}

function define<Line>(command: Command, spec: CommandSpec<Line>, onParsed: OnParsed<Line>): void {
  const { summary, args, flags } = spec;
  command.description(summary);
  const terms = args.map(termOf);
  for (const [i, { name, about: text = '' }] of args.entries()) {
    const isInner = args[i]?.several === true && i < args.length - 1;
    command.addArgument(new Argument(isInner ? `<${name}>` : (terms[i] ?? ''), text));
    // Commander allows several arguments only at the end; the command separates those before it.
    if (isInner) command.usage(`[options] ${terms.join(' ')}`);
  }
  for (const flag of flags) command.addOption(optionOf(flag));
  command.action(() => onParsed(spec, command));
}

/** Formats an argument for usage: `<id...>` for several, `[text]` for an optional one. */
function termOf({ name, optional, several }: ArgumentSpec): string {
  const shown = several === true ? `${name}...` : name;
  return optional === true ? `[${shown}]` : `<${shown}>`;
}

function optionOf({ name, short, value, about, choices, fallback, required, group }: Flag): Option {
  const names = `${short === undefined ? '' : `-${short}, `}--${name}`;
  const shown = [
    about,
    ...(choices === undefined ? [] : [`: ${choices.join(', ')}`]),
    ...(fallback === undefined ? [] : [` (default ${fallback})`]),
  ];
  const option = new Option(value === undefined ? names : `${names} <${value}>`, shown.join(''));
  // Keeps every text: the reader of a flag refuses a second one.
  if (value !== undefined) option.argParser<readonly string[]>((text, texts = []) => [...texts, text]);
  if (group !== undefined) option.helpGroup(`${group}:`);
  return option.makeOptionMandatory(required === true);
}
