import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { samplePath } from '../installation.ts';
import { type Io, variable } from './io.ts';

/** Which store a command uses, and whether it fell back to the shipped sample. */
export type StoreChoice = { readonly path: string; readonly isSample: boolean };

/** Where a user's own store lies unless another is named. */
export function defaultStorePath(io: Io): string {
  return join(dataFolder(io), 'asof', 'asof.db');
}

/** The store to import into: the one named, by flag before environment, or the user's own. */
export function storeToWrite(io: Io, flag: string | undefined): string {
  return flag ?? variable(io, 'ASOF_STORE') ?? defaultStorePath(io);
}

/** The store to read: the one named, or the user's own, or where there is none the sample. */
export function storeToRead(io: Io, flag: string | undefined): StoreChoice {
  const named = flag ?? variable(io, 'ASOF_STORE');
  if (named !== undefined) return { path: named, isSample: false };
  const own = defaultStorePath(io);
  return existsSync(own) ? { path: own, isSample: false } : { path: samplePath(), isSample: true };
}

function dataFolder(io: Io): string {
  const home = variable(io, 'HOME') ?? homedir();
  if (process.platform === 'win32') return variable(io, 'LOCALAPPDATA') ?? join(home, 'AppData', 'Local');
  if (process.platform === 'darwin') return join(home, 'Library', 'Application Support');
  return variable(io, 'XDG_DATA_HOME') ?? join(home, '.local', 'share');
}
