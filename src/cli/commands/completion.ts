import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { largestPage, pagesOf } from '../../client/pagination.ts';
import { symbolsOf } from '../../domain/insider/filing.ts';
import { formulas, nameOfSeries, transformationChoices } from '../../domain/series/transformation.ts';
import { Problem } from '../../errors/problem.ts';
import { listed } from '../../errors/wording.ts';
import type { AnyCommand } from '../../lines/command.ts';
import { firstWordOf, firstWords, secondWord } from '../../lines/read-line.ts';
import type { Row } from '../../operations/envelope.ts';
import { firstFilingDay, insiderFilings } from '../../operations/insiders/filings.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Params, ParamTexts } from '../../operations/param.ts';
import { seriesSearch } from '../../operations/series/series.ts';
import { type ArgumentSpec, type Flag, TypedLine } from '../../operations/typed-line.ts';
import { type Completion, clockAt } from '../../operations/value.ts';
import { defined } from '../../platform/defined.ts';
import { variable } from '../../platform/installation.ts';
import { unlessAborted } from '../../platform/promises.ts';
import { print } from '../../platform/sink.ts';
import { printable } from '../../render/printable.ts';
import { type Choice, type Choices, shells } from '../completion/scripts.ts';
import { chosenBaseUrl, type Setting, settings, storeToRead } from '../config/settings.ts';
import { withClient } from '../run/session.ts';
import { exitCode, type Io } from '../terminal/io.ts';
import { messagesOf } from '../terminal/messages.ts';
import { command, type LoadCommands } from './command.ts';

const shellNames = Object.keys(shells) as readonly (keyof typeof shells)[];

const complete = command({
  words: 'completion',
  heading: 'Setup',
  summary: 'Print the completion script for bash, zsh or fish',
  examples: `
# in bash: a line for ~/.bashrc
source <(asof completion bash)
# in zsh: a line for ~/.zshrc (needs zsh)
source <(asof completion zsh)
# in fish: once
mkdir -p ~/.config/fish/completions && asof completion fish > ~/.config/fish/completions/asof.fish
`,
  args: [
    { name: 'shell', about: shellNames.join(', '), choices: shellNames },
    { name: 'words', about: 'what was typed so far (sent by the script)', optional: true, several: true },
  ],
  parts: {},
  async run({ args: [name = '', ...sent] }, io, load) {
    const known = shellNames.find((one) => one === name);
    if (known === undefined)
      throw new Problem('bad-input', `unknown shell '${name}': use ${listed(shellNames, 'or')}`);
    const shell = shells[known];
    if (sent.length === 0) return print(shell.script, io);
    await print(`${(await answerOf(shell, sent, io, load)).join('\n')}\n`, io);
    // The name lookup of a service may still run, and the shell waits for the process to end.
    io.leave?.(exitCode.success);
  },
});

/** `asof completion`: prints the script for a shell, or answers it at each TAB. */
export const commands = [complete];

/** Lists what may be typed next; nothing after an error or a timeout, as an error at a prompt does not help. */
async function answerOf(
  shell: (typeof shells)[keyof typeof shells],
  sent: readonly string[],
  io: Io,
  load: LoadCommands,
): Promise<readonly string[]> {
  const request = shell.request(sent);
  if (request === undefined) return shell.answer('files', '', sent);
  const answer = async () => {
    const position = positionIn(await load(), request.words, request.current);
    const offered = startingWith(await position.offer(position, io), position.text);
    return shell.answer(offered, position.lead, sent);
  };
  const timeout = AbortSignal.timeout(lookupSeconds * 1000);
  return unlessAborted(timeout, answer()).catch(() => shell.answer([], '', sent));
}

type Completer = (position: CursorPosition, io: Io) => Choices | Promise<Choices>;

const completers: Readonly<Record<Extract<Completion, string>, Completer>> = {
  aliases,
  columns,
  days: () => wordsOf(['today', 'yesterday']),
  files: () => 'files',
  followed,
  folders: () => 'folders',
  ids,
  kinds: async () => {
    const { formats } = await import('../../import/formats/recognise.ts');
    return formats.map(({ kind, summary }) => ({ value: kind, about: summary.join('') }));
  },
  plans,
  'setting values': settingValues,
  settings: () => Object.entries(settings).map(([value, { about }]) => ({ value, about })),
  subjects,
  tickers,
};

function completed(
  how: Completion | undefined,
  position: CursorPosition,
  io: Io,
): Choices | Promise<Choices> {
  return typeof how === 'string' ? completers[how](position, io) : wordsOf(how ?? []);
}

function valueOffer(...candidates: readonly Pick<Flag, 'choices' | 'complete' | 'value'>[]): Completer {
  return async (position, io) => {
    const all = await Promise.all(
      candidates.map(({ choices, value = '', complete }) =>
        completed(choices ?? wordsInHelp(value, position.text) ?? complete, position, io),
      ),
    );
    const places = all.find((one) => typeof one === 'string');
    return places ?? all.flatMap((one) => (typeof one === 'string' ? [] : one));
  };
}

function wordsInHelp(value: string, text: string): readonly string[] | undefined {
  if (!value.includes('|')) return undefined;
  return (/[A-Z]/.test(text) ? value.toUpperCase() : value).split('|');
}

function commandsAfter(specs: readonly AnyCommand[], words: readonly string[]): readonly Choice[] {
  if (words.length === 0)
    return firstWords(specs).map(({ name, summary }) => ({ value: name, about: summary }));
  const family = words.length === 1 ? firstWordOf(specs, words[0]) : undefined;
  if (family === undefined || !family.isFamily) return [];
  return family.specs.map((spec) => ({ value: secondWord(spec), about: spec.summary }));
}

function unusedFlags({ known, flags }: CursorPosition): Choices {
  const unused = known.filter(({ name, repeatable }) => !flags.has(name) || repeatable === true);
  return unused.flatMap(({ name, short, about }) => [
    { value: `--${name}`, about },
    ...(short === undefined ? [] : [{ value: `-${short}`, about }]),
  ]);
}

async function ids(position: CursorPosition, io: Io): Promise<Choices> {
  const { text } = position;
  const taken = new Set(position.typed.map((id) => id.toUpperCase()));
  // What follows a colon may be units of the series, or the rest of its id.
  const takesUnits = position.known.some(({ name }) => name === 'units');
  const before = takesUnits ? text.slice(0, Math.max(0, text.lastIndexOf(':'))) : '';
  const found = await lookUp(seriesSearch, [['q', before || text]], position, io, ({ id, title }) => {
    if (id === before.toUpperCase())
      return transformationChoices.units.map((units) => {
        return { value: nameOfSeries({ id, units }), about: formulas[units].about };
      });
    return startsWithId(id, text) ? [{ value: id, ...(title !== id && { about: title }) }] : [];
  });
  const named = chosenBaseUrl(io, sourceOf(position, io)) === undefined ? await aliases(position, io) : [];
  return [...found, ...named].filter(({ value }) => !taken.has(value));
}

/** Offers the aliases of the store of the command. */
async function aliases(position: CursorPosition, io: Io): Promise<readonly Choice[]> {
  const { listAliases } = await import('../../maintenance/series.ts');
  const { path } = storeToRead(io, sourceOf(position, io).store);
  const listed = await listAliases(path);
  return listed.map(({ name, id }) => ({ value: name, about: id }));
}

/** Offers what a live source has, and what the store of the command follows there. */
async function subjects(position: CursorPosition, io: Io): Promise<readonly Choice[]> {
  const { pullSources } = await import('../../pull/sources.ts');
  const { catalogue = [] } = pullSources.find(({ name }) => name === position.typed[0]) ?? {};
  const offered = catalogue.map(({ name, title }) => ({ value: name, about: title }));
  const others = (await followed(position, io)).filter(
    ({ value }) => !offered.some((one) => one.value === value),
  );
  return [...offered, ...others].filter(({ value }) => !position.typed.includes(value));
}

/** Offers what the store of the command follows at a live source, by the part of a name that is typed. */
async function followed(position: CursorPosition, io: Io): Promise<readonly Choice[]> {
  const { followedIn } = await import('../../pull/sources.ts');
  const [source, ...typed] = position.typed;
  const records = await followedIn(storeToRead(io, sourceOf(position, io).store).path);
  return records.flatMap(({ source: own, name }) => {
    if (own !== source || typed.includes(name)) return [];
    const isBegun = name.toLowerCase().startsWith(position.text.toLowerCase());
    // A pull takes a key without what precedes it in the id: `ECB:` or `cik`.
    return [{ value: isBegun ? name : name.replace(/^\w+[: ]/, '') }];
  });
}

function sourceOf({ flags }: CursorPosition, io: Io) {
  const store = flags.get('store');
  return defined({ store: store && fromHome(store, io), baseUrl: flags.get('base-url') });
}

/** Reads the symbols of the newest filings, as many as possible while the shell waits. */
async function tickers(position: CursorPosition, io: Io): Promise<Choices> {
  const seen = new Set<string>();
  const found = await lookUp(insiderFilings, [['from', firstFilingDay]], position, io, (row) =>
    symbolsOf(row.ticker).flatMap((value) => {
      if (seen.has(value) || !startsWithId(value, position.text)) return [];
      seen.add(value);
      return [{ value, about: row.issuer_name ?? '' }];
    }),
  );
  return [...found].sort((a, b) => (a.value < b.value ? -1 : 1));
}

/** Offers the columns of the query that is being typed, after the names before the last comma. */
function columns(position: CursorPosition, io: Io): Choices {
  const named = position.text.split(',').slice(0, -1);
  const rest = columnsOf(position, io).filter((name) => !named.includes(name));
  return wordsOf(rest.map((name) => [...named, name].join(',')));
}

/** Returns the columns of a query, or of its command if the other flags cannot be read. */
function columnsOf({ spec, typed, flags }: CursorPosition, io: Io): readonly string[] {
  if (spec === undefined) return [];
  // A value that is not typed yet: a day, or an id of no known series.
  const filling = (name = '') => (name.startsWith('date') ? 'yesterday' : '*');
  const args = spec.args.slice(typed.length).filter(({ optional }) => optional !== true);
  const whole = [...typed, ...args.map(({ name }) => filling(name))];
  const required = spec.flags.filter((flag) => flag.required === true);
  const least = required.map(({ name, value }) => [name, filling(value)] as const);
  for (const flagTexts of [[...least, ...flags], least])
    try {
      const texts = flagTexts.map(([name, text]) => [name, [text]] as const);
      const line = spec.read(new TypedLine(whole, new Map(texts), clockAt(io.clock())));
      if (line.command !== 'query') return [];
      return line.query.question.layout(line.query.values)?.fields.map(({ name }) => name) ?? [];
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  return [];
}

async function plans({ flags }: CursorPosition, io: Io): Promise<Choices> {
  const { loadPlans } = await import('../../server/keys/plans.ts');
  const file = flags.get('plans');
  return wordsOf([...(await loadPlans(file === undefined ? undefined : fromHome(file, io))).keys()]);
}

function settingValues(position: CursorPosition, io: Io): Choices | Promise<Choices> {
  const [name] = position.typed;
  const value = Object.entries<Setting>(settings).find(([one]) => one === name)?.[1].value;
  return completed(value?.complete ?? (value?.schema.enum as readonly string[] | undefined), position, io);
}

/** Expands `~` in a path, which the shell has not done yet at completion. */
function fromHome(path: string, io: Io): string {
  return path.startsWith('~/') ? join(variable(io, 'HOME') ?? homedir(), path.slice(2)) : path;
}

const lookupSeconds = 1;

/** The time for a store: what was found by then is offered while the shell still waits. */
const readingMilliseconds = 500;

/**
 * Reads what the rows of an operation offer, at most one page, from the store or service of the command.
 * A service gets one request, which counts against the quota, and no retry.
 */
async function lookUp<R extends Row>(
  operation: Operation<Params, R>,
  texts: ParamTexts,
  position: CursorPosition,
  io: Io,
  offered: (row: R) => readonly Choice[],
): Promise<readonly Choice[]> {
  const source = sourceOf(position, io);
  const connection = { ...source, timeout: lookupSeconds, retries: 0, maxWait: 0 };
  const messages = messagesOf({ quiet: true, verbose: false, debug: false }, io);
  return withClient({ connection, messages }, io, async (client) => {
    const found: Choice[] = [];
    const until = Date.now() + readingMilliseconds;
    const pages =
      chosenBaseUrl(io, source) === undefined
        ? pagesOf(client, operation, texts, { stopsEarly: true }, io.signal)
        : [await client.ask(operation, [...texts, ['limit', String(largestPage)]])];
    for await (const page of pages) {
      found.push(...page.results.flatMap(offered));
      if (found.length >= largestPage || Date.now() > until) break;
    }
    return found.slice(0, largestPage);
  });
}

/** Tells whether an id starts with a text; one with a dash would be read as a flag. */
function startsWithId(id: string, text: string): boolean {
  return id.startsWith(text.toUpperCase()) && !id.startsWith('-');
}

type CursorPosition = {
  readonly offer: Completer;
  readonly spec: AnyCommand | undefined;
  readonly known: readonly Flag[];
  readonly flags: ReadonlyMap<string, string>;
  readonly typed: readonly string[];
  /** The part of the current word that stays, such as `--format=`. */
  readonly lead: string;
  readonly text: string;
};

const help: Flag = { name: 'help', short: 'h', about: 'show help' };
const version: Flag = { name: 'version', short: 'V', about: 'print the version' };

function positionIn(specs: readonly AnyCommand[], words: readonly string[], current: string): CursorPosition {
  const first = firstWordOf(specs, words[0]);
  const isFamily = first?.isFamily === true;
  const spec = isFamily ? first.specs.find((one) => secondWord(one) === words[1]) : first?.specs[0];
  const called = spec === undefined ? Number(isFamily) : spec.words.split(' ').length;
  const known = [...(spec?.flags ?? []), ...(first === undefined ? [version] : []), help];
  const { tokens } = parseArgs({
    args: [...words.slice(called), current],
    options: Object.fromEntries(
      known.map(({ name, short, value }) => [
        name,
        { type: value === undefined ? 'boolean' : 'string', ...defined({ short }) },
      ]),
    ),
    ...{ allowPositionals: true, strict: false, tokens: true },
  });
  const [last, before] = [tokens.at(-1), tokens.slice(0, -1)];
  const flags = new Map(
    before.flatMap((one) => (one.kind === 'option' ? [[one.name, one.value ?? '']] : [])),
  );
  const typed = before.flatMap((one) => (one.kind === 'positional' ? [one.value] : []));
  const within = { spec, known, flags, typed, lead: '', text: current };
  const option = last?.kind === 'option' && last.value !== undefined ? last : undefined;
  const flag = known.find(({ name, value }) => name === option?.name && value !== undefined);
  if (option !== undefined && flag !== undefined) {
    const text = option.value;
    const lead = current.slice(0, current.length - text.length);
    return { ...within, offer: valueOffer(flag), lead, text };
  }
  if (current.startsWith('-') && !before.some(({ kind }) => kind === 'option-terminator'))
    return { ...within, offer: unusedFlags };
  if (spec !== undefined) return { ...within, offer: operandOffer(specs, spec, typed, current) };
  return { ...within, offer: () => (typed.length > 0 ? [] : commandsAfter(specs, words.slice(0, called))) };
}

function operandOffer(
  specs: readonly AnyCommand[],
  { words, args }: AnyCommand,
  typed: readonly string[],
  current: string,
): Completer {
  if (words === 'help') {
    const topics = typed.length === 0 ? (args[0]?.choices ?? []) : [];
    return () => [...commandsAfter(specs, typed), ...topics.map((value) => ({ value, about: 'a topic' }))];
  }
  const candidates = argumentsAfter(args, typed);
  if (candidates.length > 0) return valueOffer(...candidates);
  // Only a flag can follow.
  return current === '' ? unusedFlags : () => [];
}

/** Returns the arguments that may follow the typed ones: after one of several, another or the next argument. */
function argumentsAfter(args: readonly ArgumentSpec[], typed: readonly string[]): readonly ArgumentSpec[] {
  const goesOn = args[0]?.several === true && typed.length > 0;
  if (goesOn) return args.slice(0, 2);
  const [last] = args.slice(-1).filter(({ several }) => several === true);
  return [args[typed.length] ?? last ?? []].flat();
}

function wordsOf(values: readonly string[]): Choices {
  return values.map((value) => ({ value }));
}

/** Filters choices by their start in any letter case; drops control characters, which a service could send. */
function startingWith(choices: Choices, text: string): Choices {
  if (typeof choices === 'string') return choices;
  const start = text.toLowerCase();
  return choices
    .filter(({ value }) => value.toLowerCase().startsWith(start) && printable(value) === value)
    .map(({ value, about }) => ({ value, ...defined({ about: about && printable(about) }) }));
}
