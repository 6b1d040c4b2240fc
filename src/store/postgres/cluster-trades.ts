import type { TradePlace } from '../../domain/insider/cluster.ts';
import type { Filing } from '../../domain/insider/filing.ts';
import {
  type ClusterTradesQuery,
  clusterTradeConditions,
  clusterTradeValues,
  type DaysOfTradesQuery,
  type FiledTrade,
  filingReader,
  IssuerBatches,
} from '../filing-queries.ts';
import type { Transaction } from './connection.ts';
import { type FilingRow, filedTrades, inColumns } from './filings.ts';

/** The trades that clusters are made of, in batches of one issuer each. */
export async function* readClusterTrades(
  transaction: Transaction,
  query: ClusterTradesQuery,
): AsyncGenerator<readonly Filing[]> {
  const conditions = [
    ...clusterTradeConditions(query),
    ...(query.issuerCiks === undefined ? [] : ['f.issuer_cik = any(@issuerCiks::text[])']),
    ...(query.ticker === undefined
      ? []
      : ['f.issuer_cik in (select issuer_cik from asof.symbol where symbol = @ticker)']),
  ];
  const sql = `${filedTrades} where ${conditions.join(' and ')} order by f.issuer_cik, f.filing_id, t.row`;
  const [read, batches] = [filingReader(inColumns), new IssuerBatches()];
  const values = { ...clusterTradeValues(query), issuerCiks: query.issuerCiks };
  for await (const rows of transaction.batches<FilingRow>(sql, values))
    for (const row of rows) {
      const batch = batches.add(read(row));
      if (batch.length > 0) yield batch;
    }
  if (batches.rest().length > 0) yield batches.rest();
}

/** The trades in shares with a code before a day, newest first. */
export function readTradePlaces(
  transaction: Transaction,
  query: DaysOfTradesQuery,
): Promise<readonly TradePlace[]> {
  return transaction.rows(
    `select issuer_cik as "issuerCik", filing_id as "filingId", transaction_date as date from asof.trade
     where is_derivative = 0 and transaction_code = @code and transaction_date collate "C" < @before
     order by transaction_date collate "C" desc limit @limit`,
    query,
  );
}

/** The trades that clusters are made of and that were filed before a day, newest first. */
export function readFiledTrades(
  transaction: Transaction,
  { before, limit, ...query }: DaysOfTradesQuery,
): Promise<readonly FiledTrade[]> {
  return transaction.rows(
    `select f.issuer_cik as "issuerCik", f.filing_id as "filingId", t.transaction_date as date, f.filed_on as "filedOn"
     from asof.filing f join asof.trade t on t.issuer_cik = f.issuer_cik and t.filing_id = f.filing_id
     where ${clusterTradeConditions(query).join(' and ')} and f.filed_on < @before
     order by f.filed_on desc limit @limit`,
    { ...clusterTradeValues(query), before, limit },
  );
}
