import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type BaseUrl, parseBaseUrl, requestLimits } from '../../client/remote/settings.ts';
import { didYouMean } from '../../domain/search/words.ts';
import { Problem, quoted } from '../../errors/problem.ts';
import { clockAt, formed, type Value } from '../../operations/value.ts';
import { configPath } from '../../platform/config-file.ts';
import { samplePath, variable } from '../../platform/installation.ts';
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
    about: 'path of the store, postgres://…, or sample',
    variable: 'ASOF_STORE',
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
  throw new Problem('bad-input', unknown, { hints: didYouMean(text, names) });
}

/** Reads the user's settings; throws a Problem with the file and a hint for an invalid value. */
export function readSettings(io: Io): Partial<SettingValues> {
  const known = Object.entries(io.settings()).flatMap(([name, value]) => {
    const setting = Object.entries<Setting>(settings).find(([one]) => one === name)?.[1];
    if (setting === undefined) return [];
    try {
      if (typeof value === 'string' || typeof value === 'number')
        return [[name, readFrom(name, name, String(value), setting, io)]];
    } catch {
      // `config set` says what is valid; here the user needs the place, and a way to remove the value.
    }
    throw new Problem(
      'local-io',
      `${configPath(io, 'config')}: the setting ${name} cannot be ${JSON.stringify(value)}`,
      { hints: [`asof config unset ${name}`] },
    );
  });
  return Object.fromEntries(known);
}

/** Reads a setting from its variable, else from the user's settings, and says where it is from. */
export function chosenSetting<N extends SettingName>(
  io: Io,
  name: N,
): { readonly value: SettingValues[N]; readonly from: string } | undefined {
  const setting: Setting<SettingValues[N]> = settingsByName[name];
  const { variable: from = '' } = setting;
  const text = variable(io, from);
  if (text !== undefined) return { value: readFrom(from, name, text, setting, io), from };
  const value = readSettings(io)[name];
  return value === undefined ? undefined : { value, from: `the setting ${name}` };
}

/** The store that a command reads. */
export type StoreChoice = {
  readonly path: string;
  /** The variable or setting with its name; undefined for a flag or the default. */
  readonly namedBy: string | undefined;
  /** True for the shipped sample, if the user has no store. */
  readonly isSample: boolean;
};

/** Returns the path of the user's own store, the default. */
export function defaultStorePath(io: Io): string {
  return join(io.folders.data, 'asof.db');
}

/** Says what answers after a store took the place of the sample. */
export const replacedSample =
  "asof now answers from this store instead of the sample; asof store merge sample --skip-known adds the sample's data";

/** Returns the store to import into: by flag, ASOF_STORE or setting, else the user's own. */
export function storeToWrite(io: Io, flag: string | undefined): string {
  return flag ?? chosenSetting(io, 'store')?.value ?? defaultStorePath(io);
}

/** Returns the store to read: by flag, ASOF_STORE or setting, else the user's own, else the sample. */
export function storeToRead(io: Io, flag: string | undefined): StoreChoice {
  if (flag !== undefined) return { path: flag, namedBy: undefined, isSample: false };
  const { value: path, from: namedBy } = chosenSetting(io, 'store') ?? {
    value: defaultStorePath(io),
    from: undefined,
  };
  const isSample = namedBy === undefined && !existsSync(path);
  return { path: isSample ? samplePath() : path, namedBy, isSample };
}

/** Returns the store of a command that only reads a store; throws if a variable or a setting names a service. */
export function storeAlone(
  io: Io,
  { command, store }: { readonly command: string; readonly store?: string | undefined },
  hints: (service: ChosenBaseUrl) => readonly string[] = () => [],
): StoreChoice {
  const service = chosenBaseUrl(io, store === undefined ? {} : { store });
  if (service === undefined) return storeToRead(io, store);
  throw new Problem('bad-input', `${service.from} names a service, and asof ${command} reads a store`, {
    hints: [...hints(service), '--store PATH names the store'],
  });
}

/** Returns the access store of this machine's service: by flag or ASOF_ACCESS, else beside the user's store. */
export function accessPath(io: Io, flag: string | undefined): string {
  return flag ?? variable(io, 'ASOF_ACCESS') ?? join(io.folders.data, 'access.db');
}

/** The service to ask, and the origin of its base URL in words. */
export type ChosenBaseUrl = { readonly base: BaseUrl; readonly from: string };

/** Returns the service to ask: by flag, ASOF_BASE_URL or setting; undefined to use the store. */
export function chosenBaseUrl(
  io: Io,
  flags: { readonly baseUrl?: string; readonly store?: string },
): ChosenBaseUrl | undefined {
  // A store in a flag precedes a service in a variable or a setting.
  if (flags.baseUrl === undefined && flags.store !== undefined) return undefined;
  const from = '--base-url';
  const chosen =
    flags.baseUrl === undefined
      ? chosenSetting(io, 'base_url')
      : { value: readFrom(from, 'base_url', flags.baseUrl, settings.base_url, io), from };
  return chosen && { base: parseBaseUrl(chosen.value), from: chosen.from };
}
