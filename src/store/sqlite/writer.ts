import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Problem } from '../../errors/problem.ts';
import { flush, makeFolder } from '../../platform/files.ts';
import {
  type InitResult,
  type OpenedCopy,
  partsIn,
  type StoreEngine,
  type WriteTransaction,
} from '../sql/parts.ts';
import {
  applicationId,
  asProblem,
  Connection,
  codeOf,
  connect,
  formatOf,
  inOneStep,
  SqliteSession,
} from './connection.ts';
import { openDatabase, SqliteError } from './driver.ts';
import { engineOf } from './engine.ts';
import { createSchema, migrate } from './schema.ts';

/** The stores in files. */
export const files: StoreEngine & {
  /** Throws for a store that another connection has open; leaves the store unchanged. */
  readonly refuseUsed: (path: string) => void;
  readonly remove: (path: string) => Promise<void>;
  readonly firstImportOf: (path: string) => string | undefined;
} = {
  openTransaction: openFile,
  openCopy,
  checkFree,
  async init(path, distribute) {
    if (distribute)
      throw new Problem('bad-input', `${path} is a file: --distribute is for a database with Citus`, {
        hints: ['--store postgres://USER@HOST/DATABASE names a store in PostgreSQL'],
      });
    if (existsSync(path)) return orProblem(path, () => update(path));
    await (await createStore({ path })).commit(false);
    return 'made';
  },
  refuseUsed: (path) => leaveLog(path, 'for a moment'),
  remove: removeStore,
  firstImportOf,
};

/** Opens the store at `path` for one import, a new one as a copy of `copyOf`; a failure changes nothing. */
async function openFile(path: string, copyOf?: string): Promise<WriteTransaction> {
  if (!existsSync(path))
    return createStore({
      path,
      fill: copyOf === undefined ? undefined : async (draft) => copyFileSync(copyOf, draft),
    });
  if (copyOf === undefined) return openExisting(path);
  throw new Problem(
    'bad-input',
    `the store ${path} exists already: only a new store can begin as a copy of the sample`,
    { hints: ['`asof store merge sample` adds the sample to a store', 'name a new file with --store'] },
  );
}

/** Begins a copy, as a draft; only `replace` lets it take the place of a store. */
async function openCopy(
  address: string,
  { replace = false, fill, draftOf = address }: OpenedCopy,
): Promise<WriteTransaction> {
  checkFree(address, replace);
  // The store behind a link is replaced, not the link.
  const path = existsSync(address) ? realpathSync(address) : address;
  if (existsSync(path)) leaveLog(path, 'for a moment');
  return createStore({ path, replace, draftOf, fill, isCopy: true });
}

/** Throws if something exists at a path; `replace` allows a store of asof there, also a damaged one. */
function checkFree(path: string, replace: boolean): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  const found = existsSync(path) ? 'exists already' : 'is a link to a file that does not exist';
  if (!replace || !existsSync(path))
    throw new Problem('bad-input', `${path} ${found}`, {
      hints: ['name a new file', '`asof store merge` adds the facts of one store to another'],
    });
  connectReplaceable(path, true)?.close();
}

/** Calls `work`; on a failure calls `undo` and throws a Problem that names the store. */
async function orProblem<T>(path: string, work: () => T | Promise<T>, undo?: () => void): Promise<T> {
  try {
    return await work();
  } catch (error) {
    undo?.();
    throw asProblem(path, error);
  }
}

async function openExisting(path: string): Promise<WriteTransaction> {
  const connection = connect(path, false);
  const abandon = () => {
    if (connection.inTransaction) connection.exec('rollback');
    connection.close();
  };
  const open = async () => {
    // Without a write-ahead log, pages that are written early would block readers until the end.
    const hasLog = connection.pragma('journal_mode') === 'wal';
    if (!hasLog) connection.pragma('cache_spill = off');
    connection.exec('begin immediate');
    await migrate(connection, path);
    const publish = () => {
      if (!hasLog) addLog(connection);
      connection.close();
    };
    return transactionOn(connection, { path, created: false, publish, abandon });
  };
  return orProblem(path, open, abandon);
}

async function update(path: string): Promise<InitResult> {
  const connection = connect(path, false);
  try {
    return (await inOneStep(connection, () => migrate(connection, path))) ? 'updated' : 'unchanged';
  } finally {
    connection.close();
  }
}

type NewStore = {
  readonly path: string;
  /** Makes the draft with everything of another store. */
  readonly fill?: OpenedCopy['fill'];
  /** True for a copy, which does not know what the imports changed. */
  readonly isCopy?: boolean;
  /** True to take the place of a store. */
  readonly replace?: boolean;
  /** The path from which the draft has its name, if it is another one. */
  readonly draftOf?: string;
};

/** Gives a store of an older asof a write-ahead log, so that imports do not block readers; skips one in use. */
function addLog(connection: Connection): void {
  try {
    connection.pragma('busy_timeout = 0');
    connection.pragma('journal_mode = wal');
  } catch (error) {
    if (!(error instanceof SqliteError)) throw error;
  }
}

/** Creates a store as a draft without a journal: no reader sees it before the transaction commits. */
async function createStore({
  path,
  fill,
  isCopy = false,
  replace,
  draftOf = path,
}: NewStore): Promise<WriteTransaction> {
  const draft = await orProblem(path, () => beginDraft(draftOf));
  let opened: Connection | undefined;
  const abandon = () => {
    opened?.close();
    removeDraft(draft);
  };
  const open = async () => {
    await fill?.(draft);
    const connection = new Connection(openDatabase(draft));
    opened = connection;
    connection.pragma('journal_mode = off');
    connection.pragma('synchronous = off');
    connection.pragma('foreign_keys = on');
    if (fill === undefined) await createSchema(connection);
    connection.exec('update store set sample = 0');
    if (isCopy) {
      // Counted on from here, no two copies of one log ever have the same revision, nor does their store.
      connection.run('update store set revision = max(revision, ?)', Date.now());
      connection.exec('update import set number = null');
      const removed = ['import_change', 'series_change'].map((table) =>
        connection.run(`delete from ${table}`),
      );
      if (removed.some(({ changes }) => changes > 0)) connection.exec('vacuum');
    }
    connection.exec('begin immediate');
    const publish = async () => {
      connection.pragma('synchronous = full');
      connection.pragma('journal_mode = wal');
      connection.close();
      await flush(draft);
      if (replace && existsSync(path)) replaceWith(draft, path);
      else publishDraft(draft, path);
    };
    const begun = transactionOn(connection, { path, created: true, publish, abandon });
    return { ...begun, isFilled: fill !== undefined };
  };
  return orProblem(path, open, abandon);
}

type Ending = {
  readonly path: string;
  readonly created: boolean;
  readonly publish: () => void | Promise<void>;
  readonly abandon: () => void;
};

function transactionOn(
  connection: Connection,
  { path, created, publish, abandon }: Ending,
): WriteTransaction {
  const session = new SqliteSession(path, connection);
  return {
    address: path,
    created,
    ...partsIn(session, engineOf(session)),
    commit(changed) {
      const commit = () => {
        if (changed) connection.exec('update store set revision = revision + 1');
        connection.exec('commit');
        return publish();
      };
      return orProblem(path, commit, abandon);
    },
    async rollback() {
      abandon();
    },
  };
}

const logs = ['-wal', '-shm', '-journal'];

let drafts = 0;

/** Returns the path where this process creates a new store; removes drafts of killed processes. */
function beginDraft(path: string): string {
  makeFolder(dirname(path));
  const prefix = `${basename(path)}.new-`;
  for (const name of readdirSync(dirname(path))) {
    const [, pid] = name.startsWith(prefix) ? (/^(\d+)(?:-\w+)*$/.exec(name.slice(prefix.length)) ?? []) : [];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(dirname(path), name), { force: true });
  }
  drafts += 1;
  const draft = join(dirname(path), `${prefix}${process.pid}-${drafts}`);
  removeDraft(draft);
  return draft;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Publishes a flushed draft at `path` in one step; throws a Problem if a store appeared there meanwhile. */
function publishDraft(draft: string, path: string): void {
  const isThere = (cause?: unknown) =>
    new Problem('local-io', `another command made the store ${path} meanwhile`, {
      hints: ['run this one again'],
      cause,
    });
  try {
    // Unlike a rename, a link never replaces an existing file.
    linkSync(draft, path);
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw isThere(cause);
    // The file system has no hard links.
    if (!/^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS)$/.test(code)) throw cause;
    if (existsSync(path)) throw isThere(cause);
    renameSync(draft, path);
  } finally {
    removeDraft(draft);
  }
}

/** Moves a flushed draft to `path` in one step, replacing a store that no connection has open. */
function replaceWith(draft: string, path: string): void {
  leaveLog(path, 'for good');
  // Keeps the owner and the permissions of the replaced store.
  const { mode, uid, gid } = statSync(path);
  chmodSync(draft, mode & 0o7777);
  if (process.getuid?.() === 0) chownSync(draft, uid, gid);
  // The log of a damaged store is still there, and SQLite would apply it to the new one.
  for (const suffix of logs) rmSync(path + suffix, { force: true });
  // Before the draft loses its name, because another process may begin one at once.
  for (const suffix of logs) rmSync(draft + suffix, { force: true });
  renameSync(draft, path);
}

/** Removes a draft and SQLite's files beside it; the draft last, because its lock protects them. */
function removeDraft(draft: string): void {
  for (const suffix of [...logs, '']) rmSync(draft + suffix, { force: true });
}

/** Merges a store's log into its file, unless it is damaged; throws a Problem if a connection is open. */
function leaveLog(path: string, until: 'for good' | 'for a moment'): void {
  const connection = connectReplaceable(path, false);
  try {
    const mode = connection?.pragma('journal_mode');
    connection?.pragma('journal_mode = delete');
    if (until === 'for a moment' && mode === 'wal') connection?.pragma('journal_mode = wal');
  } catch (cause) {
    if (isDamage(cause)) return;
    throw new Problem('local-io', `${path} is a store in use`, {
      hints: ['stop what has it open, such as `asof serve`, or name another file'],
      cause,
    });
  } finally {
    connection?.close();
  }
}

/** Removes a store that no process has open, also a damaged one; throws a Problem for any other file. */
function removeStore(path: string): Promise<void> {
  return orProblem(path, () => {
    leaveLog(path, 'for good');
    removeDraft(path);
  });
}

/** Identifies the first import of a store, which its backups share; never upgrades the file. */
function firstImportOf(path: string): string | undefined {
  let connection: Connection | undefined;
  try {
    // A writable connection removes, when closed, the files that SQLite makes beside the store.
    connection = connect(path, false);
    const sql = 'select imported_at, sha256 from import order by id limit 1';
    return connection.tuples<readonly [string, string]>(sql).get()?.join(' ');
  } catch {
    return undefined;
  } finally {
    connection?.close();
  }
}

/** Tells whether the header marks a file as a store; SQLite cannot read the mark of a truncated file. */
function hasMark(path: string): boolean {
  const header = Buffer.alloc(72);
  const file = openSync(path, 'r');
  try {
    readSync(file, header, 0, header.length, 0);
  } finally {
    closeSync(file);
  }
  return (
    header.toString('latin1', 0, 16) === 'SQLite format 3\0' && header.readUInt32BE(68) === applicationId
  );
}

function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error));
}

/** Connects to a store, undefined if it is damaged; throws a Problem for any other file. */
function connectReplaceable(path: string, readonly: boolean): Connection | undefined {
  let connection: Connection | undefined;
  try {
    connection = connect(path, readonly);
    formatOf(connection, path);
    return connection;
  } catch (cause) {
    connection?.close();
    if (isDamage(cause) && hasMark(path)) return undefined;
    throw new Problem('bad-input', `${path} exists, and is no store that a backup could replace`, {
      hints: ['name another file'],
      cause,
    });
  }
}
