import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Problem } from '../../errors/problem.ts';
import { isSystemError } from '../../errors/system-errors.ts';

/** What a line of a password file gives a password for, in the order of its fields. */
export type PasswordPlace = {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
};

/**
 * The password for a place from the user's password file: as in `libpq`, that of the first line that matches. Throws a
 * Problem if no line matches, or if other users may read the file; `shown` is the address without passwords.
 */
export function filedPassword(
  place: PasswordPlace,
  shown: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const file = env.PGPASSFILE ?? usualFile(env);
  const lacks = (hint: string) =>
    new Problem('local-io', `cannot use the store ${shown}: the server asks for a password`, {
      hints: [hint, 'PGPASSFILE names another file; PGPASSWORD holds the password itself'],
    });
  const { host, port, database, user } = place;
  const wanted = `${host}:${port}:${database}:${user}:PASSWORD`;
  const text = textOf(file);
  if (text === undefined) throw lacks(`${file} does not exist; it holds passwords in lines of ${wanted}`);
  if (text === null) throw lacks(`${file} is not used, because others may read it: chmod 600 ${file}`);
  const given = [host.startsWith('/') ? ['localhost', host] : [host], [String(port)], [database], [user]];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const fields = fieldsOf(line);
    const password = fields.slice(4).join(':');
    const fits = given.every((texts, i) => fields[i] === '*' || texts.includes(fields[i] ?? ''));
    if (fits && password !== '') return password;
  }
  throw lacks(`${file} has no line for it: ${wanted}`);
}

function usualFile(env: Readonly<Record<string, string | undefined>>): string {
  return process.platform === 'win32'
    ? join(env.APPDATA ?? homedir(), 'postgresql', 'pgpass.conf')
    : join(env.HOME ?? homedir(), '.pgpass');
}

/** The text of a file; undefined if it is missing or unreadable, null if other users may read it. */
function textOf(file: string): string | undefined | null {
  try {
    const found = statSync(file);
    if (!found.isFile()) return undefined;
    if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) return null;
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

/** The fields of a line, split at each `:`; a backslash makes the character after it literal. */
function fieldsOf(line: string): readonly string[] {
  return (line.match(/(?:^|:)(?:\\.|[^:\\])*/g) ?? []).map((field, i) =>
    (i === 0 ? field : field.slice(1)).replace(/\\(.)/g, '$1'),
  );
}
