import type { Day } from '../series/date.ts';
import { type Filing, impossibility, type ReportingOwner } from './filing.ts';

/** An officer or director whose CIK is known, so that two can be told apart. */
type Insider = ReportingOwner & { readonly cik: string };

/** A trade that counts for clusters: a purchase in the open market by an insider. */
export type Purchase = {
  readonly filing: Filing;
  /** Of joint filers, the one that stands for all of them. */
  readonly insider: Insider;
  readonly date: Day;
  /** Since when it counts; an amendment does not put off what the original told of the same insider. */
  readonly knownOn: Day;
  /** The day of its filing, and of the originals that it restates. */
  readonly filedOn: readonly Day[];
};

/** Why a trade is no purchase of an insider, whatever else was filed. */
export type Unfit =
  | 'form 3'
  | 'derivative'
  | 'not a purchase'
  | 'impossible'
  | 'no CIK'
  | 'neither officer nor director';

/** The purchase that a trade is by itself, or why it is none. */
export function purchaseOf(filing: Filing): Purchase | Unfit {
  if (filing.formType.startsWith('3')) return 'form 3';
  if (filing.isDerivative) return 'derivative';
  if (filing.transactionCode !== 'P') return 'not a purchase';
  const { transactionDate: date, filedOn } = filing;
  if (date === null || impossibility(filing) !== undefined) return 'impossible';
  const insider = insiderOf(filing);
  return typeof insider === 'string'
    ? insider
    : { filing, insider, date, knownOn: filedOn, filedOn: [filedOn] };
}

/** Of the officers and directors whose CIK is known the one of the lowest, in whatever order a filing names them. */
function insiderOf({ owners }: Pick<Filing, 'owners'>): Insider | Unfit {
  const insiders = owners.filter(({ isOfficer, isDirector }) => isOfficer || isDirector);
  const [first, ...others] = insiders.filter(isKnown);
  if (first !== undefined)
    return others.reduce((one, other) => (order(other) < order(one) ? other : one), first);
  return insiders.length > 0 || owners.length === 0 ? 'no CIK' : 'neither officer nor director';
}

function isKnown(owner: ReportingOwner): owner is Insider {
  return owner.cik !== null;
}

/** By CIK; who stands twice in a filing is told by what else is said of him. */
function order({ cik, name, officerTitle, isDirector, isOfficer, isTenPercent }: Insider): string {
  return [cik, name, officerTitle, isDirector, isOfficer, isTenPercent].join('\n');
}
