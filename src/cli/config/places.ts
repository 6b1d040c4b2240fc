import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type BaseUrl, parseBaseUrl } from '../../client/remote/exchange.ts';
import { Problem } from '../../errors/problem.ts';
import { samplePath, variable } from '../../platform/installation.ts';
import type { Io } from '../terminal/io.ts';
import { chosenSetting, readFrom, readSettings, settings } from './settings.ts';

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

/** Returns the store to import into: by flag, ASOF_STORE or setting, else the user's own. */
export function storeToWrite(io: Io, flag: string | undefined): string {
  return flag ?? namedStore(io)?.path ?? defaultStorePath(io);
}

/** Returns the store to change; throws a Problem without one, because the sample is read-only. */
export function storeToChange(io: Io, flag: string | undefined): string {
  const address = storeToWrite(io, flag);
  if (address !== defaultStorePath(io) || existsSync(address)) return address;
  throw new Problem('local-io', `you have no store yet: there is no ${address}`, {
    hints: [
      'the shipped sample, which asof uses until then, is read-only',
      '`asof import --with-sample` begins a store as a copy of it; --store names another store',
    ],
  });
}

/** Returns the store to read: by flag, ASOF_STORE or setting, else the user's own, else the sample. */
export function storeToRead(io: Io, flag: string | undefined): StoreChoice {
  if (flag !== undefined) return { path: flag, namedBy: undefined, isSample: false };
  const { path, by: namedBy } = namedStore(io) ?? { path: defaultStorePath(io), by: undefined };
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

function namedStore(io: Io): { readonly path: string; readonly by: string } | undefined {
  const path = variable(io, 'ASOF_STORE');
  if (path !== undefined) return { path, by: 'ASOF_STORE' };
  const { store } = readSettings(io);
  return store === undefined ? undefined : { path: store, by: 'the setting store' };
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
