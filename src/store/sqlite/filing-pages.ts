import type { Database } from 'better-sqlite3';
import { type Filing, type FilingHeader, filingOf } from '../../domain/insider/filing.ts';
import type { FilingsQuery, PurchasesQuery } from '../store.ts';
import { prepare } from './connect.ts';
import { headerColumns, headerOf, tradeColumns, tradeOf } from './filing-record.ts';

type Row = readonly (string | number | null)[];

const columns = [...tradeColumns.map((name) => `t.${name}`), ...headerColumns.map((name) => `f.${name}`)];
const both = `select ${columns.join()} from filing f join trade t on t.filing = f.key`;

/** A page of trades, newest filing date first, then by filing and row. */
export function readFilings(db: Database, query: FilingsQuery): Filing[] {
  const { ticker, ownerName, transactionCode, from, to, after, limit } = query;
  const conditions = [
    ...(from === undefined ? [] : ['f.filed_on >= @from']),
    ...(to === undefined ? [] : ['f.filed_on <= @to']),
    ...(ticker === undefined ? [] : ['f.key in (select filing from symbol where symbol = @ticker)']),
    // Names stand one a line: what goes over the end of a line is a part of none.
    ...(ownerName === undefined
      ? []
      : ['instr(f.owner_names, @ownerName) > 0 and instr(@ownerName, char(10)) = 0']),
    ...(transactionCode === undefined ? [] : ['t.transaction_code = @transactionCode']),
    ...(after === undefined
      ? []
      : [
          `f.filed_on <= @afterDay and (f.filed_on < @afterDay or f.filing_id > @afterFiling
             or (f.filing_id = @afterFiling and t.row > @afterRow))`,
        ]),
  ];
  const sql = `${both}${conditions.length > 0 ? ` where ${conditions.join(' and ')}` : ''}
    order by f.filed_on desc, f.filing_id, t.row limit @limit`;
  const rows = prepare(db, sql)
    .raw()
    .all({
      limit,
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(ticker !== undefined && { ticker: ticker.toUpperCase() }),
      ...(ownerName !== undefined && { ownerName: ownerName.toLowerCase() }),
      ...(transactionCode !== undefined && { transactionCode }),
      ...(after !== undefined && {
        afterDay: after.filedOn,
        afterFiling: after.filingId,
        afterRow: after.row,
      }),
    }) as Row[];
  return rows.map(filingReader());
}

/** The trades that clusters are made of, one issuer after the other. */
export function* readPurchases(db: Database, { ticker, asOf }: PurchasesQuery): Generator<Filing[]> {
  const conditions = [
    `f.purchases = 1 and t.is_derivative = 0 and (t.transaction_code = 'P' or f.form_type like '%/A')`,
    ...(asOf === undefined ? [] : ['f.filed_on <= @asOf']),
    ...(ticker === undefined
      ? []
      : [
          `f.issuer_cik in (select issuer_cik from filing
             where key in (select filing from symbol where symbol = @ticker))`,
        ]),
  ];
  const rows = prepare(db, `${both} where ${conditions.join(' and ')} order by f.issuer_cik`)
    .raw()
    .iterate({
      ...(asOf !== undefined && { asOf }),
      ...(ticker !== undefined && { ticker: ticker.toUpperCase() }),
    }) as IterableIterator<Row>;
  const read = filingReader();
  let own: Filing[] = [];
  for (const row of rows) {
    const filing = read(row);
    if (own.length > 0 && own[0]?.issuerCik !== filing.issuerCik) {
      yield own;
      own = [];
    }
    own.push(filing);
  }
  if (own.length > 0) yield own;
}

/** Reads rows of `columns`; the trades of a filing stand together, so that each filing is read once. */
function filingReader(): (row: Row) => Filing {
  const idAt = tradeColumns.length;
  let header: FilingHeader | undefined;
  return (row) => {
    if (header === undefined || header.filingId !== row[idAt]) header = headerOf(row, idAt);
    return filingOf(header, tradeOf(row));
  };
}
