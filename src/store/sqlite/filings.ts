import type { Database } from 'better-sqlite3';
import {
  combinedFiling,
  type Filing,
  type FilingHeader,
  filingClashes,
  filingOf,
  symbolsOf,
} from '../../domain/insider/filing.ts';
import type { FilingClash, MergedFilings, MergeOptions } from '../store.ts';
import { prepare } from './connect.ts';
import {
  concernsClusters,
  headerCells,
  headerColumns,
  headerOf,
  searchableNames,
  tradeCells,
  tradeColumns,
  tradeOf,
} from './filing-record.ts';

/** A filing that the store holds. */
type Held = { readonly key: number; readonly header: FilingHeader; readonly purchases: number };

/** Adds trades of filings in any order: one record for each filing and row, and one of each filing for all of its rows. */
export function mergeFilings(
  db: Database,
  filings: readonly Filing[],
  { replace }: MergeOptions,
): MergedFilings {
  let [added, known] = [0, 0];
  let changed = false;
  const clashes: FilingClash[] = [];
  for (const given of filings) {
    const held = heldFiling(db, given.filingId);
    if (held === undefined) {
      putTrade(db, insertFiling(db, given), given);
      added += 1;
      changed = true;
      continue;
    }
    const trade = heldTrade(db, held, given.row);
    // A trade that is new must agree at least on the filing which it is of.
    const before: Filing = trade ?? { ...given, ...held.header };
    const fields = filingClashes(before, given);
    if (fields.length > 0 && !replace) {
      clashes.push({ held: before, given, fields });
      continue;
    }
    const after = combinedFiling({ ...before, ...only(given, fields) }, given);
    if (updateFiling(db, held, after)) changed = true;
    if (trade === undefined || differ(tradeCells(before), tradeCells(after))) {
      putTrade(db, held.key, after);
      changed = true;
    }
    if (trade === undefined || fields.length > 0) added += 1;
    else known += 1;
  }
  return { added, known, clashes, changed };
}

/** What a record says in some fields. */
function only(given: Filing, fields: readonly (keyof Filing)[]): Partial<Filing> {
  return Object.fromEntries(fields.map((field) => [field, given[field]]));
}

function heldFiling(db: Database, filingId: string): Held | undefined {
  const row = prepare(db, `select ${headerColumns.join()}, key, purchases from filing where filing_id = ?`)
    .raw()
    .get(filingId) as (string | number | null)[] | undefined;
  if (row === undefined) return undefined;
  const [key, purchases] = row.slice(headerColumns.length);
  return { key: Number(key), purchases: Number(purchases), header: headerOf(row) };
}

function heldTrade(db: Database, { key, header }: Held, row: number): Filing | undefined {
  const cells = prepare(db, `select ${tradeColumns.join()} from trade where filing = ? and row = ?`)
    .raw()
    .get(key, row) as (string | number | null)[] | undefined;
  return cells && filingOf(header, tradeOf(cells));
}

function insertFiling(db: Database, filing: Filing): number {
  const places = headerColumns.map(() => '?').join();
  const { lastInsertRowid } = prepare(
    db,
    `insert into filing (${headerColumns.join()}, owner_names, purchases) values (${places}, ?, ?)`,
  ).run(...headerCells(filing), searchableNames(filing), Number(concernsClusters(filing)));
  const key = Number(lastInsertRowid);
  putSymbols(db, key, filing);
  return key;
}

/** Writes what a filing is now; false when it was so already. */
function updateFiling(db: Database, { key, header, purchases }: Held, filing: Filing): boolean {
  const before = { ...filing, ...header };
  const concerned = Math.max(purchases, Number(concernsClusters(filing)));
  if (concerned === purchases && !differ(headerCells(before), headerCells(filing))) return false;
  prepare(
    db,
    `update filing set ${headerColumns.map((name) => `${name} = ?`).join()}, owner_names = ?, purchases = ? where key = ?`,
  ).run(...headerCells(filing), searchableNames(filing), concerned, key);
  prepare(db, 'delete from symbol where filing = ?').run(key);
  putSymbols(db, key, filing);
  return true;
}

function putSymbols(db: Database, key: number, { ticker }: Filing): void {
  const insert = prepare(db, 'insert into symbol (symbol, filing) values (?, ?)');
  for (const symbol of symbolsOf(ticker)) insert.run(symbol, key);
}

function putTrade(db: Database, filing: number, trade: Filing): void {
  const places = tradeColumns.map(() => '?').join();
  prepare(db, `insert or replace into trade (filing, ${tradeColumns.join()}) values (?, ${places})`).run(
    filing,
    ...tradeCells(trade),
  );
}

function differ(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.some((cell, place) => cell !== other[place]);
}
