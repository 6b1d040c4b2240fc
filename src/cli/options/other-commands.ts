import { parseSeriesId } from '../../domain/series/series.ts';
import { Problem } from '../../errors/problem.ts';
import { formatForFile } from '../../render/formats.ts';
import { plainOutput } from '../../render/output.ts';
import { settings } from '../config/settings.ts';
import { type CommandSpec, connectionIn, fileIn, messagesIn, outputIn } from './command.ts';
import type { ArgumentSpec, Flag } from './flag.ts';
import type { AuthLine, ConfigLine } from './line.ts';
import { sharedFlags } from './shared-flags.ts';
import { readFor, type TypedLine } from './typed-line.ts';

const { store, connection, messages, access, quiet, file, format } = sharedFlags;

const plans: Flag = {
  name: 'plans',
  value: 'file',
  about: 'JSON file of plans (default the plans free and pro)',
};

const snapshot: CommandSpec = {
  words: 'snapshot',
  heading: 'Files',
  summary: 'Write the files of a plan, all as of one date, in one step',
  about: `A line of a plan is the name of a file and an asof command that reads; # begins a comment:

  gdp.csv        observations GDP GDPC1 --from 2000-01-01
  curve.csv      curve --on-or-before
  clusters.json  insider clusters --min-insiders 3

The as-of date bounds every line; a line may name an earlier one. DIR becomes a link to a
folder beside it, which is switched when all files are complete; after a failure it is as it
was. DIR/manifest.json describes each file.`,
  args: [{ name: 'plan', about: 'text file; each line is a file name and an asof command' }],
  flags: [
    { name: 'out', value: 'dir', about: 'link that shows the newest complete snapshot', required: true },
    { ...sharedFlags.asOf, about: 'as-of date of all files (default yesterday in UTC)' },
    { name: 'dry-run', about: 'print what would be run and written, and write nothing' },
    ...connection,
    ...messages,
  ],
  read(line) {
    const asOf = line.asOf();
    return {
      command: 'snapshot',
      plan: line.arg(0),
      out: line.text('out') ?? '',
      ...(asOf !== undefined && { asOf }),
      dryRun: line.has('dry-run'),
      connection: connectionIn(line),
      messages: messagesIn(line),
    };
  },
};

const verify: CommandSpec = {
  words: 'verify',
  heading: 'Files',
  summary: 'Check a snapshot against its manifest and its data',
  about: `Compares every file with manifest.json, then runs its command again as of the recorded
date and compares the bytes. The commands ask the service or store that a flag, a variable or
a setting names; else the store that the snapshot came from, if it is on this machine, or the
sample if it came from that; else your own store. Without any of these only the files are
compared, and a note says so.

Prints one line for each difference, and then exits with code 1.`,
  args: [{ name: 'dir', about: 'a snapshot' }],
  flags: [...connection, ...messages],
  read: (line) => ({
    command: 'verify',
    folder: line.arg(0),
    connection: connectionIn(line),
    messages: messagesIn(line),
  }),
};

const facts: CommandSpec = {
  words: 'facts',
  heading: 'Files',
  summary: 'Write every statement about series, in the CSV that import reads',
  args: [
    {
      name: 'id',
      about: 'series ids; one with * (quoted) means every series whose id matches',
      several: true,
    },
  ],
  flags: [file, store, ...messages],
  read(line) {
    const target = fileIn(line);
    if (target !== undefined && (formatForFile(target) ?? 'csv') !== 'csv')
      throw new Problem('bad-input', `facts are written as CSV, not as ${target}`, {
        hints: ['-o FILE.csv writes them to a file'],
      });
    return {
      command: 'facts',
      ids: line.args,
      ...(target !== undefined && { file: target }),
      ...storeIn(line),
      messages: messagesIn(line),
    };
  },
};

function storeIn(line: TypedLine): { readonly store?: string } {
  const path = line.text('store');
  return path === undefined ? {} : { store: path };
}

const importFiles: CommandSpec = {
  words: 'import',
  heading: 'Files',
  summary: 'Import files of vintages, curves and filings into your store',
  args: [{ name: 'files', about: 'files and folders', optional: true, several: true }],
  flags: [
    { name: 'kind', value: 'kind', about: 'format of the files (default recognized; see asof help formats)' },
    { name: 'series', value: 'id', about: 'series id of files that do not name theirs' },
    { name: 'id', value: 'old=new', about: 'import a series under another id', repeatable: true },
    { ...sharedFlags.asOf, about: 'as-of date of files that hold one whole vintage' },
    { name: 'filed-on', value: 'date', about: 'filing date of ownership XML that does not state it' },
    { name: 'merge', about: 'accept a series from a second source' },
    { name: 'replace', about: 'accept new statements that differ from known ones' },
    { name: 'complete', about: 'withdraw the dates that a whole vintage does not list' },
    { name: 'with-sample', about: 'start a new store as a copy of the shipped sample' },
    { name: 'dry-run', about: 'read and check everything, write nothing' },
    { name: 'log', about: 'list all imports with their sha256' },
    store,
    ...messages,
  ],
  read(line) {
    if (line.has('log')) {
      if (line.args.length > 0) throw new Problem('bad-input', '--log takes no files: it lists past imports');
      return { command: 'import-log', ...storeIn(line) };
    }
    if (line.args.length === 0) throw new Problem('bad-input', 'nothing to import: name files or folders');
    const [kind, asOf, filedOn] = [line.text('kind'), line.day('as-of'), line.day('filed-on')];
    const series = line.value('series', seriesId);
    return {
      command: 'import',
      paths: line.args,
      ...(kind !== undefined && { kind }),
      ...(series !== undefined && { series }),
      rename: Object.fromEntries(line.texts('id').map((text) => readFor('--id', text, renaming))),
      ...(asOf !== undefined && { asOf }),
      ...(filedOn !== undefined && { filedOn }),
      merge: line.has('merge'),
      replace: line.has('replace'),
      complete: line.has('complete'),
      withSample: line.has('with-sample'),
      dryRun: line.has('dry-run'),
      ...storeIn(line),
      messages: messagesIn(line),
      today: line.today,
    };
  },
};

function seriesId(text: string): string {
  const id = parseSeriesId(text);
  if (id === undefined) throw new Problem('bad-input', 'invalid: it cannot be the id of a series');
  return id;
}

function renaming(text: string): readonly [from: string, to: string] {
  const [from, to, ...rest] = text.split('=');
  if (from === undefined || to === undefined || rest.length > 0)
    throw new Problem('bad-input', 'invalid: use OLD=NEW');
  return [seriesId(from), seriesId(to)];
}

const serve: CommandSpec = {
  words: 'serve',
  heading: 'Service',
  summary: 'Answer the same questions over HTTP',
  args: [],
  flags: [
    { name: 'host', value: 'host', about: 'address to listen on', fallback: '127.0.0.1' },
    { name: 'port', value: 'port', about: 'port to listen on; 0 takes any free one', fallback: '8787' },
    { name: 'public-url', value: 'url', about: 'address under which clients reach the service' },
    { name: 'billing-url', value: 'url', about: 'page where a plan can be upgraded' },
    plans,
    { ...store, about: 'store to serve (or ASOF_STORE)' },
    access,
    { ...quiet, about: 'log failures only' },
  ],
  read(line) {
    const [publicUrl, billingUrl] = [line.value('public-url', httpUrl), line.value('billing-url', httpUrl)];
    return {
      command: 'serve',
      host: line.text('host') ?? '127.0.0.1',
      port: line.value('port', portNumber) ?? 8787,
      ...(publicUrl !== undefined && { publicUrl }),
      ...(billingUrl !== undefined && { billingUrl }),
      ...plansIn(line),
      ...storeIn(line),
      ...accessIn(line),
      quiet: line.has('quiet'),
    };
  },
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

function plansIn(line: TypedLine): { readonly plans?: string } {
  const path = line.text('plans');
  return path === undefined ? {} : { plans: path };
}

function accessIn(line: TypedLine): { readonly access?: string } {
  const path = line.text('access');
  return path === undefined ? {} : { access: path };
}

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
      ...plansIn(line),
      ...accessIn(line),
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
      output: { ...plainOutput, ...outputIn(line) },
      ...accessIn(line),
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
      ...accessIn(line),
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

const service: Flag = { name: 'base-url', value: 'url', about: 'service that the key is for' };

function authCommand(command: AuthLine['command'], summary: string, own: readonly Flag[] = []): CommandSpec {
  return {
    words: command,
    heading: 'Service',
    summary,
    args: [],
    flags: [service, ...own, ...messages],
    read(line) {
      const baseUrl = line.text('base-url');
      return {
        command,
        ...(baseUrl !== undefined && { baseUrl }),
        withToken: line.has('with-token'),
        messages: messagesIn(line),
      };
    },
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
  configCommand('config set', 'Change a setting', [settingName, { name: 'value' }], (line) => ({
    command: 'config set',
    name: line.arg(0),
    value: line.arg(1),
  })),
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
    throw new Problem('bad-input', `unknown shell '${shell}': use ${shells.join(', ')}`);
  },
};

const help: CommandSpec = {
  words: 'help',
  heading: 'Setup',
  summary: 'Show help on a command or a topic',
  args: [{ name: 'words', about: 'a command or a topic', optional: true, several: true }],
  flags: [],
  read: (line) => ({ command: 'help', words: line.args, isMistake: false }),
};

/** Every command that does something else than ask for data. */
export const otherCommands: readonly CommandSpec[] = [
  snapshot,
  verify,
  facts,
  importFiles,
  serve,
  ...keys,
  ...auth,
  ...config,
  completion,
  help,
];
