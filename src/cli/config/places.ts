import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { samplePath } from '../../platform/installation.ts';
import { type Io, variable } from '../terminal/io.ts';
import { readSettings } from './settings.ts';

/** Which store a command reads, what names it where nobody typed it, and whether it is the shipped sample for want of another. */
export type StoreChoice = {
  readonly path: string;
  readonly namedBy: string | undefined;
  readonly isSample: boolean;
};

/** Where a user's own store lies unless another is named. */
export function defaultStorePath(io: Io): string {
  return join(io.folders.data, 'asof.db');
}

/** The store to import into: the one named, by flag before environment before setting, or the user's own. */
export function storeToWrite(io: Io, flag: string | undefined): string {
  return flag ?? named(io)?.path ?? defaultStorePath(io);
}

/** The store to read: the one named, or the user's own, or where there is none the sample. */
export function storeToRead(io: Io, flag: string | undefined): StoreChoice {
  if (flag !== undefined) return { path: flag, namedBy: undefined, isSample: false };
  const { path, by: namedBy } = named(io) ?? { path: defaultStorePath(io), by: undefined };
  const isSample = namedBy === undefined && !existsSync(path);
  return { path: isSample ? samplePath() : path, namedBy, isSample };
}

/** The store that is named without being typed. */
function named(io: Io): { readonly path: string; readonly by: string } | undefined {
  const path = variable(io, 'ASOF_STORE');
  if (path !== undefined) return { path, by: 'ASOF_STORE' };
  const { store } = readSettings(io);
  return store === undefined ? undefined : { path: store, by: 'the setting store' };
}

/** Where the keys of the service that this machine serves lie: as named, by flag before environment, or beside the user's own store. */
export function accessPath(io: Io, flag: string | undefined): string {
  return flag ?? variable(io, 'ASOF_ACCESS') ?? join(io.folders.data, 'access.db');
}
