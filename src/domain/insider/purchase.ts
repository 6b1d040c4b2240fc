import type { Day } from '../series/date.ts';
import { type Filing, type Impossibility, impossibilityOf, type ReportingOwner } from './filing.ts';

/** An officer or director whose CIK is known, so that two insiders can be distinguished. */
type Insider = ReportingOwner & { readonly cik: string };

/** An open-market purchase by an insider: a trade that may count towards a cluster. */
export type Purchase = {
  readonly filing: Filing;
  /** The owner who made it; of joint filers, the officer or director with the lowest CIK. */
  readonly insider: Insider;
  /** The trade date. */
  readonly date: Day;
  /** The first day on which it counts: that of the original report, if an amendment restates the same insider's trade. */
  readonly knownOn: Day;
  /** The filing dates of its report and of the originals that the report restates. */
  readonly filedOn: readonly Day[];
};

/** Why a trade, taken by itself, is not an insider's open-market purchase. */
export type IneligibleReason =
  | 'form-3'
  | 'derivative'
  | 'not-a-purchase'
  | Impossibility
  | 'no-owner-cik'
  | 'ten-percent-owner'
  | 'not-officer-or-director';

/** The purchase that a trade is by itself, or the reason why it is not one. */
export function purchaseOf(filing: Filing): Purchase | IneligibleReason {
  if (filing.formType.startsWith('3')) return 'form-3';
  if (filing.isDerivative) return 'derivative';
  if (filing.transactionCode !== 'P') return 'not-a-purchase';
  const { transactionDate: date, filedOn } = filing;
  const impossibility = impossibilityOf(filing);
  if (impossibility !== undefined) return impossibility;
  if (date === null) return 'no-trade-date';
  const insider = insiderOf(filing);
  return typeof insider === 'string'
    ? insider
    : { filing, insider, date, knownOn: filedOn, filedOn: [filedOn] };
}

/** The officer or director with the lowest CIK, for any order of the owners. */
function insiderOf({ owners }: Pick<Filing, 'owners'>): Insider | IneligibleReason {
  const insiders = owners.filter(({ isOfficer, isDirector }) => isOfficer || isDirector);
  const [first, ...others] = insiders.filter(hasCik);
  if (first !== undefined)
    return others.reduce((one, other) => (sortKey(other) < sortKey(one) ? other : one), first);
  if (insiders.length > 0 || owners.length === 0) return 'no-owner-cik';
  return owners.some(({ isTenPercent }) => isTenPercent) ? 'ten-percent-owner' : 'not-officer-or-director';
}

function hasCik(owner: ReportingOwner): owner is Insider {
  return owner.cik !== null;
}

/** Sorts by CIK; the other fields decide between two entries of one person in a filing. */
function sortKey({ cik, name, officerTitle, isDirector, isOfficer, isTenPercent }: Insider): string {
  return [cik, name, officerTitle, isDirector, isOfficer, isTenPercent].join('\n');
}
