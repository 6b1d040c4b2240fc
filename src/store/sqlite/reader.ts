import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { Problem } from '../../errors/problem.ts';
import { identityOf } from '../../platform/files.ts';
import { partsIn } from '../sql/parts.ts';
import type { PageCache, Store, StoreOptions, StoreState, WholeView } from '../store.ts';
import {
  asProblem,
  Connection,
  codeOf,
  connect,
  currentFormat,
  formatOf,
  inOneStep,
  SqliteSession,
} from './connection.ts';
import { openDatabase } from './driver.ts';
import { engineOf } from './engine.ts';

/** Opens a store in a SQLite file for reading. */
export async function openSqliteStore(path: string, options: StoreOptions): Promise<Store> {
  return new SqliteStore(path, options, await onceUnlocked(() => connectCurrent(path, options)));
}

/**
 * The number of connections to keep for later reads, one for each simultaneous request.
 * Opening one takes as long as a page: with 4, the bench "serve: no two pages with the same rows" halves.
 */
const mostIdle = 32;

/** A connection with its view, which takes as long to make as a short statement. */
type Reader = {
  readonly connection: Connection;
  readonly session: SqliteSession;
  readonly view: WholeView;
};

/** A store in a file; its first connection locks it until closed. */
class SqliteStore implements Store {
  readonly address: string;
  readonly #live: boolean;
  readonly #pages: PageCache | undefined;
  #idle: Reader[] = [];
  #file: string;
  #closed = false;
  #newest: { readonly file: string; readonly state: StoreState } | undefined;

  constructor(path: string, { live = false, pages }: StoreOptions, first: Connection) {
    this.address = path;
    this.#live = live;
    this.#pages = pages;
    this.#file = first.file;
    this.#idle.push(this.#readerOf(first));
  }

  async read<T>(work: (view: WholeView) => Promise<T>): Promise<T> {
    if (this.#closed) throw new Error(`the store ${this.address} is closed`);
    try {
      const reader = await this.#takeReader();
      try {
        await onceUnlocked(() => beginReading(reader.connection));
        reader.session.begin();
        return await work(reader.view);
      } finally {
        reader.session.end();
        this.#release(reader);
      }
    } catch (error) {
      // SQLite may notice damage at any statement, even when the transaction begins or ends.
      throw asProblem(this.address, error);
    }
  }

  /**
   * Takes a reader of the file that is at the address now; throws a Problem if there is none.
   * A file that is no store leaves the one that is open, as a service that reloads does.
   */
  async #takeReader(): Promise<Reader> {
    const file = identityOf(this.address);
    if (file === undefined) await this.rest();
    else if (file !== this.#file && this.#idle.length > 0) {
      const opened = await onceUnlocked(() => this.#another()).catch(() => undefined);
      if (opened !== undefined) return opened;
    }
    return this.#idle.pop() ?? onceUnlocked(() => this.#another());
  }

  #readerOf(connection: Connection): Reader {
    const session = new SqliteSession(this.address, connection);
    const state = () => session.use((connection) => this.#stateOf(connection));
    return {
      connection,
      session,
      view: { state, ...partsIn(session, engineOf(session, this.#pages)) },
    };
  }

  async rest(): Promise<void> {
    for (const { connection } of this.#idle) connection.close();
    this.#idle = [];
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.rest();
  }

  async #another(): Promise<Reader> {
    const connection = await connectCurrent(this.address, { live: this.#live });
    if (connection.file !== this.#file) {
      // Another file replaced the opened one; from now on all reads use the new one.
      this.#file = connection.file;
      await this.rest();
    }
    return this.#readerOf(connection);
  }

  #release(reader: Reader): void {
    const { connection } = reader;
    // Nothing was written, and a commit to a damaged file fails.
    if (connection.inTransaction) connection.run('rollback');
    const keep = !this.#closed && this.#idle.length < mostIdle && connection.file === this.#file;
    if (keep) this.#idle.push(reader);
    else connection.close();
  }

  #stateOf(connection: Connection): StoreState {
    const row = connection
      .objects<{ readonly revision: number; readonly sample: number }>('select revision, sample from store')
      .get();
    if (row === undefined) throw new Error(`the store ${this.address} has no revision`);
    const { revision } = row;
    const known = this.#newest;
    if (known?.state.revision === revision && known.file === connection.file) return known.state;
    const sample = row.sample === 1;
    // The log of imports distinguishes stores with equal numbers of imports.
    const imports = connection
      .tuples<readonly [string, string]>('select imported_at, sha256 from import order by id')
      .all();
    let name: string | undefined;
    const state = {
      get name() {
        const content = JSON.stringify([revision, sample, imports]);
        name ??= createHash('sha256').update(content).digest('base64url').slice(0, 22);
        return name;
      },
      revision,
      sample,
    };
    this.#newest = { file: connection.file, state };
    return state;
  }
}

function beginReading(connection: Connection): void {
  connection.run('begin');
  try {
    connection.column('select revision from store').get();
  } catch (error) {
    connection.run('rollback');
    throw error;
  }
}

/** Opens a store for reading, after migrating an older one to the current format. */
async function connectCurrent(path: string, { live = false }: StoreOptions): Promise<Connection> {
  const connection = connectReader(path, live);
  try {
    if (formatOf(connection, path) === currentFormat) return connection;
  } catch (error) {
    connection.close();
    throw asProblem(path, error);
  }
  connection.close();
  return upgraded(path, live);
}

/** Opens an older store in the current format; migrates a copy in memory if the file cannot be written. */
async function upgraded(path: string, live: boolean): Promise<Connection> {
  // Loaded here because few stores are old.
  const { migrate } = await import('./schema.ts');
  const upgrade = (connection: Connection) => inOneStep(connection, () => migrate(connection, path));
  try {
    const writing = connect(path, false);
    try {
      await upgrade(writing);
    } finally {
      writing.close();
    }
    return connectReader(path, live);
  } catch (error) {
    if (!cannotWrite(error)) throw asProblem(path, error);
    if (live)
      throw new Problem('local-io', `${path} was made by an older asof, and cannot be brought up to date`, {
        hints: ['its file and folder must be writable once; any `asof import` does it'],
        cause: error,
      });
    const copy = inMemory(path, error);
    await upgrade(copy);
    return copy;
  }
}

/** Opens a store for reading, in memory if SQLite cannot create the files that readers share. */
function connectReader(path: string, live: boolean): Connection {
  const connection = connect(path, true);
  try {
    // Waiting in SQLite would block the whole process; `onceUnlocked` does not.
    connection.pragma('busy_timeout = 0');
    connection.pragma('user_version');
    return connection;
  } catch (error) {
    connection.close();
    if (live || !cannotWrite(error)) throw asProblem(path, error);
    return inMemory(path, error);
  }
}

/** Milliseconds that a reader waits for a commit to a store without a write-ahead log. */
const longestCommit = 20_000;

/** Repeats work while an import locks the store, without blocking the process and its other readers. */
async function onceUnlocked<T>(work: () => Promise<T> | T): Promise<T> {
  let end: number | undefined;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!codeOf(error).startsWith('SQLITE_BUSY')) throw error;
      // The clock is asked only now: Node takes 0.7 ms to load it.
      end ??= performance.now() + longestCommit;
      if (performance.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Tells whether a failure means that a file or its folder cannot be written, or that the disk is full. */
function cannotWrite(error: unknown): boolean {
  return /^(SQLITE_(READONLY|CANTOPEN|FULL|IOERR_(WRITE|SHM))|EACCES$|EPERM$|EROFS$)/.test(codeOf(error));
}

/** Reads a file into a database in memory; throws the Problem of `reason` if its log has more. */
function inMemory(path: string, reason: unknown): Connection {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (log !== undefined && log.size > 0) throw asProblem(path, reason);
  try {
    const bytes = readFileSync(path);
    // Bytes 18 and 19 of the header are 2 for a file with a write-ahead log, otherwise 1.
    bytes.fill(1, 18, 20);
    return new Connection(openDatabase(bytes), identityOf(path));
  } catch (error) {
    throw asProblem(path, error);
  }
}
