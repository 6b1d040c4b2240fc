// Why: docs/decisions/settings-file.md
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Problem } from '../errors/problem.ts';
import { systemProblem } from '../errors/system-errors.ts';
import { DraftFile, makeFolder } from './files.ts';
import { type UserFolders, variable } from './installation.ts';

type User = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folders: UserFolders;
};

/** The files that asof keeps for a user: settings, and the keys that go to services. */
export type ConfigFile = 'config' | 'keys';

type ConfigEntries = Readonly<Record<string, unknown>>;

/** The path of a file, which need not exist: in ASOF_CONFIG_DIR, or in the folder by the system's conventions. */
export function configPath(user: User, file: ConfigFile): string {
  return join(variable(user, 'ASOF_CONFIG_DIR') ?? user.folders.config, `${file}.json`);
}

/** The entries of a file, none if it does not exist; a damaged file is a Problem that names it and the way out. */
export function readConfigFile(user: User, file: ConfigFile): ConfigEntries {
  const path = configPath(user, file);
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
    hints: ['repair it, or delete it and set its entries again'],
  });
}

function parsed(text: string): ConfigEntries | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as ConfigEntries) : undefined;
}

/**
 * Sets an entry of a file, or removes it if the value is undefined; only the owner can read the file and its folder.
 */
export async function changeConfigFile(
  user: User,
  file: ConfigFile,
  name: string,
  value: string | number | undefined,
): Promise<void> {
  const { [name]: before, ...others } = readConfigFile(user, file);
  if (value === undefined && before === undefined) return;
  const entries = value === undefined ? others : { ...others, [name]: value };
  const path = configPath(user, file);
  try {
    makePrivate(dirname(path));
    await replaceFile(path, `${JSON.stringify(entries, undefined, 2)}\n`, 0o600);
  } catch (error) {
    throw systemProblem('write to', path, error);
  }
}

/** Replaces the content of a file in one step, on the disk for good; the file gets that mode. */
export async function replaceFile(path: string, content: string, mode: number): Promise<void> {
  const draft = await DraftFile.open(path, mode);
  try {
    await draft.write(content);
    await draft.flush();
    await draft.publish();
  } catch (error) {
    await draft.discard();
    throw error;
  }
}

const ownNames: ReadonlySet<string> = new Set(['config.json', 'keys.json']);

/** Makes the folder for its owner alone; a folder that also holds other things keeps its mode. */
function makePrivate(folder: string): void {
  makeFolder(folder, 0o700);
  if (isPrivate(folder) || !readdirSync(folder).every((name) => ownNames.has(name))) return;
  chmodSync(folder, 0o700);
}

/** Whether only its owner can read a file or folder; always true on Windows, which has no such mode. */
export function isPrivate(path: string): boolean {
  return process.platform === 'win32' || (statSync(path).mode & 0o077) === 0;
}
