import { readFileSync } from 'node:fs';
import { Problem } from '../../errors/problem.ts';
import { systemProblem } from '../../errors/system-errors.ts';
import { configPath, isPrivate, readConfigFile } from '../../platform/config-file.ts';
import { variable } from '../../platform/installation.ts';
import type { Io } from '../terminal/io.ts';
import type { Messages } from '../terminal/messages.ts';

/**
 * The key to send to an origin, and where it comes from, in words: ASOF_API_KEY, ASOF_API_KEY_FILE, or the one stored
 * for exactly this origin; undefined if there is none. Warns if others can read a file with a key.
 */
export function keyFor(
  io: Io,
  origin: string,
  { note }: Pick<Messages, 'note'>,
): { readonly text: string; readonly from: string } | undefined {
  const direct = variable(io, 'ASOF_API_KEY');
  if (direct !== undefined) return { text: checkedKey(direct, 'ASOF_API_KEY'), from: 'ASOF_API_KEY' };
  const file = variable(io, 'ASOF_API_KEY_FILE');
  if (file !== undefined) {
    const text = checkedKey(keyFile(file, 'ASOF_API_KEY_FILE'), file);
    advise(file, note);
    return { text, from: file };
  }
  const stored = storedKeys(io).get(origin);
  if (stored === undefined) return undefined;
  const path = configPath(io, 'keys');
  advise(path, note);
  return { text: checkedKey(stored, path), from: path };
}

/**
 * The user's key for FRED: from FRED_API_KEY, ASOF_FRED_API_KEY_FILE, or the stored one; undefined if there is none.
 */
export function fredKey(io: Io, { note }: Pick<Messages, 'note'>): string | undefined {
  const direct = variable(io, 'FRED_API_KEY');
  if (direct !== undefined) return checkedKey(direct, 'FRED_API_KEY');
  const file = variable(io, 'ASOF_FRED_API_KEY_FILE');
  const stored = storedKeys(io).get('fred');
  if (file === undefined && stored === undefined) return undefined;
  advise(file ?? configPath(io, 'keys'), note);
  return checkedKey(
    file === undefined ? (stored ?? '') : keyFile(file, 'ASOF_FRED_API_KEY_FILE'),
    file ?? 'fred',
  );
}

/** The key in a text, without spaces around it; a Problem names where it came from and never repeats it. */
export function checkedKey(text: string, from: string): string {
  const key = text.trim();
  if (/^[!-~]{1,512}$/.test(key)) return key;
  const reason = key === '' ? 'is empty' : 'holds characters that no key has';
  throw new Problem('bad-input', `the key of ${from} ${reason}`);
}

/** The keys stored on this machine, by origin. */
export function storedKeys(io: Io): ReadonlyMap<string, string> {
  const entries = Object.entries(readConfigFile(io, 'keys'));
  return new Map(entries.flatMap(([origin, key]) => (typeof key === 'string' ? [[origin, key]] : [])));
}

function keyFile(path: string, variableName: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw systemProblem('read', `the key of ${variableName}, ${path}`, error);
  }
}

function advise(path: string, note: (text: string) => void): void {
  if (!isPrivate(path)) note(`asof: others can read the key in ${path}; chmod 600 keeps it yours`);
}
