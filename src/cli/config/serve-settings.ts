import { readFileSync } from 'node:fs';
import { closest } from '../../domain/series/closest.ts';
import { Problem, refused } from '../../errors/problem.ts';
import { systemProblem } from '../../errors/system-errors.ts';
import { variable } from '../../platform/installation.ts';
import type { Io } from '../terminal/io.ts';

/** A setting of a service: a flag of `asof serve`, a variable, and a name in the file of `--config`. */
type ServeSetting<T> = {
  readonly variable: string;
  /** The name of its value in help. */
  readonly value: string;
  readonly complete?: 'files';
  readonly about: string;
  readonly fallback?: string;
  readonly choices?: readonly string[];
  /** Whether it is a list, separated by commas, or a flag for each. */
  readonly repeatable?: boolean;
  /** The value of a text; a Problem if it is not valid. */
  readonly parse: (text: string) => T;
};

/** The levels of a log, lowest first; a service logs its level and higher ones. */
const logLevels = ['info', 'warn', 'error'] as const;

const text = (given: string): string => given;

/** Every setting of a service, by the name of its flag. */
export const serveSettings = {
  host: {
    variable: 'ASOF_HOST',
    value: 'host',
    about: 'address to listen on',
    fallback: '127.0.0.1',
    parse: text,
  },
  port: {
    variable: 'ASOF_PORT',
    value: 'port',
    about: 'port to listen on; 0 takes any free one',
    fallback: '8787',
    parse: portNumber,
  },
  'public-url': {
    variable: 'ASOF_PUBLIC_URL',
    value: 'url',
    about: 'address under which clients reach the service',
    parse: baseHttpUrl,
  },
  'billing-url': {
    variable: 'ASOF_BILLING_URL',
    value: 'url',
    about: 'page where a plan can be upgraded',
    parse: httpUrl,
  },
  'cors-origin': {
    variable: 'ASOF_CORS_ORIGIN',
    value: 'origin',
    about: 'origin whose pages may read the answers, such as https://app.example.com; * allows all',
    repeatable: true,
    parse: origins,
  },
  explorer: {
    variable: 'ASOF_EXPLORER',
    value: 'on|off',
    about: 'show the explorer, a page for people, at /',
    choices: ['on', 'off'],
    fallback: 'off',
    parse: isOn,
  },
  plans: {
    variable: 'ASOF_PLANS',
    value: 'file',
    complete: 'files',
    about: 'JSON file of plans (default the plans free and pro)',
    parse: text,
  },
  'max-seconds': {
    variable: 'ASOF_MAX_SECONDS',
    value: 'seconds',
    about: 'most seconds that the computation of one table may take',
    fallback: '60',
    parse: seconds,
  },
  'metrics-port': {
    variable: 'ASOF_METRICS_PORT',
    value: 'port',
    about: 'port for /metrics, at the same address',
    parse: portNumber,
  },
  'metrics-key': {
    variable: 'ASOF_METRICS_KEY',
    value: 'file',
    complete: 'files',
    about: 'file with the key that /metrics asks for',
    parse: text,
  },
  'log-level': {
    variable: 'ASOF_LOG_LEVEL',
    value: 'level',
    about: 'lowest level to log',
    choices: logLevels,
    fallback: 'info',
    parse: logLevel,
  },
  store: {
    variable: 'ASOF_STORE',
    value: 'path',
    complete: 'files',
    about: 'store to serve: a file, or postgres://… (or ASOF_STORE)',
    parse: text,
  },
  access: {
    variable: 'ASOF_ACCESS',
    value: 'path',
    complete: 'files',
    about: 'file of keys and their usage, or postgres://… (or ASOF_ACCESS)',
    parse: text,
  },
} as const satisfies Readonly<Record<string, ServeSetting<unknown>>>;

export type ServeSettingName = keyof typeof serveSettings;

/** The names of all settings of a service, in the order of the help. */
export const serveSettingNames = Object.keys(serveSettings) as readonly ServeSettingName[];

/** Texts of settings. */
export type ServeTexts = { readonly [K in ServeSettingName]?: string };

/** The values of all settings that are given, or have a default. */
export type ServeValues = {
  readonly [K in ServeSettingName]: ReturnType<(typeof serveSettings)[K]['parse']> | undefined;
};

/** The settings of a service: by flag, else by variable, else in the file, else the default. */
export function serveValues(typed: ServeTexts, file: string | undefined, io: Io): ServeValues {
  const inFile = file === undefined ? {} : readServeFile(file);
  const values = serveSettingNames.map((name) => {
    const { fallback, variable: named }: ServeSetting<unknown> = serveSettings[name];
    const [from, given] = [
      [`--${name}`, typed[name]],
      [named, variable(io, named)],
      [`${file}: ${name}`, inFile[name]],
      [name, fallback],
    ].find(([, found]) => found !== undefined) ?? [name, undefined];
    return [name, given === undefined ? undefined : parsed(name, given, from ?? name)];
  });
  // Each value belongs to its own setting.
  return Object.fromEntries(values) as ServeValues;
}

function parsed(name: ServeSettingName, given: string, from: string): unknown {
  try {
    return serveSettings[name].parse(given);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const reason = error.refusal?.reason ?? error.detail;
    throw new Problem('bad-input', `${from} ${JSON.stringify(given)}: ${reason}`, { field: name });
  }
}

/** The texts in a file of settings: a JSON object by the names of flags. */
function readServeFile(path: string): ServeTexts {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw systemProblem('read', `the settings ${path}`, error);
    throw new Problem('bad-input', `${path}: it is not JSON (${error.message})`, { hints: [example] });
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw new Problem('bad-input', `${path}: expected an object`, { hints: [example] });
  return Object.fromEntries(
    Object.entries(content).map(([key, value]: [string, unknown]) => [
      nameIn(path, key),
      textIn(path, key, value),
    ]),
  );
}

const example = 'such as {"host": "0.0.0.0", "port": 8787, "cors-origin": ["https://app.example.com"]}';

function nameIn(path: string, key: string): ServeSettingName {
  const found = serveSettingNames.find((name) => name === key.replaceAll('_', '-'));
  if (found !== undefined) return found;
  const meant = closest(key, serveSettingNames);
  throw new Problem('bad-input', `${path}: unknown setting '${key}': use ${serveSettingNames.join(', ')}`, {
    hints: meant === undefined ? [] : [`did you mean ${meant}?`],
  });
}

function textIn(path: string, key: string, value: unknown): string {
  const texts = Array.isArray(value) ? value : [value];
  if (texts.length > 0 && texts.every((one) => typeof one === 'string' || typeof one === 'number'))
    return texts.join(',');
  throw new Problem('bad-input', `${path}: '${key}' must be a text, a number, or a list of texts`);
}

function portNumber(given: string): number {
  const port = /^\d{1,5}$/.test(given) ? Number(given) : Number.NaN;
  if (port <= 65_535) return port;
  throw refused({ reason: 'use a number from 0 to 65535' });
}

function seconds(given: string): number {
  const found = /^\d{1,5}$/.test(given) ? Number(given) : 0;
  if (found >= 1 && found <= 86_400) return found;
  throw refused({ reason: 'use a number of seconds from 1 to 86400' });
}

function httpUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.hash !== '')
    throw refused({ reason: 'use an http or https address' });
  return given.replace(/\/+$/, '');
}

function baseHttpUrl(given: string): string {
  if (/[?#]/.test(given)) throw refused({ reason: "it may not have a '?' or a '#'" });
  return httpUrl(given);
}

function origins(given: string): readonly string[] {
  const listed = given.split(',').map((one) => one.trim());
  const wrong = listed.find((one) => one !== '*' && (!URL.canParse(one) || new URL(one).origin !== one));
  if (wrong === undefined) return listed;
  throw refused({ reason: 'use origins such as https://app.example.com, or *' });
}

function logLevel(given: string): (typeof logLevels)[number] {
  const found = logLevels.find((level) => level === given);
  if (found !== undefined) return found;
  throw refused({ reason: `use ${logLevels.join(', ')}` });
}

function isOn(given: string): boolean {
  if (given === 'on' || given === 'off') return given === 'on';
  throw refused({ reason: 'use on or off' });
}
