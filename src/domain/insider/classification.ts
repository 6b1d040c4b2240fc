import { type Day, earlier } from '../series/date.ts';
import {
  addReport,
  possiblyRedated,
  type RepetitionReason,
  type ReportedTrade,
  restatementOf,
  tradesOf,
} from './amendment.ts';
import { type Filing, isAmendment } from './filing.ts';
import { type IneligibleReason, type InsiderTrade, insiderTradeOf, purchaseCode } from './insider-trade.ts';

/** Why a trade counts towards no cluster, with the trade or amendment that replaces it. */
type Exclusion =
  | { readonly reason: IneligibleReason }
  | { readonly reason: RepetitionReason; readonly countedTrade: Filing }
  | { readonly reason: 'amended'; readonly amendment: Filing };

/** A trade that does not count, and why. */
export type ExcludedTrade = { readonly filing: Filing } & Exclusion;

/** An amendment that may restate several trades: it counts in addition, and all of them keep counting. */
type AmbiguousAmendment = {
  /** The amendment's first row of the trade date in question. */
  readonly amendment: Filing;
  readonly possibleOriginals: readonly Filing[];
};

/**
 * Which of one issuer's trades count towards clusters, and why the others do not. Each trade is in one of the two
 * lists.
 */
export type Classification = {
  /** The code of the trades that count. */
  readonly code: string;
  /** In order of trade date. */
  readonly trades: readonly InsiderTrade[];
  readonly excluded: readonly ExcludedTrade[];
  readonly ambiguous: readonly AmbiguousAmendment[];
};

/**
 * Decides which trades of one issuer with a code count, for filings in any order. Filings are read in order of
 * publication, so that what counts on a day never depends on later filings. When an amendment withdraws a report,
 * reports that had repeated it count again, from the day of the amendment.
 */
export function classifyTrades(filings: readonly Filing[], code = purchaseCode): Classification {
  const classifier = new Classifier(code);
  for (const trades of inOrderOfPublication(filings)) classifier.read(trades);
  return classifier.result();
}

/** Which trades count at the end of a day with filings. */
type ClassifiedDay = {
  readonly day: Day;
  /** The trade dates whose trades may have changed on that day. */
  readonly changed: readonly Day[];
  /** The trades of a date that count at the end of the day; must be called before the next day is read. */
  readonly tradesOn: (date: Day) => readonly InsiderTrade[];
};

/** The classification at the end of each filing date, oldest first, each only from the filings up to that day. */
export function* classifiedDays(
  filings: readonly Filing[],
  code: string,
): Generator<ClassifiedDay, undefined> {
  const classifier = new Classifier(code);
  const all = inOrderOfPublication(filings);
  for (const [index, trades] of all.entries()) {
    classifier.read(trades);
    const day = trades[0]?.filedOn ?? '';
    if (all[index + 1]?.[0]?.filedOn === day) continue;
    yield {
      day,
      changed: classifier.takeChanged(),
      tradesOn: (date) => classifier.tradesOn(date),
    };
  }
}

/** The trades of each filing, by filing date; on one day originals come before amendments. */
function inOrderOfPublication(filings: readonly Filing[]): readonly (readonly Filing[])[] {
  const groups = new Map<string, Filing[]>();
  for (const filing of filings) {
    const own = groups.get(filing.filingId);
    if (own === undefined) groups.set(filing.filingId, [filing]);
    else own.push(filing);
  }
  const sortKey = ([first]: readonly Filing[]): string =>
    first === undefined ? '' : `${first.filedOn} ${isAmendment(first) ? 1 : 0} ${first.filingId}`;
  return Array.from(groups.values(), (trades) => ({
    key: sortKey(trades),
    trades: trades.sort((a, b) => a.row - b.row),
  }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ trades }) => trades);
}

/** The trades of one trade date. */
type TradeDate = {
  /**
   * The reports in force, in order of publication; a report that restates others has the place of the first of them.
   */
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

  /** Reads the trades of the next filing. */
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
      const date = this.#tradeDate(report.date);
      this.#changed.add(report.date);
      date.reports.push(report);
      addReport(date.trades, report);
    }
  }

  /** The trade dates whose trades may have changed since the last call. */
  takeChanged(): readonly Day[] {
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }

  /** The trades of a date that count. */
  tradesOn(day: Day): readonly InsiderTrade[] {
    return this.#dates.get(day)?.trades.map(({ counted }) => counted) ?? [];
  }

  /** The classification of the filings read so far. */
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

  #tradeDate(day: Day): TradeDate {
    const known = this.#dates.get(day);
    if (known !== undefined) return known;
    const date: TradeDate = { reports: [], trades: [] };
    this.#dates.set(day, date);
    return date;
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

  /** Records that an amendment may have corrected only the date of a trade; both keep counting. */
  #notePossibleRedating(own: readonly InsiderTrade[], days: ReadonlySet<Day>): void {
    const [first] = own;
    // Searching all known trades of an issuer is slow, and only amendments that name the day of their original need
    // it.
    if (first === undefined || first.filing.originalFiledOn === null) return;
    const known = [...this.#dates.values()].flatMap(({ reports }) => reports);
    const possibleOriginals = possiblyRedated(own, days, known).map(({ filing }) => filing);
    if (possibleOriginals.length > 0) this.#ambiguous.push({ amendment: first.filing, possibleOriginals });
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
    date.trades = tradesOf(date.reports);
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
