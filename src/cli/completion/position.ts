import type { AnyCommand } from '../../lines/command.ts';
import { type FirstWord, firstWordOf, isFamily, secondWord } from '../../lines/first-words.ts';
import type { ArgumentSpec, Flag } from '../../operations/flag.ts';

/** What may be typed at the cursor. */
type Expected =
  | { readonly kind: 'first word' }
  | { readonly kind: 'second word'; readonly family: FirstWord }
  | { readonly kind: 'help' }
  | { readonly kind: 'flag' }
  | { readonly kind: 'value'; readonly flag: Flag }
  | { readonly kind: 'argument'; readonly candidates: readonly ArgumentSpec[] }
  | { readonly kind: 'nothing' };

/** The position of the cursor in a command line. */
export type CursorPosition = {
  readonly expected: Expected;
  /** The command, if the words before call one. */
  readonly spec: AnyCommand | undefined;
  /** The flags of the command that can be typed. */
  readonly known: readonly Flag[];
  /** The flags that were typed, by name, with their values. */
  readonly flags: ReadonlyMap<string, string>;
  /** The arguments that were typed. */
  readonly typed: readonly string[];
  /** The part of the current word that stays as it is, such as `--format=`. */
  readonly lead: string;
  /** The part of the current word that is completed. */
  readonly text: string;
};

const help: Flag = { name: 'help', short: 'h', about: 'show help' };
const version: Flag = { name: 'version', short: 'V', about: 'print the version' };

/** The position after `words`, in the word that begins with `current`. */
export function positionIn(
  specs: readonly AnyCommand[],
  words: readonly string[],
  current: string,
): CursorPosition {
  const { spec, family, rest } = commandIn(specs, words);
  const known = [
    ...(spec?.flags ?? []),
    ...(spec === undefined && family === undefined ? [version] : []),
    help,
  ];
  const { flags, typed, waiting, onlyArguments } = scanned(known, rest);
  const within = { spec, known, flags, typed, lead: '', text: current };
  if (waiting !== undefined) return { ...within, expected: { kind: 'value', flag: waiting } };
  if (!onlyArguments && current.startsWith('-')) {
    const { flag, lead } = valueStarted(known, current) ?? {};
    if (flag === undefined || lead === undefined) return { ...within, expected: { kind: 'flag' } };
    return { ...within, expected: { kind: 'value', flag }, lead, text: current.slice(lead.length) };
  }
  if (spec !== undefined) return { ...within, expected: operandExpected(spec, typed, current) };
  if (typed.length > 0) return { ...within, expected: { kind: 'nothing' } };
  return {
    ...within,
    expected: family === undefined ? { kind: 'first word' } : { kind: 'second word', family },
  };
}

/** The command that words call, or the family that they begin, and the words after it. */
function commandIn(specs: readonly AnyCommand[], words: readonly string[]) {
  const [first, second] = words;
  const named = firstWordOf(specs, first);
  if (named === undefined) return { rest: words };
  if (!isFamily(named)) return { spec: named.specs[0], rest: words.slice(1) };
  const spec = named.specs.find((one) => secondWord(one) === second);
  return spec === undefined ? { family: named, rest: words.slice(1) } : { spec, rest: words.slice(2) };
}

/** What the words after a command mean: flags with their values, arguments, and a flag whose value is missing. */
function scanned(known: readonly Flag[], words: readonly string[]) {
  const flags = new Map<string, string>();
  const typed: string[] = [];
  let waiting: Flag | undefined;
  let onlyArguments = false;
  for (const word of words) {
    if (waiting !== undefined) {
      flags.set(waiting.name, word);
      waiting = undefined;
    } else if (onlyArguments || word === '-' || !word.startsWith('-')) typed.push(word);
    else if (word === '--') onlyArguments = true;
    else {
      const { flag, lead = word } = valueStarted(known, word) ?? { flag: flagTyped(known, word) };
      if (flag === undefined) continue;
      flags.set(flag.name, word.slice(lead.length));
      if (flag.value !== undefined && lead === word && !word.includes('=')) waiting = flag;
    }
  }
  return { flags, typed, waiting, onlyArguments };
}

/** The flag whose value starts within the word itself, as in `--format=csv` and `-fcsv`. */
function valueStarted(known: readonly Flag[], word: string): { flag: Flag; lead: string } | undefined {
  const lead = /^--[^=]+=|^-[^-](?=.)/.exec(word)?.[0];
  const flag = lead === undefined ? undefined : flagTyped(known, lead.replace(/=$/, ''));
  return lead === undefined || flag?.value === undefined ? undefined : { flag, lead };
}

function flagTyped(known: readonly Flag[], word: string): Flag | undefined {
  return known.find(
    ({ name, short }) => word === `--${name}` || (short !== undefined && word === `-${short}`),
  );
}

function operandExpected({ words, args }: AnyCommand, typed: readonly string[], current: string): Expected {
  if (words === 'help') return { kind: 'help' };
  const candidates = argumentsAfter(args, typed);
  if (candidates.length > 0) return { kind: 'argument', candidates };
  // No further argument: only a flag can follow.
  return { kind: current === '' ? 'flag' : 'nothing' };
}

/** The arguments that may follow those that were typed: after ids that end in dates, another id or the first date. */
function argumentsAfter(args: readonly ArgumentSpec[], typed: readonly string[]): readonly ArgumentSpec[] {
  const [first, ...dates] = args;
  if (first?.several === true && typed.length > 0) {
    const given = typed.filter(isDay).length;
    return given > 0 ? dates.slice(given, given + 1) : [first, ...dates.slice(0, 1)];
  }
  return args.slice(typed.length, typed.length + 1);
}

function isDay(text: string): boolean {
  return /^(\d{4}-\d\d-\d\d|-\d+[dwmy]|today|yesterday)$/.test(text);
}
