// Why: docs/decisions/postgres-tables-and-statements.md
import { createHash } from 'node:crypto';
import pg from 'pg';
import type { Problem } from '../../errors/problem.ts';
import type { Insertion, SqlSession, Values } from '../sql/session.ts';
import { parseAddress } from './address.ts';
import { asProblem, endsConnection, isCollision, isOfNames, lacksTls } from './failures.ts';

/** Reads dates as texts, and counts as numbers, because all counts are below 2^53. */
const parsers = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.DATE, (text) => text],
  [pg.types.builtins.INT8, Number],
]);

const types = {
  getTypeParser: ((oid: number, format?: 'text') =>
    parsers.get(oid) ?? pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

/** The servers known to have no TLS; if TLS is optional, this process tries it once for each server. */
const withoutTls = new Set<string>();

/** A statement as it is sent, with the names of its parameters, and its own. */
type CompiledStatement = { readonly text: string; readonly names: readonly string[]; readonly name: string };

/** A database with a pool of connections. It needs no session state, so it also works through a pooler. */
export class Database {
  readonly shown: string;
  readonly schema: string;
  /** The most connections at one time. */
  readonly connections: number;
  /** What begins a transaction that reads. */
  readonly reads: string;
  /** False if each read needs a transaction, for its time limit or for the format of dates. */
  readsAlone: boolean;
  /** False behind a pooler that gives a statement another connection than the one that knows its name. */
  names = true;
  readonly #pool: pg.Pool;
  readonly #texts = new Map<string, CompiledStatement>();

  private constructor(shown: string, schema: string, pool: pg.Pool, seconds: number | undefined) {
    this.shown = shown;
    this.schema = schema;
    this.connections = pool.options.max;
    this.readsAlone = seconds === undefined;
    const limit = seconds === undefined ? '' : `set local statement_timeout to '${seconds}s'; `;
    this.reads = `begin isolation level repeatable read read only; ${limit}${isoDates}`;
    this.#pool = pool;
  }

  /** Opens the database of an address; `seconds` is the time limit of each statement that reads. */
  static async open(address: string, connections = 10, seconds?: number): Promise<Database> {
    const parsed = parseAddress(address);
    const place = `${parsed.config.host}:${parsed.config.port}`;
    const ways = withoutTls.has(place) ? parsed.ways.slice(-1) : parsed.ways;
    for (const [index, ssl] of ways.entries()) {
      const pool = new pg.Pool({ ...parsed.config, ssl, types, pipeline: true, max: connections });
      // The pool drops a connection that breaks while unused.
      pool.on('error', () => undefined);
      // Nor does one end the process that breaks as it is handed out, while neither the pool nor a transaction listens.
      pool.on('connect', (client) => client.on('error', () => undefined));
      try {
        (await pool.connect()).release();
        return new Database(parsed.shown, parsed.schema, pool, seconds);
      } catch (error) {
        await pool.end();
        const isLast = index === ways.length - 1;
        if (isLast || !lacksTls(error)) throw asProblem(parsed.shown, error);
        withoutTls.add(place);
      }
    }
    throw new Error(`there is no way to connect to ${parsed.shown}`);
  }

  /** Takes a connection of the pool for a transaction, which begins in the round trip of its first statement. */
  async begin(mode: 'read' | 'write', Kind = Transaction): Promise<Transaction> {
    try {
      const client = await this.#pool.connect();
      return new Kind(this, client, mode);
    } catch (error) {
      throw asProblem(this.shown, error);
    }
  }

  /** Calls `work` with a transaction and commits it; does not wait for the end of one that only reads. */
  async inTransaction<T>(mode: 'read' | 'write', work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const transaction = await this.begin(mode);
    try {
      const result = await work(transaction);
      if (mode === 'read') transaction.end('commit');
      else await transaction.commit();
      return result;
    } catch (error) {
      transaction.end('rollback');
      throw error;
    }
  }

  /** Returns what `work` opens in a transaction; closes the database if `work` returns undefined or fails. */
  async opened<T>(mode: 'read' | 'write', work: (transaction: Transaction) => Promise<T>): Promise<T> {
    let result: T | undefined;
    try {
      result = await this.inTransaction(mode, work);
      return result;
    } finally {
      if (result === undefined) await this.close();
    }
  }

  /** Calls `work` in a transaction on the database of an address, and closes the database afterwards. */
  static async once<T>(
    address: string,
    mode: 'read' | 'write',
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    const database = await Database.open(address, 1);
    try {
      return await database.inTransaction(mode, work);
    } finally {
      await database.close();
    }
  }

  async close(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end();
  }

  /** Compiles a statement for the server: `asof.` becomes the schema of the store, and `@name` a parameter. */
  compiled(sql: string): CompiledStatement {
    const known = this.#texts.get(sql);
    if (known !== undefined) return known;
    const names: string[] = [];
    const text = sql
      .replace(/\basof\./g, `${pg.escapeIdentifier(this.schema)}.`)
      .replace(/@(\w+)/g, (_, name) => {
        if (!names.includes(name)) names.push(name);
        return `$${names.indexOf(name) + 1}`;
      });
    // Named by its text: whoever prepared a statement of this name, it is the same one.
    const name = `asof_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
    const made = { text, names, name };
    this.#texts.set(sql, made);
    return made;
  }
}

/**
 * Fixes the format of dates whatever the server's settings, also on the nodes of Citus, which write dates of their own
 * rows; other servers keep the setting of Citus without a use for it.
 */
const isoDates = "set local citus.propagate_set_commands to local; set local datestyle to 'ISO, YMD'";

/** What begins an import: time limits end no long one. */
const writes = `begin; set local client_min_messages to warning; ${isoDates}; set local idle_in_transaction_session_timeout to 0; set local statement_timeout to 0`;

/** The locks of an import, and its failure where another one was ahead of it. */
export type TransactionLocks = Required<Pick<SqlSession, 'lock'>> & {
  collision(cause?: unknown): Problem;
};

type WaitingRows = {
  /** The series whose rows these are. */
  readonly of: Set<string | undefined>;
  length: number;
  readonly columns: readonly { readonly name: string; readonly cells: unknown[] }[];
};

/** A transaction on one connection; its statements do not wait for earlier answers. */
export class Transaction implements SqlSession {
  readonly database: Database;
  readonly #client: pg.PoolClient;
  readonly #mode: 'read' | 'write';
  #begun: Promise<unknown> | undefined;
  /** False for a read of one statement, which is from one state without a transaction. */
  protected begins = true;
  #isRefused = false;
  /** True if all that was read is from one state; otherwise the read starts again. */
  get isFromOneState(): boolean {
    return !this.#isRefused;
  }
  /** The locks of an import. */
  locks: TransactionLocks | undefined;
  #written: Promise<unknown> = Promise.resolve();
  /** Rows to insert, by the statement that inserts them. */
  readonly #kept = new Map<string, WaitingRows>();
  #ended = false;
  #broken: Error | undefined;
  /** The first failure: later statements fail only because of it. */
  #failure: unknown;

  constructor(database: Database, client: pg.PoolClient, mode: 'read' | 'write') {
    this.database = database;
    this.#client = client;
    this.#mode = mode;
    client.on('error', this.#onError);
  }

  #begin(): Promise<unknown> {
    const begun = this.#client.query(this.#mode === 'read' ? this.database.reads : writes);
    begun.catch(() => undefined);
    return begun;
  }

  async citusVersion(): Promise<string | undefined> {
    const [version] = await this.column<string>(
      "select extversion as version from pg_extension where extname = 'citus'",
    );
    return version;
  }

  /** Tells whether Citus distributes the store. */
  async isDistributed(): Promise<boolean> {
    if ((await this.citusVersion()) === undefined) return false;
    const [series] = await this.rows(
      "select 1 from pg_dist_partition where logicalrelid = 'asof.series'::regclass",
    );
    return series !== undefined;
  }

  async rows<Row extends object>(sql: string, values: Values = {}): Promise<readonly Row[]> {
    return (await this.#send<Row>(sql, values)).rows;
  }

  async row<Row extends object>(sql: string, values: Values = {}): Promise<Row | undefined> {
    return (await this.rows<Row>(sql, values))[0];
  }

  /** Returns the first row of a statement that itself says how the server writes dates: it needs no transaction. */
  async rowAlone<Row extends object>(sql: string, values: Values): Promise<Row | undefined> {
    return this.namedRow<Row>(sql, values);
  }

  /** Returns the first row of a statement that each connection plans once: for a page, planning takes half of the time. */
  protected async namedRow<Row extends object>(sql: string, values: Values): Promise<Row | undefined> {
    return (await this.#send<Row>(sql, values, this.database.names && this.#mode === 'read')).rows[0];
  }

  async tuples<Row extends readonly unknown[]>(sql: string, values: Values = {}): Promise<readonly Row[]> {
    const rows = await this.rows(sql, values);
    // The only cast: the caller knows the columns of its SQL.
    return rows.map((row) => Object.values(row)) as readonly unknown[] as readonly Row[];
  }

  async column<Value>(sql: string, values: Values = {}): Promise<readonly Value[]> {
    return (await this.tuples<readonly [Value]>(sql, values)).map(([value]) => value);
  }

  async run(sql: string, values: Values = {}): Promise<number> {
    return (await this.#send(sql, values)).rowCount ?? 0;
  }

  /** Sends a statement without waiting for it, only for the previous one; later calls throw its failure. */
  async write(sql: string, values: Values = {}): Promise<void> {
    const sent = this.#send(sql, values);
    sent.catch(() => undefined);
    const before = this.#written;
    this.#written = sent;
    await before;
  }

  /** Keeps rows until another statement is sent, so that the rows of many series go in together. */
  async insert({ table, seriesId, columns, onConflict = '' }: Insertion): Promise<void> {
    const all = Object.entries(columns).map(([name, [type, cells]]) => ({ name, type, cells }));
    const { length } = all[0]?.cells ?? [];
    if (length === 0) return;
    if (seriesId !== undefined)
      all.unshift({ name: 'series', type: 'text', cells: new Array(length).fill(seriesId) });
    const sql = `insert into asof.${table} (${all.map(({ name }) => name).join()})
      select * from unnest(${all.map(({ name, type }) => `@${name}::${type}[]`).join()}) ${onConflict}`;
    const known = this.#kept.get(sql);
    // One statement must not write a row twice.
    if (known?.of.has(seriesId) === true) await this.#sendKept();
    const none = { of: new Set<string | undefined>(), length: 0 };
    const kept = this.#kept.get(sql) ?? { ...none, columns: all.map(({ name }) => ({ name, cells: [] })) };
    this.#kept.set(sql, kept);
    kept.of.add(seriesId);
    kept.length += length;
    for (const [place, column] of kept.columns.entries())
      for (const cell of all[place]?.cells ?? []) column.cells.push(cell);
    if (kept.length >= rowsAtOnce || seriesId === undefined) await this.#sendKept();
  }

  /** Sends the rows that were kept; waits only for the statement before them. */
  async #sendKept(): Promise<void> {
    const all = [...this.#kept];
    this.#kept.clear();
    let before: Promise<void> = Promise.resolve();
    for (const [sql, { length, columns }] of all)
      for (let at = 0; at < length; at += rowsAtOnce) {
        const some = columns.map(({ name, cells }) => [name, cells.slice(at, at + rowsAtOnce)] as const);
        before = this.write(sql, Object.fromEntries(some));
        before.catch(() => undefined);
      }
    await before;
  }

  async *batches<Row extends readonly unknown[]>(
    sql: string,
    values: Values = {},
    size = 2000,
  ): AsyncGenerator<readonly Row[]> {
    const fetch = () => this.tuples<Row>(`fetch ${size} from batches`);
    const declared = this.run(`declare batches no scroll cursor for ${sql}`, values);
    try {
      let [, rows] = await Promise.all([declared, fetch()]);
      for (;;) {
        if (rows.length > 0) yield rows;
        if (rows.length < size) break;
        rows = await fetch();
      }
    } finally {
      this.run('close batches').catch(() => undefined);
    }
  }

  async lock(parts: readonly string[]): Promise<void> {
    await this.locks?.lock(parts);
  }

  /** Commits, and returns the warnings of the server: Citus warns of nodes that have not ended the transaction. */
  async commit(): Promise<readonly string[]> {
    const warnings: string[] = [];
    const note = ({
      severity,
      message = '',
    }: {
      readonly severity?: string | undefined;
      readonly message?: string | undefined;
    }) => {
      if (severity === 'WARNING') warnings.push(message);
    };
    try {
      await this.#sendKept();
      await this.#written;
      this.#client.on('notice', note);
      await this.#send('commit', {});
      return warnings;
    } finally {
      this.#client.off('notice', note);
      this.#release();
    }
  }

  /** Ends the transaction without waiting for the server. */
  end(how: 'commit' | 'rollback'): void {
    if (this.#ended) return;
    if (this.#begun !== undefined) this.#client.query(how).catch(() => undefined);
    this.#release();
  }

  readonly #onError = (error: Error): void => {
    this.#broken ??= error;
  };

  #release(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#client.off('error', this.#onError);
    this.#client.release(this.#broken);
  }

  async #send<Row extends object>(sql: string, values: Values, named = false): Promise<pg.QueryResult<Row>> {
    if (this.#ended) throw new Error('this transaction has ended');
    // A failure of these rows is that of a later write.
    if (this.#kept.size > 0) this.#sendKept().catch(() => undefined);
    const { text, names, name } = this.database.compiled(sql);
    if (this.begins) this.#begun ??= this.#begin();
    try {
      const [result] = await Promise.all([
        this.#client.query<Row>({
          text,
          values: names.map((parameter) => values[parameter] ?? null),
          ...(named && { name }),
        }),
        this.#begun,
      ]);
      return result;
    } catch (error) {
      if (named && isOfNames(error)) [this.database.names, this.#isRefused] = [false, true];
      if (!endsConnection(error)) {
        const problem = asProblem(this.database.shown, error);
        this.#failure ??= (isCollision(error, sql) ? this.locks?.collision(problem) : undefined) ?? problem;
        throw this.#failure;
      }
      // The first failure has the reason. The connection closes later, and the pool must not reuse it before.
      this.#broken ??= error as Error;
      throw asProblem(this.database.shown, this.#broken);
    }
  }
}

const rowsAtOnce = 20_000;

/** Derives the number by which the server locks a name; it is the same in all processes. */
export function lockNumber(name: string): bigint {
  return createHash('sha256').update(name).digest().readBigInt64BE();
}
