import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { samplePath } from '../../platform/installation.ts';
import { type Io, variable } from '../terminal/io.ts';
import { readSettings } from './settings.ts';

/** The store that a command reads. */
export type StoreChoice = {
  readonly path: string;
  /** The variable or setting that names it; undefined for a flag or the default. */
  readonly namedBy: string | undefined;
  /** Whether it is the shipped sample, because the user has no store. */
  readonly isSample: boolean;
};

/** The path of the user's own store, which is the default. */
export function defaultStorePath(io: Io): string {
  return join(io.folders.data, 'asof.db');
}

/** The store to import into: by flag, ASOF_STORE or setting, else the user's own. */
export function storeToWrite(io: Io, flag: string | undefined): string {
  return flag ?? named(io)?.path ?? defaultStorePath(io);
}

/** The store to read: by flag, ASOF_STORE or setting, else the user's own, else the sample. */
export function storeToRead(io: Io, flag: string | undefined): StoreChoice {
  if (flag !== undefined) return { path: flag, namedBy: undefined, isSample: false };
  const { path, by: namedBy } = named(io) ?? { path: defaultStorePath(io), by: undefined };
  const isSample = namedBy === undefined && !existsSync(path);
  return { path: isSample ? samplePath() : path, namedBy, isSample };
}

/** The store that a variable or a setting names. */
function named(io: Io): { readonly path: string; readonly by: string } | undefined {
  const path = variable(io, 'ASOF_STORE');
  if (path !== undefined) return { path, by: 'ASOF_STORE' };
  const { store } = readSettings(io);
  return store === undefined ? undefined : { path: store, by: 'the setting store' };
}

/** The access store of the service on this machine: by flag or ASOF_ACCESS, else beside the user's own store. */
export function accessPath(io: Io, flag: string | undefined): string {
  return flag ?? variable(io, 'ASOF_ACCESS') ?? join(io.folders.data, 'access.db');
}
