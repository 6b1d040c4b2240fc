import { type Day, earlier } from './date.ts';
import { canonicalDecimal, sameNumber } from './decimal.ts';
import { type Filing, isAmendment } from './filing.ts';
import { type Purchase, purchaseOf, type Unfit } from './purchase.ts';

/** Why a trade counts for no cluster. */
export type Omission = Unfit | 'reported twice' | 'same block' | 'amended';

/** A trade that does not count, and why; `because` is the trade that counts in its place, or the one that amends it. */
type Omitted = { readonly filing: Filing; readonly why: Omission; readonly because?: Filing };

/** An amendment of which it is not clear what it restates: it counts beside the trades that it may mean. */
type Doubt = { readonly amendment: Filing; readonly originals: readonly Filing[] };

/** What counts of one issuer's trades, by trade date, and what does not. */
export type Judgement = {
  readonly purchases: readonly Purchase[];
  readonly omitted: readonly Omitted[];
  readonly doubts: readonly Doubt[];
};

/**
 * Sorts out which trades of one issuer count, whatever their order. Filings are taken as they became public, so that
 * what counts on a day never depends on what was filed later.
 */
export function judge(filings: readonly Filing[]): Judgement {
  const standing: Standing = new Map();
  const omitted: Omitted[] = [];
  const doubts: Doubt[] = [];
  for (const trades of byFiling(filings)) {
    const told = amend(standing, trades);
    omitted.push(...told.omitted);
    doubts.push(...told.doubts);
    const matched = new Set<Purchase>();
    for (const filing of trades) {
      const purchase = told.restated.get(filing) ?? purchaseOf(filing);
      if (typeof purchase === 'string') {
        omitted.push({ filing, why: purchase });
        continue;
      }
      const same = sameTrade(standing, purchase, matched);
      if (same === undefined) add(standing, purchase);
      else {
        matched.add(same.purchase);
        omitted.push({ filing, why: same.why, because: same.purchase.filing });
      }
    }
  }
  const dates = [...standing.keys()].sort();
  return { purchases: dates.flatMap((date) => standing.get(date) ?? []), omitted, doubts };
}

/** The purchases that count so far, by trade date and then as they became public. */
type Standing = Map<Day, Purchase[]>;

function add(standing: Standing, purchase: Purchase): void {
  const others = standing.get(purchase.date);
  if (others === undefined) standing.set(purchase.date, [purchase]);
  else others.push(purchase);
}

/** The trades of each filing, as filings became public; on one day originals before amendments. */
function byFiling(filings: readonly Filing[]): readonly (readonly Filing[])[] {
  const groups = new Map<string, Filing[]>();
  for (const filing of filings) {
    const own = groups.get(filing.filingId);
    if (own === undefined) groups.set(filing.filingId, [filing]);
    else own.push(filing);
  }
  const order = ([first]: readonly Filing[]): string =>
    first === undefined ? '' : `${first.filedOn} ${isAmendment(first) ? 1 : 0} ${first.filingId}`;
  return Array.from(groups.values(), (own) => ({
    order: order(own),
    own: own.sort((a, b) => a.row - b.row),
  }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .map(({ own }) => own);
}

/** The purchase among those of other filings that this one reports again; each is matched once by the rows of one filing. */
function sameTrade(
  standing: Standing,
  given: Purchase,
  matched: ReadonlySet<Purchase>,
): { readonly purchase: Purchase; readonly why: 'reported twice' | 'same block' } | undefined {
  const others = (standing.get(given.date) ?? []).filter(
    (purchase) =>
      purchase.filing.filingId !== given.filing.filingId &&
      !matched.has(purchase) &&
      sameNumber(purchase.filing.shares, given.filing.shares) &&
      sameNumber(purchase.filing.pricePerShare, given.filing.pricePerShare),
  );
  const own = others.find((purchase) => sharesOwner(purchase.filing, given.filing));
  if (own !== undefined) return { purchase: own, why: 'reported twice' };
  const block = others.find((purchase) => isSameBlock(purchase.filing, given.filing));
  return block && { purchase: block, why: 'same block' };
}

/** Whether one owner reports in both; where a CIK is not known, the names decide. */
function sharesOwner(one: Filing, other: Filing): boolean {
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

type Amended = {
  readonly omitted: readonly Omitted[];
  readonly doubts: readonly Doubt[];
  /** The amendment's purchases, as public as what they restate. */
  readonly restated: ReadonlyMap<Filing, Purchase>;
};

const nothing: Amended = { omitted: [], doubts: [], restated: new Map() };

/**
 * Takes out what an amendment restates: the insider's purchases of a trade date, when all of them are of one filing and
 * it states as many. One that corrects only the code restates the trade of the same number of shares.
 */
function amend(standing: Standing, trades: readonly Filing[]): Amended {
  const [first] = trades;
  if (first === undefined || !isAmendment(first)) return nothing;
  const omitted: Omitted[] = [];
  const doubts: Doubt[] = [];
  const restated = new Map<Filing, Purchase>();
  const inShares = trades.filter(({ isDerivative }) => !isDerivative);
  for (const date of new Set(inShares.map(({ transactionDate }) => transactionDate ?? ''))) {
    const stated = inShares.filter(({ transactionDate }) => transactionDate === date);
    const [head] = stated;
    const others = standing.get(date) ?? [];
    const meant = originals(others, first);
    if (head === undefined || meant.length === 0) continue;
    if (!isClear(meant, stated)) {
      doubts.push({ amendment: head, originals: meant.map(({ filing }) => filing) });
      continue;
    }
    standing.set(
      date,
      others.filter((purchase) => !meant.includes(purchase)),
    );
    for (const { filing } of meant) omitted.push({ filing, why: 'amended', because: head });
    for (const filing of stated) {
      const purchase = purchaseOf(filing);
      if (typeof purchase !== 'string') restated.set(filing, asPublicAs(purchase, meant));
    }
  }
  return { omitted, doubts, restated };
}

/** The insider's purchases that an amendment can mean: where it says when the original was filed, those. */
function originals(others: readonly Purchase[], amendment: Filing): readonly Purchase[] {
  const { originalFiledOn } = amendment;
  // Any owner that both name: joint filers may stand in another order, and an amendment may correct what one of them is.
  const own = others.filter(({ filing }) => sharesOwner(filing, amendment));
  const dated = own.filter(({ filedOn }) => originalFiledOn !== null && filedOn.includes(originalFiledOn));
  return dated.length > 0 ? dated : own;
}

function isClear(meant: readonly Purchase[], stated: readonly Filing[]): boolean {
  if (new Set(meant.map(({ filing }) => filing.filingId)).size > 1) return false;
  const purchases = stated.filter(({ transactionCode }) => transactionCode === 'P');
  if (purchases.length > 0) return purchases.length === meant.length;
  const left = stated.map(({ shares }) => shares);
  return meant.every(({ filing }) => {
    const place = left.findIndex((shares) => shares !== null && sameNumber(shares, filing.shares));
    if (place >= 0) left.splice(place, 1);
    return place >= 0;
  });
}

function asPublicAs(purchase: Purchase, meant: readonly Purchase[]): Purchase {
  const knownOn = meant.reduce((day, one) => earlier(day, one.knownOn), purchase.knownOn);
  return {
    ...purchase,
    knownOn,
    filedOn: [...new Set([...purchase.filedOn, ...meant.flatMap(({ filedOn }) => filedOn)])],
  };
}
