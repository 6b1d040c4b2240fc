// Why: docs/decisions/pages-between-vintages.md
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Problem, type ProblemKind } from '../../errors/problem.ts';
import { systemProblem } from '../../errors/system-errors.ts';
import { asOf, connection, messages, option, store, textOption, toggle } from '../../lines/command.ts';
import type { Flag, LinePart } from '../../operations/typed-line.ts';
import { choice, duration, formed, integer, isPlain, text, type Value } from '../../operations/value.ts';
import { defined } from '../../platform/defined.ts';
import { variable } from '../../platform/installation.ts';
import { checkPlans, Gate } from '../../server/keys/gate.ts';
import { loadPlans } from '../../server/keys/plans.ts';
import { shownAddress } from '../../store/address.ts';
import { openAccess, openStore } from '../../store/open.ts';
import {
  accessPath,
  named,
  readFrom,
  type Setting,
  type StoreChoice,
  settings,
  storeAlone,
  storeToRead,
} from '../config/settings.ts';
import { checkedKey, keyIn } from '../config/user-key.ts';
import { ofStore, withClient } from '../run/session.ts';
import { exitCode, exitCodeOf, type Io } from '../terminal/io.ts';
import { command } from './command.ts';

/** A flag of `asof serve`, which is also a variable and a name in `--config`. */
type ServeSetting<T> = Omit<Setting<T>, 'variable'> & Pick<Flag, 'fallback' | 'repeatable'>;

const port = { ...integer(0, 65_535), placeholder: 'port' };

const file: Value<string> = { ...text, placeholder: 'file', complete: 'files' };

const address: Value<string> = { ...file, placeholder: 'path' };

/** The address of a page, without a password. */
const pageUrl = formed(
  (given, refuse) => {
    if (URL.canParse(given) && !given.includes('#')) {
      const { protocol, username } = new URL(given);
      if (/^https?:$/.test(protocol) && username === '') return given.replace(/\/+$/, '');
    }
    throw refuse('use an http or https address');
  },
  { placeholder: 'url' },
);

const origins = formed(
  (given, refuse) => {
    const listed = given.split(',').map((one) => one.trim());
    const wrong = listed.find((one) => one !== '*' && (!URL.canParse(one) || new URL(one).origin !== one));
    if (wrong === undefined) return listed;
    throw refuse('use origins such as https://app.example.com, or *');
  },
  { placeholder: 'origin' },
);

/** The settings of a service, by flag. */
export const serveSettings = {
  host: { value: { ...text, placeholder: 'host' }, about: 'address to listen on', fallback: '127.0.0.1' },
  port: { value: port, about: 'port to listen on; 0 takes any free one', fallback: '8787' },
  'public-url': {
    value: settings.base_url.value,
    about: 'address under which clients reach the service',
  },
  'billing-url': {
    value: pageUrl,
    about: 'page where a plan can be upgraded',
  },
  'cors-origin': {
    value: origins,
    about: 'origin whose pages may read the answers, such as https://app.example.com; * allows all',
    repeatable: true,
  },
  explorer: {
    value: choice(['on', 'off']),
    about: 'show the explorer, a page for people, at /',
    fallback: 'off',
  },
  plans: { value: file, about: 'JSON file of plans (default the plans free and pro)' },
  'max-seconds': {
    value: { ...integer(1, 86_400), placeholder: 'seconds' },
    about: 'time limit for computing one table, in seconds',
    fallback: '60',
  },
  drain: {
    value: duration,
    about: 'time from SIGTERM in which it goes on answering while /readyz is 503, such as 10s',
    fallback: '0.5s',
  },
  'metrics-port': { value: port, about: 'port for /metrics, at the same address' },
  'metrics-key': { value: file, about: 'file with the key for /metrics' },
  'log-level': {
    // The levels, lowest first; a service logs its level and higher ones.
    value: { ...choice(['info', 'warn', 'error']), placeholder: 'level' },
    about: 'lowest level to log',
    fallback: 'info',
  },
  store: { value: address, about: 'store to serve: a file, postgres://…, or sample (or ASOF_STORE)' },
  access: { value: address, about: 'file of keys and their usage, or postgres://… (or ASOF_ACCESS)' },
} as const satisfies Readonly<Record<string, ServeSetting<unknown>>>;

/** Seconds: a server that does not answer holds no connection of a page for longer; tables have threads. */
const longestStatement = 5;

type ServeSettingName = keyof typeof serveSettings;

const names = Object.keys(serveSettings) as readonly ServeSettingName[];

/** Returns the variable of a setting; ASOF_METRICS_PORT for `metrics-port`. */
export function variableOf(name: ServeSettingName): string {
  return `ASOF_${name.toUpperCase().replaceAll('-', '_')}`;
}

type ServeValues = {
  readonly [K in ServeSettingName]?: ReturnType<(typeof serveSettings)[K]['value']['parse']>;
};

const typedSettings = names.map((name) => {
  const { value, about, ...more }: ServeSetting<unknown> = serveSettings[name];
  return option(name, about, value, {
    ...more,
    ...defined({ choices: value.schema.enum as readonly string[] }),
  });
});

const typedPart: LinePart<ServeValues> = {
  flags: typedSettings.flatMap(({ flags }) => flags),
  read(line) {
    const values = Object.fromEntries(typedSettings.map(({ read }, i) => [names[i], read(line)]));
    if (!line.has('quiet')) return defined(values);
    if (line.has('log-level')) throw new Problem('bad-input', 'use either --quiet or --log-level');
    return { ...defined(values), 'log-level': 'warn' };
  },
};

/** Returns the settings of a service: by flag, else variable, else file, else default. */
export function serveValues(typed: ServeValues, path: string | undefined, io: Io): ServeValues {
  const inFile = path === undefined ? {} : readServeFile(path);
  const values = names.map((name) => {
    const setting: ServeSetting<unknown> = serveSettings[name];
    const own = variableOf(name);
    const places = [
      [own, variable(io, own)],
      [`${path}: ${name}`, inFile[name]],
      [name, setting.fallback],
    ] as const;
    const [from, given] = places.find(([, found]) => found !== undefined) ?? [];
    if (typed[name] !== undefined || given === undefined) return [name, typed[name]];
    return [name, readFrom(from ?? name, name, given, setting, io)];
  });
  // Each value belongs to its own setting.
  return Object.fromEntries(values) as ServeValues;
}

function readServeFile(path: string): { readonly [K in ServeSettingName]?: string } {
  let content: unknown;
  const refuse = (why: string, ...hints: readonly string[]) =>
    new Problem('bad-input', `${path}: ${why}`, { hints });
  const example = 'such as {"host": "0.0.0.0", "port": 8787, "cors-origin": ["https://app.example.com"]}';
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) throw refuse(`it is not JSON (${error.message})`, example);
    throw systemProblem('read', `the settings ${path}`, error);
  }
  if (!isPlain(content)) throw refuse('expected an object', example);
  const texts = Object.entries(content).map(([key, value]) => {
    const unknown = `${path}: unknown setting '${key}': use ${names.join(', ')}`;
    const name = named(key.replaceAll('_', '-'), names, unknown);
    const listed = Array.isArray(value) ? value : [value];
    if (listed.length > 0 && listed.every((one) => typeof one === 'string' || typeof one === 'number'))
      return [name, listed.join(',')];
    throw refuse(`'${key}' must be a text, a number, or a list of texts`);
  });
  return Object.fromEntries(texts);
}

/** The most facts of series in memory: about 50 MB, and as much for pages of them. */
const mostKept = 400_000;

const serveStore = command({
  words: 'serve',
  heading: 'Service',
  summary: 'Serve a store over HTTP',
  about: `Every flag with a value is also a variable (--metrics-port is ASOF_METRICS_PORT) and a name in
the JSON file of --config. Precedence: flag, variable, file, default.`,
  examples: `
# a service on this machine, until Ctrl-C (needs a free port)
asof serve --port 8787
# behind a proxy that ends TLS (needs the proxy)
asof serve --public-url https://data.example.org 2>> serve.log
# with metrics for Prometheus (needs two free ports)
asof serve --metrics-port 9464
`,
  parts: {
    typed: typedPart,
    config: textOption('config', 'file', 'JSON file of these settings (or ASOF_CONFIG)', {
      complete: 'files',
    }),
    quiet: {
      flags: [{ name: 'quiet', short: 'q', about: 'same as --log-level warn', group: 'Messages' }],
      read: (line) => line.has('quiet'),
    },
  },
  async run({ typed, config }, io) {
    const values = serveValues(typed, config ?? variable(io, 'ASOF_CONFIG'), io);
    const { host = '', port = 0, 'metrics-port': metricsPort, 'metrics-key': metricsKey } = values;
    const { serve } = await import('../../server/serve.ts');
    const plans = await loadPlans(values.plans);
    const key = metricsKey === undefined ? undefined : checkedKey(keyIn(metricsKey, '/metrics'), metricsKey);
    let served: StoreChoice | undefined;
    const access = await openAccess(accessPath(io, values.access), { counting: true });
    try {
      await checkPlans(access, plans, io.clock());
      const serving = await serve({
        async openStore() {
          const chosen = storeToRead(io, values.store);
          const store = await openStore(chosen.path, {
            live: true,
            mostKept,
            statementSeconds: Math.min(longestStatement, values['max-seconds'] ?? longestStatement),
          });
          served = chosen;
          return store;
        },
        isOutdated: () => served !== undefined && isReplacedSample(served, values.store, io),
        gate: await Gate.open(access, plans),
        host,
        port,
        log: io.stderr,
        keyCommand: [
          'asof keys create --name NAME --plan PLAN',
          ...(typed.access === undefined ? [] : [`--access ${typed.access}`]),
          ...(values.plans === undefined ? [] : [`--plans ${values.plans}`]),
        ].join(' '),
        logOptions: { readable: io.stderr.isTTY === true, ...defined({ level: values['log-level'] }) },
        clock: io.clock,
        ...(values.drain !== undefined && { timeouts: { notice: values.drain * 1000 } }),
        ...defined({
          publicUrl: values['public-url'],
          billingUrl: values['billing-url'],
          maxSeconds: values['max-seconds'],
          corsOrigins: values['cors-origin'],
        }),
        ...(values.explorer === 'on' && { explorer: true }),
        ...((metricsPort !== undefined || key !== undefined) && {
          metrics: defined({ port: metricsPort, key }),
        }),
      });
      io.onHangup?.(() => serving.reload());
      if (!io.signal.aborted) await once(io.signal, 'abort');
      await serving.stop();
    } finally {
      await access.close();
    }
  },
});

/** Tells whether the sample is read although the user has a store now. */
function isReplacedSample({ isSample }: StoreChoice, flag: string | undefined, io: Io): boolean {
  return isSample && !storeToRead(io, flag).isSample;
}

const exploreStore = command({
  words: 'explore',
  heading: 'Service',
  summary: 'Look at a store in a browser',
  about: `Opens a page on this machine: a chart of a series with a slider for the as-of day, its
revisions, the yield curve, and clusters of insiders. Prints the address of the page, and
serves it until Ctrl-C. The address has a random token; requests without it are refused.`,
  examples: `
# the page of your store, in your browser (needs a browser)
asof explore
# only its address, on a port of your choice (needs a free port)
asof explore --no-open --port 8790
`,
  parts: {
    port: option('port', 'port to listen on', integer(1, 65_535), {
      value: 'port',
      fallback: 'any free one',
    }),
    noOpen: toggle('no-open', 'print the address without starting a browser'),
    store,
    messages,
  },
  async run({ port = 0, noOpen, store: named, messages }, io) {
    const choice = storeAlone(io, { command: 'explore', store: named }, ({ base }) => [
      `a service with --explorer on shows the page itself: ${base.href}`,
    ]);
    const { explore } = await import('../../server/serve.ts');
    const store = await ofStore(choice, (path) => openStore(path, { live: true }));
    const name = named === undefined ? '' : shownAddress(named);
    const running = await explore({ store, port, clock: io.clock, log: io.stderr, name });
    io.stdout.write(`${running.url}\n`);
    messages.noteOnTerminal('asof: the page is at this address until Ctrl-C');
    const page = !noOpen && io.stdout.isTTY === true ? await redirectTo(running.url) : undefined;
    if (page !== undefined) {
      openBrowser(page.url);
      void running.visited.then(page.remove);
    }
    try {
      if (!io.signal.aborted) await once(io.signal, 'abort');
      await running.stop();
    } finally {
      await page?.remove();
    }
  },
});

/**
 * Writes a page that leads to an address with a token, in a folder that only the user can read:
 * everybody on the machine sees a program's arguments. Returns undefined if that fails.
 */
async function redirectTo(url: string): Promise<{ url: string; remove: () => Promise<void> } | undefined> {
  try {
    // Browsers in a sandbox, such as snap, have another temporary folder, and read no hidden files.
    const folder = await mkdtemp(join(homedir(), 'asof-explore-'));
    const remove = () => rm(folder, { recursive: true, force: true }).catch(() => undefined);
    const path = join(folder, 'open.html');
    const text = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${url}">\n`;
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
    return { url: pathToFileURL(path).href, remove };
  } catch {
    return undefined;
  }
}

/** Asks the system to open an address in a browser; does nothing if that fails. */
function openBrowser(url: string): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler']
        : ['xdg-open'];
  const child = spawn(command ?? '', [...args, url], { stdio: 'ignore', detached: true });
  child.once('error', () => undefined).unref();
}

const answerAssistant = command({
  words: 'mcp',
  heading: 'Service',
  summary: 'Serve an assistant over the Model Context Protocol',
  about: `An assistant starts this command, sends requests to standard input, and reads answers from standard
output. The tools search series and give observations, panels, revisions, curves, filings and
clusters, each with its as-of day.

With --as-of no tool returns anything published after that day, so an assistant can run a
backtest.`,
  examples: `
# what an assistant starts (needs an assistant)
asof mcp
# every answer as of a day (needs an assistant)
asof mcp --as-of 2015-01-30
`,
  parts: {
    asOf: asOf('as-of date of all answers; hides everything published later'),
    connection,
    messages,
  },
  async run({ asOf, connection, messages }, io) {
    const { serveMcp } = await import('../../mcp/server.ts');
    await withClient({ connection, messages, asOf }, io, async (client) => {
      const bound = asOf === undefined ? '' : ` as of ${asOf}`;
      messages.noteOnTerminal(
        `asof: this command answers the requests of an assistant${bound}; Ctrl-D ends it`,
      );
      const { clock, signal, stdin, stdout } = io;
      await serveMcp({ client, clock, signal, stdin, stdout, ...defined({ asOf }) });
    });
  },
});

const answerProgram = command({
  words: 'lines',
  heading: 'Service',
  summary: 'Answer the questions of a program, as lines of JSON',
  about: `A program starts this command once, writes a question to standard input, and reads its answer from
standard output, each a line. Answers have the id of their question; they may come in another order.
The questions are the methods of the library, with the names of their parameters over HTTP. The
client for Python asks in this way.`,
  examples: `
# what a program starts (needs the program)
asof lines
# a question, from a file (needs the file)
asof lines < question.jsonl
`,
  parts: { connection, messages },
  async run({ connection, messages }, io) {
    const { answerLines } = await import('../../library/json-lines.ts');
    const read = storeToRead(io, connection.store);
    await withClient({ connection, messages }, io, async (client) => {
      messages.noteOnTerminal('asof: this command answers the questions of a program; Ctrl-D ends it');
      const { clock, signal, stdin, stdout } = io;
      const codeOf = (kind?: ProblemKind) => (kind === undefined ? exitCode.bug : exitCodeOf(kind));
      const isOutdated = () => isReplacedSample(read, connection.store, io);
      await answerLines({ client, clock, signal, stdin, stdout, isOutdated, codeOf });
    });
  },
});

/** `asof explore`, `serve`, `mcp` and `lines`: answers for a browser, HTTP clients, an assistant, and a program. */
export const commands = [exploreStore, serveStore, answerAssistant, answerProgram];
