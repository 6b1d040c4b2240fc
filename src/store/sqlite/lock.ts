import { closeSync, lstatSync, openSync } from 'node:fs';
import { Problem } from '../../errors/problem.ts';
import type { Lock } from '../store.ts';
import { openDatabase, SqliteError } from './engine.ts';

/**
 * Takes the lock of a file, creating the file for its owner alone; undefined while another process holds it.
 * The operating system keeps the lock, so that a killed process leaves none behind.
 */
export async function takeLock(path: string): Promise<Lock | undefined> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  // A pipe would block, and a link could lead to any file.
  if (found?.isFile() === false) throw refused(path, 'it is not a file');
  // SQLite would open a file that it can only read, and lock nothing.
  closeSync(openSync(path, 'a', 0o600));
  const db = openDatabase(path, { timeout: 0 });
  try {
    db.exec('begin exclusive');
    return { close: async () => void db.close() };
  } catch (error) {
    db.close();
    if (!(error instanceof SqliteError)) throw error;
    if (error.code.startsWith('SQLITE_BUSY')) return undefined;
    // SQLite does not pass on what the operating system said.
    throw refused(path, reasons[error.code.split('_')[1] ?? ''] ?? error.message, error);
  }
}

const reasons: Readonly<Record<string, string>> = {
  CANTOPEN: 'there is no space for it, or its folder cannot be written',
  READONLY: 'there is no space for it, or its folder cannot be written',
  NOTADB: 'it is not a lock; remove it',
};

function refused(path: string, reason: string, cause?: unknown): Problem {
  return new Problem('local-io', `cannot take the lock ${path}: ${reason}`, { cause });
}
