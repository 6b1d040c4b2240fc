import { Problem } from '../../errors/problem.ts';
import { SqliteError } from './engine.ts';

/** What SQLite refuses, by the family of its error code. */
const sqliteReasons: Readonly<Record<string, string>> = {
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

const systemReasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is not a folder',
};

/** An error of SQLite or of the operating system as a Problem that names the store; any other error as it is. */
export function asProblem(path: string, error: unknown): unknown {
  const reason = error instanceof SqliteError ? sqliteReason(error) : systemReason(error);
  if (reason === undefined) return error;
  return new Problem('local-io', `cannot use the store ${path}: ${reason}`, { cause: error });
}

function sqliteReason({ code, message }: Error & { readonly code: string }): string | undefined {
  const family = code.split('_').slice(0, 2).join('_');
  return bugs.has(family) ? undefined : (sqliteReasons[family] ?? message);
}

function systemReason(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { syscall, code = '', message } = error as NodeJS.ErrnoException;
  if (typeof syscall !== 'string') return undefined;
  if (syscall === 'mkdir' && code === 'ENOENT') return 'its folder cannot be made';
  return systemReasons[code] ?? message;
}
