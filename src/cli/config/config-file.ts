import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Problem } from '../../errors/problem.ts';
import { systemProblem } from '../../errors/system-errors.ts';
import { makeFolder } from '../../platform/folder.ts';
import { type Io, variable } from '../terminal/io.ts';

/** The files that asof keeps for a user: what they set, and the keys that they send. */
export type ConfigFile = 'config' | 'keys';

/** What such a file holds: one JSON object. */
export type Entries = Readonly<Record<string, unknown>>;

/** The folder of a user's own settings and keys: ASOF_CONFIG_DIR, else where the system keeps such. */
function configFolder(io: Io): string {
  const named = variable(io, 'ASOF_CONFIG_DIR');
  if (named !== undefined) return named;
  const home = variable(io, 'HOME') ?? homedir();
  if (process.platform === 'win32')
    return join(variable(io, 'APPDATA') ?? join(home, 'AppData', 'Roaming'), 'asof');
  if (process.platform === 'darwin') return join(home, 'Library', 'Preferences', 'asof');
  return join(variable(io, 'XDG_CONFIG_HOME') ?? join(home, '.config'), 'asof');
}

/** Where a file lies, whether it is there or not. */
export function configPath(io: Io, file: ConfigFile): string {
  return join(configFolder(io), `${file}.json`);
}

/** What a file holds, nothing where there is none; a damaged one is a Problem that names it and the way out. */
export function readConfigFile(io: Io, file: ConfigFile): Entries {
  const path = configPath(io, file);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    throw systemProblem('read', path, error);
  }
  const entries = parsed(text);
  if (entries !== undefined) return entries;
  throw new Problem('local-io', `cannot read ${path}: it is not the JSON object that asof writes`, {
    hints: ['repair it, or delete it and set again what was in it'],
  });
}

function parsed(text: string): Entries | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Entries) : undefined;
}

/** Sets an entry of a file, or removes it where the value is undefined; only its owner can read file and folder. */
export async function changeConfigFile(
  io: Io,
  file: ConfigFile,
  name: string,
  value: string | number | undefined,
): Promise<void> {
  const had = Object.hasOwn(readConfigFile(io, file), name);
  if (value === undefined && !had) return;
  const { default: Conf } = await import('conf');
  const folder = configFolder(io);
  try {
    makePrivate(folder);
    const conf = new Conf<Record<string, string | number>>({
      cwd: folder,
      configName: file,
      configFileMode: 0o600,
      // Names are those of settings, or origins, which are full of dots.
      accessPropertiesByDotNotation: false,
    });
    if (value === undefined) conf.delete(name);
    else conf.set(name, value);
  } catch (error) {
    throw systemProblem('write to', configPath(io, file), error);
  }
}

const ours: ReadonlySet<string> = new Set(['config.json', 'keys.json']);

/** Makes the folder for its owner alone; one that was there before is left as it is when it holds anything else. */
function makePrivate(folder: string): void {
  makeFolder(folder, 0o700);
  if (isPrivate(folder) || !readdirSync(folder).every((name) => ours.has(name))) return;
  chmodSync(folder, 0o700);
}

/** Whether nobody but its owner can read what lies there; Windows does not tell. */
export function isPrivate(path: string): boolean {
  return process.platform === 'win32' || (statSync(path).mode & 0o077) === 0;
}
