import { Problem } from '../../errors/problem.ts';
import { settings } from '../config/settings.ts';
import {
  type ArgumentSpec,
  type CommandSpec,
  connectionIn,
  type Flag,
  messagesIn,
  outputIn,
} from './command.ts';
import type { AuthLine, ConfigLine } from './line.ts';
import { sharedFlags } from './shared-flags.ts';
import type { TypedLine } from './typed-line.ts';

const { store, messages, access, quiet, format } = sharedFlags;

const plans: Flag = {
  name: 'plans',
  value: 'file',
  about: 'JSON file of plans (default the plans free and pro)',
};

const serve: CommandSpec = {
  words: 'serve',
  heading: 'Service',
  summary: 'Serve a store over HTTP',
  args: [],
  flags: [
    { name: 'host', value: 'host', about: 'address to listen on', fallback: '127.0.0.1' },
    { name: 'port', value: 'port', about: 'port to listen on; 0 takes any free one', fallback: '8787' },
    { name: 'public-url', value: 'url', about: 'address under which clients reach the service' },
    { name: 'billing-url', value: 'url', about: 'page where a plan can be upgraded' },
    plans,
    { ...store, about: 'store to serve: a file, or postgres://… (or ASOF_STORE)' },
    access,
    { ...quiet, about: 'log failures only' },
  ],
  read: (line) => ({
    command: 'serve',
    host: line.text('host') ?? '127.0.0.1',
    port: line.value('port', portNumber) ?? 8787,
    publicUrl: line.value('public-url', httpUrl),
    billingUrl: line.value('billing-url', httpUrl),
    plans: line.text('plans'),
    store: line.text('store'),
    access: line.text('access'),
    quiet: line.has('quiet'),
  }),
};

function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new Problem('bad-input', 'invalid: use a number from 0 to 65535');
}

function httpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.hash !== '')
    throw new Problem('bad-input', 'invalid: use an http or https address');
  return text.replace(/\/+$/, '');
}

const mcp: CommandSpec = {
  words: 'mcp',
  heading: 'Service',
  summary: 'Answer an assistant over the Model Context Protocol',
  about: `An assistant starts this command and asks on its standard input; the answers go to standard
output. Its tools search series and give observations, panels, revisions, curves, filings and
clusters, each with the day that it is as of.

With --as-of no tool gives what was published after that day, for a backtest that an assistant
runs.`,
  args: [],
  flags: [
    { ...sharedFlags.asOf, about: 'as-of date of every answer; no tool gives what was published later' },
    ...sharedFlags.connection,
    ...messages,
  ],
  read: (line) => ({
    command: 'mcp',
    asOf: line.asOf(),
    connection: connectionIn(line),
    messages: messagesIn(line),
  }),
};

const keys: readonly CommandSpec[] = [
  {
    words: 'keys create',
    heading: 'Service',
    summary: 'Create a key (it is shown only once)',
    args: [],
    flags: [
      { name: 'name', value: 'name', about: 'name of the key', required: true },
      { name: 'plan', value: 'plan', about: 'plan of the key', fallback: 'free' },
      plans,
      access,
      ...messages,
    ],
    read: (line) => ({
      command: 'keys create',
      name: keyName(line),
      plan: line.text('plan') ?? 'free',
      plans: line.text('plans'),
      access: line.text('access'),
      messages: messagesIn(line),
    }),
  },
  {
    words: 'keys list',
    heading: 'Service',
    summary: 'List keys (secrets are not stored)',
    args: [],
    flags: [access, ...format, ...messages],
    read: (line) => ({
      command: 'keys list',
      output: outputIn(line),
      access: line.text('access'),
      messages: messagesIn(line),
    }),
  },
  {
    words: 'keys revoke',
    heading: 'Service',
    summary: 'Revoke a key at once',
    args: [{ name: 'key-id', about: 'id of the key, as asof keys list shows it' }],
    flags: [access, ...messages],
    read: (line) => ({
      command: 'keys revoke',
      id: line.arg(0),
      access: line.text('access'),
      messages: messagesIn(line),
    }),
  },
];

function keyName(line: TypedLine): string {
  const text = line.text('name') ?? '';
  const name = text.trim();
  if (name !== '' && name.length <= 100 && !/\p{C}/u.test(name)) return name;
  throw new Problem('bad-input', `--name ${JSON.stringify(text)}: use 1 to 100 printable characters`);
}

const service: readonly Flag[] = [
  { name: 'base-url', value: 'url', about: 'service that the key is for' },
  { name: 'source', value: 'source', about: 'live source that the key is for', choices: ['fred'] },
];

function authCommand(command: AuthLine['command'], summary: string, own: readonly Flag[] = []): CommandSpec {
  return {
    words: command,
    heading: 'Service',
    summary,
    args: [],
    flags: [...service, ...own, ...messages],
    read: (line) => ({
      command,
      baseUrl: line.text('base-url'),
      source: line.choice('source', ['fred']),
      withToken: line.has('with-token'),
      messages: messagesIn(line),
    }),
  };
}

const auth: readonly CommandSpec[] = [
  authCommand('auth login', 'Store the key for a service', [
    { name: 'with-token', about: 'read the key from stdin instead of a prompt' },
  ]),
  authCommand('auth status', 'Show the stored keys and which one is sent'),
  authCommand('auth logout', 'Remove the key for a service'),
];

const settingName: ArgumentSpec = { name: 'name', about: 'name of a setting' };

const settingsWidth = Math.max(...settings.map(([name]) => name.length));

const settingsText = [
  'Settings:',
  ...settings.map(([name, about]) => `  ${name.padEnd(settingsWidth)}  ${about}`),
].join('\n');

function configCommand(
  words: ConfigLine['command'],
  summary: string,
  args: readonly ArgumentSpec[],
  read: (line: TypedLine) => ConfigLine,
): CommandSpec {
  const isListed = args.includes(settingName);
  return {
    words,
    heading: 'Setup',
    summary,
    ...(isListed && { about: settingsText }),
    args,
    flags: [],
    read,
  };
}

const config: readonly CommandSpec[] = [
  configCommand('config get', 'Print the value of a setting', [settingName], (line) => ({
    command: 'config get',
    name: line.arg(0),
  })),
  configCommand(
    'config set',
    'Change a setting',
    [settingName, { name: 'value', about: 'its value' }],
    (line) => ({
      command: 'config set',
      name: line.arg(0),
      value: line.arg(1),
    }),
  ),
  configCommand('config unset', 'Remove a setting', [settingName], (line) => ({
    command: 'config unset',
    name: line.arg(0),
  })),
  configCommand('config list', 'Print all settings', [], () => ({ command: 'config list' })),
  configCommand('config path', 'Print the path of the settings file', [], () => ({ command: 'config path' })),
];

const shells = ['bash', 'zsh', 'fish'] as const;

const completion: CommandSpec = {
  words: 'completion',
  heading: 'Setup',
  summary: 'Print the completion script for bash, zsh or fish',
  args: [
    { name: 'shell', about: shells.join(', '), choices: shells },
    { name: 'words', about: 'what was typed so far (sent by the script)', optional: true, several: true },
  ],
  flags: [],
  read(line) {
    const [shell = '', ...sent] = line.args;
    const known = shells.find((name) => name === shell);
    if (known !== undefined) return { command: 'completion', shell: known, sent };
    throw new Problem('bad-input', `unknown shell '${shell}': use bash, zsh or fish`);
  },
};

/** The topics of `asof help`, besides commands. */
export const topics = ['as-of', 'formats', 'environment', 'exit-codes'] as const;

/** One of the topics. */
export type Topic = (typeof topics)[number];

/** The topic of that name, if there is one. */
export function topicNamed(word: string): Topic | undefined {
  return topics.find((topic) => topic === word);
}

const help: CommandSpec = {
  words: 'help',
  heading: 'Setup',
  summary: 'Show help on a command or a topic',
  args: [{ name: 'words', about: `a command, or ${topics.join(', ')}`, optional: true, several: true }],
  flags: [],
  read: (line) => ({ command: 'help', words: line.args, isMistake: false }),
};

/** The commands for the service and its keys, and those that set up asof. */
export const serviceCommands: readonly CommandSpec[] = [
  serve,
  mcp,
  ...keys,
  ...auth,
  ...config,
  completion,
  help,
];
