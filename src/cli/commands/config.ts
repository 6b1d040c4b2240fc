import { Problem } from '../../errors/problem.ts';
import type { CommandSpec } from '../../lines/command.ts';
import type { ArgumentSpec } from '../../operations/flag.ts';
import { changeConfigFile, configPath, readConfigFile } from '../../platform/config-file.ts';
import { print } from '../../platform/sink.ts';
import { shownAddress } from '../../store/address.ts';
import { named, readFrom, readSettings, type Setting, settings } from '../config/settings.ts';
import { exitCode, type Io } from '../terminal/io.ts';
import { command, type OtherCommand } from './command.ts';

const settingName: ArgumentSpec = { name: 'name', complete: 'settings', about: 'name of a setting' };

const settingNames = Object.keys(settings) as readonly (keyof typeof settings)[];

const width = Math.max(...settingNames.map((name) => name.length));

const settingsText = [
  'Settings:',
  ...settingNames.map((name) => `  ${name.padEnd(width)}  ${settings[name].about}`),
].join('\n');

/** Returns the name of the setting that a text means, with dashes or underscores. */
function nameIn(text: string): keyof typeof settings {
  const unknown = `unknown setting '${text}': the settings are ${settingNames.join(', ')}`;
  return named(text.toLowerCase().replaceAll('-', '_'), settingNames, unknown);
}

/** Declares a command about settings, which gets its arguments. */
function configCommand({
  run,
  ...spec
}: Pick<CommandSpec, 'words' | 'summary' | 'examples' | 'args'> & {
  readonly run: (io: Io, name: string, value: string) => Promise<void>;
}): OtherCommand {
  return command({
    ...spec,
    heading: 'Setup',
    ...(spec.args.includes(settingName) && { about: settingsText }),
    flags: [],
    read: (line) => ({ name: line.arg(0), value: line.arg(1) }),
    async run({ name, value }, io) {
      await run(io, name, value);
      return exitCode.success;
    },
  });
}

/** `asof config get|set|unset|list|path`: the settings of this user. */
export const commands = [
  configCommand({
    words: 'config get',
    summary: 'Print the value of a setting',
    examples: `
# the service that is asked (needs the setting, else it exits with 3)
asof config get base_url
# in a script: the format, or csv
asof config get format 2> /dev/null || echo csv
`,
    args: [settingName],
    async run(io, text) {
      const name = nameIn(text);
      const value = readSettings(io)[name];
      if (value === undefined) throw new Problem('not-found', `${name} is not set`);
      await print(`${shownAddress(String(value))}\n`, io);
    },
  }),
  configCommand({
    words: 'config set',
    summary: 'Change a setting',
    examples: `
# ask a service from now on
asof config set base_url https://data.example.org
# CSV on a terminal too
asof config set format csv
`,
    args: [settingName, { name: 'value', complete: 'setting values', about: 'its value' }],
    async run(io, text, value) {
      const name = nameIn(text);
      const setting: Setting<string | number> = settings[name];
      await changeConfigFile(io, 'config', name, readFrom(`invalid ${name}`, name, value, setting, io));
    },
  }),
  configCommand({
    words: 'config unset',
    summary: 'Remove a setting',
    examples: `
# ask your own store again
asof config unset base_url
# tables on a terminal again
asof config unset format
`,
    args: [settingName],
    run: (io, text) => changeConfigFile(io, 'config', nameIn(text), undefined),
  }),
  configCommand({
    words: 'config list',
    summary: 'Print all settings',
    examples: `
# all settings
asof config list
# the settings of another folder
ASOF_CONFIG_DIR=elsewhere asof config list
`,
    args: [],
    async run(io) {
      // As written in the file, so that the user sees an invalid value.
      const entries = readConfigFile(io, 'config');
      for (const name of settingNames)
        if (entries[name] !== undefined) await print(`${name}=${shownAddress(String(entries[name]))}\n`, io);
    },
  }),
  configCommand({
    words: 'config path',
    summary: 'Print the path of the settings file',
    examples: `
# the file with the settings
asof config path
# a copy of it (needs a setting)
cp "$(asof config path)" settings.json
`,
    args: [],
    run: (io) => print(`${configPath(io, 'config')}\n`, io),
  }),
];
