import { Problem } from '../../errors/problem.ts';
import { messages, textOption, toggle } from '../../lines/command.ts';
import type { ArgumentSpec, TypedLine } from '../../operations/typed-line.ts';
import { changeConfigFile, configPath } from '../../platform/config-file.ts';
import { defined } from '../../platform/defined.ts';
import { variable } from '../../platform/installation.ts';
import { print } from '../../platform/sink.ts';
import { shownAddress } from '../../store/address.ts';
import {
  type ChosenBaseUrl,
  chosenBaseUrl,
  named,
  readFrom,
  readSettings,
  type Setting,
  settings,
} from '../config/settings.ts';
import { checkedKey, keyFor, storedKeys } from '../config/user-key.ts';
import { exitCode, type Io } from '../terminal/io.ts';
import { askLine } from '../terminal/prompt.ts';
import { command } from './command.ts';

const settingName: ArgumentSpec = { name: 'name', complete: 'settings', about: 'name of a setting' };

const settingNames = Object.keys(settings) as readonly (keyof typeof settings)[];

const width = Math.max(...settingNames.map((name) => name.length));

const settingsText = [
  'Settings:',
  ...settingNames.map((name) => `  ${name.padEnd(width)}  ${settings[name].about}`),
].join('\n');

function nameIn(text: string): keyof typeof settings {
  const unknown = `unknown setting '${text}': the settings are ${settingNames.join(', ')}`;
  return named(text.toLowerCase().replaceAll('-', '_'), settingNames, unknown);
}

const configCommands = [
  command({
    words: 'config get',
    summary: 'Print the value of a setting',
    examples: `
# the service that is asked (needs the setting, else it exits with 3)
asof config get base_url
# in a script: the format, or csv
asof config get format 2> /dev/null || echo csv
`,
    about: settingsText,
    args: [settingName],
    parts: {},
    async run({ args: [text = ''] }, io) {
      const name = nameIn(text);
      const value = readSettings(io)[name];
      if (value === undefined) throw new Problem('not-found', `${name} is not set`);
      await print(`${shownAddress(String(value))}\n`, io);
    },
  }),
  command({
    words: 'config set',
    summary: 'Change a setting',
    examples: `
# ask a service from now on
asof config set base_url https://data.example.org
# CSV on a terminal too
asof config set format csv
`,
    about: settingsText,
    args: [settingName, { name: 'value', complete: 'setting values', about: 'its value' }],
    parts: {},
    async run({ args: [text = '', value = ''] }, io) {
      const name = nameIn(text);
      const setting: Setting<string | number> = settings[name];
      await changeConfigFile(io, 'config', name, readFrom(`invalid ${name}`, name, value, setting, io));
    },
  }),
  command({
    words: 'config unset',
    summary: 'Remove a setting',
    examples: `
# ask your own store again
asof config unset base_url
# tables on a terminal again
asof config unset format
`,
    about: settingsText,
    args: [settingName],
    parts: {},
    run: ({ args: [text = ''] }, io) => changeConfigFile(io, 'config', nameIn(text), undefined),
  }),
  command({
    words: 'config list',
    summary: 'Print all settings',
    examples: `
# all settings
asof config list
# the settings of another folder
ASOF_CONFIG_DIR=elsewhere asof config list
`,
    parts: {},
    async run(_, io) {
      // As in the file, so that the user sees an invalid value.
      const entries = io.settings();
      for (const name of settingNames)
        if (entries[name] !== undefined) await print(`${name}=${shownAddress(String(entries[name]))}\n`, io);
    },
  }),
  command({
    words: 'config path',
    summary: 'Print the path of the settings file',
    examples: `
# the file with the settings
asof config path
# a copy of it (needs a setting)
cp "$(asof config path)" settings.json
`,
    parts: {},
    run: (_, io) => print(`${configPath(io, 'config')}\n`, io),
  }),
];

const sources = ['fred'] as const;

const owner = {
  baseUrl: textOption('base-url', 'url', 'service that the key is for'),
  source: {
    flags: [{ name: 'source', value: 'source', about: 'live source that the key is for', choices: sources }],
    read: (line: TypedLine) => line.choice('source', sources),
  },
};

const login = command({
  words: 'auth login',
  summary: 'Store the key for a service',
  examples: `
# prompt for the key, and store it for that service only (needs a terminal)
asof auth login --base-url https://data.example.org
# in a script (needs the key in that file)
asof auth login --base-url https://data.example.org --with-token < ann.key
`,
  parts: {
    ...owner,
    withToken: toggle('with-token', 'read the key from stdin instead of a prompt'),
    messages,
  },
  async run({ baseUrl, source, withToken, messages: { note } }, io) {
    const base = source === undefined ? serviceOf(baseUrl, io).base : undefined;
    const owner = base?.origin ?? source ?? '';
    const named = base?.origin ?? owner.toUpperCase();
    await changeConfigFile(io, 'keys', owner, await typedKey(withToken, io, named));
    const ping = base === undefined ? 'asof ping --sources' : 'asof ping';
    note(`asof: stored the key for ${named} in ${configPath(io, 'keys')}; \`${ping}\` tries it`);
    if (base === undefined) return;
    if (isUnencrypted(base)) note(`asof: others can read what is sent to ${named}: it is not https`);
    for (const name of ['ASOF_API_KEY', 'ASOF_API_KEY_FILE'])
      if (variable(io, name) !== undefined)
        note(`asof: ${name} is set and takes precedence over the stored key`);
  },
});

function isUnencrypted({ origin }: ChosenBaseUrl['base']): boolean {
  return !/^https:|^http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|$)/.test(origin);
}

async function typedKey(withToken: boolean, io: Io, owner: string): Promise<string> {
  if (withToken) return checkedKey(await wholeText(io), 'stdin');
  if (io.stdin.isTTY === true)
    return checkedKey(await askLine(io, `Key for ${owner}: `, { secret: true }), 'the prompt');
  throw new Problem('bad-input', 'there is no terminal to ask for the key', {
    hints: ['--with-token reads it from stdin'],
  });
}

const status = command({
  words: 'auth status',
  summary: 'Show the stored keys and which one is sent',
  examples: `
# the stored keys (needs a stored key, else it exits with 4)
asof auth status
# the key that a service gets (needs a key for it)
asof auth status --base-url https://data.example.org
`,
  parts: { ...owner, messages },
  async run({ baseUrl, messages }, io) {
    const chosen = chosenBaseUrl(io, defined({ baseUrl }));
    const stored = await storedKeys(io);
    for (const [origin, key] of stored)
      await print(`${origin}  ${maskedKey(key)}  ${configPath(io, 'keys')}\n`, io);
    if (chosen === undefined) {
      if (stored.size > 0) return exitCode.success;
      messages.note('asof: no key is stored; a local store needs none');
      return exitCode.unauthorized;
    }
    const { origin } = chosen.base;
    const used = await keyFor(io, origin, messages);
    messages.note(
      used === undefined ? `asof: no key for ${origin}` : `asof: ${origin} gets the key of ${used.from}`,
    );
    return used === undefined ? exitCode.unauthorized : exitCode.success;
  },
});

/** Masks a key: the prefix of all keys of a service, and four characters to tell keys apart. */
function maskedKey(key: string): string {
  const [, start = ''] = /^(\w+_live_sk_.{4}).{8,}$/.exec(key) ?? [];
  return `${start}…`;
}

const logout = command({
  words: 'auth logout',
  summary: 'Remove the key for a service',
  examples: `
# remove the key for a service (needs a key for it)
asof auth logout --base-url https://data.example.org
# for the service in the settings (needs a setting and its key)
asof auth logout
`,
  parts: { ...owner, messages },
  async run({ baseUrl, source, messages }, io) {
    const origin = source ?? serviceOf(baseUrl, io).base.origin;
    if (!(await storedKeys(io)).has(origin)) throw new Problem('not-found', `no key is stored for ${origin}`);
    await changeConfigFile(io, 'keys', origin, undefined);
    messages.note(`asof: removed the key for ${origin}`);
  },
});

function serviceOf(baseUrl: string | undefined, io: Io): ChosenBaseUrl {
  const chosen = chosenBaseUrl(io, defined({ baseUrl }));
  if (chosen !== undefined) return chosen;
  throw new Problem('bad-input', 'no service selected; pass --base-url', {
    hints: ['ASOF_BASE_URL and `asof config set base_url URL` select one too'],
  });
}

async function wholeText(io: Io): Promise<string> {
  let text = '';
  for await (const chunk of io.stdin) {
    text += String(chunk);
    // More than any key has: other input is not read to its end.
    if (text.length > 64 * 1024) throw new Problem('bad-input', 'stdin is too long to be a key');
  }
  return text;
}

/** `asof auth` and `asof config`: keys and settings of this user. */
export const commands = [login, status, logout, ...configCommands];
