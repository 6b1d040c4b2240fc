import { canonicalDecimal, sameNumber } from '../series/decimal.ts';
import type { Filing } from './filing.ts';
import type { Purchase } from './purchase.ts';

/** Why a report tells of no trade of its own: the same owner, or another filer of the same block, told of it before. */
export type Repetition = 'reported twice' | 'same block';

/** One trade and its reports, of which the first counts; no two of them are of one filing. */
export type ReportedTrade = {
  readonly counted: Purchase;
  readonly repeated: { readonly report: Purchase; readonly why: Repetition }[];
};

/** The trades of one date that reports tell of, whose order says which was first. */
export function tradesOf(reports: readonly Purchase[]): ReportedTrade[] {
  const trades: ReportedTrade[] = [];
  for (const report of reports) addReport(trades, report);
  return trades;
}

/** Adds a report that came after all others: to the trade that it repeats, sooner one of its owner, or as a new one. */
export function addReport(trades: ReportedTrade[], report: Purchase): void {
  const alike = trades.filter((trade) => isAlike(trade, report));
  const own = alike.find((trade) => reportsOf(trade).some((one) => sharesOwner(one.filing, report.filing)));
  // Not a block of what repeats the trade: two people who each hold one may be the same as a third, and are two.
  const same = own ?? alike.find(({ counted }) => isSameBlock(counted.filing, report.filing));
  if (same === undefined) trades.push({ counted: report, repeated: [] });
  else same.repeated.push({ report, why: same === own ? 'reported twice' : 'same block' });
}

/** Every report of a trade, first the one that counts. */
export function reportsOf({ counted, repeated }: ReportedTrade): readonly Purchase[] {
  return [counted, ...repeated.map(({ report }) => report)];
}

/** Whether a trade has the numbers of a report, and none of the filing yet that the report is of. */
function isAlike(trade: ReportedTrade, { filing }: Purchase): boolean {
  const { shares, pricePerShare } = trade.counted.filing;
  return (
    sameNumber(shares, filing.shares) &&
    sameNumber(pricePerShare, filing.pricePerShare) &&
    reportsOf(trade).every((one) => one.filing.filingId !== filing.filingId)
  );
}

/** Whether one owner reports in both; where a CIK is not known, the names decide. */
export function sharesOwner(one: Filing, other: Filing): boolean {
  return one.owners.some((a) =>
    other.owners.some((b) =>
      a.cik === null || b.cik === null ? a.name.toLowerCase() === b.name.toLowerCase() : a.cik === b.cik,
    ),
  );
}

/** Whether two filers report one block: it leaves both with the same holding, which another of them must hold for him. */
function isSameBlock(one: Filing, other: Filing): boolean {
  const [after, shares] = [one.sharesOwnedAfter, one.shares];
  if (after === null || shares === null || !sameNumber(after, other.sharesOwnedAfter)) return false;
  return isGreater(after, shares) && (one.ownership === 'I' || other.ownership === 'I');
}

/** Compares two numbers that are not negative, exactly. */
function isGreater(a: string, b: string): boolean {
  const [[wholeA = '', fractionA = ''], [wholeB = '', fractionB = '']] = [parts(a), parts(b)];
  if (wholeA.length !== wholeB.length) return wholeA.length > wholeB.length;
  return wholeA === wholeB ? fractionA > fractionB : wholeA > wholeB;
}

function parts(number: string): readonly string[] {
  return canonicalDecimal(number).split('.');
}
