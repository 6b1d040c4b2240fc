import type { Filing, FilingHeader, Trade } from '../domain/insider/filing.ts';

/** A filing's columns as a store gives them, in the order of `headerColumns`. */
export type HeaderCells = readonly [
  filingId: string,
  accessionNumber: string | null,
  formType: Filing['formType'],
  filedOn: string,
  acceptedAt: string | null,
  originalFiledOn: string | null,
  periodOfReport: string | null,
  issuerCik: string,
  issuerName: string | null,
  ticker: string | null,
  owners: string,
  is10b51: number | null,
];

/** A trade's columns as a store gives them, in the order of `tradeColumns`. */
export type TradeCells = readonly [
  row: number,
  isDerivative: number,
  securityTitle: string | null,
  transactionDate: string | null,
  transactionCode: string | null,
  acquiredDisposed: Trade['acquiredDisposed'],
  shares: string | null,
  pricePerShare: string | null,
  sharesOwnedAfter: string | null,
  ownership: Trade['ownership'],
];

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
export function headerCells(filing: FilingHeader): HeaderCells {
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
  ];
}

/** The cells of a trade's columns. */
export function tradeCells(trade: Trade): TradeCells {
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
  ];
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
