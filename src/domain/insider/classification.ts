import { type Day, earlier } from '../values/date.ts';
import { canonicalDecimal, sameNumber } from '../values/decimal.ts';
import { entryOf, groupBy } from '../values/groups.ts';
import { type Filing, impossibilityOf, isAmendment, purchaseCode, type ReportingOwner } from './filing.ts';

type ExcludedTrade = {
  readonly filing: Filing;
  readonly reason: IneligibleReason | RepetitionReason | 'amended';
  /** The counted trade that it repeats, or its amendment. */
  readonly other?: Filing;
};

/** An amendment that may restate several trades, which all keep counting. */
type AmbiguousAmendment = {
  /** The amendment's first row with the trade date. */
  readonly amendment: Filing;
  readonly possibleOriginals: readonly Filing[];
};

/** An issuer's trades that count towards clusters, and the others. */
export type Classification = {
  readonly code: string;
  /** In order of trade date. */
  readonly trades: readonly InsiderTrade[];
  readonly excluded: readonly ExcludedTrade[];
  readonly ambiguous: readonly AmbiguousAmendment[];
};

/**
 * Decides which trades of one issuer with a code count; later filings change nothing on a day before them.
 * If an amendment withdraws a report, its repetitions count again, from the day of the amendment.
 */
export function classifyTrades(filings: readonly Filing[], code = purchaseCode): Classification {
  const classifier = new Classifier(code);
  for (const trades of inOrderOfPublication(filings)) classifier.read(trades);
  return classifier.result();
}

/**
 * Yields the classification at the end of each filing date, oldest first, only from filings up to that day.
 * `changed` are the trade dates that may differ; `tradesOn` is only valid until the next day is read.
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

/** Groups trades by filing, in order of filing date; on one day originals come before amendments. */
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
  /** The reports in force, in order of publication; a restating report takes the place of the first one restated. */
  reports: InsiderTrade[];
  /** The trades behind the reports; rebuilt when a report is amended. */
  trades: ReportedTrade[];
};

class Classifier {
  readonly #dates = new Map<Day, TradeDate>();
  readonly #excluded: ExcludedTrade[] = [];
  readonly #ambiguous: AmbiguousAmendment[] = [];
  readonly #restated = new Map<InsiderTrade, readonly InsiderTrade[]>();
  /** The trade dates amended today, with the trades that counted before. */
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
      const date = entryOf(this.#dates, report.date, () => ({ reports: [], trades: [] }));
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
          repeated.map(({ report: { filing }, reason }) => ({ filing, reason, other: counted.filing })),
        ),
      ],
      ambiguous: this.#ambiguous,
    };
  }

  /** Replaces the reports that an amendment clearly restates, and returns their trade dates. */
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
      const originals = restated.reports.map(({ filing }) => filing);
      if (!restated.isClear) {
        this.#ambiguous.push({ amendment, possibleOriginals: originals });
        continue;
      }
      for (const filing of originals) this.#excluded.push({ filing, reason: 'amended', other: amendment });
      this.#replace(date, restated.reports, own);
      amended.add(day);
      this.#changed.add(day);
    }
    return amended;
  }

  /**
   * Records reports that an amendment may only have redated; they and the amendment's trades keep counting.
   * They were filed on the day that it names, by one of its owners, with equal shares, dated outside `dates`.
   */
  #notePossibleRedating(own: readonly InsiderTrade[], dates: ReadonlySet<string>): void {
    const amendment = own[0]?.filing;
    // Searching all trades of an issuer is slow, and only amendments that name the original's day need it.
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

  /** Sets the day from which each trade on the dates amended today counts. */
  #endDay(): void {
    for (const [{ trades }, before] of this.#amendedToday) {
      const countsFrom = (report: InsiderTrade): Day =>
        before.has(report)
          ? (this.#countsFrom.get(report) ?? report.knownOn)
          : (this.#restated.get(report) ?? [])
              // Another insider is news, even for a known trade.
              .filter(({ insider }) => insider.cik === report.insider.cik)
              .map(countsFrom)
              .reduce(earlier, this.#today);
      for (const { counted } of trades) this.#countsFrom.set(counted, countsFrom(counted));
    }
    this.#amendedToday.clear();
  }
}

/**
 * Finds the reports that an amendment's rows (`stated`, of one trade date) restate among known trades.
 * These are its owners' reports; if it names the day of its original, only those filed on that day.
 * Clear if one filing reported all of them and the amendment states as many trades with the code,
 * or without the code the same numbers of shares. Repeated reports of a trade are all restated.
 */
function restatementOf(
  stated: readonly Filing[],
  known: readonly ReportedTrade[],
  code: string,
): { readonly reports: readonly InsiderTrade[]; readonly isClear: boolean } {
  const [first] = stated;
  if (first === undefined) return { reports: [], isClear: true };
  const { originalFiledOn } = first;
  // Any common owner will do: an amendment may list joint filers in another order, or correct a role.
  const own = reportsIn(known, ({ filing }) => sharesOwner(filing, first));
  const dated = reportsIn(
    known,
    ({ filing, filedOn }) => filedOn.includes(originalFiledOn ?? '') && sharesOwner(filing, first),
  );
  const meant = dated.length > 0 ? dated : own;
  const [firstIds = [], ...others] = meant.map((reports) => reports.map(({ filing }) => filing.filingId));
  const areOfOneFiling = firstIds.some((id) => others.every((ids) => ids.includes(id)));
  return { reports: meant.flat(), isClear: areOfOneFiling && areAsStated(meant, stated, code) };
}

function reportsIn(
  trades: readonly ReportedTrade[],
  matches: (report: InsiderTrade) => boolean,
): readonly (readonly InsiderTrade[])[] {
  return trades.map((trade) => reportsOf(trade).filter(matches)).filter((reports) => reports.length > 0);
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

/** A trade and its reports, from different filings; the first counts. */
type ReportedTrade = {
  readonly counted: InsiderTrade;
  readonly repeated: { readonly report: InsiderTrade; readonly reason: RepetitionReason }[];
};

/** Adds the next report to a trade that it repeats (preferably of the same owner), or as a new trade. */
function addReport(trades: ReportedTrade[], report: InsiderTrade): void {
  const alike = trades.filter((trade) => mayRepeat(trade, report));
  const own = alike.find((trade) => reportsOf(trade).some((one) => sharesOwner(one.filing, report.filing)));
  // Only the counted report is compared: if A and B each report C's block, A and B may have different blocks.
  const same = own ?? alike.find(({ counted }) => isSameBlock(counted.filing, report.filing));
  if (same === undefined) trades.push({ counted: report, repeated: [] });
  else same.repeated.push({ report, reason: same === own ? 'reported-twice' : 'same-block' });
}

function reportsOf({ counted, repeated }: ReportedTrade): readonly InsiderTrade[] {
  return [counted, ...repeated.map(({ report }) => report)];
}

/** Tells whether a trade has the numbers of a report, and no report from the same filing. */
function mayRepeat(trade: ReportedTrade, { filing }: InsiderTrade): boolean {
  const { filing: counted } = trade.counted;
  return (
    isDisposal(counted) === isDisposal(filing) &&
    sameNumber(counted.shares, filing.shares) &&
    sameNumber(counted.pricePerShare, filing.pricePerShare) &&
    reportsOf(trade).every((one) => one.filing.filingId !== filing.filingId)
  );
}

/** Tells whether one owner reports in both filings; if a CIK is unknown, the names decide. */
function sharesOwner(one: Filing, other: Filing): boolean {
  return one.owners.some((a) =>
    other.owners.some((b) =>
      a.cik === null || b.cik === null ? a.name.toLowerCase() === b.name.toLowerCase() : a.cik === b.cik,
    ),
  );
}

/**
 * Tells whether two filers report one block: equal holdings after it, at least one of them indirect.
 * First purchases and last sales do not count: those leave equal holdings without a common block.
 */
function isSameBlock(one: Filing, other: Filing): boolean {
  const [after, shares] = [one.sharesOwnedAfter, one.shares];
  if (after === null || shares === null || !sameNumber(after, other.sharesOwnedAfter)) return false;
  const holdsMore = isGreater(after, isDisposal(one) ? '0' : shares);
  return holdsMore && (one.ownership === 'I' || other.ownership === 'I');
}

/** Tells whether a trade disposes of shares: code P never, code S always, other codes by the filing. */
function isDisposal({ transactionCode, acquiredDisposed }: Filing): boolean {
  if (transactionCode === purchaseCode) return false;
  return transactionCode === 'S' || acquiredDisposed === 'D';
}

/** Compares two numbers that are not negative, exactly. */
function isGreater(a: string, b: string): boolean {
  const [[whole = '', part = ''] = [], [otherWhole = '', otherPart = ''] = []] = [a, b].map((number) =>
    canonicalDecimal(number).split('.'),
  );
  if (whole.length !== otherWhole.length) return whole.length > otherWhole.length;
  return whole === otherWhole ? part > otherPart : whole > otherWhole;
}

/** An officer or director with a known CIK, and so distinguishable. */
type Insider = ReportingOwner & { readonly cik: string };

/** A trade with the requested code that may count towards a cluster. */
export type InsiderTrade = {
  readonly filing: Filing;
  /** The owner who made the trade; of joint filers, the officer or director with the lowest CIK. */
  readonly insider: Insider;
  readonly date: Day;
  /** The first day on which the trade counts: that of the original report, if an amendment restates it. */
  readonly knownOn: Day;
  /** The filing dates of the report and of the originals that it restates. */
  readonly filedOn: readonly Day[];
};

type IneligibleReason = Exclude<ReturnType<typeof insiderTradeOf>, InsiderTrade>;

function insiderTradeOf(filing: Filing, code: string) {
  if (filing.formType.startsWith('3')) return 'form-3';
  if (filing.isDerivative) return 'derivative';
  if (filing.transactionCode !== code) return 'other-code';
  const { transactionDate: date, filedOn } = filing;
  if (date === null || impossibilityOf(filing) !== undefined) return 'impossible';
  const insider = insiderOf(filing);
  if (typeof insider === 'string') return insider;
  return { filing, insider, date, knownOn: filedOn, filedOn: [filedOn] };
}

/** Finds the officer or director with the lowest CIK, whatever the order of the owners. */
function insiderOf({ owners }: Pick<Filing, 'owners'>) {
  const insiders = owners.filter(({ isOfficer, isDirector }) => isOfficer || isDirector);
  const known = insiders.filter((owner): owner is Insider => owner.cik !== null);
  const [first] = known.sort((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1));
  if (first !== undefined) return first;
  if (insiders.length > 0 || owners.length === 0) return 'no-owner-cik';
  return owners.some(({ isTenPercent }) => isTenPercent) ? 'ten-percent-owner' : 'not-officer-or-director';
}

/** Makes a key that sorts by CIK; the other fields decide between two entries of one person. */
function sortKey({ cik, name, officerTitle, isDirector, isOfficer, isTenPercent }: Insider): string {
  return [cik, name, officerTitle, isDirector, isOfficer, isTenPercent].join('\n');
}
