import { accessSync, constants, statSync } from 'node:fs';
import { Problem } from '../../errors/problem.ts';
import { isSystemError, systemProblem } from '../../errors/system-errors.ts';
import type { Insertion, SqlSession, Values } from '../sql/session.ts';
import { openDatabase, SqliteError } from './driver.ts';
import type { PagesLeft, SqliteDatabase, SqlQuery } from './node-sqlite.ts';

const pagesAtOnce = 1000;

/** A connection to a SQLite file, which translates and prepares each SQL text once. */
export class Connection {
  /** The identity of the file; another file at the same path has another one. */
  readonly file: string;
  readonly #db: SqliteDatabase;
  readonly #prepared = {
    object: new Map<string, SqlQuery<unknown>>(),
    tuple: new Map<string, SqlQuery<unknown>>(),
    value: new Map<string, SqlQuery<unknown>>(),
  };

  constructor(db: SqliteDatabase, file = '') {
    this.#db = db;
    this.file = file;
  }

  /** Prepares a query for rows as objects, or a statement without rows. */
  objects<Row>(sql: string): SqlQuery<Row> {
    return this.#prepare<Row>('object', sql);
  }

  tuples<Row extends readonly unknown[]>(sql: string): SqlQuery<Row> {
    return this.#prepare<Row>('tuple', sql);
  }

  /** Prepares a query for rows as arrays that no other caller has. */
  newTuples<Row extends readonly unknown[]>(sql: string): SqlQuery<Row> {
    return this.#db.prepare(translated(sql)).raw() as SqlQuery<Row>;
  }

  column<Value>(sql: string): SqlQuery<Value> {
    return this.#prepare<Value>('value', sql);
  }

  run(sql: string, ...parameters: unknown[]): ReturnType<SqlQuery<unknown>['run']> {
    return this.objects(sql).run(...parameters);
  }

  exec(sql: string): void {
    this.#db.exec(translated(sql));
  }

  pragma(source: string): unknown {
    return this.#db.pragma(source, { simple: true });
  }

  /** Copies the pages of the open transaction into a new file; calls `progress` after each part. */
  async copyPages(path: string, progress: (left: PagesLeft) => void): Promise<void> {
    await this.#db.backup(path, {
      progress(left) {
        progress(left);
        return pagesAtOnce;
      },
    });
  }

  get inTransaction(): boolean {
    return this.#db.inTransaction;
  }

  close(): void {
    this.#db.close();
  }

  /** Prepares a statement. The only cast: the caller knows the shape of its rows. */
  #prepare<Row>(shape: 'object' | 'tuple' | 'value', sql: string): SqlQuery<Row> {
    const known = this.#prepared[shape].get(sql);
    if (known !== undefined) return known as SqlQuery<Row>;
    const made = this.#db.prepare(translated(sql));
    if (shape === 'tuple') made.raw();
    if (shape === 'value') made.pluck();
    this.#prepared[shape].set(sql, made);
    return made as SqlQuery<Row>;
  }
}

/** Calls `work` in a write transaction; rolls back if it throws. */
export async function inOneStep<T>(
  connection: Connection,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  connection.exec('begin immediate');
  try {
    const result = await work(connection);
    connection.exec('commit');
    return result;
  } catch (error) {
    if (connection.inTransaction) connection.exec('rollback');
    throw error;
  }
}

/** Work on a store through one connection; failures name the store. */
export class SqliteSession implements SqlSession {
  readonly path: string;
  readonly #problemOf: typeof asProblem;
  readonly #connection: Connection;
  #isOpen = true;

  constructor(path: string, connection: Connection, problemOf = asProblem) {
    this.path = path;
    this.#connection = connection;
    this.#problemOf = problemOf;
  }

  begin(): void {
    this.#isOpen = true;
  }

  end(): void {
    this.#isOpen = false;
  }

  async use<T>(work: (connection: Connection) => T | Promise<T>): Promise<T> {
    try {
      return await work(this.#open());
    } catch (error) {
      throw this.#problemOf(this.path, error);
    }
  }

  rows<Row>(sql: string, values: Values = {}): Promise<readonly Row[]> {
    return this.use((connection) => connection.objects<Row>(sql).all(bound(values)));
  }

  row<Row>(sql: string, values: Values = {}): Promise<Row | undefined> {
    return this.use((connection) => connection.objects<Row>(sql).get(bound(values)));
  }

  tuples<Row extends readonly unknown[]>(sql: string, values: Values = {}): Promise<readonly Row[]> {
    return this.use((connection) => connection.tuples<Row>(sql).all(bound(values)));
  }

  column<Value>(sql: string, values: Values = {}): Promise<readonly Value[]> {
    return this.use((connection) => connection.column<Value>(sql).all(bound(values)));
  }

  async *batches<Row extends readonly unknown[]>(
    sql: string,
    values: Values = {},
  ): AsyncGenerator<readonly Row[]> {
    // Few, because a caller that reads the first issuers may skip the rest.
    const size = 100;
    try {
      let batch: Row[] = [];
      // A statement of its own, because reads that share a transaction may be at different rows.
      for (const row of this.#open().newTuples<Row>(sql).iterate(bound(values))) {
        batch.push(row);
        if (batch.length < size) continue;
        yield batch;
        this.#open();
        batch = [];
      }
      if (batch.length > 0) yield batch;
    } catch (error) {
      throw this.#problemOf(this.path, error);
    }
  }

  run(sql: string, values: Values = {}): Promise<number> {
    return this.use((connection) => connection.run(sql, bound(values)).changes);
  }

  async write(sql: string, values: Values = {}): Promise<void> {
    await this.run(sql, values);
  }

  insert({ table, seriesId, columns, onConflict = '' }: Insertion): Promise<void> {
    return this.use((connection) => {
      const names = Object.keys(columns);
      const all = Object.values(columns).map(([, cells]) => cells);
      const { length } = all[0] ?? [];
      if (length === 0) return;
      if (seriesId !== undefined) {
        const key = connection.column('select key from series where id = ?').get(seriesId);
        all.unshift(new Array(length).fill(key));
        names.unshift('series');
      }
      const places = `(${names.map(() => '?').join()})`;
      const inserting = (count: number) =>
        `insert into ${table} (${names.join()}) values ${new Array(count).fill(places).join()} ${onConflict}`;
      const [one, several] = [inserting(1), inserting(rowsAtOnce)];
      // Why many rows at once: docs/decisions/two-drivers-of-sqlite.md
      for (let [at, count] = [0, 0]; at < length; at += count) {
        // A statement for each other number of rows would have to be prepared.
        count = length - at < rowsAtOnce ? 1 : rowsAtOnce;
        // As arguments: better-sqlite3 takes a sixth longer to look each of them up in an array.
        connection.run(count === 1 ? one : several, ...cellsOf(all, at, at + count));
      }
    });
  }

  #open(): Connection {
    if (!this.#isOpen) throw new Error('this view of the store has ended');
    return this.#connection;
  }
}

const rowsAtOnce = 32;

/** Lists the cells of some rows of a table, row by row. */
function cellsOf(columns: readonly (readonly unknown[])[], from: number, to: number): unknown[] {
  const cells = new Array<unknown>((to - from) * columns.length);
  for (const [column, own] of columns.entries())
    for (let place = from, at = column; place < to; place += 1, at += columns.length) cells[at] = own[place];
  return cells;
}

function bound(values: Values): Values {
  const found: Record<string, unknown> = {};
  for (const name in values) found[name] = bindable(values[name]);
  return found;
}

/** Converts a value for SQLite, which has neither lists nor booleans. */
function bindable(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  return Array.isArray(value) ? JSON.stringify(value) : (value ?? null);
}

/** Opens an existing SQLite file; throws a Problem that names a file that it cannot use. */
export function connect(path: string, readonly: boolean): Connection {
  const file = checkFile(path, readonly);
  try {
    const db = openDatabase(path, { readonly, fileMustExist: true, timeout: 5000 });
    db.pragma('foreign_keys = on');
    return new Connection(db, file);
  } catch (error) {
    throw asProblem(path, error);
  }
}

/** Returns the identity of a usable file; synchronous, because asynchronous calls take longer. */
function checkFile(path: string, readonly: boolean): string {
  let file: ReturnType<typeof statSync>;
  try {
    file = statSync(path);
  } catch (cause) {
    const problem = systemProblem('open', `the store ${path}`, cause);
    throw problem.with({ hints: ['`asof import` makes a store, and `asof store init` an empty one'] });
  }
  if (!file.isFile()) throw new Problem('local-io', `cannot open the store ${path}: it is not a file`);
  try {
    accessSync(path, readonly ? constants.R_OK : constants.R_OK | constants.W_OK);
  } catch (cause) {
    throw systemProblem(readonly ? 'read' : 'write to', `the store ${path}`, cause);
  }
  return `${file.dev}:${file.ino}`;
}

/** Returns the code of an error of SQLite or the system, also if a Problem wraps it; otherwise empty. */
export function codeOf(error: unknown): string {
  if (error instanceof Problem) return codeOf(error.cause);
  return error instanceof SqliteError || isSystemError(error) ? (error.code ?? '') : '';
}

/** The reason of a failure in plain words, by the family of its error code. */
const reasons: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: 'it is not an asof store',
  SQLITE_CORRUPT: 'it is damaged',
  SQLITE_FULL: 'the disk is full',
  SQLITE_IOERR: 'the disk is full or reports an error',
  SQLITE_BUSY: 'another import is writing to it; try again when it is done',
  SQLITE_READONLY: 'it, or its folder, cannot be written',
  SQLITE_CANTOPEN: 'its folder cannot be written, and SQLite must create files beside a store that is in use',
};

/** Errors of our own SQL, which are bugs and stay as they are. */
const bugs: ReadonlySet<string> = new Set(['SQLITE_ERROR', 'SQLITE_CONSTRAINT', 'SQLITE_MISMATCH']);

/** Turns an error of SQLite or the system into a Problem; returns any other error unchanged. */
export function asProblem(path: string, error: unknown): unknown {
  if (isSystemError(error))
    return systemProblem(error.syscall === 'mkdir' ? 'create' : 'use', `the store ${path}`, error);
  if (!(error instanceof SqliteError)) return error;
  const family = error.code.split('_').slice(0, 2).join('_');
  if (bugs.has(family)) return error;
  return new Problem('local-io', `cannot use the store ${path}: ${reasons[family] ?? error.message}`, {
    cause: error,
    ...(family === 'SQLITE_BUSY' && { retryAfter: 1 }),
    hints:
      family === 'SQLITE_CORRUPT' ? ['a backup, such as `asof store backup` makes, has what is lost'] : [],
  });
}

/** Marks a SQLite file as a store of asof ("asof" in ASCII). */
export const applicationId = 0x61736f66;

/** The format that this asof writes: the number of migrations in the schema. */
export const currentFormat = 13;

/** Returns the format of a store; throws a Problem for any other file, and for a newer format. */
export function formatOf(connection: Connection, path: string): number {
  if (connection.pragma('application_id') !== applicationId) {
    throw new Problem('local-io', `${path} is not an asof store`, {
      hints: ['name another file with --store, or import into a new one'],
    });
  }
  const format = Number(connection.pragma('user_version'));
  if (format > currentFormat) {
    throw new Problem(
      'local-io',
      `${path} was made by a newer asof (store format ${format}; this one reads up to ${currentFormat})`,
      { hints: ['update asof'] },
    );
  }
  return format;
}

/** The differences between SQLite's SQL and PostgreSQL's. */
const translations: readonly (readonly [words: RegExp, ours: string])[] = [
  [/\basof\./g, ''],
  [/::(?:double precision|\w+)(?:\[\])?/g, ''],
  [/ collate "C"/g, ''],
  [/ = any\((@\w+)\)/g, ' in (select value from json_each($1))'],
  [/\bunnest\((@\w+)\)/g, 'json_each($1)'],
  [/\barray_agg\(/g, 'json_group_array('],
  [/\bstrpos\(/g, 'instr('],
  [/\bchr\(/g, 'char('],
  // SQLite prepares a statement again for each value of a variable that is its whole limit.
  [/\blimit (@\w+)/g, 'limit $1 + 0'],
  // A series has a number in SQLite, which is shorter than its id in millions of rows.
  [/\bseries = @id\b/g, 'series = (select key from series where id = @id)'],
];

/** Translates a statement for SQLite. */
export function translated(sql: string): string {
  return translations.reduce((text, [words, ours]) => text.replace(words, ours), sql);
}
