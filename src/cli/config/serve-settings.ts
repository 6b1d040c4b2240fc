import { readFileSync } from 'node:fs';
import { Problem } from '../../errors/problem.ts';
import { systemProblem } from '../../errors/system-errors.ts';
import type { Flag, TypedLine } from '../../operations/typed-line.ts';
import { choice, formed, integer, text, type Value } from '../../operations/value.ts';
import { defined } from '../../platform/defined.ts';
import { variable } from '../../platform/installation.ts';
import type { Io } from '../terminal/io.ts';
import { named, readFrom, type Setting } from './settings.ts';

/** A setting of a service: a flag of `asof serve`, a variable, and a name in the file of `--config`. */
type ServeSetting<T> = Setting<T> & Pick<Flag, 'fallback' | 'repeatable'> & { readonly variable: string };

const port = { ...integer(0, 65_535), placeholder: 'port' };

const file: Value<string> = { ...text, placeholder: 'file', complete: 'files' };

const address: Value<string> = { ...file, placeholder: 'path' };

const url = formed(httpUrl, { placeholder: 'url' });

function httpUrl(given: string, refuse: (reason: string) => Problem): string {
  const parsed = URL.canParse(given) ? new URL(given) : undefined;
  if (
    parsed === undefined ||
    !/^https?:$/.test(parsed.protocol) ||
    parsed.username !== '' ||
    parsed.hash !== ''
  )
    throw refuse('use an http or https address');
  return given.replace(/\/+$/, '');
}

const baseUrl = formed(
  (given, refuse) => {
    if (/[?#]/.test(given)) throw refuse("it may not have a '?' or a '#'");
    return httpUrl(given, refuse);
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

/** Every setting of a service, by the name of its flag. */
export const serveSettings = {
  host: {
    variable: 'ASOF_HOST',
    value: { ...text, placeholder: 'host' },
    about: 'address to listen on',
    fallback: '127.0.0.1',
  },
  port: {
    variable: 'ASOF_PORT',
    value: port,
    about: 'port to listen on; 0 takes any free one',
    fallback: '8787',
  },
  'public-url': {
    variable: 'ASOF_PUBLIC_URL',
    value: baseUrl,
    about: 'address under which clients reach the service',
  },
  'billing-url': {
    variable: 'ASOF_BILLING_URL',
    value: url,
    about: 'page where a plan can be upgraded',
  },
  'cors-origin': {
    variable: 'ASOF_CORS_ORIGIN',
    value: origins,
    about: 'origin whose pages may read the answers, such as https://app.example.com; * allows all',
    repeatable: true,
  },
  explorer: {
    variable: 'ASOF_EXPLORER',
    value: choice(['on', 'off']),
    about: 'show the explorer, a page for people, at /',
    fallback: 'off',
  },
  plans: {
    variable: 'ASOF_PLANS',
    value: file,
    about: 'JSON file of plans (default the plans free and pro)',
  },
  'max-seconds': {
    variable: 'ASOF_MAX_SECONDS',
    value: { ...integer(1, 86_400), placeholder: 'seconds' },
    about: 'most seconds that the computation of one table may take',
    fallback: '60',
  },
  'metrics-port': {
    variable: 'ASOF_METRICS_PORT',
    value: port,
    about: 'port for /metrics, at the same address',
  },
  'metrics-key': {
    variable: 'ASOF_METRICS_KEY',
    value: file,
    about: 'file with the key that /metrics asks for',
  },
  'log-level': {
    variable: 'ASOF_LOG_LEVEL',
    // The levels, lowest first; a service logs its level and higher ones.
    value: { ...choice(['info', 'warn', 'error']), placeholder: 'level' },
    about: 'lowest level to log',
    fallback: 'info',
  },
  store: {
    variable: 'ASOF_STORE',
    value: address,
    about: 'store to serve: a file, or postgres://… (or ASOF_STORE)',
  },
  access: {
    variable: 'ASOF_ACCESS',
    value: address,
    about: 'file of keys and their usage, or postgres://… (or ASOF_ACCESS)',
  },
} as const satisfies Readonly<Record<string, ServeSetting<unknown>>>;

type ServeSettingName = keyof typeof serveSettings;

const names = Object.keys(serveSettings) as readonly ServeSettingName[];

type ServeTexts = { readonly [K in ServeSettingName]?: string };

type ServeValues = {
  readonly [K in ServeSettingName]?: ReturnType<(typeof serveSettings)[K]['value']['parse']>;
};

/** The settings that flags give; the flags are in the order of the help. */
export const typedSettings = {
  flags: names.map((name): Flag => {
    const { value, about, fallback, repeatable }: ServeSetting<unknown> = serveSettings[name];
    const { placeholder, complete, schema } = value;
    const choices = schema.enum as readonly string[] | undefined;
    return { name, about, ...defined({ value: placeholder, complete, choices, fallback, repeatable }) };
  }),
  read(line: TypedLine): ServeValues {
    const values = names.map((name) => {
      const whole = line.texts(name).join(',');
      return [name, line.value(name, () => serveSettings[name].value.parse(whole, name, line.clock))];
    });
    return defined(Object.fromEntries(values));
  },
};

/** The settings of a service: by flag, else by variable, else in the file, else the default. */
export function serveValues(typed: ServeValues, path: string | undefined, io: Io): ServeValues {
  const inFile = path === undefined ? {} : readServeFile(path);
  const values = names.map((name) => {
    const setting: ServeSetting<unknown> = serveSettings[name];
    const [from = name, given] =
      [
        [setting.variable, variable(io, setting.variable)],
        [`${path}: ${name}`, inFile[name]],
        [name, setting.fallback],
      ].find(([, found]) => found !== undefined) ?? [];
    return [
      name,
      typed[name] ?? (given === undefined ? undefined : readFrom(from, name, given, setting, io)),
    ];
  });
  // Each value belongs to its own setting.
  return Object.fromEntries(values) as ServeValues;
}

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
  const unknown = `${path}: unknown setting '${key}': use ${names.join(', ')}`;
  return named(key.replaceAll('_', '-'), names, unknown);
}

function textIn(path: string, key: string, value: unknown): string {
  const texts = Array.isArray(value) ? value : [value];
  if (texts.length > 0 && texts.every((one) => typeof one === 'string' || typeof one === 'number'))
    return texts.join(',');
  throw new Problem('bad-input', `${path}: '${key}' must be a text, a number, or a list of texts`);
}
