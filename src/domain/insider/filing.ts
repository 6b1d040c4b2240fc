import type { Day } from '../values/date.ts';

/** A date as stated: `YYYY-MM-DD`, in the calendar, but possibly wrong. */
export type StatedDate = string;

/** Forms of initial holdings, changes, and late changes; `/A` means amendment. */
export type FormType = (typeof formTypes)[number];

/** The names of these forms. */
export const formTypes = ['3', '4', '5', '3/A', '4/A', '5/A'] as const;

/** A person or entity that reports a trade, with roles. */
export type ReportingOwner = {
  /** Ten digits; null if the document states none. */
  readonly cik: string | null;
  readonly name: string;
  readonly isDirector: boolean;
  readonly isOfficer: boolean;
  readonly isTenPercent: boolean;
  readonly officerTitle: string | null;
};

/** A trade as a filing states it. */
export type Trade = {
  /** Position in the filing: trades of Table I count from 1, those of Table II (derivatives) from 1001. */
  readonly row: number;
  readonly isDerivative: boolean;
  readonly securityTitle: string | null;
  readonly transactionDate: StatedDate | null;
  /** `P` is a purchase in the open market, `S` a sale; any code is accepted. */
  readonly transactionCode: string | null;
  readonly acquiredDisposed: 'A' | 'D' | null;
  /** Exact decimal text, as are the price and the shares owned after the trade. */
  readonly shares: string | null;
  readonly pricePerShare: string | null;
  readonly sharesOwnedAfter: string | null;
  /** Held directly (`D`) or indirectly (`I`). */
  readonly ownership: 'D' | 'I' | null;
};

/** One trade of one filing; fields not stated are null. */
export type Filing = Trade & {
  /** The accession number, or else `sha256-` and 16 hex digits of the document's hash. */
  readonly filingId: string;
  /** `0000899243-17-024441`. */
  readonly accessionNumber: string | null;
  readonly formType: FormType;
  /** The filing date: the trade is public from this day on. */
  readonly filedOn: Day;
  /** The UTC second of the SEC's acceptance: `2022-11-09T01:18:10Z`. */
  readonly acceptedAt: string | null;
  /** In an amendment, the stated filing date of the original. */
  readonly originalFiledOn: StatedDate | null;
  readonly periodOfReport: StatedDate | null;
  /** Ten digits. */
  readonly issuerCik: string;
  readonly issuerName: string | null;
  /** As stated, in capitals; may contain several symbols (`symbolsOf`). */
  readonly ticker: string | null;
  /** In the filing's order; empty if the table of owners is missing. */
  readonly owners: readonly ReportingOwner[];
  /** The checkbox "pursuant to a Rule 10b5-1 plan", on forms since 2023. */
  readonly is10b51: boolean | null;
};

/** The fields that all trades of a filing share. */
export type FilingHeader = Omit<Filing, keyof Trade>;

/** Joins a trade with its filing, field by field, because spreading two objects is ten times slower. */
export function filingOf(header: FilingHeader, trade: Trade): Filing {
  return {
    filingId: header.filingId,
    accessionNumber: header.accessionNumber,
    formType: header.formType,
    filedOn: header.filedOn,
    acceptedAt: header.acceptedAt,
    originalFiledOn: header.originalFiledOn,
    periodOfReport: header.periodOfReport,
    issuerCik: header.issuerCik,
    issuerName: header.issuerName,
    ticker: header.ticker,
    owners: header.owners,
    is10b51: header.is10b51,
    row: trade.row,
    isDerivative: trade.isDerivative,
    securityTitle: trade.securityTitle,
    transactionDate: trade.transactionDate,
    transactionCode: trade.transactionCode,
    acquiredDisposed: trade.acquiredDisposed,
    shares: trade.shares,
    pricePerShare: trade.pricePerShare,
    sharesOwnedAfter: trade.sharesOwnedAfter,
    ownership: trade.ownership,
  };
}

/** The most trades in one table (a form has 30 lines); rows of Table II begin above this number. */
export const mostTrades = 1000;

/** Returns the `row` of the trade at position `place` (1 to `mostTrades`) of its table. */
export function rowOf(isDerivative: boolean, place: number): number {
  return isDerivative ? mostTrades + place : place;
}

/** Returns the owner to show for joint filers: the first officer or director, or else the first owner, if any. */
export function leadOwner({ owners }: Pick<Filing, 'owners'>): ReportingOwner | undefined {
  return owners.find(({ isOfficer, isDirector }) => isOfficer || isDirector) ?? owners[0];
}

/** Tells whether the filing amends an earlier one. */
export function isAmendment({ formType }: Pick<Filing, 'formType'>): boolean {
  return formType.endsWith('/A');
}

const exchange = /^(?:NYSE(?: (?:AMERICAN|ARCA|MKT))?|NASDAQ|AMEX|ASX|TSX|OTC\w*)\s*[:/]\s*(?=\S)/;

/** Lists the symbols in a ticker: `NYSE: KRC` gives KRC, `HEI, HEI.A` two; blanks may be inside (`CCIX U`). */
export function symbolsOf(ticker: string | null): readonly string[] {
  const stated = (ticker ?? '').toUpperCase().replace(exchange, '');
  const symbols = stated
    .split(/[,;/]|\bAND\b/)
    .map((symbol) => symbol.replace(/^[^A-Z0-9]+|[^A-Z0-9]+$/g, ''))
    .filter((symbol) => symbol !== '');
  return [...new Set(symbols)];
}

/** Tells whether a stated ticker contains a symbol, in any case. */
export function hasSymbol(ticker: string | null, symbol: string): boolean {
  return symbolsOf(ticker).includes(symbol.toUpperCase());
}

/** The day on which the Securities Exchange Act was signed; before it, no insider had to report. */
const exchangeAct: Day = '1934-06-06';

/** Explains why a trade cannot have happened as stated; undefined if it can. */
export function impossibilityOf({ transactionDate: date, filedOn, shares, pricePerShare }: Filing) {
  if (date === null) return 'the trade has no date';
  if (date > filedOn) return `dated ${date}, after its filing on ${filedOn}`;
  if (date < exchangeAct) return `dated ${date}, before insiders had to report (${exchangeAct})`;
  if (Number(shares) < 0) return `of ${shares} shares`;
  return Number(pricePerShare) < 0 ? `at ${pricePerShare} a share` : undefined;
}

/** The default code of the trades in clusters: purchases in the open market. */
export const purchaseCode = 'P';

/** Returns the names of owners in lower case, one per line, to search for a part of a name. */
export function searchableNames(owners: FilingHeader['owners']): string {
  return owners.map(({ name }) => name.toLowerCase()).join('\n');
}
