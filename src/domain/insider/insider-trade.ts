import type { Day } from '../series/date.ts';
import { type Filing, type Impossibility, impossibilityOf, type ReportingOwner } from './filing.ts';

/** An officer or director whose CIK is known, so that two insiders can be distinguished. */
type Insider = ReportingOwner & { readonly cik: string };

/**
 * The codes of transactions on Forms 4 and 5, by the SEC's General Instruction 8: `P` and `S` are purchases and sales
 * in the open market, `A` is a grant, `F` shares withheld for taxes, `G` a gift, `M` the exercise of a derivative.
 */
export const transactionCodes = [...'PSVADFIMCEHOXGLWZJKU'] as readonly string[];

/** The default code of the trades in clusters: purchases in the open market. */
export const purchaseCode = 'P';

/** What trades of a code are called in messages. */
export function tradesNoun(code: string): string {
  if (code === purchaseCode) return 'purchases';
  return code === 'S' ? 'sales' : `trades with code ${code}`;
}

/** An insider's trade in shares with the requested code, which may count towards a cluster. */
export type InsiderTrade = {
  readonly filing: Filing;
  /** The owner who made it; of joint filers, the officer or director with the lowest CIK. */
  readonly insider: Insider;
  /** The trade date. */
  readonly date: Day;
  /**
   * The first day on which it counts: that of the original report, if an amendment restates the same insider's trade.
   */
  readonly knownOn: Day;
  /** The filing dates of its report and of the originals that the report restates. */
  readonly filedOn: readonly Day[];
};

/** Why a trade, considered alone, is not an insider's trade in shares with the requested code. */
export type IneligibleReason =
  | 'form-3'
  | 'derivative'
  | 'other-code'
  | Impossibility
  | 'no-owner-cik'
  | 'ten-percent-owner'
  | 'not-officer-or-director';

/** What a trade is when considered alone: an insider's trade with this code, or the reason why it is not one. */
export function insiderTradeOf(filing: Filing, code: string): InsiderTrade | IneligibleReason {
  if (filing.formType.startsWith('3')) return 'form-3';
  if (filing.isDerivative) return 'derivative';
  if (filing.transactionCode !== code) return 'other-code';
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

/** A key that sorts by CIK; the other fields decide between two entries of one person in a filing. */
function sortKey({ cik, name, officerTitle, isDirector, isOfficer, isTenPercent }: Insider): string {
  return [cik, name, officerTitle, isDirector, isOfficer, isTenPercent].join('\n');
}
