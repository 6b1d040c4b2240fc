import { parseBaseUrl } from '../../client/remote/url.ts';
import { closest } from '../../domain/series/closest.ts';
import { Problem } from '../../errors/problem.ts';
import { connectionNumbers } from '../../lines/request-limits.ts';
import { configPath, readConfigFile } from '../../platform/config-file.ts';
import { type OutputFormat, parseFormat } from '../../render/output.ts';
import { absoluteAddress } from '../../store/address.ts';
import type { Io } from '../terminal/io.ts';

type Setting<T extends string | number = string | number> = {
  readonly description: string;
  /** The value of a text; a Problem if it is not valid. */
  readonly parse: (text: string) => T;
};

const declared = {
  base_url: setting(
    'base URL of the service to ask (default: none, asof reads the store)',
    (text) => parseBaseUrl(text).href,
  ),
  store: setting('path of the store, or postgres://…', (text) => absoluteAddress(nonEmpty(text))),
  format: setting('output format', (text): OutputFormat => parseFormat(text)),
  timeout: setting('time limit of each try of a request, in seconds (default 30)', connectionNumbers.timeout),
  retries: setting('retries after transient failures (default 2)', connectionNumbers.retries),
  sec_contact: setting('name and mail address that the SEC wants with each request', nonEmpty),
  max_wait: setting(
    'longest wait in seconds when the service says when to retry (default 60)',
    connectionNumbers.maxWait,
  ),
} as const;

/** The name of a setting. */
export type SettingName = keyof typeof declared;

/** The user's settings. */
export type Settings = { readonly [K in SettingName]?: ReturnType<(typeof declared)[K]['parse']> };

/** Every setting with its description, in the order of the help text. */
export const settings: readonly (readonly [name: SettingName, description: string])[] = (
  Object.keys(declared) as SettingName[]
).map((name) => [name, declared[name].description]);

function setting<T extends string | number>(description: string, parse: (text: string) => T): Setting<T> {
  return { description, parse };
}

/** The setting of that name, with dashes or underscores; any other name is a Problem. */
export function settingNamed(text: string): SettingName {
  const names = settings.map(([name]) => name);
  const wanted = text.toLowerCase().replaceAll('-', '_');
  const found = names.find((name) => name === wanted);
  if (found !== undefined) return found;
  const meant = closest(wanted, names);
  throw new Problem('bad-input', `unknown setting '${text}': the settings are ${names.join(', ')}`, {
    hints: meant === undefined ? [] : [`did you mean ${meant}?`],
  });
}

/** The value of a text for a setting; a Problem if it is not valid. */
export function settingValue(name: SettingName, text: string): string | number {
  return declared[name].parse(text);
}

/** The user's settings; an invalid value is a Problem that names the file and the way out. */
export function readSettings(io: Io): Settings {
  const entries = readConfigFile(io, 'config');
  const known = settings.flatMap(([name]) => {
    const value = entries[name];
    return value === undefined ? [] : [[name, storedValue(io, name, value)] as const];
  });
  return Object.fromEntries(known) as Settings;
}

function storedValue(io: Io, name: SettingName, value: unknown): string | number {
  try {
    if (typeof value === 'string' || typeof value === 'number') return settingValue(name, String(value));
  } catch {
    // `config set` says what is valid; here the user needs to know where the value is and how to remove it.
  }
  const path = configPath(io, 'config');
  throw new Problem('local-io', `${path}: the setting ${name} cannot be ${JSON.stringify(value)}`, {
    hints: [`asof config unset ${name}`],
  });
}

function nonEmpty(text: string): string {
  if (text !== '') return text;
  throw new Problem('bad-input', 'it may not be empty');
}
