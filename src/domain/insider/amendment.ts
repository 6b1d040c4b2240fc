import { sameNumber } from '../series/decimal.ts';
import type { Filing } from './filing.ts';
import type { Purchase } from './purchase.ts';
import { type ReportedTrade, reportsOf, sharesOwner } from './reported-trade.ts';

/** The reports that an amendment restates or may restate, and whether it is clear that it does. */
export type Meaning = { readonly reports: readonly Purchase[]; readonly isClear: boolean };

/**
 * What the trades that an amendment states of a date mean among the trades known of it: what its owners reported, where
 * one filing has all of it and as many are stated. One that states no purchase restates the trades of the same numbers of
 * shares. Of a trade that its owners reported twice both reports are meant, unless it names the day of one.
 */
export function meaningOf(stated: readonly Filing[], known: readonly ReportedTrade[]): Meaning {
  const [first] = stated;
  if (first === undefined) return { reports: [], isClear: true };
  const { originalFiledOn } = first;
  // Any owner that both name: joint filers may stand in another order, and an amendment may correct what one of them is.
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
 * The reports that an amendment may correct the date of, when it states purchases of a date of which its owners reported
 * none: those of the day that it names, of as many shares, of dates that it does not state.
 */
export function otherwiseDated(
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

/** The reports of each trade that are of a kind, without the trades that have none. */
function reportsIn(
  trades: readonly ReportedTrade[],
  isWanted: (report: Purchase) => boolean,
): readonly (readonly Purchase[])[] {
  return trades.map((trade) => reportsOf(trade).filter(isWanted)).filter((reports) => reports.length > 0);
}

/** Whether one filing tells of every trade. */
function areOfOneFiling(meant: readonly (readonly Purchase[])[]): boolean {
  const [first = [], ...others] = meant.map((reports) => reports.map(({ filing }) => filing.filingId));
  return first.some((filingId) => others.every((filingIds) => filingIds.includes(filingId)));
}

function areAsStated(meant: readonly (readonly Purchase[])[], stated: readonly Filing[]): boolean {
  const purchases = stated.filter(({ transactionCode }) => transactionCode === 'P');
  if (purchases.length > 0) return purchases.length === meant.length;
  const left = stated.map(({ shares }) => shares);
  return meant.every(([report]) => {
    const place = left.findIndex(
      (shares) => shares !== null && sameNumber(shares, report?.filing.shares ?? null),
    );
    if (place >= 0) left.splice(place, 1);
    return place >= 0;
  });
}
