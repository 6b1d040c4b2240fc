import {
  type Filing,
  type FilingHeader,
  isAmendment,
  type ReportingOwner,
  type Trade,
} from '../../domain/insider/filing.ts';

/** A value as SQLite holds it. */
type Cell = string | number | null;

/** The columns of the table filing, its key and what is derived apart. */
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

/** The columns of the table trade, its filing apart. */
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

/** What a filing is in the columns of its table. */
export function headerCells(filing: Filing): readonly Cell[] {
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

/** What a trade is in the columns of its table. */
export function tradeCells(trade: Trade): readonly Cell[] {
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

/** The filing that a row of `headerColumns` is, from the given place on. */
export function headerOf(cells: readonly Cell[], at = 0): FilingHeader {
  const text = (place: number): string | null => cells[at + place] as string | null;
  return {
    filingId: String(cells[at]),
    accessionNumber: text(1),
    formType: String(cells[at + 2]) as Filing['formType'],
    filedOn: String(cells[at + 3]),
    acceptedAt: text(4),
    originalFiledOn: text(5),
    periodOfReport: text(6),
    issuerCik: String(cells[at + 7]),
    issuerName: text(8),
    ticker: text(9),
    owners: JSON.parse(String(cells[at + 10])) as ReportingOwner[],
    is10b51: cells[at + 11] === null ? null : cells[at + 11] === 1,
  };
}

/** The trade that a row of `tradeColumns` is. */
export function tradeOf(cells: readonly Cell[]): Trade {
  const text = (place: number): string | null => cells[place] as string | null;
  return {
    row: Number(cells[0]),
    isDerivative: cells[1] === 1,
    securityTitle: text(2),
    transactionDate: text(3),
    transactionCode: text(4),
    acquiredDisposed: text(5) as Trade['acquiredDisposed'],
    shares: text(6),
    pricePerShare: text(7),
    sharesOwnedAfter: text(8),
    ownership: text(9) as Trade['ownership'],
  };
}

/** The text in which a part of any owner's name is looked for; no part of a name goes over a line's end. */
export function searchableNames({ owners }: Pick<Filing, 'owners'>): string {
  return owners.map(({ name }) => name.toLowerCase()).join('\n');
}

/** Whether a trade makes its filing one that clusters are made of: a purchase in the open market, or anything that an amendment restates. */
export function concernsClusters(filing: Filing): boolean {
  if (filing.isDerivative || filing.formType.startsWith('3')) return false;
  return filing.transactionCode === 'P' || isAmendment(filing);
}
