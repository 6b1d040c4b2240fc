import type { TradePlace } from '../domain/insider/cluster.ts';
import {
  type Filing,
  type FilingHeader,
  filingOf,
  purchaseCode,
  type Trade,
} from '../domain/insider/filing.ts';
import type { Day } from '../domain/series/date.ts';

/**
 * Selects trades, newest filing date first, then by filing and row; `from` and `to` bound the filing date, inclusive.
 */
export type FilingsQuery = {
  readonly ticker?: string;
  /** A part of the name of any reporting owner, in any case. */
  readonly ownerName?: string;
  readonly transactionCode?: string;
  readonly from?: Day;
  readonly to?: Day;
  /** The trade that a page continues after. */
  readonly after?: { readonly filedOn: Day; readonly filingId: string; readonly row: number };
  readonly limit: number;
};

/**
 * Selects the trades that clusters of a code are made of: of all issuers, of some, or of those that ever filed under
 * a ticker; filed on or before `asOf`.
 */
type ClusterTradesQuery = {
  readonly code: string;
  readonly issuerCiks?: readonly string[];
  readonly ticker?: string;
  readonly asOf?: Day;
  /** Whether to include trades with the code that never count, such as derivatives. */
  readonly uncounted?: boolean;
};

/** Selects trades before a day, newest first, about `limit` of them. */
export type DaysOfTradesQuery = { readonly code: string; readonly before: string; readonly limit: number };

/** A trade by its issuer and filing, with the day of the filing; a date may be missing. */
export type FiledTrade = Omit<TradePlace, 'date'> & {
  readonly date: TradePlace['date'] | null;
  readonly filedOn: Day;
};

/** The trades of whole days, newest first; the remaining ones are before `before`, undefined if there are none. */
export type DaysOfTrades<T> = { readonly trades: readonly T[]; readonly before: string | undefined };

/** The trades of whole days; `read` gives the number of trades that it is asked for, which may end within a day. */
export async function wholeDays<T>(
  limit: number,
  dayOf: (trade: NoInfer<T>) => string,
  read: (limit: number) => Promise<readonly T[]>,
): Promise<DaysOfTrades<T>> {
  const trades = await read(limit);
  const last = trades.at(-1);
  if (last === undefined || trades.length < limit) return { trades, before: undefined };
  const whole = trades.filter((trade) => dayOf(trade) !== dayOf(last));
  const newest = whole.at(-1);
  return newest === undefined ? wholeDays(limit * 2, dayOf, read) : { trades: whole, before: dayOf(newest) };
}

/** What a view answers about filings. */
export interface FilingsView {
  page(query: FilingsQuery): Promise<readonly Filing[]>;
  /** The accession numbers, among those given, that the store has with their time of acceptance. */
  accepted(accessionNumbers: readonly string[]): Promise<ReadonlySet<string>>;
  /** The trading symbols of all filings, ascending. */
  symbols(): Promise<readonly string[]>;
  /** The number of filings with trades, and of their trades. */
  counts(): Promise<{ readonly filings: number; readonly trades: number }>;
  /**
   * The trades that clusters are made of, in batches of one issuer each: those in shares with a code, and all trades
   * in shares in amendments.
   */
  clusterTrades(query: ClusterTradesQuery): AsyncIterable<readonly Filing[]>;
  /** The trades in shares with a code, by trade date. */
  tradePlaces(query: DaysOfTradesQuery): Promise<DaysOfTrades<TradePlace>>;
  /** The trades that clusters are made of, by filing date. */
  filedTrades(query: DaysOfTradesQuery): Promise<DaysOfTrades<FiledTrade>>;
  /** The newest filing date up to a day; undefined without any. */
  coveredTo(upTo?: Day): Promise<Day | undefined>;
}

/** The conditions, order and limit of a page of trades that all engines share, on the filing `f` and its trade `t`. */
export function filingConditions({ from, to, transactionCode, after }: FilingsQuery): readonly string[] {
  return [
    ...(from === undefined ? [] : ['f.filed_on >= @from']),
    ...(to === undefined ? [] : ['f.filed_on <= @to']),
    ...(transactionCode === undefined ? [] : ['t.transaction_code = @transactionCode']),
    ...(after === undefined
      ? []
      : [
          `f.filed_on <= @afterDay and (f.filed_on < @afterDay or f.filing_id > @afterFiling
             or (f.filing_id = @afterFiling and t.row > @afterRow))`,
        ]),
  ];
}

/** The values of the parameters of a page of trades, including those of conditions that differ by engine. */
export function filingValues({ ticker, ownerName, transactionCode, from, to, after, limit }: FilingsQuery) {
  return {
    limit,
    from,
    to,
    ticker: ticker?.toUpperCase(),
    ownerName: ownerName?.toLowerCase(),
    transactionCode,
    afterDay: after?.filedOn,
    afterFiling: after?.filingId,
    afterRow: after?.row,
  };
}

/**
 * The conditions of the trades that clusters are made of, on the filing `f` and its trade `t`. A store marks the
 * filings with purchases; filings with other codes are found without a mark, which every store allows.
 */
export function clusterTradeConditions({ code, asOf, uncounted }: ClusterTradesQuery): readonly string[] {
  const inShares = `t.is_derivative = 0 and f.form_type not like '3%'`;
  return [
    uncounted === true
      ? `(t.transaction_code = @code or (${inShares} and f.form_type like '%/A'))`
      : `${inShares} and (t.transaction_code = @code or f.form_type like '%/A')`,
    ...(code === purchaseCode && uncounted !== true ? ['f.purchases = 1'] : []),
    ...(asOf === undefined ? [] : ['f.filed_on <= @asOf']),
  ];
}

/** The values of the parameters of these conditions, and of one on the ticker. */
export function clusterTradeValues({ code, ticker, asOf }: ClusterTradesQuery) {
  return { code, ticker: ticker?.toUpperCase(), asOf };
}

/** Collects trades, which come issuer by issuer, into one batch for each issuer. */
export class IssuerBatches {
  #own: Filing[] = [];

  /** Adds the next trade; gives the batch before it, if this trade begins another issuer. */
  add(filing: Filing): readonly Filing[] {
    const before = this.#own;
    if (before.length === 0 || before[0]?.issuerCik === filing.issuerCik) {
      before.push(filing);
      return [];
    }
    this.#own = [filing];
    return before;
  }

  /** The last batch; empty if there were no trades. */
  rest(): readonly Filing[] {
    return this.#own;
  }
}

/** Turns rows into trades. The trades of a filing follow each other, so each filing is parsed once. */
export function filingReader<Row>(read: {
  readonly filingId: (row: Row) => string;
  readonly header: (row: Row) => FilingHeader;
  readonly trade: (row: Row) => Trade;
}): (row: Row) => Filing {
  let header: FilingHeader | undefined;
  return (row) => {
    if (header === undefined || header.filingId !== read.filingId(row)) header = read.header(row);
    return filingOf(header, read.trade(row));
  };
}

/** A filing's columns as a store gives them, in the order of `headerColumns`. */
export type HeaderCells = ReturnType<typeof headerCells>;

/** A trade's columns as a store gives them, in the order of `tradeColumns`. */
export type TradeCells = ReturnType<typeof tradeCells>;

/** The columns of the table filing, without the derived columns. */
export const headerColumns = [
  'filing_id',
  'accession_number',
  'form_type',
  'filed_on',
  'accepted_at',
  'original_filed_on',
  'period_of_report',
  'issuer_cik',
  'issuer_name',
  'ticker',
  'owners',
  'is_10b5_1',
] as const;

/** The columns of the table trade, without its filing. */
export const tradeColumns = [
  'row',
  'is_derivative',
  'security_title',
  'transaction_date',
  'transaction_code',
  'acquired_disposed',
  'shares',
  'price_per_share',
  'shares_owned_after',
  'ownership',
] as const;

/** The cells of a filing's columns. */
export function headerCells(filing: FilingHeader) {
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

/** The cells of a trade's columns. */
export function tradeCells(trade: Trade) {
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

/** The filing of a row that begins with `headerColumns`. */
export function headerOf(cells: readonly [...HeaderCells, ...unknown[]]): FilingHeader {
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

/** The trade of a row that begins with `tradeColumns`. */
export function tradeOf(cells: readonly [...TradeCells, ...unknown[]]): Trade {
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

/** The names of the owners in lower case, one per line, to search for a part of a name. */
export function searchableNames({ owners }: Pick<Filing, 'owners'>): string {
  return owners.map(({ name }) => name.toLowerCase()).join('\n');
}
