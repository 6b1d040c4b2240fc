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
import { columnsOf, endOfTime, type SqlSession, type Values } from './session.ts';

type FilingTable = Parameters<FilingTables['ofFilings']>[0];
type StoredType = 'boolean' | 'date' | 'integer' | 'json' | 'text';
/** The columns of the fields of a record, with the types of their values. */
type StoredColumns<T> = Readonly<Record<keyof T, readonly [column: string, type: StoredType]>>;
type FilingCell = string | number | null;
type FilingPlaces = Parameters<FilingTables['ownersOf']>[1];
type TradesQuery = Parameters<FilingsView['page']>[0];
type ClustersQuery = Parameters<FilingsView['clusterTrades']>[0];

const filingFields: StoredColumns<FilingHeader> = {
  filingId: ['filing_id', 'text'],
  accessionNumber: ['accession_number', 'text'],
  formType: ['form_type', 'text'],
  filedOn: ['filed_on', 'date'],
  acceptedAt: ['accepted_at', 'text'],
  originalFiledOn: ['original_filed_on', 'text'],
  periodOfReport: ['period_of_report', 'text'],
  issuerCik: ['issuer_cik', 'text'],
  issuerName: ['issuer_name', 'text'],
  ticker: ['ticker', 'text'],
  owners: ['owners', 'json'],
  is10b51: ['is_10b5_1', 'boolean'],
};

const tradeFields: StoredColumns<Trade> = {
  row: ['row', 'integer'],
  isDerivative: ['is_derivative', 'boolean'],
  securityTitle: ['security_title', 'text'],
  transactionDate: ['transaction_date', 'text'],
  transactionCode: ['transaction_code', 'text'],
  acquiredDisposed: ['acquired_disposed', 'text'],
  shares: ['shares', 'text'],
  pricePerShare: ['price_per_share', 'text'],
  sharesOwnedAfter: ['shares_owned_after', 'text'],
  ownership: ['ownership', 'text'],
};

const sqlTypes: Partial<Record<StoredType, string>> = { boolean: 'integer', json: 'text' };

const [filing, trade] = [tableOf(filingFields), tableOf(tradeFields)];

/** Makes what reads and writes records of some fields as rows. */
function tableOf<T extends object>(fields: StoredColumns<T>) {
  const columns = Object.entries<StoredColumns<T>[keyof T]>(fields).map(([field, [name, type]]) => {
    return { field: field as keyof T, name, type };
  });
  return {
    size: columns.length,
    namesIn: (alias: string) => columns.map(({ name }) => `${alias}.${name}`).join(),
    /** The columns with their types in SQL. */
    types: Object.fromEntries(columns.map(({ name, type }) => [name, sqlTypes[type] ?? type])),
    cellsOf: (record: T) => columns.map(({ field, type }) => cellOf(record[field], type)),
    /** Reads a record from the cells of a row, from a place on. */
    recordIn(cells: readonly FilingCell[], from: number): T {
      const record: Partial<Record<keyof T, unknown>> = {};
      for (const [i, { field, type }] of columns.entries())
        record[field] = valueIn(cells[from + i] ?? null, type);
      return record as T;
    },
  };
}

const filedColumns = `${trade.namesIn('t')},${filing.namesIn('f')}`;

/** Reads and writes the filings of a store. */
export function filingsIn(session: SqlSession, tables: FilingTables) {
  /** Returns the issuers that ever filed under a ticker, so that only their rows are read. */
  const issuersOf = (ticker: string) =>
    session.column<string>(tables.issuersOfSymbol, { ticker: ticker.toUpperCase() });
  const view: FilingsView = {
    async page(query) {
      const { ticker } = query;
      const issuers = ticker !== undefined && tables.needsIssuers ? await issuersOf(ticker) : undefined;
      if (issuers?.length === 0) return [];
      const { where, values } = pageOf(query, tables);
      const rows = await session.tuples<readonly FilingCell[]>(
        `select ${filedColumns} from ${tables.newest}${where}
         order by f.filed_on desc, f.filing_id, t.row limit @limit`,
        { ...values, issuers },
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
    symbols: () => session.column<string>(`select distinct symbol from ${tables.symbols} order by symbol`),
    async counts() {
      const count = (table: FilingTable) =>
        session.column<number>(`select count(*) as rows from asof.${table}`);
      const [[filings = 0], [trades = 0]] = await Promise.all([count('filing'), count('trade')]);
      return { filings, trades };
    },
    async *clusterTrades(query) {
      const { code, issuerCiks, ticker, asOf, uncounted } = query;
      const issuers = ticker === undefined ? undefined : await issuersOf(ticker);
      if (issuers?.length === 0) return;
      const conditions = [
        ...clusterConditions(query),
        ...(issuerCiks === undefined ? [] : ['f.issuer_cik = any(@issuerCiks::text[])']),
        ...(issuers === undefined ? [] : ['f.issuer_cik = any(@issuers::text[])']),
      ];
      const isMarked = code === purchaseCode && uncounted !== true;
      const batches = session.batches<readonly FilingCell[]>(
        `select ${filedColumns} from ${isMarked ? tables.marked : tables.filed}
         where ${conditions.join(' and ')} order by ${tables.byIssuer}`,
        { code, asOf, issuerCiks, issuers },
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
         from ${tables.newest} where ${clusterConditions({ code: query.code }).join(' and ')} and f.filed_on < @before
         order by f.filed_on desc limit @limit`,
        query,
        ({ filedOn }) => filedOn,
      ),
    async coveredTo(upTo = endOfTime) {
      const [newest] = await session.column<Day | null>(
        `select max(filed_on) as newest from ${tables.days} where filed_on <= @upTo`,
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
        session.tuples<readonly FilingCell[]>(
          `select ${filing.namesIn('f')}, f.purchases from asof.filing f where f.filing_id = any(@ids)`,
          { ids },
        ),
        session.tuples<readonly FilingCell[]>(
          `select ${trade.namesIn('t')}, f.filing_id from ${tables.filed} where f.filing_id = any(@ids)`,
          { ids },
        ),
      ]);
      const held = new Map(
        headers.map((cells) => {
          const header = filing.recordIn(cells, 0);
          const trades: Trade[] = [];
          return [header.filingId, { header, concernsClusters: cells[filing.size] === 1, trades }] as const;
        }),
      );
      for (const cells of trades) held.get(String(cells[trade.size]))?.trades.push(trade.recordIn(cells, 0));
      return held;
    },
    /** Writes new and changed filings with their new and changed trades; `held` are the stored filings. */
    async put(filings: readonly StoredFiling[], held: ReadonlyMap<string, StoredFiling>) {
      // A changed filing is written as a whole: an engine may find its rows by its issuer, which can change.
      const before = filings.flatMap(({ header }) => held.get(header.filingId) ?? []);
      await removeRows(session, tables, before.map(headerIn));
      const whole = filings.map((own) => {
        const changed = new Set(own.trades.map(({ row }) => row));
        const rest = held.get(own.header.filingId)?.trades.filter(({ row }) => !changed.has(row)) ?? [];
        return { ...own, trades: [...rest, ...own.trades] };
      });
      await putFilings(session, tables, whole);
    },
    remove: (filings: FilingPlaces) => removeRows(session, tables, filings),
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

async function removeRows(session: SqlSession, tables: FilingTables, filings: FilingPlaces): Promise<void> {
  if (filings.length === 0) return;
  const ciks = [...new Set(filings.map(({ issuerCik }) => issuerCik))];
  // A filing may come from another issuer than the one that it had.
  await session.lock?.(ciks.map((cik) => `filings ${cik}`));
  const ids = filings.map(({ filingId }) => filingId);
  for (const table of ['symbol', 'trade', 'filing'] as const)
    await session.write(`delete from asof.${table} where ${tables.ofFilings(table)}`, { ciks, ids });
}

async function putFilings(
  session: SqlSession,
  tables: FilingTables,
  filings: readonly StoredFiling[],
): Promise<void> {
  const headers = filings.map(headerIn);
  await session.insert({
    table: 'filing',
    columns: columnsOf(
      { ...filing.types, owner_names: 'text', purchases: 'integer' },
      filings.map(({ header, concernsClusters }) => {
        return [...filing.cellsOf(header), searchableNames(header.owners), Number(concernsClusters)];
      }),
    ),
  });
  const ownerOf = await tables.ownersOf(session, headers);
  await session.insert({
    table: 'symbol',
    columns: columnsOf(
      { symbol: 'text', ...tables.owner },
      headers.flatMap((header) => symbolsOf(header.ticker).map((symbol) => [symbol, ...ownerOf(header)])),
    ),
  });
  await session.insert({
    table: 'trade',
    columns: columnsOf(
      { ...tables.owner, ...trade.types },
      filings.flatMap(({ header, trades }) => {
        const owner = ownerOf(header);
        return trades.map((own) => [...owner, ...trade.cellsOf(own)]);
      }),
    ),
  });
}

/** Makes a function that turns rows into trades; it parses each filing once, as its trades are adjacent. */
function filingReader(): (cells: readonly FilingCell[]) => Filing {
  let header: FilingHeader | undefined;
  return (cells) => {
    if (header === undefined || header.filingId !== cells[trade.size])
      header = filing.recordIn(cells, trade.size);
    return filingOf(header, trade.recordIn(cells, 0));
  };
}

function cellOf(value: unknown, type: StoredType): unknown {
  if (type === 'json') return JSON.stringify(value);
  return typeof value === 'boolean' ? Number(value) : value;
}

function valueIn(cell: FilingCell, type: StoredType): unknown {
  if (type === 'json') return JSON.parse(String(cell));
  return type === 'boolean' && cell !== null ? cell === 1 : cell;
}
