import { closeSync, lstatSync, openSync } from 'node:fs';
import { Problem } from '../../errors/problem.ts';
import { systemProblem } from '../../errors/system-errors.ts';
import type { Lock } from '../lock.ts';
import { openDatabase, SqliteError } from './engine.ts';

/**
 * Takes the lock of a file, which is made where there is none, for its owner alone; undefined where another process has
 * it. It is one of the operating system: a killed process does not leave it behind.
 */
export function takeLock(path: string): Lock | undefined {
  const there = lstatSync(path, { throwIfNoEntry: false });
  // A pipe would never open, and a link leads to a file of somebody else's choice.
  if (there?.isFile() === false) throw new Problem('local-io', `cannot lock ${path}: it is not a file`);
  // SQLite would be content with a file that it can only read, and lock nobody out.
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch (cause) {
    throw systemProblem('lock', path, cause);
  }
  const db = openDatabase(path, { timeout: 0 });
  try {
    db.exec('begin exclusive');
    return { close: () => void db.close() };
  } catch (error) {
    db.close();
    if (!(error instanceof SqliteError)) throw error;
    if (error.code.startsWith('SQLITE_BUSY')) return undefined;
    throw systemProblem('lock', path, error, reasons[error.code.split('_')[1] ?? '']);
  }
}

/** SQLite reports what it could not do, without the reason that the operating system gave. */
const reasons: Readonly<Record<string, string>> = {
  CANTOPEN: 'the disk is full, or its folder cannot be written',
  READONLY: 'the disk is full, or its folder cannot be written',
  NOTADB: 'it is not a lock; remove it',
};
