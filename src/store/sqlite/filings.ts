import type { TradePlace } from '../../domain/insider/cluster.ts';
import {
  type Filing,
  type FilingHeader,
  purchaseCode,
  symbolsOf,
  type Trade,
} from '../../domain/insider/filing.ts';
import type { HeldFiling } from '../../domain/insider/merge-filings.ts';
import {
  clusterTradeConditions,
  clusterTradeValues,
  type FiledTrade,
  type FilingsView,
  filingConditions,
  filingReader,
  filingValues,
  type HeaderCells,
  headerCells,
  headerColumns,
  headerOf,
  IssuerBatches,
  searchableNames,
  type TradeCells,
  tradeCells,
  tradeColumns,
  tradeOf,
  wholeDays,
} from '../filings.ts';
import type { FilingRows } from '../transaction.ts';
import type { Connection, SqliteSession } from './connection.ts';

/** The columns of a trade, then those of its filing. */
type FilingCells = readonly [...TradeCells, ...HeaderCells];

const columns = [...tradeColumns.map((name) => `t.${name}`), ...headerColumns.map((name) => `f.${name}`)];
const both = `select ${columns.join()} from filing f join trade t on t.filing = f.key`;

/** The filings of a store. */
export function filingsIn(session: SqliteSession): FilingsView & FilingRows {
  return {
    page: (query) =>
      session.use((connection) => {
        const { ticker, ownerName } = query;
        const conditions = [
          ...filingConditions(query),
          ...(ticker === undefined ? [] : ['f.key in (select filing from symbol where symbol = @ticker)']),
          // The column has one name per line, so a text with a line end cannot be part of a name.
          ...(ownerName === undefined
            ? []
            : ['instr(f.owner_names, @ownerName) > 0 and instr(@ownerName, char(10)) = 0']),
        ];
        const sql = `${both}${conditions.length > 0 ? ` where ${conditions.join(' and ')}` : ''}
          order by f.filed_on desc, f.filing_id, t.row limit @limit`;
        const rows = connection.tuples<FilingCells>(sql).all(filingValues(query));
        return rows.map(filingReader(inCells));
      }),
    accepted: (accessionNumbers) =>
      session.use((connection) => {
        // The accession number is the id of a filing that has one.
        const accepted = connection.column<string>(
          'select filing_id from filing where filing_id = ? and accepted_at is not null',
        );
        return new Set(accessionNumbers.filter((number) => accepted.get(number) !== undefined));
      }),
    symbols: () => session.column<string>('select distinct symbol from symbol order by symbol'),
    counts: () =>
      session.use((connection) => {
        const count = (table: 'filing' | 'trade') =>
          connection.column<number>(`select count(*) from ${table}`).get() ?? 0;
        return { filings: count('filing'), trades: count('trade') };
      }),
    clusterTrades: (query) => session.stream((connection) => readClusterTrades(connection, query)),
    tradePlaces: ({ limit: most, ...query }) =>
      wholeDays(
        most,
        ({ date }) => date,
        (limit) =>
          session.rows<TradePlace>(
            `select f.issuer_cik as issuerCik, f.filing_id as filingId, t.transaction_date as date
             from trade t cross join filing f on f.key = t.filing
             where t.is_derivative = 0 and t.transaction_code = @code and t.transaction_date < @before
             order by t.transaction_date desc limit @limit`,
            { ...query, limit },
          ),
      ),
    filedTrades: ({ before, limit: most, ...query }) =>
      wholeDays(
        most,
        ({ filedOn }) => filedOn,
        (limit) =>
          session.rows<FiledTrade>(
            `select f.issuer_cik as issuerCik, f.filing_id as filingId, t.transaction_date as date, f.filed_on as filedOn
             from filing f join trade t on t.filing = f.key
             where ${clusterTradeConditions(query).join(' and ')} and f.filed_on < @before
             order by f.filed_on desc limit @limit`,
            { ...clusterTradeValues(query), before, limit },
          ),
      ),
    async coveredTo(upTo = '~') {
      const sql = 'select max(filed_on) from filing where filed_on <= ?';
      const [newest] = await session.column<string | null>(sql, upTo);
      return newest ?? undefined;
    },
    held: (filings) =>
      session.use((connection) => {
        const headers = connection.tuples<readonly [...HeaderCells, key: number, purchases: number]>(
          `select ${headerColumns.join()}, key, purchases from filing where filing_id = ?`,
        );
        const tradesOf = connection.tuples<TradeCells>(
          `select ${tradeColumns.join()} from trade where filing = ?`,
        );
        const held = new Map<string, HeldFiling>();
        for (const filingId of new Set(filings.map((filing) => filing.filingId))) {
          const cells = headers.get(filingId);
          if (cells === undefined) continue;
          const trades = tradesOf.all(cells[12]).map(tradeOf);
          held.set(filingId, { header: headerOf(cells), concernsClusters: cells[13] === 1, trades });
        }
        return held;
      }),
    put: (filings, held) =>
      session.use((connection) => {
        for (const filing of filings) {
          const before = held.get(filing.header.filingId);
          const key =
            before === undefined
              ? insertHeader(connection, filing)
              : updateHeader(connection, filing, before.header);
          for (const trade of filing.trades) putTrade(connection, key, trade);
        }
      }),
    remove: (filings) =>
      session.use((connection) => {
        const key = connection.column<number>('select key from filing where filing_id = ?');
        for (const { filingId } of filings) {
          const found = key.get(filingId);
          for (const table of ['symbol', 'trade'])
            connection.run(`delete from ${table} where filing = ?`, found);
          connection.run('delete from filing where key = ?', found);
        }
      }),
  };
}

/** Where a row has the columns of its filing and of its trade. */
const inCells = {
  filingId: (cells: FilingCells) => cells[10],
  header([, , , , , , , , , , ...filing]: FilingCells) {
    return headerOf(filing);
  },
  trade: tradeOf,
};

function* readClusterTrades(
  connection: Connection,
  query: Parameters<FilingsView['clusterTrades']>[0],
): Generator<readonly Filing[]> {
  const conditions = [
    ...clusterTradeConditions(query),
    ...(query.issuerCiks === undefined ? [] : ['f.issuer_cik in (select value from json_each(@issuerCiks))']),
    ...(query.ticker === undefined
      ? []
      : [
          `f.issuer_cik in (select issuer_cik from filing
             where key in (select filing from symbol where symbol = @ticker))`,
        ]),
  ];
  // By itself, SQLite would search all filings of an issuer even if those with purchases are marked.
  const isMarked = query.code === purchaseCode && query.uncounted !== true;
  const filed = isMarked ? both.replace('filing f', 'filing f indexed by purchases_of_issuer') : both;
  const rows = connection
    .tuples<FilingCells>(`${filed} where ${conditions.join(' and ')} order by f.issuer_cik`)
    .iterate({ ...clusterTradeValues(query), issuerCiks: JSON.stringify(query.issuerCiks ?? []) });
  const [read, batches] = [filingReader(inCells), new IssuerBatches()];
  for (const row of rows) {
    const batch = batches.add(read(row));
    if (batch.length > 0) yield batch;
  }
  if (batches.rest().length > 0) yield batches.rest();
}

function insertHeader(connection: Connection, { header, concernsClusters }: HeldFiling): number {
  const places = headerColumns.map(() => '?').join();
  const { lastInsertRowid } = connection.run(
    `insert into filing (${headerColumns.join()}, owner_names, purchases) values (${places}, ?, ?)`,
    ...headerCells(header),
    searchableNames(header),
    Number(concernsClusters),
  );
  const key = Number(lastInsertRowid);
  putSymbols(connection, key, header);
  return key;
}

function updateHeader(
  connection: Connection,
  { header, concernsClusters }: HeldFiling,
  before: FilingHeader,
): number {
  const key =
    connection.column<number>('select key from filing where filing_id = ?').get(before.filingId) ?? 0;
  connection.run(
    `update filing set ${headerColumns.map((name) => `${name} = ?`).join()}, owner_names = ?, purchases = ? where key = ?`,
    ...headerCells(header),
    searchableNames(header),
    Number(concernsClusters),
    key,
  );
  for (const symbol of symbolsOf(before.ticker))
    connection.run('delete from symbol where symbol = ? and filing = ?', symbol, key);
  putSymbols(connection, key, header);
  return key;
}

function putSymbols(connection: Connection, key: number, { ticker }: FilingHeader): void {
  for (const symbol of symbolsOf(ticker))
    connection.run('insert into symbol (symbol, filing) values (?, ?)', symbol, key);
}

function putTrade(connection: Connection, filing: number, trade: Trade): void {
  const places = tradeColumns.map(() => '?').join();
  connection.run(
    `insert or replace into trade (filing, ${tradeColumns.join()}) values (?, ${places})`,
    filing,
    ...tradeCells(trade),
  );
}
