import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { Problem } from '../../errors/problem.ts';
import { identityOf } from '../../platform/files.ts';
import { Gathering } from '../../platform/promises.ts';
import { partsIn } from '../sql/parts.ts';
import type { Store, StoreOptions, StoreState, WholeView } from '../store.ts';
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
import type { SeriesMemory } from './kept-series.ts';

/** Opens a store in a SQLite file for reading. */
export async function openSqliteStore(path: string, options: StoreOptions): Promise<Store> {
  const { mostKept } = options;
  const memory = mostKept === undefined ? undefined : await memoryFor(mostKept);
  return new SqliteStore(path, options, await onceUnlocked(() => connectCurrent(path, options)), memory);
}

/** Loaded here: only a service has a memory. */
async function memoryFor(mostKept: number): Promise<SeriesMemory> {
  const { SeriesMemory } = await import('./kept-series.ts');
  return new SeriesMemory(mostKept);
}

/** The number of connections to keep for later reads, of which each reads for a turn of the event loop and longer. */
const mostIdle = 4;

/** A connection with its view, which takes as long to make as a short statement. */
type Reader = {
  readonly connection: Connection;
  readonly session: SqliteSession;
  readonly view: WholeView;
  /** The row of the store in its transaction. */
  store: StoreRow;
};

type StoreRow = { readonly revision: number; readonly sample: number };

/** A transaction for all reads of a turn. */
type SharedRead = { readonly view: WholeView; readonly leave: () => void };

/** A store in a file; its first connection locks it until closed. */
class SqliteStore implements Store {
  readonly address: string;
  // They share a transaction; the rows of more series at once take longer to collect than to begin another.
  readonly seriesTogether = 4;
  readonly #live: boolean;
  readonly #memory: SeriesMemory | undefined;
  /** Reads that are asked for together share a transaction, which begins after the last of them. */
  readonly #gathered = new Gathering<SharedRead>(process.nextTick);
  #idle: Reader[] = [];
  #file: string;
  #closed = false;
  #newest: { readonly file: string; readonly state: StoreState } | undefined;

  constructor(path: string, { live = false }: StoreOptions, first: Connection, memory?: SeriesMemory) {
    this.address = path;
    this.#live = live;
    this.#memory = memory;
    this.#file = first.file;
    this.#idle.push(this.#readerOf(first));
  }

  async read<T>(work: (view: WholeView) => Promise<T>): Promise<T> {
    if (this.#closed) throw new Error(`the store ${this.address} is closed`);
    try {
      const shared = await this.#gathered.join('', (reads) => this.#begin(reads)).outcome;
      try {
        return await work(shared.view);
      } finally {
        shared.leave();
      }
    } catch (error) {
      // SQLite may notice damage at any statement, even when the transaction begins or ends.
      throw asProblem(this.address, error);
    }
  }

  /** Begins a transaction, which ends when all its reads have left. */
  async #begin(reads: number): Promise<SharedRead> {
    const reader = await this.#takeReader();
    let left = reads;
    const leave = (): void => {
      left -= 1;
      if (left > 0) return;
      reader.session.end();
      this.#release(reader);
    };
    try {
      reader.store = await onceUnlocked(() => beginReading(reader.connection));
      reader.session.begin();
      return { view: reader.view, leave };
    } catch (error) {
      left = 1;
      leave();
      throw error;
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
    const memory = this.#memory;
    const state = () => this.#stateOf(connection, reader.store);
    const reader: Reader = {
      connection,
      session,
      view: {
        state: () => session.use(state),
        ...partsIn(session, engineOf(session, memory && { memory, state })),
      },
      store: { revision: 0, sample: 0 },
    };
    return reader;
  }

  async rest(): Promise<void> {
    for (const { connection } of this.#idle) connection.close();
    this.#idle = [];
    // The next file may get the identity of one that is closed, with as many imports.
    this.#newest = undefined;
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

  #stateOf(connection: Connection, { revision, sample: isSample }: StoreRow): StoreState {
    const known = this.#newest;
    if (known?.state.revision === revision && known.file === connection.file) return known.state;
    const sample = isSample === 1;
    // The log of imports distinguishes stores with equal numbers of imports.
    const imports = connection
      .tuples<readonly [string, string]>('select imported_at, sha256 from import order by id')
      .all();
    let name: string | undefined;
    const state = {
      get name() {
        name ??= createHash('sha256')
          .update(JSON.stringify([revision, sample, imports]))
          .digest('base64url')
          .slice(0, 22);
        return name;
      },
      revision,
      sample,
    };
    this.#newest = { file: connection.file, state };
    return state;
  }
}

/** Begins a transaction, and reads the row of the store in it. */
function beginReading(connection: Connection): StoreRow {
  connection.run('begin');
  try {
    const row = connection.objects<StoreRow>('select revision, sample from store').get();
    if (row === undefined) throw new Error('the store has no revision');
    return row;
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
