import { statSync } from 'node:fs';
import type { Engine, EngineContents, FilingTables } from '../sql/engine.ts';
import type { PageCache } from '../store.ts';
import { type Connection, SqliteError, type SqliteSession } from './connection.ts';
import { numberedSeries } from './series.ts';

/** What SQLite does in its own way; `pages` keeps pages of observations. */
export function engineOf(session: SqliteSession, pages?: PageCache): Engine {
  return {
    reusesIds: true,
    series: numberedSeries(session, pages),
    filings: filingTables,
    contents: fileContents(session),
  };
}

/** Filings by their numbers, which are shorter than their ids. */
const filingTables: FilingTables = {
  filed: 'filing f join trade t on t.filing = f.key',
  // By itself, SQLite would search all filings of an issuer even if those with purchases are marked.
  marked: 'filing f indexed by purchases_of_issuer join trade t on t.filing = f.key',
  byIssuer: 'f.issuer_cik',
  tradesByDay: 'trade t cross join filing f on f.key = t.filing',
  ofSymbol: 'f.key in (select filing from symbol where symbol = @ticker)',
  issuersOfSymbol: `select issuer_cik from filing
    where key in (select filing from symbol where symbol = @ticker)`,
  filingKey: 'filing_id',
  owner: { filing: 'integer' },
  async ownersOf(session, filings) {
    const keys = await session.tuples<readonly [id: string, key: number]>(
      'select filing_id, key from filing where filing_id = any(@ids)',
      { ids: filings.map(({ filingId }) => filingId) },
    );
    const keyOf = new Map(keys);
    return ({ filingId }) => [keyOf.get(filingId)];
  },
  ofFilings: (table) =>
    `${table === 'filing' ? 'key' : 'filing'} in (select key from filing where filing_id = any(@ids))`,
};

/** What SQLite knows about a store in a file. */
function fileContents(session: SqliteSession): EngineContents {
  return {
    derivedOfFilings: `select filing_id, ticker, owners, owner_names,
        (select json_group_array(symbol) from symbol where filing = key) as symbols
      from filing`,
    wordsOfSeries: `with own as materialized (select series, json_group_array(word) as words from word group by series)
      select id, title, units, words from series left join own on own.series = key order by id`,
    /** The size of the file with its write-ahead log; `format` is that of the connection. */
    size: () =>
      session.use((connection) => {
        const bytes = [session.path, `${session.path}-wal`].map(
          (file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0,
        );
        return {
          format: Number(connection.pragma('user_version')),
          bytes: bytes.reduce((sum, size) => sum + size, 0),
        };
      }),
    async faults(derived) {
      const damaged = await session.use(damagesOf);
      // On damaged pages, further checks would say nothing more.
      if (damaged.length > 0) return damaged;
      const orphans =
        await session.tuples<readonly [table: string, row: number, parent: string]>(
          'pragma foreign_key_check',
        );
      const [words = 0] = await session.column<number>(
        'select count(*) from word where series not in (select key from series)',
      );
      return [
        ...orphans.map(([table, row, parent]) => `row ${row} of ${table} belongs to no ${parent}`),
        ...(await derived()),
        ...(words === 0 ? [] : [`${words} words belong to no series`]),
      ];
    },
  };
}

/** What SQLite's own check finds; it gives up at damage that it cannot read past. */
export function damagesOf(connection: Connection): readonly string[] {
  try {
    const found = connection.column<string>('pragma integrity_check').all();
    return found.filter((text) => text !== 'ok');
  } catch (error) {
    if (error instanceof SqliteError && error.code.startsWith('SQLITE_CORRUPT')) return [error.message];
    throw error;
  }
}
