import { type FilingHeader, symbolsOf, type Trade } from '../../domain/insider/filing.ts';
import type { HeldFiling } from '../../domain/insider/merge-filings.ts';
import type { Connection } from './connection.ts';
import {
  type HeaderCells,
  headerCells,
  headerColumns,
  headerOf,
  searchableNames,
  type TradeCells,
  tradeCells,
  tradeColumns,
  tradeOf,
} from './filing-record.ts';

/** A filing of the store, and the key of its row. */
type FilingRow = HeldFiling & { readonly key: number };

/** The filings with these ids that the store holds, by id. */
export function readHeldFilings(
  connection: Connection,
  filingIds: ReadonlySet<string>,
): ReadonlyMap<string, FilingRow> {
  const headers = connection.tuples<readonly [...HeaderCells, key: number, purchases: number]>(
    `select ${headerColumns.join()}, key, purchases from filing where filing_id = ?`,
  );
  const trades = connection.tuples<TradeCells>(`select ${tradeColumns.join()} from trade where filing = ?`);
  const held = new Map<string, FilingRow>();
  for (const filingId of filingIds) {
    const cells = headers.get(filingId);
    if (cells === undefined) continue;
    const [key, header] = [cells[12], headerOf(cells)];
    held.set(filingId, {
      key,
      header,
      concernsClusters: cells[13] === 1,
      trades: trades.all(key).map((trade) => tradeOf(trade)),
    });
  }
  return held;
}

/** Writes filings that are new or changed, with the trades that are; `held` tells which ones the store has. */
export function writeFilings(
  connection: Connection,
  filings: readonly HeldFiling[],
  held: ReadonlyMap<string, FilingRow>,
): void {
  for (const filing of filings) {
    const before = held.get(filing.header.filingId);
    const key =
      before === undefined ? insertHeader(connection, filing) : updateHeader(connection, filing, before);
    for (const trade of filing.trades) putTrade(connection, key, trade);
  }
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
  { key, header: before }: FilingRow,
): number {
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
