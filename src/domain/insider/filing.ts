import type { Day } from '../series/date.ts';
import { fullerText, sameNumber } from '../series/decimal.ts';

/** A date as a filing states it, `YYYY-MM-DD` and in the calendar, but perhaps impossible: of the year 0022, or in the future. */
export type StatedDate = string;

/** The forms on which insiders report: initial holdings, changes, the year's rest; `/A` amends one. */
export type FormType = '3' | '4' | '5' | '3/A' | '4/A' | '5/A';

/** Who reports a trade, and what he is to the issuer. */
export type ReportingOwner = {
  /** Ten digits; null where the document does not state it, so that the owner cannot be told from others. */
  readonly cik: string | null;
  readonly name: string;
  readonly isDirector: boolean;
  readonly isOfficer: boolean;
  readonly isTenPercent: boolean;
  readonly officerTitle: string | null;
};

/** What a filing states of one trade. */
export type Trade = {
  /** Place among the filing's trades: those of Table I from 1, those of Table II (derivative) from 1001. */
  readonly row: number;
  readonly isDerivative: boolean;
  readonly securityTitle: string | null;
  readonly transactionDate: StatedDate | null;
  /** `P` is a purchase in the open market, `S` a sale; any code passes through. */
  readonly transactionCode: string | null;
  readonly acquiredDisposed: 'A' | 'D' | null;
  /** Exact decimal text, as are the price and the shares owned after the trade. */
  readonly shares: string | null;
  readonly pricePerShare: string | null;
  readonly sharesOwnedAfter: string | null;
  /** Direct or indirect. */
  readonly ownership: 'D' | 'I' | null;
};

/**
 * One trade of one filing; holdings are none. Null is what the filing does not state (or its data set does not carry).
 * `filingId` and `row` name it for good: every format gives the same trade the same two.
 */
export type Filing = Trade & {
  /** The accession number, or `sha256-` and 16 hex digits of the document's content where that is not known. */
  readonly filingId: string;
  /** `0000899243-17-024441`. */
  readonly accessionNumber: string | null;
  readonly formType: FormType;
  /** The day from which on the trade was public. */
  readonly filedOn: Day;
  /** The UTC second at which the SEC took it in: `2022-11-09T01:18:10Z`. */
  readonly acceptedAt: string | null;
  /** When the filing that this one amends was filed, as an amendment states it. */
  readonly originalFiledOn: StatedDate | null;
  readonly periodOfReport: StatedDate | null;
  /** Ten digits. */
  readonly issuerCik: string;
  readonly issuerName: string | null;
  /** As stated, in capitals; it may hold several symbols (`symbolsOf`). */
  readonly ticker: string | null;
  /** In the filing's order; empty when the table of owners is missing. */
  readonly owners: readonly ReportingOwner[];
  /** The checkbox "pursuant to a Rule 10b5-1 plan", which forms have since 2023. */
  readonly is10b51: boolean | null;
};

/** What a filing says once, for all of its trades. */
export type FilingHeader = Omit<Filing, keyof Trade>;

/** A trade of a filing. All fields are named, because objects put together by spreading are ten times as slow to make and read. */
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

/** More trades than any table of the form holds (30 lines); Table II is numbered above it. */
export const mostTrades = 1000;

/** The `row` of the trade at `place` (from 1, at most `mostTrades`) among those of its table. */
export function rowOf(isDerivative: boolean, place: number): number {
  return isDerivative ? mostTrades + place : place;
}

/** The owner that stands for joint filers: the first officer or director, else the first; undefined when none is known. */
export function leadOwner({ owners }: Pick<Filing, 'owners'>): ReportingOwner | undefined {
  return owners.find(({ isOfficer, isDirector }) => isOfficer || isDirector) ?? owners[0];
}

/** The owners besides the one that stands for them. */
export function otherOwners(filing: Pick<Filing, 'owners'>): readonly ReportingOwner[] {
  const lead = leadOwner(filing);
  return filing.owners.filter((owner) => owner !== lead);
}

/** Whether the name of any owner has `part` in it, without regard to case. */
export function ownedBy({ owners }: Pick<Filing, 'owners'>, part: string): boolean {
  const text = part.toLowerCase();
  return owners.some(({ name }) => name.toLowerCase().includes(text));
}

/** Whether the filing amends an earlier one. */
export function isAmendment({ formType }: Pick<Filing, 'formType'>): boolean {
  return formType.endsWith('/A');
}

const exchange = /^(?:NYSE(?: (?:AMERICAN|ARCA|MKT))?|NASDAQ|AMEX|ASX|TSX|OTC\w*)\s*[:/]\s*(?=\S)/;

/**
 * The symbols that a stated ticker holds: `NYSE: KRC` is KRC, `HEI, HEI.A` and `MOGA/MOGB` are two each.
 * Blanks do not part symbols, as they stand within them: `CCIX U`.
 */
export function symbolsOf(ticker: string | null): readonly string[] {
  const stated = (ticker ?? '').toUpperCase().replace(exchange, '');
  const symbols = stated
    .split(/[,;/]|\bAND\b/)
    .map((symbol) => symbol.replace(/^[^A-Z0-9]+|[^A-Z0-9]+$/g, ''))
    .filter((symbol) => symbol !== '');
  return [...new Set(symbols)];
}

/** The Securities Exchange Act, by which insiders report, was signed on this day. */
const exchangeAct: Day = '1934-06-06';

/** Why a trade cannot have happened as stated, so that nothing may be derived from it; undefined when it can. */
export function impossibility({
  transactionDate,
  filedOn,
  shares,
  pricePerShare,
}: Pick<Filing, 'transactionDate' | 'filedOn' | 'shares' | 'pricePerShare'>): string | undefined {
  if (transactionDate === null) return 'the trade has no date';
  if (transactionDate > filedOn) return `dated ${transactionDate}, after its filing on ${filedOn}`;
  if (transactionDate < exchangeAct) return `dated ${transactionDate}, when no insider had to report`;
  if (Number(shares) < 0) return `of ${shares} shares`;
  if (Number(pricePerShare) < 0) return `at ${pricePerShare} a share`;
  return undefined;
}

/** The facts of a record that hold for everyone who reports them; prose may be shortened or spelled otherwise. */
const facts = [
  'accessionNumber',
  'formType',
  'filedOn',
  'acceptedAt',
  'originalFiledOn',
  'periodOfReport',
  'issuerCik',
  'is10b51',
  'isDerivative',
  'transactionDate',
  'transactionCode',
  'acquiredDisposed',
  'ownership',
] as const;

const numbers = ['shares', 'pricePerShare', 'sharesOwnedAfter'] as const;

const prose = ['issuerName', 'ticker', 'securityTitle'] as const;

/**
 * In what two records of one trade (same `filingId` and `row`) contradict each other.
 * What only one of them states is no contradiction, nor is another spelling of a number, a name or a title.
 */
export function conflictingFields(held: Filing, given: Filing): readonly (keyof Filing)[] {
  const differing = facts.filter(
    (field) => held[field] !== given[field] && held[field] !== null && given[field] !== null,
  );
  const otherNumbers = numbers.filter(
    (field) => held[field] !== null && given[field] !== null && !sameNumber(held[field], given[field]),
  );
  const [one, other] = [rolesIn(held), rolesIn(given)];
  const otherOwners = one !== '' && other !== '' && one !== other;
  return [...differing, ...otherNumbers, ...(otherOwners ? (['owners'] as const) : [])];
}

/** Who reports as what, one text for any order and spelling. */
function rolesIn({ owners }: Filing): string {
  return owners
    .map(({ cik, isDirector, isOfficer, isTenPercent }) =>
      [cik, isDirector, isOfficer, isTenPercent].join(' '),
    )
    .sort()
    .join('; ');
}

/** What two records of one trade say together, when they do not contradict each other; which comes first makes no difference. */
export function combinedFiling(held: Filing, given: Filing): Filing {
  const fuller = (field: (typeof numbers)[number] | (typeof prose)[number]): string | null =>
    held[field] === null || given[field] === null
      ? (held[field] ?? given[field])
      : fullerText(held[field], given[field]);
  return {
    ...held,
    accessionNumber: held.accessionNumber ?? given.accessionNumber,
    acceptedAt: held.acceptedAt ?? given.acceptedAt,
    originalFiledOn: held.originalFiledOn ?? given.originalFiledOn,
    periodOfReport: held.periodOfReport ?? given.periodOfReport,
    is10b51: held.is10b51 ?? given.is10b51,
    transactionDate: held.transactionDate ?? given.transactionDate,
    transactionCode: held.transactionCode ?? given.transactionCode,
    acquiredDisposed: held.acquiredDisposed ?? given.acquiredDisposed,
    ownership: held.ownership ?? given.ownership,
    owners: fullerOwners(held.owners, given.owners),
    issuerName: fuller('issuerName'),
    ticker: fuller('ticker'),
    securityTitle: fuller('securityTitle'),
    shares: fuller('shares'),
    pricePerShare: fuller('pricePerShare'),
    sharesOwnedAfter: fuller('sharesOwnedAfter'),
  };
}

function fullerOwners(a: readonly ReportingOwner[], b: readonly ReportingOwner[]): readonly ReportingOwner[] {
  const [textA, textB] = [JSON.stringify(a), JSON.stringify(b)];
  return fullerText(textA, textB) === textA ? a : b;
}
