import { canonicalDecimal, sameNumber } from '../series/decimal.ts';
import type { Filing } from './filing.ts';
import { type InsiderTrade, purchaseCode } from './insider-trade.ts';

/** The reports that an amendment restates if `isClear`, or else may restate. */
export type Restatement = { readonly reports: readonly InsiderTrade[]; readonly isClear: boolean };

/**
 * What the rows of an amendment (`stated`, all of one trade date) restate among the known trades of that date: those
 * that its owners reported, and if the amendment names the day of its original, only those filed on that day. It is
 * clear when one filing reported all of them and the amendment states as many trades with the code. An amendment that
 * names no day must state the same numbers of shares. If owners reported a trade twice, it restates both reports.
 */
export function restatementOf(
  stated: readonly Filing[],
  known: readonly ReportedTrade[],
  code: string,
): Restatement {
  const [first] = stated;
  if (first === undefined) return { reports: [], isClear: true };
  const { originalFiledOn } = first;
  // Any common owner will do: an amendment may list joint filers in another order, or correct the role of one.
  const own = reportsIn(known, ({ filing }) => sharesOwner(filing, first));
  const dated = reportsIn(
    known,
    ({ filing, filedOn }) =>
      originalFiledOn !== null && filedOn.includes(originalFiledOn) && sharesOwner(filing, first),
  );
  const meant = dated.length > 0 ? dated : own;
  return { reports: meant.flat(), isClear: areOfOneFiling(meant) && areAsStated(meant, stated, code) };
}

/**
 * The known reports whose trade date an amendment may correct. `stated` are its trades of a date on which its owners
 * reported none, `dates` all the trade dates that it states. A report qualifies when it was filed on the day that the
 * amendment names, by one of its owners, with the same number of shares, and under a date outside of `dates`.
 */
export function possiblyRedated(
  stated: readonly InsiderTrade[],
  dates: ReadonlySet<string>,
  known: readonly InsiderTrade[],
): readonly InsiderTrade[] {
  return known.filter(
    (report) =>
      !dates.has(report.date) &&
      stated.some(({ filing }) => {
        const { originalFiledOn, shares } = filing;
        const isOfThatDay = originalFiledOn !== null && report.filedOn.includes(originalFiledOn);
        return isOfThatDay && sameNumber(shares, report.filing.shares) && sharesOwner(filing, report.filing);
      }),
  );
}

/** The matching reports of each trade; trades without a match are left out. */
function reportsIn(
  trades: readonly ReportedTrade[],
  matches: (report: InsiderTrade) => boolean,
): readonly (readonly InsiderTrade[])[] {
  return trades.map((trade) => reportsOf(trade).filter(matches)).filter((reports) => reports.length > 0);
}

/** Whether one filing reports every trade. */
function areOfOneFiling(meant: readonly (readonly InsiderTrade[])[]): boolean {
  const [first = [], ...others] = meant.map((reports) => reports.map(({ filing }) => filing.filingId));
  return first.some((filingId) => others.every((filingIds) => filingIds.includes(filingId)));
}

function areAsStated(
  meant: readonly (readonly InsiderTrade[])[],
  stated: readonly Filing[],
  code: string,
): boolean {
  const ofCode = stated.filter(({ transactionCode }) => transactionCode === code);
  if (ofCode.length > 0) return ofCode.length === meant.length;
  const unmatched = stated.map(({ shares }) => shares);
  return meant.every(([report]) => {
    const index = unmatched.findIndex(
      (shares) => shares !== null && sameNumber(shares, report?.filing.shares ?? null),
    );
    if (index >= 0) unmatched.splice(index, 1);
    return index >= 0;
  });
}

/**
 * Why a report repeats a trade: one of its owners reported the trade before, or another filer reported the same
 * block.
 */
export type RepetitionReason = 'reported-twice' | 'same-block';

/** One trade and its reports, each from another filing. The first report counts. */
export type ReportedTrade = {
  readonly counted: InsiderTrade;
  readonly repeated: { readonly report: InsiderTrade; readonly reason: RepetitionReason }[];
};

/** The distinct trades behind the reports of one trade date; the reports come in the order of publication. */
export function tradesOf(reports: readonly InsiderTrade[]): ReportedTrade[] {
  const trades: ReportedTrade[] = [];
  for (const report of reports) addReport(trades, report);
  return trades;
}

/** Adds the next report: to a trade that it repeats (preferably of the same owner), or as a new trade. */
export function addReport(trades: ReportedTrade[], report: InsiderTrade): void {
  const alike = trades.filter((trade) => mayRepeat(trade, report));
  const own = alike.find((trade) => reportsOf(trade).some((one) => sharesOwner(one.filing, report.filing)));
  // Only the counted report is compared: if A and B each report C's block, A and B need not share one.
  const same = own ?? alike.find(({ counted }) => isSameBlock(counted.filing, report.filing));
  if (same === undefined) trades.push({ counted: report, repeated: [] });
  else same.repeated.push({ report, reason: same === own ? 'reported-twice' : 'same-block' });
}

/** Every report of a trade, the one that counts first. */
function reportsOf({ counted, repeated }: ReportedTrade): readonly InsiderTrade[] {
  return [counted, ...repeated.map(({ report }) => report)];
}

/** Whether a trade has the numbers of a report, and no report from the same filing yet. */
function mayRepeat(trade: ReportedTrade, { filing }: InsiderTrade): boolean {
  const { shares, pricePerShare } = trade.counted.filing;
  return (
    isDisposal(trade.counted.filing) === isDisposal(filing) &&
    sameNumber(shares, filing.shares) &&
    sameNumber(pricePerShare, filing.pricePerShare) &&
    reportsOf(trade).every((one) => one.filing.filingId !== filing.filingId)
  );
}

/** Whether one owner reports in both filings; if a CIK is unknown, the names decide. */
function sharesOwner(one: Filing, other: Filing): boolean {
  return one.owners.some((a) =>
    other.owners.some((b) =>
      a.cik === null || b.cik === null ? a.name.toLowerCase() === b.name.toLowerCase() : a.cik === b.cik,
    ),
  );
}

/**
 * Whether two filers report one block: both state the same holding after it, and at least one of them holds indirectly.
 * The holding must say something: two who buy their first shares hold as many as they bought, and two who sell their
 * last ones hold none.
 */
function isSameBlock(one: Filing, other: Filing): boolean {
  const [after, shares] = [one.sharesOwnedAfter, one.shares];
  if (after === null || shares === null || !sameNumber(after, other.sharesOwnedAfter)) return false;
  const holdsMore = isGreater(after, isDisposal(one) ? '0' : shares);
  return holdsMore && (one.ownership === 'I' || other.ownership === 'I');
}

/** Whether a trade disposes of shares. Code P never does and code S always does; for other codes the filing says so. */
function isDisposal({ transactionCode, acquiredDisposed }: Filing): boolean {
  if (transactionCode === purchaseCode) return false;
  return transactionCode === 'S' || acquiredDisposed === 'D';
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
