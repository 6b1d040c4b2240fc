import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import type Sqlite from 'better-sqlite3';
import { Problem } from '../../errors/problem.ts';
import { isSystemError, systemProblem } from '../../errors/system-errors.ts';
import { openDatabase, SqliteError } from './engine.ts';

/** Opens a SQLite file that must exist; whatever stands in the way becomes a Problem that names the file. */
export async function connect(path: string, readonly: boolean): Promise<Sqlite.Database> {
  checkFile(path, readonly);
  return sqliteProblems(path, () => {
    const db = openDatabase(path, { readonly, fileMustExist: true, timeout: 5000 });
    db.pragma('foreign_keys = on');
    return db;
  });
}

/**
 * Opens a store for reading. Where its folder cannot be written, SQLite has no place for what readers of a live file
 * share: then the file is read as it is into memory, unless `live` asks to see what is imported later.
 */
export async function connectReader(path: string, live = false): Promise<Sqlite.Database> {
  const db = await connect(path, true);
  try {
    db.pragma('user_version');
    return db;
  } catch (error) {
    db.close();
    const lacksPlace = error instanceof SqliteError && /^SQLITE_(READONLY|CANTOPEN)/.test(error.code);
    if (live || !lacksPlace || hasUnmerged(path)) throw asProblem(path, error);
    return sqliteProblems(path, () => snapshot(path));
  }
}

/** Whether a write-ahead log beside the store holds what its file does not. */
function hasUnmerged(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function snapshot(path: string): Sqlite.Database {
  const bytes = readFileSync(path);
  // Bytes 18 and 19 of the header say that the file has a write-ahead log (2) or none (1).
  bytes.fill(1, 18, 20);
  return openDatabase(bytes, { readonly: true });
}

// In one thread: a first asynchronous call would cost a query more time than these calls themselves.
function checkFile(path: string, readonly: boolean): void {
  let isFile: boolean;
  try {
    isFile = statSync(path).isFile();
  } catch (cause) {
    throw systemProblem('open', `the store ${path}`, cause);
  }
  if (!isFile) throw new Problem('local-io', `cannot open the store ${path}: it is not a file`);
  try {
    accessSync(path, readonly ? constants.R_OK : constants.R_OK | constants.W_OK);
  } catch (cause) {
    throw systemProblem(readonly ? 'read' : 'write to', `the store ${path}`, cause);
  }
}

const reasons: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: 'it is not an asof store',
  SQLITE_CORRUPT: 'it is damaged',
  SQLITE_FULL: 'the disk is full',
  SQLITE_BUSY: 'another import is writing to it; try again when it is done',
  SQLITE_READONLY: 'it, or its folder, cannot be written',
  SQLITE_CANTOPEN:
    'its folder cannot be written, and SQLite needs a place beside it for what readers of a live store share',
};

/** Runs `work`; an error of SQLite becomes a Problem that names the store and the cause. */
export function sqliteProblems<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asProblem(path, error);
  }
}

/** An error of SQLite or of the operating system as a Problem that names the store; any other error as it is. */
export function asProblem(path: string, error: unknown): unknown {
  if (isSystemError(error)) {
    return systemProblem(error.syscall === 'mkdir' ? 'create' : 'use', `the store ${path}`, error);
  }
  if (!(error instanceof SqliteError)) return error;
  const family = error.code.split('_').slice(0, 2).join('_');
  if (family === 'SQLITE_ERROR' || family === 'SQLITE_CONSTRAINT' || family === 'SQLITE_MISMATCH')
    return error;
  return new Problem('local-io', `cannot use the store ${path}: ${reasons[family] ?? error.message}`, {
    cause: error,
  });
}

const prepared = new WeakMap<Sqlite.Database, Map<string, Sqlite.Statement>>();

/** The prepared form of an SQL text, kept for as long as its connection. */
export function prepare(db: Sqlite.Database, text: string): Sqlite.Statement {
  const known = prepared.get(db) ?? new Map<string, Sqlite.Statement>();
  prepared.set(db, known);
  const statement = known.get(text) ?? db.prepare(text);
  known.set(text, statement);
  return statement;
}
