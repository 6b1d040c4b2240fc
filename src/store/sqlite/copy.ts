import { existsSync } from 'node:fs';
import { Problem } from '../../errors/problem.ts';
import { asProblem, type Connection, connect } from './connection.ts';
import { publishDraft, replaceWith } from './draft.ts';
import { formatOf } from './format.ts';

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
      leaveLog(path);
      replaceWith(draft, path);
    } else publishDraft(draft, path);
  } catch (error) {
    throw asProblem(path, error);
  }
}

/** Refuses to replace a file that is not a store of asof. */
export function checkReplaceable(path: string): void {
  connectReplaceable(path, true).close();
}

/**
 * Merges the log of a store into its file, which SQLite does only if no other connection is open; otherwise a
 * Problem.
 */
function leaveLog(path: string): void {
  const connection = connectReplaceable(path, false);
  try {
    connection.pragma('journal_mode = delete');
  } catch (cause) {
    throw new Problem('local-io', `${path} is a store in use`, { hints: ['name another file'], cause });
  } finally {
    connection.close();
  }
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
