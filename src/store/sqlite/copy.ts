import { closeSync, existsSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { Problem } from '../../errors/problem.ts';
import { identityOf, makeFolder } from '../../platform/files.ts';
import { ended, type StoreDraft } from '../writer.ts';
import { asProblem, type Connection, connect, SqliteError } from './connection.ts';
import { damagesOf } from './contents.ts';
import { publishDraft, removeDraft } from './draft.ts';
import { applicationId, formatOf } from './format.ts';
import { storeOn } from './reader.ts';
import { createSchema } from './schema.ts';
import { beginWriting } from './writer.ts';

/**
 * Begins a store for `path` in the file `draft` beside it, or continues one. Its one connection locks that file until
 * it closes or its process ends, so that no lock outlives a killed process.
 */
export function openFileDraft(path: string, draft: string, replace: boolean): StoreDraft {
  if (existsSync(path)) leaveLog(path);
  const connection = connectDraft(path, draft);
  const store = storeOn(connection, draft);
  return {
    write: async (work) => ended(beginWriting(connection, draft), work),
    async read(work) {
      // What is compared comes from the file, not from what this connection remembers.
      connection.pragma('shrink_memory');
      return store.read(work);
    },
    async publish() {
      try {
        connection.pragma('journal_mode = wal');
        if (replace && existsSync(path)) {
          leaveLog(path);
          renameSync(draft, path);
        } else publishDraft(draft, path);
      } catch (error) {
        throw asProblem(path, error);
      } finally {
        connection.close();
      }
    },
    discard: async () => removeDraft(draft),
    close: () => store.close(),
  };
}

/** Connects to an unfinished copy, and locks it; begins it if there is none, or a damaged one. */
function connectDraft(path: string, draft: string): Connection {
  try {
    makeFolder(dirname(draft));
    // A process that was killed while it published a copy left a second name of the store.
    if (existsSync(path) && identityOf(draft) === identityOf(path)) rmSync(draft);
    if (!existsSync(draft)) closeSync(openSync(draft, 'ax'));
    const connection = connect(draft, false);
    try {
      if (isSound(connection, draft)) {
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
    return connectDraft(path, draft);
  } catch (error) {
    throw asProblem(draft, error);
  }
}

/** Locks a draft; false if it is damaged. A Problem for a file of another kind, and while another process has it. */
function isSound(connection: Connection, draft: string): boolean {
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

/** Refuses to replace a file that is not a store of asof. */
export function checkReplaceable(path: string): void {
  connectReplaceable(path, true).close();
}

/**
 * Merges the log of a store into its file, which SQLite does only if no other connection is open; otherwise a
 * Problem.
 */
export function leaveLog(path: string): void {
  const connection = connectReplaceable(path, false);
  try {
    connection.pragma('journal_mode = delete');
  } catch (cause) {
    throw new Problem('local-io', `${path} is a store in use`, { hints: ['name another file'], cause });
  } finally {
    connection.close();
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

/** A connection to a store that may be replaced; a Problem for any other file. */
function connectReplaceable(path: string, readonly: boolean): Connection {
  let connection: Connection | undefined;
  try {
    connection = connect(path, readonly);
    formatOf(connection, path);
    return connection;
  } catch (cause) {
    connection?.close();
    throw new Problem('bad-input', `${path} exists, and is no store that a backup could replace`, {
      hints: ['name another file'],
      cause,
    });
  }
}
