import { homedir } from 'node:os';
import { join } from 'node:path';
import { largestPage, pagesOf } from '../../client/pagination.ts';
import { maturities } from '../../domain/treasury/curve.ts';
import type { Row } from '../../operations/envelope.ts';
import { seriesSearch } from '../../operations/index.ts';
import { variable } from '../../platform/installation.ts';
import { formatNames } from '../../render/formats.ts';
import { chosenBaseUrl } from '../config/places.ts';
import { settings } from '../config/settings.ts';
import type { CommandSpec } from '../options/command.ts';
import { firstWordOf, firstWords, isFamily, secondWord } from '../options/commands.ts';
import type { ConnectionFlags } from '../options/line.ts';
import { topics } from '../options/service-commands.ts';
import { withClient } from '../run/session.ts';
import type { Io } from '../terminal/io.ts';
import type { CursorPosition } from './position.ts';
import { type Choice, type Choices, nothing, startingWith, wordsOf } from './scripts.ts';

/** Completes one kind of value at a position. */
type Completer = (position: CursorPosition, io: Io) => Choices | Promise<Choices>;

const files: Completer = () => ({ kind: 'files' });
const folders: Completer = () => ({ kind: 'folders' });
const day: Completer = () => wordsOf(['today', 'yesterday']);
const free: Completer = () => nothing;

/** How the values of flags are completed, by their names in help; words such as `par|tips` complete themselves. */
export const flagValues: Readonly<Record<string, Completer>> = {
  date: day,
  format: () => wordsOf(formatNames),
  id: ids,
  maturity: () => wordsOf(maturities),
  kind: async () =>
    described(
      (await import('../../import/formats/recognise.ts')).formats.map(({ kind, summary }) => [kind, summary]),
    ),
  plan: plans,
  file: files,
  path: files,
  dir: folders,
  ...named(free, 'cursor days form host n name names old=new port seconds symbol text time url'.split(' ')),
};

/** How arguments are completed, by their names in help. */
export const argumentValues: Readonly<Record<string, Completer>> = {
  id: ids,
  date1: day,
  date2: day,
  files,
  plan: files,
  dir: folders,
  name: () => described(settings),
  value: settingValues,
  ...named(free, ['text', 'key-id', 'words', 'names']),
};

function named(completer: Completer, names: readonly string[]): Readonly<Record<string, Completer>> {
  return Object.fromEntries(names.map((name) => [name, completer]));
}

/** What may be typed at a position, as far as asof knows it. */
export async function choicesAt(
  position: CursorPosition,
  specs: readonly CommandSpec[],
  io: Io,
): Promise<Choices> {
  return startingWith(await allAt(position, specs, io), position.text);
}

async function allAt(position: CursorPosition, specs: readonly CommandSpec[], io: Io): Promise<Choices> {
  const { expected, typed, text } = position;
  switch (expected.kind) {
    case 'first word':
      return described(commandsAfter(specs, []));
    case 'second word':
      return described(commandsAfter(specs, [expected.family.name]));
    case 'help':
      return described([
        ...commandsAfter(specs, typed),
        ...(typed.length === 0 ? topics.map((topic) => [topic, 'a topic'] as const) : []),
      ]);
    case 'flag':
      return described(unusedFlags(position));
    case 'value': {
      const { choices, value = '' } = expected.flag;
      const words = choices ?? wordsInHelp(value, text);
      return words === undefined ? completed(flagValues, value, position, io) : wordsOf(words);
    }
    case 'argument': {
      const all = await Promise.all(
        expected.candidates.map(({ choices, name }) =>
          choices === undefined ? completed(argumentValues, name, position, io) : wordsOf(choices),
        ),
      );
      const words = all.flatMap((one) => (one.kind === 'words' ? one.words : []));
      return all.find(({ kind }) => kind !== 'words') ?? { kind: 'words', words };
    }
    case 'nothing':
      return nothing;
  }
}

function completed(known: typeof flagValues, name: string, position: CursorPosition, io: Io) {
  return (Object.hasOwn(known, name) ? known[name] : free)?.(position, io) ?? nothing;
}

/** The words that help names instead of a value, as in `--type <par|tips>`; in the letter case that is being typed. */
function wordsInHelp(value: string, text: string): readonly string[] | undefined {
  if (!value.includes('|')) return undefined;
  return (/[A-Z]/.test(text) ? value.toUpperCase() : value).split('|');
}

function described(pairs: readonly (readonly [value: string, about: string])[]): Choices {
  return { kind: 'words', words: pairs.map(([value, about]) => ({ value, about })) };
}

/** The commands that can follow these words, with their summaries. */
function commandsAfter(
  specs: readonly CommandSpec[],
  words: readonly string[],
): readonly (readonly [string, string])[] {
  if (words.length === 0) return firstWords(specs).map(({ name, summary }) => [name, summary]);
  const family = words.length === 1 ? firstWordOf(specs, words[0]) : undefined;
  if (family === undefined || !isFamily(family)) return [];
  return family.specs.map((spec) => [secondWord(spec), spec.summary]);
}

function unusedFlags({ known, flags }: CursorPosition): readonly (readonly [string, string])[] {
  return known.flatMap(({ name, short, about, repeatable }) => {
    if (flags.has(name) && repeatable !== true) return [];
    const names = [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
    return names.map((word) => [word, about] as const);
  });
}

async function ids({ text, typed, flags }: CursorPosition, io: Io): Promise<Choices> {
  const [store, baseUrl] = [flags.get('store'), flags.get('base-url')];
  const source = {
    ...(store !== undefined && { store: fromHome(store, io) }),
    ...(baseUrl !== undefined && { baseUrl }),
  };
  const taken = new Set(typed.map((id) => id.toUpperCase()));
  const found = await seriesIds(text, source, io);
  return { kind: 'words', words: found.filter(({ value }: Choice) => !taken.has(value)) };
}

async function plans({ flags }: CursorPosition, io: Io): Promise<Choices> {
  const { loadPlans } = await import('../../server/keys/plans.ts');
  const file = flags.get('plans');
  return wordsOf([...(await loadPlans(file === undefined ? undefined : fromHome(file, io))).keys()]);
}

/** The values of the setting that was named before. */
function settingValues({ typed: [name = ''] }: CursorPosition): Choices {
  if (name === 'format') return wordsOf(formatNames);
  return name === 'store' ? { kind: 'files' } : nothing;
}

/** A path as it was typed: at completion the shell has not yet expanded `~`. */
function fromHome(path: string, io: Io): string {
  return path.startsWith('~/') ? join(variable(io, 'HOME') ?? homedir(), path.slice(2)) : path;
}

/** Seconds that a shell waits for ids after TAB. */
export const lookupSeconds = 1;

/**
 * Series whose ids start with a text, at most one page of the contract, from the store or service that the command would
 * ask. A service gets one request, which counts against the quota, and no retry.
 */
async function seriesIds(
  text: string,
  source: Pick<ConnectionFlags, 'store' | 'baseUrl'>,
  io: Io,
): Promise<readonly Choice[]> {
  const isRemote = chosenBaseUrl(io, source) !== undefined;
  const flags = {
    connection: { ...source, timeout: lookupSeconds, retries: 0, maxWait: 0 },
    messages: { quiet: true, verbose: false, debug: false },
  };
  return withClient(flags, io, async (client) => {
    const found: Choice[] = [];
    const pages = isRemote
      ? [
          await client.ask(seriesSearch, [
            ['q', text],
            ['limit', String(largestPage)],
          ]),
        ]
      : pagesOf(client, seriesSearch, [['q', text]], {}, io.signal);
    for await (const page of pages) {
      found.push(...page.results.map(choiceOf).filter(({ value }) => startsWithId(value, text)));
      if (found.length >= largestPage) break;
    }
    return found.slice(0, largestPage);
  });
}

/** The title of a series without one is its id. */
function choiceOf({ id, title }: Row): Choice {
  return { value: String(id), ...(title !== id && { about: String(title ?? '') }) };
}

/** Whether an id starts with the text; one that starts with a dash would be read as a flag. */
function startsWithId(id: string, text: string): boolean {
  return id.startsWith(text.toUpperCase()) && !id.startsWith('-');
}
