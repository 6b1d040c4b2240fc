import { type ServeSettingName, serveSettingNames, serveSettings } from '../cli/config/serve-settings.ts';
import { settings } from '../cli/config/settings.ts';
import { Problem } from '../errors/problem.ts';
import type { ArgumentSpec, Flag } from '../operations/flag.ts';
import type { TypedLine } from '../operations/typed-line.ts';
import { type CommandSpec, connectionIn, messagesIn } from './command.ts';
import { keyCommands } from './key-commands.ts';
import type { AuthLine, ConfigLine } from './line.ts';
import { sharedFlags } from './shared-flags.ts';

const { messages, quiet } = sharedFlags;

const serveFlags: readonly Flag[] = serveSettingNames.map((name) => {
  const {
    parse: _parse,
    variable: _variable,
    ...flag
  }: (typeof serveSettings)[ServeSettingName] = serveSettings[name];
  return { name, ...flag };
});

const serve: CommandSpec = {
  words: 'serve',
  heading: 'Service',
  summary: 'Serve a store over HTTP',
  about: `Every flag with a value is also a variable (--metrics-port is ASOF_METRICS_PORT) and a name in
the JSON file of --config. Precedence: flag, variable, file, default.`,
  args: [],
  flags: [
    ...serveFlags,
    { name: 'config', value: 'file', about: 'JSON file of these settings (or ASOF_CONFIG)' },
    { ...quiet, about: 'same as --log-level warn' },
  ],
  read(line) {
    const typed = serveSettingNames.flatMap((name) => {
      const texts = line.texts(name);
      if (texts.length === 0) return [];
      line.value(name, () => serveSettings[name].parse(texts.join(',')));
      return [[name, texts.join(',')] as const];
    });
    if (line.has('quiet') && line.has('log-level'))
      throw new Problem('bad-input', 'use either --quiet or --log-level');
    return {
      command: 'serve',
      typed: { ...Object.fromEntries(typed), ...(line.has('quiet') && { 'log-level': 'warn' }) },
      config: line.text('config'),
    };
  },
};

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

const explore: CommandSpec = {
  words: 'explore',
  heading: 'Service',
  summary: 'Look at a store in a browser',
  about: `Opens a page on this machine: a chart of a series with a slider for the as-of day, its
revisions, the yield curve, and clusters of insiders. Prints the address of the page, and
serves it until Ctrl-C. The address has a random token; requests without it are refused.`,
  args: [],
  flags: [
    { name: 'port', value: 'port', about: 'port to listen on', fallback: 'any free one' },
    { name: 'no-open', about: 'print the address without starting a browser' },
    sharedFlags.store,
    ...messages,
  ],
  read: (line) => ({
    command: 'explore',
    store: line.text('store'),
    port: line.integer('port', 1, 65_535) ?? 0,
    open: !line.has('no-open'),
    messages: messagesIn(line),
  }),
};

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
  explore,
  serve,
  mcp,
  ...keyCommands,
  ...auth,
  ...config,
  completion,
  help,
];
