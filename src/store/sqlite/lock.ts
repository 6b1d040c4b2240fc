import { closeSync, lstatSync, openSync } from 'node:fs';
import { Problem } from '../../errors/problem.ts';
import type { Lock } from '../lock.ts';
import { openDatabase, SqliteError } from './engine.ts';

/**
 * Takes the lock of a file, which is made where there is none, for its owner alone; undefined where another process has
 * it. It is one of the operating system: a killed process does not leave it behind.
 */
export function takeLock(path: string): Lock | undefined {
  const there = lstatSync(path, { throwIfNoEntry: false });
  // A pipe would never open, and a link leads to a file of somebody else's choice.
  if (there?.isFile() === false) throw refused(path, 'it is no file');
  // SQLite would be content with a file that it can only read, and lock nobody out.
  closeSync(openSync(path, 'a', 0o600));
  const db = openDatabase(path, { timeout: 0 });
  try {
    db.exec('begin exclusive');
    return { close: () => void db.close() };
  } catch (error) {
    db.close();
    if (!(error instanceof SqliteError)) throw error;
    if (error.code.startsWith('SQLITE_BUSY')) return undefined;
    // SQLite does not say more of what the system said to it.
    throw refused(path, reasons[error.code.split('_')[1] ?? ''] ?? error.message, error);
  }
}

const reasons: Readonly<Record<string, string>> = {
  CANTOPEN: 'there is no room for it, or no right to write beside it',
  READONLY: 'there is no room for it, or no right to write beside it',
  NOTADB: 'it is not a lock; remove it',
};

function refused(path: string, reason: string, cause?: unknown): Problem {
  return new Problem('local-io', `cannot take the lock ${path}: ${reason}`, { cause });
}
