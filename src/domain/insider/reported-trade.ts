import { canonicalDecimal, sameNumber } from '../series/decimal.ts';
import type { Filing } from './filing.ts';
import type { Purchase } from './purchase.ts';

/** Why a report repeats a trade: an owner of it reported it before, or another filer reported the same block. */
export type RepetitionReason = 'reported-twice' | 'same-block';

/** One trade and its reports, each from another filing. The first report counts. */
export type ReportedTrade = {
  readonly counted: Purchase;
  readonly repeated: { readonly report: Purchase; readonly reason: RepetitionReason }[];
};

/** The distinct trades behind the reports of one trade date; the reports come in the order of publication. */
export function tradesOf(reports: readonly Purchase[]): ReportedTrade[] {
  const trades: ReportedTrade[] = [];
  for (const report of reports) addReport(trades, report);
  return trades;
}

/** Adds the next report: to the trade that it repeats (one of the same owner is preferred), or as a new trade. */
export function addReport(trades: ReportedTrade[], report: Purchase): void {
  const alike = trades.filter((trade) => mayRepeat(trade, report));
  const own = alike.find((trade) => reportsOf(trade).some((one) => sharesOwner(one.filing, report.filing)));
  // Only the counted report is compared: if A and B each report C's block, A and B need not share one.
  const same = own ?? alike.find(({ counted }) => isSameBlock(counted.filing, report.filing));
  if (same === undefined) trades.push({ counted: report, repeated: [] });
  else same.repeated.push({ report, reason: same === own ? 'reported-twice' : 'same-block' });
}

/** Every report of a trade, the one that counts first. */
export function reportsOf({ counted, repeated }: ReportedTrade): readonly Purchase[] {
  return [counted, ...repeated.map(({ report }) => report)];
}

/** Whether a trade has the numbers of a report, and no report from the same filing yet. */
function mayRepeat(trade: ReportedTrade, { filing }: Purchase): boolean {
  const { shares, pricePerShare } = trade.counted.filing;
  return (
    sameNumber(shares, filing.shares) &&
    sameNumber(pricePerShare, filing.pricePerShare) &&
    reportsOf(trade).every((one) => one.filing.filingId !== filing.filingId)
  );
}

/** Whether one owner reports in both filings; if a CIK is unknown, the names decide. */
export function sharesOwner(one: Filing, other: Filing): boolean {
  return one.owners.some((a) =>
    other.owners.some((b) =>
      a.cik === null || b.cik === null ? a.name.toLowerCase() === b.name.toLowerCase() : a.cik === b.cik,
    ),
  );
}

/** Whether two filers report one block: both state the same holding after it, and at least one of them holds indirectly. */
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
