import { readFileSync } from 'node:fs';
import { Problem } from '../../errors/problem.ts';
import { systemProblem } from '../../errors/system-errors.ts';
import { configPath, isPrivate, readConfigFile } from '../../platform/config-file.ts';
import { variable } from '../../platform/installation.ts';
import type { Io } from '../terminal/io.ts';
import type { Messages } from '../terminal/messages.ts';

/** A key, and where it comes from, in words. */
type FoundKey = { readonly text: string; readonly from: string };

/** Finds the key to send to an origin: ASOF_API_KEY, ASOF_API_KEY_FILE, or the one stored for exactly this origin. */
export function keyFor(io: Io, origin: string, messages: Pick<Messages, 'note'>): FoundKey | undefined {
  return foundKey(io, { direct: 'ASOF_API_KEY', file: 'ASOF_API_KEY_FILE', stored: origin }, messages);
}

/** Finds the user's key for FRED: FRED_API_KEY, ASOF_FRED_API_KEY_FILE, or the stored one. */
export function fredKey(io: Io, messages: Pick<Messages, 'note'>): string | undefined {
  const names = { direct: 'FRED_API_KEY', file: 'ASOF_FRED_API_KEY_FILE', stored: 'fred' };
  return foundKey(io, names, messages)?.text;
}

/** Finds a key in one variable, in the file that another names, or stored; warns if others can read a file with it. */
function foundKey(
  io: Io,
  names: { readonly direct: string; readonly file: string; readonly stored: string },
  { note }: Pick<Messages, 'note'>,
): FoundKey | undefined {
  const direct = variable(io, names.direct);
  if (direct !== undefined) return { text: checkedKey(direct, names.direct), from: names.direct };
  const named = variable(io, names.file);
  const from = named ?? configPath(io, 'keys');
  const text = named === undefined ? storedKeys(io).get(names.stored) : keyFile(named, names.file);
  if (text === undefined) return undefined;
  const key = checkedKey(text, from);
  if (!isPrivate(from)) note(`asof: others can read the key in ${from}; chmod 600 keeps it yours`);
  return { text: key, from };
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
