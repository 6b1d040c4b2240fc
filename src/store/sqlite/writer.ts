import { copyFileSync, existsSync } from 'node:fs';
import { Problem } from '../../errors/problem.ts';
import { isShippedSample } from '../../platform/installation.ts';
import { StoreWriter } from '../writer.ts';
import { addLog, asProblem, Connection, connect, openDatabase, SqliteSession } from './connection.ts';
import { beginDraft, flush, publishDraft, removeDraft } from './draft.ts';
import { filingsIn } from './filings.ts';
import { ratesIn } from './rates.ts';
import { createSchema, migrate } from './schema.ts';
import { seriesTables } from './series-rows.ts';
import { descriptionsIn, sourcesIn } from './sources.ts';

/**
 * Opens the store at `path` for one import; creates it if it does not exist, as a copy of `copyOf` if given. A
 * failure leaves the file as it was.
 */
export async function openSqliteWriter(path: string, copyOf?: string): Promise<StoreWriter> {
  if (!existsSync(path)) return createStore(path, copyOf);
  if (copyOf === undefined) return openExisting(path);
  throw new Problem(
    'bad-input',
    `the store ${path} exists already: only a new store can begin as a copy of the sample`,
    { hints: ['leave out --with-sample', 'name a new file with --store'] },
  );
}

function openExisting(path: string): StoreWriter {
  if (isShippedSample(path))
    throw new Problem('bad-input', `${path} is the sample that asof ships, which is read-only`, {
      hints: ['`asof import --with-sample` begins a store of your own as a copy of it'],
    });
  const connection = connect(path, false);
  const abandon = () => {
    if (connection.inTransaction) connection.exec('rollback');
    connection.close();
  };
  try {
    // Without a write-ahead log, pages that are written early would lock readers out until the end.
    const hasLog = connection.pragma('journal_mode') === 'wal';
    if (!hasLog) connection.pragma('cache_spill = off');
    connection.exec('begin immediate');
    migrate(connection, path);
    const publish = () => {
      connection.close();
      if (!hasLog) addLog(path);
    };
    return writerOn(connection, { path, created: false, publish, abandon });
  } catch (error) {
    abandon();
    throw asProblem(path, error);
  }
}

/**
 * Creates a store as a draft, which is published when the import commits. No reader sees the draft, so it needs no
 * journal.
 */
function createStore(path: string, copyOf: string | undefined): StoreWriter {
  let draft: string | undefined;
  let opened: Connection | undefined;
  const abandon = () => {
    opened?.close();
    if (draft !== undefined) removeDraft(draft);
  };
  try {
    draft = beginDraft(path);
    if (copyOf !== undefined) copyFileSync(copyOf, draft);
    const connection = new Connection(openDatabase(draft));
    opened = connection;
    connection.pragma('journal_mode = off');
    connection.pragma('synchronous = off');
    connection.pragma('foreign_keys = on');
    if (copyOf === undefined) createSchema(connection);
    connection.exec('update store set sample = 0');
    connection.exec('begin immediate');
    const made = draft;
    const publish = () => {
      connection.pragma('synchronous = full');
      connection.pragma('journal_mode = wal');
      connection.close();
      flush(made);
      publishDraft(made, path);
    };
    return writerOn(connection, { path, created: true, publish, abandon });
  } catch (error) {
    abandon();
    throw asProblem(path, error);
  }
}

/** Begins a transaction on a connection, which stays open at its end. */
export function beginWriting(connection: Connection, path: string): StoreWriter {
  connection.exec('begin immediate');
  const abandon = () => {
    if (connection.inTransaction) connection.exec('rollback');
  };
  return writerOn(connection, { path, created: false, publish: () => undefined, abandon });
}

/** What happens to the file when an import ends. */
type Ending = {
  readonly path: string;
  readonly created: boolean;
  readonly publish: () => void;
  readonly abandon: () => void;
};

function writerOn(connection: Connection, { path, created, publish, abandon }: Ending): StoreWriter {
  const session = new SqliteSession(path, connection);
  return new StoreWriter({
    address: path,
    created,
    ...seriesTables(session),
    descriptions: descriptionsIn(session),
    rates: ratesIn(session),
    filings: filingsIn(session),
    sources: sourcesIn(session),
    async commit(changed) {
      try {
        if (changed) connection.exec('update store set revision = revision + 1');
        connection.exec('commit');
        publish();
      } catch (error) {
        abandon();
        throw asProblem(path, error);
      }
    },
    async rollback() {
      abandon();
    },
  });
}
