import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { allCommands } from '../../src/cli/dispatch.ts';
import { main } from '../../src/cli/main.ts';
import { checkOutput, readLine } from '../../src/lines/read-line.ts';
import { defined } from '../../src/platform/defined.ts';
import type { UserFolders } from '../../src/platform/installation.ts';
import { wordsOf } from '../../src/snapshot/plan.ts';
import type { Folder } from './folders.ts';

/** The exit code of a command, and its output. */
export type Ended = { readonly code: number; readonly out: string; readonly err: string };

/** The environment of a command that runs in this process. */
export type Surroundings = {
  readonly env?: Readonly<Record<string, string>>;
  /** The folders of the user's data and settings (default: below HOME). */
  readonly folders?: UserFolders;
  readonly stdoutIsTerminal?: boolean;
  readonly stderrIsTerminal?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  readonly signal?: AbortSignal;
  /** The standard input; empty by default. */
  readonly stdin?: Readable;
  /** The time of its clock; noon of 2026-03-15 by default. */
  readonly now?: string;
  /** The milliseconds by which the clock advances at each reading (default 0). */
  readonly pace?: number;
  /** Called with each text before it is written to stdout. */
  readonly onWrite?: (text: string) => void | Promise<void>;
};

/** A home that does not exist. */
const nowhere = join(tmpdir(), 'asof-test-without-a-home');

/** The day on which the commands of tests run. */
const today = '2026-03-15';

/** Runs a command line in this process, with only the environment variables in `env`. */
export async function asof(line: readonly string[], surroundings: Surroundings = {}): Promise<Ended> {
  const { env = {}, signal = new AbortController().signal, columns, rows, pace = 0, onWrite } = surroundings;
  const { HOME: home = nowhere } = env;
  const folders = surroundings.folders ?? {
    data: join(home, '.local/share/asof'),
    config: join(home, '.config/asof'),
    // A cache that cannot be written leaves nothing behind.
    cache: env.HOME === undefined ? '/dev/null/asof' : join(home, '.cache/asof'),
  };
  const [out, err]: [string[], string[]] = [[], []];
  const stream = (texts: string[], isTTY = false, before = onWrite) => {
    const writable = new Writable({
      decodeStrings: false,
      async write(chunk, _encoding, done) {
        await before?.(String(chunk));
        texts.push(String(chunk));
        done();
      },
    });
    return Object.assign(writable, { isTTY, ...defined({ columns, rows }) });
  };
  let now = Date.parse(surroundings.now ?? `${today}T12:00:00Z`);
  const clock = () => {
    now += pace;
    return new Date(now);
  };
  // A busy machine could read this module from its file for longer than the command works.
  if (surroundings.stderrIsTerminal === true) await import('../../src/cli/terminal/progress-line.ts');
  const code = await main(line, {
    stdin: surroundings.stdin ?? Readable.from([]),
    stdout: stream(out, surroundings.stdoutIsTerminal),
    stderr: stream(err, surroundings.stderrIsTerminal, () => undefined),
    env: { HOME: home, ...env },
    folders,
    clock,
    signal,
  } as Parameters<typeof main>[1]);
  return { code, out: out.join(''), err: err.join('') };
}

/** These lines as asof's own CSV. */
export function statements(lines: readonly string[]): string {
  return `${['series_id,date,as_of_date,value', ...lines].join('\n')}\n`;
}

// BEA's figures for three quarters as they came out (ALFRED, series GDP).
const gdp = [
  'GDP,2014-07-01,2014-10-30,17535.4',
  'GDP,2014-07-01,2014-11-25,17555.2',
  'GDP,2014-07-01,2014-12-23,17599.8',
  'GDP,2014-10-01,2015-01-30,17710.7',
  'GDP,2014-10-01,2015-02-27,17701.3',
  'GDP,2014-10-01,2015-03-27,17703.7',
];

/** The days of a long daily series, oldest first: more than two pages of the service. */
export const days: readonly string[] = Array.from({ length: 2500 }, (_, day) =>
  new Date(Date.UTC(2010, 0, 1 + day)).toISOString().slice(0, 10),
);

/** The value of a day of the long series, from which the day can be read. */
export function longValue(day: string): string {
  return `${days.indexOf(day)}.25`;
}

/** GDP, GDPC1, UNRATE and the long series LONG, as asof's own CSV. */
export const importedFacts = statements([
  ...gdp,
  'GDPC1,2014-10-01,2015-01-30,16311.6',
  'UNRATE,2014-12-01,2015-01-09,5.6',
  ...days.map((day) => `LONG,${day},2020-06-30,${longValue(day)}`),
]);

/** A store of these series, made by the command itself. */
export async function importedStore(folder: Folder): Promise<string> {
  const store = folder.path('store.db');
  const facts = folder.write('facts.csv', importedFacts);
  const { code, err } = await asof(['import', facts, '--store', store]);
  if (code !== 0) throw new Error(err);
  return store;
}

/** The lines of a text that ends in a line break. */
export function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}

/** What a command printed, as a transcript shows it: without the id of its request, which differs each time. */
async function printed(line: string, surroundings: Surroundings): Promise<string> {
  const { code, out, err } = await asof(wordsOf(line), surroundings);
  const told = err
    .replace(/^.* request req_\w+\n/gm, '')
    .replace(/^(?=.)/gm, '! ')
    .replace(/\n$/, '');
  return [out.replace(/\n$/, ''), told, code === 0 ? '' : `[exit ${code}]`].filter(Boolean).join('\n');
}

/** Matches a text whose lines `…` stand for any number of lines, and whose `…` inside of a line for any characters. */
function pattern(text: string): RegExp {
  const quoted = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(
    `^${quoted.replace(/^…\n/gm, '(?:.*\\n)*').replace(/\n…$/, '(?:\\n.*)*').replaceAll('…', '.*')}$`,
  );
}

/** A text without the indentation of its first line. */
function outdented(text: string): string {
  const indent = /^\n?( *)/.exec(text)?.[1] ?? '';
  return text.replaceAll(`\n${indent}`, '\n').trim();
}

type Around = () => Surroundings | Promise<Surroundings>;

/** Runs the commands of a transcript without titles, and expects them to print what it shows. */
export async function expectShown(text: string, surroundings: Around): Promise<void> {
  const [before, ...commands] = outdented(text).split(/^\$ asof ?/m);
  expect([before, commands.length > 0]).toEqual(['', true]);
  for (const shown of commands) {
    const [line = '', ...rest] = shown.trimEnd().split('\n');
    const typed = rest.filter((text) => text.startsWith('< '));
    const wanted = rest.slice(typed.length).join('\n');
    const stdin = Readable.from(typed.map((text) => Buffer.from(`${text.slice(2)}\n`)));
    const got = await printed(line, { ...(typed.length > 0 && { stdin }), ...(await surroundings()) });
    if (!pattern(wanted).test(got)) expect(`$ asof ${line}\n${got}`).toBe(`$ asof ${line}\n${wanted}`);
  }
}

/**
 * Tests command lines by what they print. A line `# title` begins a test, `$ asof …` a command of it; what follows is
 * its stdout, its stderr with `! ` before each line, and `[exit 4]` if the code is not 0. A line `…` stands for any lines.
 * Lines `< …` right after a command are its standard input.
 */
export function transcript(text: string, surroundings: Around): void {
  for (const part of outdented(text).split(/^# /m).slice(1)) {
    const [title = '', ...commands] = part.split('\n');
    it(title.trim(), () => expectShown(commands.join('\n'), surroundings));
  }
}

/** Every command of asof. */
export const everyCommand = await allCommands();

const inPlans = await allCommands(true);

/** What a line of any command asks for, as plain data; an error of usage is a Problem. */
export function parse(argv: readonly string[], options: { readonly now: Date; readonly inPlan?: boolean }) {
  const commands = options.inPlan === true ? inPlans : everyCommand;
  const line = readLine(argv, commands, options.now);
  if (line.command === 'query') checkOutput(line);
  return line.command === 'other' ? (line.values as object) : line;
}
