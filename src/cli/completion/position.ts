import type { Argument, Command, Option } from 'commander';

/** What may stand at the cursor. */
type Wanted =
  | { readonly kind: 'command' }
  | { readonly kind: 'help' }
  | { readonly kind: 'flag' }
  | { readonly kind: 'value'; readonly option: Option }
  | { readonly kind: 'argument'; readonly argument: Argument }
  | { readonly kind: 'nothing' };

/** Where the cursor stands in a command line: in which command, after what, and within which word. */
export type Position = {
  readonly command: Command;
  /** The flags that were typed, by their long names, with their values. */
  readonly flags: ReadonlyMap<string, string>;
  readonly typed: readonly string[];
  readonly wanted: Wanted;
  /** The part of the word that stays as it is, such as `--format=`. */
  readonly lead: string;
  /** The part of the word that is to be completed. */
  readonly text: string;
};

/** The position after `words`, within the word that begins with `current`; every command that they name is defined. */
export function positionIn(root: Command, words: readonly string[], current: string): Position {
  const { command, rest } = commandOf(root, words);
  const { flags, typed, waiting, onlyArguments } = scanned(command, rest);
  const within = { command, flags, typed, lead: '', text: current };
  if (waiting !== undefined) return { ...within, wanted: { kind: 'value', option: waiting } };
  if (!onlyArguments && current.startsWith('-')) {
    const { option, lead } = valueBegun(command, current) ?? {};
    if (option === undefined || lead === undefined) return { ...within, wanted: { kind: 'flag' } };
    return { ...within, wanted: { kind: 'value', option }, lead, text: current.slice(lead.length) };
  }
  return { ...within, wanted: operandWanted(command, typed.length, current) };
}

/** The flags of a command that help shows. */
export function flagsOf(command: Command): readonly Option[] {
  return command.createHelp().visibleOptions(command);
}

function commandOf(root: Command, words: readonly string[]): { command: Command; rest: readonly string[] } {
  let [command, depth] = [root, 0];
  for (const word of words) {
    const next = command.commands.find((child) => child.name() === word || child.aliases().includes(word));
    if (next === undefined) break;
    [command, depth] = [next, depth + 1];
  }
  return { command, rest: words.slice(depth) };
}

/** What the words after a command mean: flags with their values, arguments, and a flag whose value is still to come. */
function scanned(command: Command, words: readonly string[]) {
  const flags = new Map<string, string>();
  const typed: string[] = [];
  let waiting: Option | undefined;
  let onlyArguments = false;
  for (const word of words) {
    if (waiting !== undefined) {
      flags.set(longOf(waiting), word);
      waiting = undefined;
    } else if (onlyArguments || word === '-' || !word.startsWith('-')) typed.push(word);
    else if (word === '--') onlyArguments = true;
    else {
      const { option, lead = word } = valueBegun(command, word) ?? { option: flagNamed(command, word) };
      if (option === undefined) continue;
      flags.set(longOf(option), word.slice(lead.length));
      if (option.required && lead === word && !word.includes('=')) waiting = option;
    }
  }
  return { flags, typed, waiting, onlyArguments };
}

/** The flag whose value begins within the word itself, as in `--format=csv` and `-fcsv`. */
function valueBegun(command: Command, word: string): { option: Option; lead: string } | undefined {
  const lead = /^--[^=]+=|^-[^-](?=.)/.exec(word)?.[0];
  const option = lead === undefined ? undefined : flagNamed(command, lead.replace(/=$/, ''));
  return lead === undefined || option?.required !== true ? undefined : { option, lead };
}

function flagNamed(command: Command, word: string): Option | undefined {
  return command.options.find(({ long, short }) => long === word || short === word);
}

function longOf(option: Option): string {
  return option.long ?? option.short ?? option.flags;
}

function operandWanted(command: Command, before: number, current: string): Wanted {
  if (command.commands.length > 0) return { kind: before === 0 ? 'command' : 'nothing' };
  if (command.name() === 'help') return { kind: 'help' };
  const declared = command.registeredArguments;
  const last = declared.at(-1);
  const argument = declared[before] ?? (last?.variadic === true ? last : undefined);
  if (argument !== undefined) return { kind: 'argument', argument };
  // No argument can come: what else can is a flag.
  return { kind: current === '' ? 'flag' : 'nothing' };
}
