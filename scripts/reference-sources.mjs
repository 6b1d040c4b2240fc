import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { LibraryTypes } from './reference-library.mjs';

const program = fileURLToPath(new URL('../dist/asof.cjs', import.meta.url));

/** What asof prints over the sample; each question is asked once. */
export class Sources {
  #home;
  #run;
  #answers = new Map();
  /** The command that runs now: one at a time. */
  #last = Promise.resolve();

  /** `run` gives the stdout of a command with an environment; without it the built program runs. */
  constructor(home, run = runBuilt) {
    this.#home = home;
    this.#run = run;
  }

  #once(key, make) {
    if (!this.#answers.has(key)) this.#answers.set(key, make());
    return this.#answers.get(key);
  }

  #env() {
    return { PATH: process.env.PATH, HOME: this.#home, COLUMNS: '1000' };
  }

  /** The stdout of a command over the sample. */
  asof = (words) =>
    this.#once(words.join(' '), () => {
      const answer = this.#last.then(() => this.#run(words, this.#env()));
      this.#last = answer.catch(() => undefined);
      return answer;
    });

  helpOf = async (words) => readHelp(await this.asof([...words.split(' ').filter(Boolean), '--help']));

  /** The heading and the words of every command, those of groups in the place of their group. */
  commands = async () => {
    const { commands } = await this.helpOf('');
    const all = await Promise.all(
      commands.map(async ({ heading, name }) => {
        const below = (await this.helpOf(name)).commands;
        const words = below.length === 0 ? [name] : below.map((command) => `${name} ${command.name}`);
        return words.map((text) => ({ heading, words: text }));
      }),
    );
    return all.flat();
  };

  #flagsOf = async (topic) => readHelp(await this.asof(['help', topic])).flags;

  /** The flags that commands with rows share. */
  sharedFlags = async () => [...(await this.#flagsOf('output')), ...(await this.#flagsOf('connection'))];

  /** The flags of charts. */
  chartFlags = () => this.#flagsOf('charts');

  /** The public API, read from the built types. */
  library = () =>
    this.#once('library', () => {
      const types = new LibraryTypes();
      return { types, methods: types.methods() };
    });

  openapi = () =>
    this.#once('openapi', async () => {
      const port = await freePort();
      const access = join(this.#home, 'access.db');
      const line = [program, 'serve', '--port', String(port), '--access', access, '--quiet'];
      const child = spawn(process.execPath, line, { env: this.#env(), stdio: 'ignore' });
      try {
        for (let tries = 0; ; tries += 1) {
          try {
            return await (await fetch(`http://127.0.0.1:${port}/v1/openapi.json`)).json();
          } catch (error) {
            if (tries === 100) throw error;
            await delay(100);
          }
        }
      } finally {
        const closed = once(child, 'close');
        child.kill();
        await closed;
      }
    });
}

async function runBuilt(words, env) {
  const options = { env, maxBuffer: 1e9 };
  return (await promisify(execFile)(process.execPath, [program, ...words], options)).stdout;
}

/** The headings of a help text that do not list commands. */
const otherSections = new Set([
  'Arguments',
  'Options',
  'Output',
  'Connection',
  'Messages',
  'Settings',
  'Topics',
  'Examples',
]);

/** The usage, summary, flags, arguments and subcommands of a help text. */
function readHelp(text) {
  const lines = text.split('\n');
  const sections = new Map();
  let heading = '';
  for (const line of lines) {
    if (/^[A-Z][\w ]*:$/.test(line)) heading = line.slice(0, -1);
    else if (heading !== '') sections.set(heading, [...(sections.get(heading) ?? []), line]);
  }
  const entries = (name) => entriesOf(sections.get(name) ?? []);
  const all = [...sections.keys()].filter((name) => name !== 'Examples').flatMap(entries);
  return {
    usage: (lines[0] ?? '').replace('Usage: ', ''),
    summary: lines.slice(1).find((line) => line !== '') ?? '',
    flags: all.filter(([term]) => term.startsWith('-')),
    positionals: [...entries('Arguments'), ...entries('Options')].filter(([term]) => !term.startsWith('-')),
    draws: /^Shared flags:.* asof help charts\b/m.test(text),
    commands: [...sections.keys()]
      .filter((name) => !otherSections.has(name))
      .flatMap((heading) => entries(heading).map(([term]) => ({ heading, name: term.split(/[ |]/)[0] }))),
  };
}

/** `  term  text` and the lines that continue the text. */
function entriesOf(lines) {
  const found = [];
  for (const line of lines) {
    const [, term, text = ''] = /^ {2}(\S.*?)(?: {2,}(.*))?$/.exec(line) ?? [];
    const last = found.at(-1);
    if (term !== undefined) found.push([term, text]);
    else if (line.trim() !== '' && last !== undefined) last[1] = `${last[1]} ${line.trim()}`.trim();
  }
  return found;
}

/** `--limit` of `--limit <n>`, `--format` of `-f, --format <format>`. */
export function nameOf(flag) {
  return /--[\w-]+/.exec(flag)?.[0] ?? flag;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}
