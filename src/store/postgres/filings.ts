import type { TradePlace } from '../../domain/insider/cluster.ts';
import { symbolsOf, type Trade } from '../../domain/insider/filing.ts';
import type { HeldFiling } from '../../domain/insider/merge-filings.ts';
import type { Day } from '../../domain/series/date.ts';
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
import type { Transaction } from './connection.ts';
import type { ImportLocks } from './locks.ts';

type HeaderRow = Readonly<Record<(typeof headerColumns)[number], HeaderCells[number]>>;
type TradeRow = Readonly<Record<(typeof tradeColumns)[number], TradeCells[number]>>;

type FilingRow = HeaderRow & TradeRow;

const columns = [...tradeColumns.map((name) => `t.${name}`), ...headerColumns.map((name) => `f.${name}`)];
/** Every trade with its filing. */
const filedTrades = `select ${columns.join()} from asof.filing f
  join asof.trade t on t.issuer_cik = f.issuer_cik and t.filing_id = f.filing_id`;

/** The filings of a store; an import gives the locks that it holds. */
export function filingsIn(transaction: Transaction, locks?: ImportLocks): FilingsView & FilingRows {
  return {
    async page(query) {
      const { ticker, ownerName } = query;
      const conditions = [
        ...filingConditions(query),
        ...(ticker === undefined
          ? []
          : [
              '(f.issuer_cik, f.filing_id) in (select issuer_cik, filing_id from asof.symbol where symbol = @ticker)',
            ]),
        // The column has one name per line, so a text with a line break is not part of any name.
        ...(ownerName === undefined
          ? []
          : ['strpos(f.owner_names, @ownerName) > 0 and strpos(@ownerName, chr(10)) = 0']),
      ];
      const sql = `${filedTrades}${conditions.length > 0 ? ` where ${conditions.join(' and ')}` : ''}
    order by f.filed_on desc, f.filing_id, t.row limit @limit`;
      const rows = await transaction.rows<FilingRow>(sql, filingValues(query));
      return rows.map(filingReader(inColumns));
    },
    async accepted(ids) {
      // A filing with an accession number has it as its id.
      const rows = await transaction.rows<{ filing_id: string }>(
        'select filing_id from asof.filing where filing_id = any(@ids) and accepted_at is not null',
        { ids },
      );
      return new Set(rows.map(({ filing_id }) => filing_id));
    },
    async symbols() {
      const rows = await transaction.rows<{ symbol: string }>(
        'select distinct symbol from asof.symbol order by symbol',
      );
      return rows.map(({ symbol }) => symbol);
    },
    async counts() {
      const count = async (table: 'filing' | 'trade') =>
        (await transaction.row<{ readonly rows: number }>(`select count(*) as rows from asof.${table}`))
          ?.rows ?? 0;
      const [filings, trades] = await Promise.all([count('filing'), count('trade')]);
      return { filings, trades };
    },
    async *clusterTrades(query) {
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
    },
    tradePlaces: ({ limit: most, ...query }) =>
      wholeDays(
        most,
        ({ date }) => date,
        (limit) =>
          transaction.rows<TradePlace>(
            `select issuer_cik as "issuerCik", filing_id as "filingId", transaction_date as date from asof.trade
             where is_derivative = 0 and transaction_code = @code and transaction_date collate "C" < @before
             order by transaction_date collate "C" desc limit @limit`,
            { ...query, limit },
          ),
      ),
    filedTrades: ({ before, limit: most, ...query }) =>
      wholeDays(
        most,
        ({ filedOn }) => filedOn,
        (limit) =>
          transaction.rows<FiledTrade>(
            `select f.issuer_cik as "issuerCik", f.filing_id as "filingId", t.transaction_date as date, f.filed_on as "filedOn"
             from asof.filing f join asof.trade t on t.issuer_cik = f.issuer_cik and t.filing_id = f.filing_id
             where ${clusterTradeConditions(query).join(' and ')} and f.filed_on < @before
             order by f.filed_on desc limit @limit`,
            { ...clusterTradeValues(query), before, limit },
          ),
      ),
    async coveredTo(upTo = 'infinity') {
      const row = await transaction.row<{ newest: Day | null }>(
        'select max(filed_on) as newest from asof.filing where filed_on <= @upTo',
        { upTo },
      );
      return row?.newest ?? undefined;
    },
    async held(filings) {
      await locks?.lock(filings.map(({ issuerCik }) => `filings ${issuerCik}`));
      return readHeld(transaction, [...new Set(filings.map(({ filingId }) => filingId))]);
    },
    put: (filings, held) => writeFilings(transaction, filings, held),
    remove: (filings) => removeRows(transaction, ['symbol', 'trade', 'filing'], filings),
  };
}

const inColumns = {
  filingId: (row: FilingRow) => String(row.filing_id),
  header: headerIn,
  trade: tradeIn,
};

function headerIn(row: HeaderRow) {
  return headerOf(headerColumns.map((name) => row[name]) as unknown as HeaderCells);
}

function tradeIn(row: TradeRow) {
  return tradeOf(tradeColumns.map((name) => row[name]) as unknown as TradeCells);
}

async function readHeld(
  transaction: Transaction,
  ids: readonly string[],
): Promise<ReadonlyMap<string, HeldFiling>> {
  const [headers, trades] = await Promise.all([
    transaction.rows<HeaderRow & { readonly filing_id: string; readonly purchases: number }>(
      `select ${headerColumns.join()}, purchases from asof.filing where filing_id = any(@ids)`,
      { ids },
    ),
    transaction.rows<TradeRow & { readonly filing_id: string }>(
      `select t.filing_id, ${tradeColumns.map((name) => `t.${name}`).join()} from asof.filing f
         join asof.trade t on t.issuer_cik = f.issuer_cik and t.filing_id = f.filing_id
       where f.filing_id = any(@ids)`,
      { ids },
    ),
  ]);
  const ofFiling = new Map<string, Trade[]>();
  for (const row of trades) {
    const own = ofFiling.get(row.filing_id);
    if (own === undefined) ofFiling.set(row.filing_id, [tradeIn(row)]);
    else own.push(tradeIn(row));
  }
  const held = headers.map((row) => ({
    header: headerIn(row),
    concernsClusters: row.purchases === 1,
    trades: ofFiling.get(row.filing_id) ?? [],
  }));
  return new Map(held.map((filing) => [filing.header.filingId, filing]));
}

async function writeFilings(
  transaction: Transaction,
  filings: readonly HeldFiling[],
  held: ReadonlyMap<string, HeldFiling>,
): Promise<void> {
  const replaced = filings.flatMap(({ header }) => held.get(header.filingId)?.header ?? []);
  await removeRows(transaction, ['symbol', 'filing'], replaced);
  // The issuer decides the shard, so all trades of a filing whose issuer changes are removed and written again.
  const moved = filings.filter(({ header }) => {
    const before = held.get(header.filingId)?.header;
    return before !== undefined && before.issuerCik !== header.issuerCik;
  });
  const before = moved.flatMap(({ header }) => held.get(header.filingId)?.header ?? []);
  await removeRows(transaction, ['trade'], before);
  const isMoved = new Set(moved);
  const trades = filings.flatMap((filing) => {
    const changed = new Map(filing.trades.map((trade) => [trade.row, trade]));
    const before = isMoved.has(filing) ? (held.get(filing.header.filingId)?.trades ?? []) : [];
    const rest = before.filter(({ row }) => !changed.has(row));
    return [...rest, ...filing.trades].map((trade) => ({ header: filing.header, trade }));
  });
  await addHeaders(transaction, filings);
  await putTrades(transaction, trades);
}

/** Removes the rows of filings from some tables; names the issuers, by which Citus finds the shards. */
async function removeRows(
  transaction: Transaction,
  tables: readonly ('filing' | 'symbol' | 'trade')[],
  filings: Parameters<FilingRows['remove']>[0],
): Promise<void> {
  if (filings.length === 0) return;
  for (const table of tables)
    await transaction.write(
      `delete from asof.${table} where issuer_cik = any(@ciks::text[]) and filing_id = any(@ids::text[])`,
      {
        ciks: [...new Set(filings.map(({ issuerCik }) => issuerCik))],
        ids: filings.map(({ filingId }) => filingId),
      },
    );
}

/** The types of the columns that are not text. */
const otherTypes: Readonly<Record<string, string>> = {
  filed_on: 'date',
  is_10b5_1: 'integer',
  purchases: 'integer',
  row: 'integer',
  is_derivative: 'integer',
};

/** Inserts rows into a table; each row is an array of values in the order of `columns`. */
async function insertRows(
  transaction: Transaction,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
  onConflict = '',
): Promise<void> {
  const arrays = columns.map((name) => `@${name}::${otherTypes[name] ?? 'text'}[]`);
  const values = Object.fromEntries(columns.map((name, i) => [name, rows.map((row) => row[i])]));
  await transaction.write(
    `insert into asof.${table} (${columns.join()}) select * from unnest(${arrays.join()}) ${onConflict}`,
    values,
  );
}

async function addHeaders(transaction: Transaction, filings: readonly HeldFiling[]): Promise<void> {
  await insertRows(
    transaction,
    'filing',
    [...headerColumns, 'owner_names', 'purchases'],
    filings.map(({ header, concernsClusters }) => [
      ...headerCells(header),
      searchableNames(header),
      Number(concernsClusters),
    ]),
  );
  const symbols = filings.flatMap(({ header: { ticker, issuerCik, filingId } }) =>
    symbolsOf(ticker).map((symbol) => [symbol, issuerCik, filingId]),
  );
  if (symbols.length > 0)
    await insertRows(transaction, 'symbol', ['symbol', 'issuer_cik', 'filing_id'], symbols);
}

type TradeOfFiling = { readonly header: HeldFiling['header']; readonly trade: Trade };

async function putTrades(transaction: Transaction, trades: readonly TradeOfFiling[]): Promise<void> {
  if (trades.length === 0) return;
  const changes = tradeColumns.filter((name) => name !== 'row').map((name) => `${name} = excluded.${name}`);
  await insertRows(
    transaction,
    'trade',
    ['issuer_cik', 'filing_id', ...tradeColumns],
    trades.map(({ header, trade }) => [header.issuerCik, header.filingId, ...tradeCells(trade)]),
    `on conflict (issuer_cik, filing_id, row) do update set ${changes.join()}`,
  );
}
