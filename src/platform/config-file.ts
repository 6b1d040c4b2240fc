// Why: docs/decisions/settings-file.md
import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type Conf from 'conf';
import { Problem } from '../errors/problem.ts';
import { systemProblem } from '../errors/system-errors.ts';
import { makeFolder } from './files.ts';
import { type UserFolders, variable } from './installation.ts';

type User = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folders: UserFolders;
};

type ConfigFile = 'config' | 'keys';

type ConfigEntries = Readonly<Record<string, unknown>>;

/** Returns the path of a file, in ASOF_CONFIG_DIR or the system's folder; the file need not exist. */
export function configPath(user: User, file: ConfigFile): string {
  return join(variable(user, 'ASOF_CONFIG_DIR') ?? user.folders.config, `${file}.json`);
}

/** Reads the entries of a file, none if it does not exist; throws a Problem for a damaged file. */
export async function readConfigFile(user: User, file: ConfigFile): Promise<ConfigEntries> {
  const path = configPath(user, file);
  try {
    // A query without a file does not load conf, which takes as long as the query itself.
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return {};
    return { ...(await openFile(path)).store };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return {};
    throw error instanceof Problem ? error : systemProblem('read', path, error);
  }
}

async function openFile(path: string): Promise<Conf<Record<string, unknown>>> {
  const { default: ConfFile } = await import('conf');
  return new ConfFile<Record<string, unknown>>({
    cwd: dirname(path),
    configName: basename(path, '.json'),
    configFileMode: 0o600,
    // The name of a key, an origin of a service, has dots.
    accessPropertiesByDotNotation: false,
    serialize: (entries) => `${JSON.stringify(entries, undefined, 2)}\n`,
    deserialize(text) {
      try {
        const value: unknown = JSON.parse(text);
        if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
      } catch {
        // Not JSON.
      }
      throw new Problem('local-io', `cannot read ${path}: it is not the JSON object that asof writes`, {
        hints: ['repair it, or delete it and set its entries again'],
      });
    },
  });
}

/** Sets an entry of a file, or removes it if the value is undefined; only the owner can read the file. */
export async function changeConfigFile(
  user: User,
  file: ConfigFile,
  name: string,
  value: string | number | undefined,
): Promise<void> {
  const path = configPath(user, file);
  const { [name]: before } = await readConfigFile(user, file);
  if (value === undefined && before === undefined) return;
  try {
    makeFolder(dirname(path), 0o700);
    const conf = await openFile(path);
    if (value === undefined) conf.delete(name);
    else conf.set(name, value);
  } catch (error) {
    throw error instanceof Problem ? error : systemProblem('write to', path, error);
  }
}
