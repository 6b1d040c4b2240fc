import { type Day, earlier } from '../series/date.ts';
import { canonicalDecimal, sameNumber } from '../series/decimal.ts';
import { groupBy } from '../series/groups.ts';
import { type Filing, impossibilityOf, isAmendment, purchaseCode, type ReportingOwner } from './filing.ts';

/** A trade that counts towards no cluster, and why, with the trade or amendment that replaces it. */
type ExcludedTrade = { readonly filing: Filing } & (
  | { readonly reason: IneligibleReason }
  | { readonly reason: RepetitionReason; readonly countedTrade: Filing }
  | { readonly reason: 'amended'; readonly amendment: Filing }
);

/** An amendment that may restate several trades: it counts in addition, and all of them keep counting. */
type AmbiguousAmendment = {
  /** The amendment's first row of the trade date in question. */
  readonly amendment: Filing;
  readonly possibleOriginals: readonly Filing[];
};

/** Which trades of an issuer count towards clusters, and why others do not; each is in one list. */
export type Classification = {
  readonly code: string;
  /** In order of trade date. */
  readonly trades: readonly InsiderTrade[];
  readonly excluded: readonly ExcludedTrade[];
  readonly ambiguous: readonly AmbiguousAmendment[];
};

/**
 * Decides which trades of one issuer with a code count; later filings change nothing on a day before them.
 * When an amendment withdraws a report, reports that had repeated it count again, from the day of the amendment.
 */
export function classifyTrades(filings: readonly Filing[], code = purchaseCode): Classification {
  const classifier = new Classifier(code);
  for (const trades of inOrderOfPublication(filings)) classifier.read(trades);
  return classifier.result();
}

/**
 * The classification at the end of each filing date, oldest first, each only from the filings up to that day, with the
 * trade dates that may have changed; `tradesOn` gives the trades of a date that count, before the next day is read.
 */
export function* classifiedDays(filings: readonly Filing[], code: string) {
  const classifier = new Classifier(code);
  const all = inOrderOfPublication(filings);
  for (const [index, trades] of all.entries()) {
    classifier.read(trades);
    const day = trades[0]?.filedOn ?? '';
    if (all[index + 1]?.[0]?.filedOn === day) continue;
    yield { day, changed: classifier.takeChanged(), tradesOn: (date: Day) => classifier.tradesOn(date) };
  }
}

/** The trades of each filing, by filing date; on one day originals come before amendments. */
function inOrderOfPublication(filings: readonly Filing[]): readonly (readonly Filing[])[] {
  const groups = groupBy(filings, ({ filingId }) => filingId);
  const sortKey = ([first]: readonly Filing[]): string =>
    first === undefined ? '' : `${first.filedOn} ${isAmendment(first) ? 1 : 0} ${first.filingId}`;
  return Array.from(groups.values(), (trades) => ({
    key: sortKey(trades),
    trades: trades.sort((a, b) => a.row - b.row),
  }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ trades }) => trades);
}

type TradeDate = {
  /** The reports in force, in order of publication; one that restates others has the place of the first of them. */
  reports: InsiderTrade[];
  /** The trades behind the reports; rebuilt when a report is amended. */
  trades: ReportedTrade[];
};

/** Reads filings in order of publication. */
class Classifier {
  readonly #dates = new Map<Day, TradeDate>();
  readonly #excluded: ExcludedTrade[] = [];
  readonly #ambiguous: AmbiguousAmendment[] = [];
  /** For each report of an amendment, the reports that it restates. */
  readonly #restated = new Map<InsiderTrade, readonly InsiderTrade[]>();
  /** The trade dates amended by filings of the current day, with the trades that counted before. */
  readonly #amendedToday = new Map<TradeDate, ReadonlySet<InsiderTrade>>();
  /** The day from which a trade counts, if an amendment decided it. */
  readonly #countsFrom = new Map<InsiderTrade, Day>();
  readonly #code: string;
  readonly #changed = new Set<Day>();
  #today: Day = '';

  constructor(code: string) {
    this.#code = code;
  }

  read(trades: readonly Filing[]): void {
    const filedOn = trades[0]?.filedOn ?? '';
    if (filedOn !== this.#today) this.#endDay();
    this.#today = filedOn;
    const reports: InsiderTrade[] = [];
    for (const filing of trades) {
      const trade = insiderTradeOf(filing, this.#code);
      if (typeof trade === 'string') this.#excluded.push({ filing, reason: trade });
      else reports.push(trade);
    }
    const amendedDates = this.#amend(trades, reports);
    for (const report of reports) {
      if (amendedDates.has(report.date)) continue;
      const date = this.#dates.get(report.date) ?? { reports: [], trades: [] };
      this.#dates.set(report.date, date);
      this.#changed.add(report.date);
      date.reports.push(report);
      addReport(date.trades, report);
    }
  }

  takeChanged(): readonly Day[] {
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }

  tradesOn(day: Day): readonly InsiderTrade[] {
    return this.#dates.get(day)?.trades.map(({ counted }) => counted) ?? [];
  }

  result(): Classification {
    this.#endDay();
    const trades = [...this.#dates.keys()].sort().flatMap((date) => this.#dates.get(date)?.trades ?? []);
    return {
      code: this.#code,
      trades: trades.map(({ counted }) => {
        const knownOn = this.#countsFrom.get(counted);
        return knownOn === undefined ? counted : { ...counted, knownOn };
      }),
      excluded: [
        ...this.#excluded,
        ...trades.flatMap(({ counted, repeated }) =>
          repeated.map(({ report, reason }) => ({
            filing: report.filing,
            reason,
            countedTrade: counted.filing,
          })),
        ),
      ],
      ambiguous: this.#ambiguous,
    };
  }

  /** Replaces the reports that an amendment clearly restates; gives the trade dates of the replaced reports. */
  #amend(trades: readonly Filing[], reports: readonly InsiderTrade[]): ReadonlySet<Day> {
    const amended = new Set<Day>();
    const [first] = trades;
    if (first === undefined || !isAmendment(first) || first.formType === '3/A') return amended;
    const inShares = trades.filter(({ isDerivative }) => !isDerivative);
    const days = new Set(inShares.map(({ transactionDate }) => transactionDate ?? ''));
    for (const day of days) {
      const own = reports.filter((report) => report.date === day);
      const stated = inShares.filter(({ transactionDate }) => transactionDate === day);
      const [amendment] = stated;
      const date = this.#dates.get(day);
      if (amendment === undefined) continue;
      const restated = restatementOf(stated, date?.trades ?? [], this.#code);
      if (date === undefined || restated.reports.length === 0) {
        this.#notePossibleRedating(own, days);
        continue;
      }
      if (!restated.isClear) {
        const possibleOriginals = restated.reports.map(({ filing }) => filing);
        this.#ambiguous.push({ amendment, possibleOriginals });
        continue;
      }
      for (const { filing } of restated.reports)
        this.#excluded.push({ filing, reason: 'amended', amendment });
      this.#replace(date, restated.reports, own);
      amended.add(day);
      this.#changed.add(day);
    }
    return amended;
  }

  /**
   * Records the reports whose date alone an amendment may have corrected: those filed on the day that it names, by one
   * of its owners, with as many shares, under a date outside of `dates`. They and its trades `own` keep counting.
   */
  #notePossibleRedating(own: readonly InsiderTrade[], dates: ReadonlySet<string>): void {
    const amendment = own[0]?.filing;
    // Searching all known trades of an issuer is slow, and only amendments that name the day of their original need it.
    if (amendment === undefined || amendment.originalFiledOn === null) return;
    const isRedated = ({ filing, filedOn }: InsiderTrade) =>
      own.some(({ filing: stated }) => {
        const isOfThatDay = stated.originalFiledOn !== null && filedOn.includes(stated.originalFiledOn);
        return isOfThatDay && sameNumber(stated.shares, filing.shares) && sharesOwner(stated, filing);
      });
    const known = [...this.#dates].flatMap(([date, { reports }]) => (dates.has(date) ? [] : reports));
    const possibleOriginals = known.filter(isRedated).map(({ filing }) => filing);
    if (possibleOriginals.length > 0) this.#ambiguous.push({ amendment, possibleOriginals });
  }

  #replace(date: TradeDate, originals: readonly InsiderTrade[], reports: readonly InsiderTrade[]): void {
    if (!this.#amendedToday.has(date))
      this.#amendedToday.set(date, new Set(date.trades.map(({ counted }) => counted)));
    const filedOn = originals.flatMap((original) => original.filedOn);
    const restating = reports.map((report) => ({
      ...report,
      filedOn: [...new Set([...report.filedOn, ...filedOn])],
    }));
    for (const report of restating) this.#restated.set(report, originals);
    const place = date.reports.findIndex((report) => originals.includes(report));
    const others = date.reports.filter((report) => !originals.includes(report));
    date.reports = [...others.slice(0, place), ...restating, ...others.slice(place)];
    date.trades = [];
    for (const report of date.reports) addReport(date.trades, report);
  }

  /** Sets the day from which each trade counts, on the trade dates amended today. */
  #endDay(): void {
    for (const [{ trades }, before] of this.#amendedToday) {
      const countsFrom = (report: InsiderTrade): Day =>
        before.has(report)
          ? (this.#countsFrom.get(report) ?? report.knownOn)
          : (this.#restated.get(report) ?? [])
              // Another insider is news, even for a trade that was known.
              .filter(({ insider }) => insider.cik === report.insider.cik)
              .map(countsFrom)
              .reduce(earlier, this.#today);
      for (const { counted } of trades) this.#countsFrom.set(counted, countsFrom(counted));
    }
    this.#amendedToday.clear();
  }
}

/**
 * What the rows of an amendment (`stated`, all of one trade date) restate among the known trades of that date: those
 * that its owners reported, and if the amendment names the day of its original, only those filed on that day. It is
 * clear when one filing reported all of them and the amendment states as many trades with the code. An amendment that
 * names no day must state the same numbers of shares. If owners reported a trade twice, it restates both reports.
 */
function restatementOf(
  stated: readonly Filing[],
  known: readonly ReportedTrade[],
  code: string,
): { readonly reports: readonly InsiderTrade[]; readonly isClear: boolean } {
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

function reportsIn(
  trades: readonly ReportedTrade[],
  matches: (report: InsiderTrade) => boolean,
): readonly (readonly InsiderTrade[])[] {
  return trades.map((trade) => reportsOf(trade).filter(matches)).filter((reports) => reports.length > 0);
}

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

type RepetitionReason = 'reported-twice' | 'same-block';

/** One trade and its reports, each from another filing. The first report counts. */
type ReportedTrade = {
  readonly counted: InsiderTrade;
  readonly repeated: { readonly report: InsiderTrade; readonly reason: RepetitionReason }[];
};

/** Adds the next report: to a trade that it repeats (preferably of the same owner), or as a new trade. */
function addReport(trades: ReportedTrade[], report: InsiderTrade): void {
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

/** An officer or director whose CIK is known, so that two insiders can be distinguished. */
type Insider = ReportingOwner & { readonly cik: string };

/** An insider's trade in shares with the requested code, which may count towards a cluster. */
export type InsiderTrade = {
  readonly filing: Filing;
  /** The owner who made it; of joint filers, the officer or director with the lowest CIK. */
  readonly insider: Insider;
  readonly date: Day;
  /** The first day on which it counts: that of the original report, if an amendment restates this trade. */
  readonly knownOn: Day;
  /** The filing dates of its report and of the originals that the report restates. */
  readonly filedOn: readonly Day[];
};

/** Why a trade, considered alone, is not an insider's trade in shares with the requested code. */
type IneligibleReason =
  | 'form-3'
  | 'derivative'
  | 'other-code'
  | NonNullable<ReturnType<typeof impossibilityOf>>['reason']
  | 'no-owner-cik'
  | 'ten-percent-owner'
  | 'not-officer-or-director';

function insiderTradeOf(filing: Filing, code: string): InsiderTrade | IneligibleReason {
  if (filing.formType.startsWith('3')) return 'form-3';
  if (filing.isDerivative) return 'derivative';
  if (filing.transactionCode !== code) return 'other-code';
  const { transactionDate: date, filedOn } = filing;
  const impossibility = impossibilityOf(filing);
  if (impossibility !== undefined) return impossibility.reason;
  if (date === null) return 'no-trade-date';
  const insider = insiderOf(filing);
  if (typeof insider === 'string') return insider;
  return { filing, insider, date, knownOn: filedOn, filedOn: [filedOn] };
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
