import { sameNumber } from '../series/decimal.ts';
import type { Filing } from './filing.ts';
import type { Purchase } from './purchase.ts';
import { type ReportedTrade, reportsOf, sharesOwner } from './reported-trade.ts';

/** The reports that an amendment restates if `isClear`, or else may restate. */
export type Restatement = { readonly reports: readonly Purchase[]; readonly isClear: boolean };

/**
 * What the rows of an amendment (`stated`, all of one trade date) restate among the known trades of that date: those
 * that its owners reported; of these, where the amendment names the day of its original, those filed on that day.
 * It is clear when one filing reported all of them and the amendment states as many purchases. An amendment without a
 * purchase must state the same numbers of shares. If owners reported a trade twice, both reports are restated.
 */
export function restatementOf(stated: readonly Filing[], known: readonly ReportedTrade[]): Restatement {
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
  return { reports: meant.flat(), isClear: areOfOneFiling(meant) && areAsStated(meant, stated) };
}

/**
 * The known reports whose trade date an amendment may correct. `stated` are its purchases of a date on which its owners
 * reported none, `dates` all the trade dates that it states. A report qualifies when it was filed on the day that the
 * amendment names, by one of its owners, with the same number of shares, and under a date outside of `dates`.
 */
export function possiblyRedated(
  stated: readonly Purchase[],
  dates: ReadonlySet<string>,
  known: readonly Purchase[],
): readonly Purchase[] {
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

/** The matching reports of each trade; trades without any are left out. */
function reportsIn(
  trades: readonly ReportedTrade[],
  matches: (report: Purchase) => boolean,
): readonly (readonly Purchase[])[] {
  return trades.map((trade) => reportsOf(trade).filter(matches)).filter((reports) => reports.length > 0);
}

/** Whether one filing reports every trade. */
function areOfOneFiling(meant: readonly (readonly Purchase[])[]): boolean {
  const [first = [], ...others] = meant.map((reports) => reports.map(({ filing }) => filing.filingId));
  return first.some((filingId) => others.every((filingIds) => filingIds.includes(filingId)));
}

function areAsStated(meant: readonly (readonly Purchase[])[], stated: readonly Filing[]): boolean {
  const purchases = stated.filter(({ transactionCode }) => transactionCode === 'P');
  if (purchases.length > 0) return purchases.length === meant.length;
  const unmatched = stated.map(({ shares }) => shares);
  return meant.every(([report]) => {
    const index = unmatched.findIndex(
      (shares) => shares !== null && sameNumber(shares, report?.filing.shares ?? null),
    );
    if (index >= 0) unmatched.splice(index, 1);
    return index >= 0;
  });
}
