import { Argument, Command, Option } from 'commander';
import type { CommandSpec } from './command.ts';
import { firstWordOf, firstWords, isFamily, secondWord } from './commands.ts';
import type { Flag } from './flag.ts';

/** What becomes of a command that was parsed. */
type Parsed = (spec: CommandSpec, command: Command) => void;

/** The commander program of these commands; of those that begin with `word` alone, if there are any, to save time. */
export function programOf(specs: readonly CommandSpec[], word: string | undefined, parsed: Parsed): Command {
  const root = bare(new Command('asof'))
    .description('Point-in-time economic data: series as they were known on a date, treasury curves')
    .version('', '-V, --version', 'print the version')
    .configureHelp({ subcommandTerm: (command) => [command.name(), ...command.aliases()].join('|') });
  const named = firstWordOf(specs, word);
  for (const first of named === undefined ? firstWords(specs) : [named]) {
    const [only] = first.specs;
    const command = bare(root.command(first.name)).helpGroup(`${first.heading}:`).description(first.summary);
    if (only?.alias !== undefined) command.alias(only.alias);
    if (first.name !== named?.name || only === undefined) continue;
    if (!isFamily(first)) define(command, only, parsed);
    else for (const spec of first.specs) define(bare(command.command(secondWord(spec))), spec, parsed);
  }
  return root;
}

function bare(command: Command): Command {
  return command
    .exitOverride()
    .allowExcessArguments(false)
    .helpCommand(false)
    .helpOption('-h, --help', 'show help')
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined, outputError: () => undefined });
}

function define(command: Command, spec: CommandSpec, parsed: Parsed): void {
  const { summary, args, flags } = spec;
  command.description(summary);
  for (const { name, about: text = '', optional, several } of args) {
    const shown = several === true ? `${name}...` : name;
    command.addArgument(new Argument(optional === true ? `[${shown}]` : `<${shown}>`, text));
  }
  for (const flag of flags) command.addOption(optionOf(flag));
  command.action(() => parsed(spec, command));
}

function optionOf({ name, short, value, about, choices, fallback, required, group }: Flag): Option {
  const names = `${short === undefined ? '' : `-${short}, `}--${name}`;
  const shown = [
    about,
    ...(choices === undefined ? [] : [`: ${choices.join(', ')}`]),
    ...(fallback === undefined ? [] : [` (default ${fallback})`]),
  ];
  const option = new Option(value === undefined ? names : `${names} <${value}>`, shown.join(''));
  // Every text is kept: a flag that is given twice is refused where it is read.
  if (value !== undefined) option.argParser<readonly string[]>((text, texts = []) => [...texts, text]);
  if (group !== undefined) option.helpGroup(`${group}:`);
  return option.makeOptionMandatory(required === true);
}
