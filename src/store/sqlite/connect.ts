import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import Sqlite from 'better-sqlite3';
import { Problem } from '../../problem.ts';

/** Opens a SQLite file that must exist; whatever stands in the way becomes a Problem that names the file. */
export async function connect(path: string, readonly: boolean): Promise<Sqlite.Database> {
  await checkFile(path, readonly);
  return sqliteProblems(path, () => {
    const db = new Sqlite(path, { readonly, fileMustExist: true, timeout: 5000 });
    db.pragma('foreign_keys = on');
    return db;
  });
}

async function checkFile(path: string, readonly: boolean): Promise<void> {
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    const reason = cause.code === 'ENOENT' ? 'there is no such file' : cause.message;
    throw new Problem('local-io', `cannot open the store ${path}: ${reason}`, { cause });
  });
  if (!found.isFile()) throw new Problem('local-io', `cannot open the store ${path}: it is not a file`);
  await access(path, readonly ? constants.R_OK : constants.R_OK | constants.W_OK).catch((cause) => {
    throw new Problem(
      'local-io',
      `cannot ${readonly ? 'read' : 'write'} the store ${path}: permission denied`,
      { cause },
    );
  });
}

const reasons: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: 'it is not an asof store',
  SQLITE_CORRUPT: 'it is damaged',
  SQLITE_FULL: 'the disk is full',
  SQLITE_BUSY: 'another import is writing to it; try again when it is done',
  SQLITE_READONLY: 'it cannot be written',
  SQLITE_CANTOPEN:
    'SQLite cannot open it (a store that was written to needs a directory where its -wal file can lie)',
};

/** Runs `work`; an error of SQLite becomes a Problem that names the store and the cause. */
export function sqliteProblems<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asProblem(path, error);
  }
}

/** An error of SQLite as a Problem that names the store; any other error as it is. */
export function asProblem(path: string, error: unknown): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error;
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
