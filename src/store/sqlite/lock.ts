import { closeSync, lstatSync, openSync } from 'node:fs';
import { Problem } from '../../errors/problem.ts';
import { systemProblem } from '../../errors/system-errors.ts';
import type { Lock } from '../store.ts';
import { openDatabase, SqliteError } from './connection.ts';

/**
 * Takes the lock of a file, creating the file for its owner alone; undefined while another process holds it.
 * The operating system keeps the lock, so that a killed process leaves none behind.
 */
export async function takeLock(path: string): Promise<Lock | undefined> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  // A pipe would block, and a link could lead to any file.
  if (found?.isFile() === false) throw new Problem('local-io', `cannot lock ${path}: it is not a file`);
  // SQLite would open a file that it can only read, and lock nothing.
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch (cause) {
    throw systemProblem('lock', path, cause);
  }
  const db = openDatabase(path, { timeout: 0 });
  try {
    db.exec('begin exclusive');
    return { close: async () => void db.close() };
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
