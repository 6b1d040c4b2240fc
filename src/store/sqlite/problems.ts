import { Problem } from '../../errors/problem.ts';
import { isSystemError, systemProblem } from '../../errors/system-errors.ts';
import { SqliteError } from './engine.ts';

/** What SQLite refuses, by the family of its error code. */
const reasons: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: 'it is not an asof store',
  SQLITE_CORRUPT: 'it is damaged',
  SQLITE_FULL: 'the disk is full',
  SQLITE_BUSY: 'another import is writing to it; try again when it is done',
  SQLITE_READONLY: 'it, or its folder, cannot be written',
  SQLITE_CANTOPEN:
    'its folder cannot be written, and SQLite needs a place beside it for what readers of a live store share',
};

/** Errors of our own SQL: bugs, which no Problem hides. */
const bugs: ReadonlySet<string> = new Set(['SQLITE_ERROR', 'SQLITE_CONSTRAINT', 'SQLITE_MISMATCH']);

/** An error of SQLite or of the operating system as a Problem that names the store; any other error as it is. */
export function asProblem(path: string, error: unknown): unknown {
  if (isSystemError(error))
    return systemProblem(error.syscall === 'mkdir' ? 'create' : 'use', `the store ${path}`, error);
  if (!(error instanceof SqliteError)) return error;
  const family = error.code.split('_').slice(0, 2).join('_');
  if (bugs.has(family)) return error;
  return new Problem('local-io', `cannot use the store ${path}: ${reasons[family] ?? error.message}`, {
    cause: error,
  });
}
