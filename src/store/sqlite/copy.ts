import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Problem } from '../../errors/problem.ts';
import { identityOf, makeFolder } from '../../platform/files.ts';
import type { StoreDraft } from '../writer.ts';
import { asProblem, type Connection, connect, SqliteError } from './connection.ts';
import { damagesOf } from './contents.ts';
import { publishDraft, removeDraft, replaceWith } from './draft.ts';
import { applicationId, formatOf } from './format.ts';
import { storeOn } from './reader.ts';
import { createSchema } from './schema.ts';
import { beginWriting } from './writer.ts';

/** Where a draft in a file goes. */
type DraftPlace = {
  /** Refuses, before anything is written, what cannot be published. */
  readonly begin?: () => unknown;
  /** Makes the complete draft, which is on the disk and locked, a store. */
  readonly publish: (draft: string) => Promise<void> | void;
};

/**
 * Begins a store in the file `draft`, or continues one. Its one connection locks that file until it closes or its
 * process ends, so that no lock outlives a killed process.
 */
export function openFileDraft(draft: string, { begin, publish }: DraftPlace): StoreDraft {
  begin?.();
  const connection = connectDraft(draft);
  const store = storeOn(connection, draft);
  return {
    write: async (work) => beginWriting(connection, draft).end(work),
    async read(work) {
      // What is compared comes from the file, not from what this connection remembers.
      connection.pragma('shrink_memory');
      return store.read(work);
    },
    async publish() {
      try {
        connection.pragma('journal_mode = wal');
        await publish(draft);
      } catch (error) {
        throw asProblem(draft, error);
      } finally {
        connection.close();
      }
    },
    discard: async () => removeDraft(draft),
    close: () => store.close(),
  };
}

/** Puts a complete draft at `path`; replaces a store there only with `replace`. */
export function publishCopy(draft: string, path: string, replace: boolean): void {
  try {
    if (replace && existsSync(path)) {
      leaveLog(path, 'for good');
      replaceWith(draft, path);
    } else publishDraft(draft, path);
  } catch (error) {
    throw asProblem(path, error);
  }
}

/** Connects to an unfinished copy, and locks it; begins it if there is none, or one that cannot go on. */
function connectDraft(draft: string): Connection {
  try {
    makeFolder(dirname(draft));
    if (!existsSync(draft)) closeSync(openSync(draft, 'ax'));
    const connection = connect(draft, false);
    try {
      if (canGoOn(connection, draft)) {
        connection.pragma('journal_mode = delete');
        connection.inOneStep(() => createSchema(connection));
        return connection;
      }
      if (identityOf(draft) === connection.file) removeDraft(draft);
    } catch (error) {
      connection.close();
      throw error;
    }
    connection.close();
    return connectDraft(draft);
  } catch (error) {
    throw asProblem(draft, error);
  }
}

/**
 * Locks a draft; false if it is damaged, or published already. A Problem for a file of another kind, and while another
 * process has it.
 */
function canGoOn(connection: Connection, draft: string): boolean {
  const inTheWay = () =>
    new Problem('bad-input', `${draft} is in the way: asof did not write it`, {
      hints: ['remove it, or name another file for the copy'],
    });
  try {
    connection.pragma('busy_timeout = 0');
    // SQLite then keeps the lock between transactions.
    connection.pragma('locking_mode = exclusive');
    connection.exec('begin exclusive');
    connection.exec('commit');
    // The process that had it before may have published it in between.
    if (identityOf(draft) !== connection.file) throw inUse(draft);
    const isNew = connection.column<number>('select count(*) from sqlite_schema').get() === 0;
    if (!isNew && connection.pragma('application_id') !== applicationId) throw inTheWay();
    // A process that was killed while it published a copy left a second name of a store, which must not change.
    if (statSync(draft).nlink > 1) return false;
    return damagesOf(connection).length === 0;
  } catch (error) {
    if (!(error instanceof SqliteError)) throw error;
    if (error.code.startsWith('SQLITE_BUSY')) throw inUse(draft);
    if (!/^SQLITE_(NOTADB|CORRUPT)/.test(error.code)) throw error;
    if (!hasMark(draft)) throw inTheWay();
    return false;
  }
}

function inUse(draft: string): Problem {
  return new Problem('local-io', `another process writes ${draft}`, {
    hints: ['run this again when it has ended, or name another file'],
  });
}

/** Refuses to replace a file that is not a store of asof; a damaged store may be replaced. */
export function checkReplaceable(path: string): void {
  connectReplaceable(path, true)?.close();
}

/** Refuses a store that another connection has open, and leaves it as it is. */
export function refuseUsed(path: string): void {
  leaveLog(path, 'for a moment');
}

/**
 * Merges the log of a store into its file, which SQLite does only if no other connection is open; otherwise a
 * Problem. Leaves a damaged store as it is.
 */
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

/** Removes a store that nobody has open, also a damaged one; a Problem for any other file. */
export function removeStore(path: string): void {
  leaveLog(path, 'for good');
  try {
    removeDraft(path);
  } catch (error) {
    throw asProblem(path, error);
  }
}

/**
 * When and from which bytes a store was first filled, which its backups share; undefined for an empty or damaged one.
 * Never upgrades the file.
 */
export function firstImportOf(path: string): string | undefined {
  let connection: Connection | undefined;
  try {
    // A connection that may write removes, when it is closed, the files that SQLite makes beside the store.
    connection = connect(path, false);
    const sql = 'select imported_at, sha256 from import order by id limit 1';
    return connection.tuples<readonly [string, string]>(sql).get()?.join(' ');
  } catch {
    return undefined;
  } finally {
    connection?.close();
  }
}

/** Whether the header of a file says that it is a store; SQLite does not read it where the file is cut short. */
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
  const found = error instanceof Problem ? error.cause : error;
  return found instanceof SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(found.code);
}

/** A connection to a store that may be replaced; undefined if it is damaged, a Problem for any other file. */
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
