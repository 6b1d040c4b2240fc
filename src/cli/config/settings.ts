import { parseBaseUrl, requestLimits } from '../../client/remote/exchange.ts';
import { closest } from '../../domain/search/words.ts';
import { Problem, quoted } from '../../errors/problem.ts';
import { clockAt, formed, type Value } from '../../operations/value.ts';
import { configPath } from '../../platform/config-file.ts';
import { variable } from '../../platform/installation.ts';
import { outputFormat } from '../../render/output.ts';
import { absoluteAddress } from '../../store/address.ts';
import type { Io } from '../terminal/io.ts';

/** A setting with its help and its variable. */
export type Setting<T = unknown> = {
  readonly value: Value<T>;
  readonly about: string;
  readonly variable?: string;
};

const nonEmpty = (given: string, refuse: (reason: string) => Problem): string => {
  if (given !== '') return given;
  throw refuse('it may not be empty');
};

/** The settings of a user, in the order of help. */
export const settings = {
  base_url: {
    value: formed((given) => parseBaseUrl(given).href, { placeholder: 'url' }),
    about: 'base URL of the service to ask (default: none, asof reads the store)',
    variable: 'ASOF_BASE_URL',
  },
  store: {
    value: formed((given, refuse) => absoluteAddress(nonEmpty(given, refuse)), { complete: 'files' }),
    about: 'path of the store, or postgres://…',
  },
  format: { value: outputFormat, about: 'output format', variable: 'ASOF_FORMAT' },
  timeout: {
    value: requestLimits.timeout,
    about: 'time limit of each attempt, in seconds (default 30)',
    variable: 'ASOF_TIMEOUT',
  },
  retries: { value: requestLimits.retries, about: 'retries after transient failures (default 2)' },
  sec_contact: {
    value: formed(nonEmpty, { placeholder: 'text' }),
    about: 'name and mail address that the SEC wants with each request',
    variable: 'ASOF_SEC_CONTACT',
  },
  max_wait: {
    value: requestLimits.maxWait,
    about: 'longest wait in seconds when the service says when to retry (default 60)',
  },
} as const satisfies Readonly<Record<string, Setting<string | number>>>;

type SettingName = keyof typeof settings;

type SettingValues = { readonly [N in SettingName]: ReturnType<(typeof settings)[N]['value']['parse']> };

const settingsByName: { readonly [N in SettingName]: Setting<SettingValues[N]> } = settings;

/** Reads the text of a setting; a refusal begins with the origin of the text, such as a variable. */
export function readFrom<T>(from: string, name: string, text: string, { value }: Setting<T>, io: Io): T {
  try {
    return value.parse(text, name, clockAt(io.clock()));
  } catch (error) {
    if (!(error instanceof Problem) || error.refusal === undefined) throw error;
    // The text may contain a password; the refusal has only what may be shown.
    const { reason, value: shown } = error.refusal;
    throw new Problem('bad-input', `${from}${quoted(shown)}: ${reason}`, { field: name, hints: error.hints });
  }
}

/** Finds the setting that a text names; `unknown` is the message for any other text. */
export function named<N extends string>(text: string, names: readonly N[], unknown: string): N {
  const found = names.find((name) => name === text);
  if (found !== undefined) return found;
  const meant = closest(text, names);
  throw new Problem('bad-input', unknown, { hints: meant === undefined ? [] : [`did you mean ${meant}?`] });
}

/** Reads the user's settings; throws a Problem with the file and a hint for an invalid value. */
export function readSettings(io: Io): Partial<SettingValues> {
  const entries = io.settings();
  const stored = (name: string, setting: Setting) => {
    const value = entries[name];
    try {
      if (typeof value === 'string' || typeof value === 'number')
        return readFrom(name, name, String(value), setting, io);
    } catch {
      // `config set` says what is valid; here the user needs the place, and a way to remove the value.
    }
    const path = configPath(io, 'config');
    throw new Problem('local-io', `${path}: the setting ${name} cannot be ${JSON.stringify(value)}`, {
      hints: [`asof config unset ${name}`],
    });
  };
  const known = Object.entries<Setting>(settings).filter(([name]) => entries[name] !== undefined);
  return Object.fromEntries(known.map(([name, setting]) => [name, stored(name, setting)]));
}

/** Reads a setting from its variable, else from the user's settings, and says where it is from. */
export function chosenSetting<N extends SettingName>(
  io: Io,
  name: N,
): { readonly value: SettingValues[N]; readonly from: string } | undefined {
  const setting = settingsByName[name];
  const { variable: from } = setting;
  const text = from === undefined ? undefined : variable(io, from);
  if (from !== undefined && text !== undefined)
    return { value: readFrom(from, name, text, setting, io), from };
  const value = readSettings(io)[name];
  return value === undefined ? undefined : { value, from: `the setting ${name}` };
}
