import type { TradePlace } from '../../domain/insider/cluster.ts';
import {
  type Filing,
  type FilingHeader,
  filingOf,
  purchaseCode,
  searchableNames,
  symbolsOf,
  type Trade,
} from '../../domain/insider/filing.ts';
import type { StoredFiling } from '../../domain/insider/merge-filings.ts';
import type { Day } from '../../domain/values/date.ts';
import type { DaysOfTrades, DaysOfTradesQuery, FiledTrade, FilingsView } from '../store.ts';
import type { FilingTables } from './engine.ts';
import { endOfTime, type SqlSession, type Values } from './session.ts';

type FilingTable = Parameters<FilingTables['ofFilings']>[0];
type FilingPlaces = Parameters<FilingTables['ownersOf']>[1];
type TradesQuery = Parameters<FilingsView['page']>[0];
type ClustersQuery = Parameters<FilingsView['clusterTrades']>[0];

/** The columns of the table filing, without the derived columns, and their types. */
const filingTypes = {
  filing_id: 'text',
  accession_number: 'text',
  form_type: 'text',
  filed_on: 'date',
  accepted_at: 'text',
  original_filed_on: 'text',
  period_of_report: 'text',
  issuer_cik: 'text',
  issuer_name: 'text',
  ticker: 'text',
  owners: 'text',
  is_10b5_1: 'integer',
};

/** The columns of the table trade, except its filing, and their types. */
const tradeTypes = {
  row: 'integer',
  is_derivative: 'integer',
  security_title: 'text',
  transaction_date: 'text',
  transaction_code: 'text',
  acquired_disposed: 'text',
  shares: 'text',
  price_per_share: 'text',
  shares_owned_after: 'text',
  ownership: 'text',
};

const filingColumns = Object.keys(filingTypes);
const tradeColumns = Object.keys(tradeTypes);

type FilingCells = ReturnType<typeof filingCells>;
type TradeCells = ReturnType<typeof tradeCells>;

type FiledCells = readonly [...TradeCells, ...FilingCells];

const filedColumns = [
  ...tradeColumns.map((name) => `t.${name}`),
  ...filingColumns.map((name) => `f.${name}`),
].join();

/** Reads and writes the filings of a store. */
export function filingsIn(session: SqlSession, tables: FilingTables) {
  const view: FilingsView = {
    async page(query) {
      const { where, values } = pageOf(query, tables);
      const rows = await session.tuples<FiledCells>(
        `select ${filedColumns} from ${tables.filed}${where}
         order by f.filed_on desc, f.filing_id, t.row limit @limit`,
        values,
      );
      return rows.map(filingReader());
    },
    async accepted(ids) {
      // The accession number of a filing, if it has one, is its id.
      const accepted = await session.column<string>(
        'select filing_id from asof.filing where filing_id = any(@ids) and accepted_at is not null',
        { ids },
      );
      return new Set(accepted);
    },
    symbols: () => session.column<string>('select distinct symbol from asof.symbol order by symbol'),
    async counts() {
      const count = (table: FilingTable) =>
        session.column<number>(`select count(*) as rows from asof.${table}`);
      const [[filings = 0], [trades = 0]] = await Promise.all([count('filing'), count('trade')]);
      return { filings, trades };
    },
    async *clusterTrades(query) {
      const { code, issuerCiks, ticker, asOf, uncounted } = query;
      const conditions = [
        ...clusterConditions(query),
        ...(issuerCiks === undefined ? [] : ['f.issuer_cik = any(@issuerCiks::text[])']),
        ...(ticker === undefined ? [] : [`f.issuer_cik in (${tables.issuersOfSymbol})`]),
      ];
      const isMarked = code === purchaseCode && uncounted !== true;
      const batches = session.batches<FiledCells>(
        `select ${filedColumns} from ${isMarked ? tables.marked : tables.filed}
         where ${conditions.join(' and ')} order by ${tables.byIssuer}`,
        { code, asOf, issuerCiks, ticker: ticker?.toUpperCase() },
      );
      const read = filingReader();
      let own: Filing[] = [];
      for await (const rows of batches)
        for (const row of rows) {
          const filing = read(row);
          if (own[0] !== undefined && own[0].issuerCik !== filing.issuerCik) {
            yield own;
            own = [];
          }
          own.push(filing);
        }
      if (own.length > 0) yield own;
    },
    tradePlaces: (query) =>
      wholeDays<TradePlace>(
        session,
        `select issuer_cik as "issuerCik", filing_id as "filingId", transaction_date as date from ${tables.tradesByDay}
         where is_derivative = 0 and transaction_code = @code and transaction_date collate "C" < @before
         order by transaction_date collate "C" desc limit @limit`,
        query,
        ({ date }) => date,
      ),
    filedTrades: (query) =>
      wholeDays<FiledTrade>(
        session,
        `select f.issuer_cik as "issuerCik", f.filing_id as "filingId", t.transaction_date as date, f.filed_on as "filedOn"
         from ${tables.filed} where ${clusterConditions({ code: query.code }).join(' and ')} and f.filed_on < @before
         order by f.filed_on desc limit @limit`,
        query,
        ({ filedOn }) => filedOn,
      ),
    async coveredTo(upTo = endOfTime) {
      const [newest] = await session.column<Day | null>(
        'select max(filed_on) as newest from asof.filing where filed_on <= @upTo',
        { upTo },
      );
      return newest ?? undefined;
    },
  };
  return {
    ...view,
    /** Returns those of the filings that are stored, by id. */
    async stored(filings: readonly Filing[]): Promise<ReadonlyMap<string, StoredFiling>> {
      await session.lock?.(filings.map(({ issuerCik }) => `filings ${issuerCik}`));
      const ids = [...new Set(filings.map(({ filingId }) => filingId))];
      const [headers, trades] = await Promise.all([
        session.tuples<readonly [...FilingCells, purchases: number]>(
          `select ${filingColumns.join()}, purchases from asof.filing where filing_id = any(@ids)`,
          { ids },
        ),
        session.tuples<readonly [...TradeCells, filingId: string]>(
          `select ${tradeColumns.map((name) => `t.${name}`).join()}, f.filing_id from ${tables.filed}
           where f.filing_id = any(@ids)`,
          { ids },
        ),
      ]);
      const held = new Map(
        headers.map((cells) => {
          const header = headerOf(cells);
          const trades: Trade[] = [];
          return [header.filingId, { header, concernsClusters: cells[12] === 1, trades }] as const;
        }),
      );
      for (const cells of trades) held.get(cells[10])?.trades.push(tradeOf(cells));
      return held;
    },
    /** Writes new and changed filings with their new and changed trades; `held` are the stored filings. */
    async put(filings: readonly StoredFiling[], held: ReadonlyMap<string, StoredFiling>) {
      const before = filings.flatMap(({ header }) => held.get(header.filingId) ?? []);
      await removeRows(session, tables, ['symbol'], before.map(headerIn));
      // An engine that finds filings by issuer writes a filing again if its issuer changes.
      const issuers = new Map(filings.map(({ header }) => [header.filingId, header.issuerCik]));
      const moved = before.map(headerIn).filter((one) => issuers.get(one.filingId) !== one.issuerCik);
      await removeRows(session, tables, ['trade', 'filing'], moved);
      const isMoved = new Set(moved.map(({ filingId }) => filingId));
      const rest = ({ header: { filingId }, trades }: StoredFiling) => {
        const changed = new Set(trades.map(({ row }) => row));
        return isMoved.has(filingId)
          ? (held.get(filingId)?.trades.filter(({ row }) => !changed.has(row)) ?? [])
          : [];
      };
      await putFilings(
        session,
        tables,
        filings.map((filing) => ({ ...filing, trades: [...rest(filing), ...filing.trades] })),
      );
    },
    remove: (filings: FilingPlaces) => removeRows(session, tables, ['symbol', 'trade', 'filing'], filings),
  };
}

function headerIn({ header }: StoredFiling): FilingHeader {
  return header;
}

function pageOf(
  { from, to, transactionCode, after, ticker, ownerName, limit }: TradesQuery,
  { ofSymbol }: FilingTables,
): { readonly where: string; readonly values: Values } {
  const conditions = Object.entries({
    'f.filed_on >= @from': from,
    'f.filed_on <= @to': to,
    't.transaction_code = @transactionCode': transactionCode,
    [`f.filed_on <= @afterDay and (f.filed_on < @afterDay or f.filing_id > @afterFiling
             or (f.filing_id = @afterFiling and t.row > @afterRow))`]: after,
    [ofSymbol]: ticker,
    // The column has one name a line, so no name contains a line end.
    'strpos(f.owner_names, @ownerName) > 0 and strpos(@ownerName, chr(10)) = 0': ownerName,
  }).flatMap(([text, given]) => (given === undefined ? [] : [text]));
  const values = {
    ...{ limit, from, to, transactionCode },
    ticker: ticker?.toUpperCase(),
    ownerName: ownerName?.toLowerCase(),
    afterDay: after?.filedOn,
    afterFiling: after?.filingId,
    afterRow: after?.row,
  };
  return { where: conditions.length > 0 ? ` where ${conditions.join(' and ')}` : '', values };
}

/** Lists the SQL conditions of trades for clusters; a store marks only the filings with purchases. */
function clusterConditions({ code, asOf, uncounted }: ClustersQuery): readonly string[] {
  const inShares = `t.is_derivative = 0 and f.form_type not like '3%'`;
  return [
    uncounted === true
      ? `(t.transaction_code = @code or (${inShares} and f.form_type like '%/A'))`
      : `${inShares} and (t.transaction_code = @code or f.form_type like '%/A')`,
    ...(code === purchaseCode && uncounted !== true ? ['f.purchases = 1'] : []),
    ...(asOf === undefined ? [] : ['f.filed_on <= @asOf']),
  ];
}

/** Reads the trades of whole days, although the query may end within a day. */
async function wholeDays<T extends object>(
  session: SqlSession,
  sql: string,
  query: DaysOfTradesQuery,
  dayOf: (trade: T) => string,
): Promise<DaysOfTrades<T>> {
  const trades = await session.rows<T>(sql, query);
  const last = trades.at(-1);
  if (last === undefined || trades.length < query.limit) return { trades, before: undefined };
  const whole = trades.filter((trade) => dayOf(trade) !== dayOf(last));
  const newest = whole.at(-1);
  if (newest !== undefined) return { trades: whole, before: dayOf(newest) };
  return wholeDays(session, sql, { ...query, limit: query.limit * 2 }, dayOf);
}

async function removeRows(
  session: SqlSession,
  tables: FilingTables,
  from: readonly FilingTable[],
  filings: FilingPlaces,
): Promise<void> {
  if (filings.length === 0) return;
  const ciks = [...new Set(filings.map(({ issuerCik }) => issuerCik))];
  const ids = filings.map(({ filingId }) => filingId);
  for (const table of from)
    await session.write(`delete from asof.${table} where ${tables.ofFilings(table)}`, { ciks, ids });
}

async function putFilings(
  session: SqlSession,
  tables: FilingTables,
  filings: readonly StoredFiling[],
): Promise<void> {
  const columns = { ...filingTypes, owner_names: 'text', purchases: 'integer' };
  const headers = filings.map(headerIn);
  await session.insert({
    table: 'filing',
    columns,
    rows: filings.map(({ header, concernsClusters }) => {
      return [...filingCells(header), searchableNames(header.owners), Number(concernsClusters)];
    }),
    onConflict: replacing(tables.filingKey, Object.keys(columns)),
  });
  const ownerOf = await tables.ownersOf(session, headers);
  await session.insert({
    table: 'symbol',
    columns: { symbol: 'text', ...tables.owner },
    rows: headers.flatMap((header) => symbolsOf(header.ticker).map((symbol) => [symbol, ...ownerOf(header)])),
  });
  await session.insert({
    table: 'trade',
    columns: { ...tables.owner, ...tradeTypes },
    rows: filings.flatMap(({ header, trades }) => {
      const owner = ownerOf(header);
      return trades.map((trade) => [...owner, ...tradeCells(trade)]);
    }),
    onConflict: replacing([...Object.keys(tables.owner), 'row'].join(), tradeColumns),
  });
}

function replacing(key: string, columns: readonly string[]): string {
  const changes = columns.filter((name) => !key.split(/, ?/).includes(name));
  return `on conflict (${key}) do update set ${changes.map((name) => `${name} = excluded.${name}`).join()}`;
}

/** Makes a function that turns rows into trades; it parses each filing once, as its trades are adjacent. */
function filingReader(): (cells: FiledCells) => Filing {
  let header: FilingHeader | undefined;
  return (cells) => {
    if (header === undefined || header.filingId !== cells[10]) {
      const [, , , , , , , , , , ...filing] = cells;
      header = headerOf(filing);
    }
    return filingOf(header, tradeOf(cells));
  };
}

function filingCells(filing: FilingHeader) {
  return [
    filing.filingId,
    filing.accessionNumber,
    filing.formType,
    filing.filedOn,
    filing.acceptedAt,
    filing.originalFiledOn,
    filing.periodOfReport,
    filing.issuerCik,
    filing.issuerName,
    filing.ticker,
    JSON.stringify(filing.owners),
    filing.is10b51 === null ? null : Number(filing.is10b51),
  ] as const;
}

function tradeCells(trade: Trade) {
  return [
    trade.row,
    Number(trade.isDerivative),
    trade.securityTitle,
    trade.transactionDate,
    trade.transactionCode,
    trade.acquiredDisposed,
    trade.shares,
    trade.pricePerShare,
    trade.sharesOwnedAfter,
    trade.ownership,
  ] as const;
}

function headerOf(cells: readonly [...FilingCells, ...unknown[]]): FilingHeader {
  return {
    filingId: cells[0],
    accessionNumber: cells[1],
    formType: cells[2],
    filedOn: cells[3],
    acceptedAt: cells[4],
    originalFiledOn: cells[5],
    periodOfReport: cells[6],
    issuerCik: cells[7],
    issuerName: cells[8],
    ticker: cells[9],
    owners: JSON.parse(cells[10]),
    is10b51: cells[11] === null ? null : cells[11] === 1,
  };
}

function tradeOf(cells: readonly [...TradeCells, ...unknown[]]): Trade {
  return {
    row: cells[0],
    isDerivative: cells[1] === 1,
    securityTitle: cells[2],
    transactionDate: cells[3],
    transactionCode: cells[4],
    acquiredDisposed: cells[5],
    shares: cells[6],
    pricePerShare: cells[7],
    sharesOwnedAfter: cells[8],
    ownership: cells[9],
  };
}
