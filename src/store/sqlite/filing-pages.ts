import { type Filing, type FilingHeader, filingOf } from '../../domain/insider/filing.ts';
import type { FilingsQuery, PurchasesQuery } from '../store.ts';
import type { Connection } from './connection.ts';
import {
  type HeaderCells,
  headerColumns,
  headerOf,
  type TradeCells,
  tradeColumns,
  tradeOf,
} from './filing-record.ts';

/** The columns of a trade, then those of its filing. */
type FilingCells = readonly [...TradeCells, ...HeaderCells];

const columns = [...tradeColumns.map((name) => `t.${name}`), ...headerColumns.map((name) => `f.${name}`)];
const both = `select ${columns.join()} from filing f join trade t on t.filing = f.key`;

/** A page of trades, newest filing date first, then by filing and row. */
export function readFilings(connection: Connection, query: FilingsQuery): readonly Filing[] {
  const { ticker, ownerName, transactionCode, from, to, after, limit } = query;
  const conditions = [
    ...(from === undefined ? [] : ['f.filed_on >= @from']),
    ...(to === undefined ? [] : ['f.filed_on <= @to']),
    ...(ticker === undefined ? [] : ['f.key in (select filing from symbol where symbol = @ticker)']),
    // There is one name a line, so a text with a line end is a part of no name.
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
  const rows = connection.tuples<FilingCells>(sql).all({
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
  });
  return rows.map(filingReader());
}

/** The trades that clusters are made of, a batch for each issuer. */
export function* readPurchases(
  connection: Connection,
  { issuerCik, ticker, asOf }: PurchasesQuery,
): Generator<readonly Filing[]> {
  const conditions = [
    `f.purchases = 1 and t.is_derivative = 0 and (t.transaction_code = 'P' or f.form_type like '%/A')`,
    ...(asOf === undefined ? [] : ['f.filed_on <= @asOf']),
    ...(issuerCik === undefined ? [] : ['f.issuer_cik = @issuerCik']),
    ...(ticker === undefined
      ? []
      : [
          `f.issuer_cik in (select issuer_cik from filing
             where key in (select filing from symbol where symbol = @ticker))`,
        ]),
  ];
  const rows = connection
    .tuples<FilingCells>(`${both} where ${conditions.join(' and ')} order by f.issuer_cik`)
    .iterate({
      ...(asOf !== undefined && { asOf }),
      ...(issuerCik !== undefined && { issuerCik }),
      ...(ticker !== undefined && { ticker: ticker.toUpperCase() }),
    });
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

/** Turns rows into trades. The trades of a filing follow one another, so each filing is read once. */
function filingReader(): (cells: FilingCells) => Filing {
  let header: FilingHeader | undefined;
  return (cells) => {
    if (header === undefined || header.filingId !== cells[10]) {
      const [, , , , , , , , , , ...filing] = cells;
      header = headerOf(filing);
    }
    return filingOf(header, tradeOf(cells));
  };
}
