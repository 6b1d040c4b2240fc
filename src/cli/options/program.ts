import { Argument, Command, Option } from 'commander';
import type { CommandSpec } from './command.ts';
import { families, headings } from './commands.ts';
import type { Flag } from './flag.ts';

/** What becomes of a command that was parsed. */
type Parsed = (spec: CommandSpec, command: Command) => void;

/** The commander program of these commands; only those that begin with `word` have their flags, so that no other costs time. */
export function programOf(specs: readonly CommandSpec[], word: string | undefined, parsed: Parsed): Command {
  const root = bare(new Command('asof'))
    .description('Point-in-time economic data: series as they were known on a date, treasury curves')
    .version('', '-V, --version', 'print the version')
    .configureHelp({ subcommandTerm: (command) => [command.name(), ...command.aliases()].join('|') });
  for (const heading of headings) {
    const names = new Set(specs.filter((spec) => spec.heading === heading).map(firstWord));
    for (const name of names) {
      const family = families.find((one) => one.name === name);
      const own = specs.filter((spec) => firstWord(spec) === name);
      const [only] = own;
      const command = bare(root.command(name)).helpGroup(`${heading}:`);
      command.description(family?.summary ?? only?.summary ?? '');
      if (only?.alias !== undefined) command.alias(only.alias);
      if (word !== name && word !== only?.alias) continue;
      if (family === undefined && only !== undefined) define(command, only, parsed);
      else
        for (const spec of own)
          define(bare(command.command(spec.words.slice(name.length + 1))), spec, parsed);
    }
  }
  return root;
}

function firstWord({ words }: CommandSpec): string {
  return words.split(' ')[0] ?? '';
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
  const { summary, about, args, flags } = spec;
  command.summary(summary).description(about === undefined ? summary : `${summary}\n\n${about}`);
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
