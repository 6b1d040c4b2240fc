import { closeSync, existsSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Problem } from '../../errors/problem.ts';
import { makeFolder } from '../../platform/files.ts';
import type { Lock } from '../access-store.ts';
import { takeLock } from './access.ts';
import { asProblem, type Connection, connect, SqliteError } from './connection.ts';
import { damagesOf } from './contents.ts';
import { publishDraft, removeDraft, replaceWith } from './draft.ts';
import { applicationId, formatOf } from './format.ts';

/** Publishes a complete store, made beside `path`, at `path`; replaces another one only with `replace`. */
export function publishCopy(draft: string, path: string, replace: boolean): void {
  try {
    const connection = connect(draft, false);
    try {
      connection.pragma('wal_checkpoint(truncate)');
    } finally {
      connection.close();
    }
    if (replace && existsSync(path)) {
      leaveLog(path, 'for good');
      replaceWith(draft, path);
    } else publishDraft(draft, path);
  } catch (error) {
    throw asProblem(path, error);
  }
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

/** Takes the lock of an unfinished copy, and removes its file at the end; a Problem while another process has it. */
export async function lockDraft(draft: string): Promise<Lock> {
  const path = `${draft}.lock`;
  makeFolder(dirname(path));
  const lock = await takeLock(path);
  // The process that held it before may have removed it in between.
  if (lock !== undefined && existsSync(path))
    return {
      close: async () => {
        rmSync(path, { force: true });
        await lock.close();
      },
    };
  await lock?.close();
  throw new Problem('local-io', `another process writes ${draft}`, {
    hints: ['run this again when it has ended, or name another file'],
  });
}

/** Removes an unfinished copy that is damaged, so that the copy begins again; a Problem for a file of another kind. */
export function removeIfDamaged(draft: string): void {
  if (!hasMark(draft))
    throw new Problem('bad-input', `${draft} is in the way: asof did not write it`, {
      hints: ['remove it, or name another file for the copy'],
    });
  const connection = connect(draft, true);
  let damages: readonly string[];
  try {
    damages = damagesOf(connection);
  } finally {
    connection.close();
  }
  if (damages.length > 0) removeDraft(draft);
}

/** Whether the header of a file says that it is a store; SQLite does not read it where the file is cut short. */
function hasMark(path: string): boolean {
  if (!statSync(path).isFile()) return false;
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

/** Whether SQLite failed because a file is damaged. */
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
