import { readFileSync, statSync } from 'node:fs';
import { Problem } from '../../errors/problem.ts';
import { systemProblem } from '../../errors/system-errors.ts';
import { configPath, readConfigFile } from '../../platform/config-file.ts';
import { variable } from '../../platform/installation.ts';
import type { Io } from '../terminal/io.ts';
import type { Messages } from '../terminal/messages.ts';

/**
 * Finds the key for an origin or for FRED: in a variable, in the file of another variable, or stored.
 * Warns if others can read the file.
 */
export async function keyFor(
  io: Io,
  owner: string,
  { note }: Pick<Messages, 'note'>,
): Promise<{ readonly text: string; readonly from: string } | undefined> {
  const [variableName, fileVariable] =
    owner === 'fred' ? ['FRED_API_KEY', 'ASOF_FRED_API_KEY_FILE'] : ['ASOF_API_KEY', 'ASOF_API_KEY_FILE'];
  const direct = variable(io, variableName);
  if (direct !== undefined) return { text: checkedKey(direct, variableName), from: variableName };
  const named = variable(io, fileVariable);
  const from = named ?? configPath(io, 'keys');
  const text = named === undefined ? (await storedKeys(io)).get(owner) : keyIn(named, fileVariable);
  if (text === undefined) return undefined;
  const key = checkedKey(text, from);
  if (!isPrivate(from)) note(`asof: others can read the key in ${from}; chmod 600 keeps it yours`);
  return { text: key, from };
}

/** Trims a key; throws a Problem that names its origin and never repeats an invalid key. */
export function checkedKey(text: string, from: string): string {
  const key = text.trim();
  if (/^[!-~]{1,512}$/.test(key)) return key;
  const reason = key === '' ? 'is empty' : 'holds characters that no key has';
  throw new Problem('bad-input', `the key from ${from} ${reason}`);
}

/** Returns the keys stored on this machine, by origin. */
export async function storedKeys(io: Io): Promise<ReadonlyMap<string, string>> {
  const entries = Object.entries(await readConfigFile(io, 'keys'));
  return new Map(entries.flatMap(([origin, key]) => (typeof key === 'string' ? [[origin, key]] : [])));
}

/** Reads the key in a file, for a variable or a flag; throws a Problem if that is impossible. */
export function keyIn(path: string, reader: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw systemProblem('read', `the key of ${reader}, ${path}`, error);
  }
}

/** Tells whether only its owner can read a file; always true on Windows, which has no such mode. */
function isPrivate(path: string): boolean {
  return process.platform === 'win32' || (statSync(path).mode & 0o077) === 0;
}
