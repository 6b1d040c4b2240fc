import { pathToFileURL } from 'node:url';
import Legacy from 'better-sqlite3';

/** How to open a SQLite file. */
type DatabaseOptions = Pick<Legacy.Options, 'fileMustExist' | 'readonly' | 'timeout'>;

/** A prepared statement. */
export type SqlQuery<Row> = Pick<Legacy.Statement<unknown[], Row>, 'all' | 'get' | 'iterate' | 'run'>;

type Prepared = SqlQuery<unknown> & {
  /** Gives rows as arrays from now on. */
  raw(): Prepared;
  /** Gives the first value of each row from now on. */
  pluck(): Prepared;
};

/** What asof uses of a SQLite database, in the words of better-sqlite3. */
export type SqliteDatabase = Pick<Legacy.Database, 'inTransaction' | 'pragma'> & {
  close(): unknown;
  prepare(sql: string): Prepared;
  exec(sql: string): Pick<SqliteDatabase, 'close'>;
  /** Copies all pages into a new file; after a part of them, `progress` returns the number of the next. */
  backup(path: string, options: { readonly progress: (left: PagesLeft) => number }): Promise<unknown>;
};

/** How far a copy of pages is. */
export type PagesLeft = { readonly totalPages: number; readonly remainingPages: number };

type NodeStatement = SqlQuery<unknown> & {
  setReturnArrays(on: boolean): void;
  setAllowUnknownNamedParameters(on: boolean): void;
};

type NodeDatabase = {
  readonly isTransaction: boolean;
  prepare(sql: string): NodeStatement;
  exec(sql: string): void;
  deserialize(bytes: Uint8Array): void;
  close(): void;
};

/** Node's own SQLite; its types are those of a newer Node than the oldest that asof runs on. */
type NodeSqlite = {
  readonly DatabaseSync: new (path: string | URL, options: object) => NodeDatabase;
  backup(db: NodeDatabase, path: string, options: { progress(left: PagesLeft): void }): Promise<unknown>;
};

/** Opens a database with Node's own SQLite, as better-sqlite3 opens it. */
export function openWithNode(
  { DatabaseSync, backup }: NodeSqlite,
  path: string | Buffer,
  { fileMustExist = false, readonly: readOnly = false, timeout = 5000 }: DatabaseOptions,
): SqliteDatabase {
  const db = explained(() => {
    const where = Buffer.isBuffer(path) || path === ':memory:' ? ':memory:' : pathToFileURL(path);
    if (typeof where !== 'string' && fileMustExist && !readOnly) where.search = '?mode=rw';
    return new DatabaseSync(where, { readOnly, timeout, defensive: false });
  });
  const opened: SqliteDatabase = {
    get inTransaction() {
      return db.isTransaction;
    },
    prepare: (sql) => preparedBy(db, sql),
    exec(sql) {
      explained(() => db.exec(sql));
      return opened;
    },
    pragma(source) {
      return preparedBy(db, `pragma ${source}`).pluck().get();
    },
    close: () => db.close(),
    backup: (to, options) =>
      backup(db, to, options).catch((error) => {
        throw explanationOf(error);
      }),
  };
  if (Buffer.isBuffer(path)) explained(() => db.deserialize(path));
  return opened;
}

function preparedBy(db: NodeDatabase, sql: string): Prepared {
  const statement = explained(() => db.prepare(sql));
  statement.setAllowUnknownNamedParameters(true);
  let shape: (row: unknown) => unknown = (row) => row;
  const ask = <T>(work: (...given: readonly unknown[]) => T, given: readonly unknown[]): T =>
    explained(() => work.apply(statement, given.flat().map(bindable)));
  const prepared: Prepared = {
    all: (...given) => ask(statement.all, given).map(shape),
    get(...given) {
      const row = ask(statement.get, given);
      return row === undefined ? undefined : shape(row);
    },
    *iterate(...given) {
      const rows = ask(statement.iterate, given);
      for (;;) {
        const step = explained(() => rows.next());
        if (step.done === true) return;
        yield shape(step.value);
      }
    },
    run: (...given) => ask(statement.run, given),
    raw() {
      statement.setReturnArrays(true);
      return prepared;
    },
    pluck() {
      shape = (row) => (row as readonly unknown[])[0];
      return prepared.raw();
    },
  };
  return prepared;
}

/** Converts whole numbers, which node:sqlite binds as reals: `7 / 2` is 3 in SQLite, `7.0 / 2` is 3.5. */
function bindable(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, bindable(one)]));
}

/** The names of SQLite's error codes by their numbers, as far as asof asks for them. */
const codes: Readonly<Record<number, string>> = {
  ...{ 1: 'ERROR', 3: 'PERM', 5: 'BUSY', 6: 'LOCKED', 8: 'READONLY', 10: 'IOERR', 11: 'CORRUPT' },
  ...{ 13: 'FULL', 14: 'CANTOPEN', 19: 'CONSTRAINT', 20: 'MISMATCH', 26: 'NOTADB', 778: 'IOERR_WRITE' },
  ...{ 4618: 'IOERR_SHMOPEN', 4874: 'IOERR_SHMSIZE', 5130: 'IOERR_SHMLOCK', 5386: 'IOERR_SHMMAP' },
};

/** Runs work on a database; throws SQLite's errors as better-sqlite3 does. */
function explained<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw explanationOf(error);
  }
}

/** Turns an error of SQLite into that of better-sqlite3; returns any other unchanged. */
function explanationOf(error: unknown): unknown {
  if (!(error instanceof Error && 'errcode' in error)) return error;
  const number = Number(error.errcode);
  const code = codes[number] ?? codes[number & 0xff] ?? String(number);
  return new Legacy.SqliteError(error.message, `SQLITE_${code}`);
}
