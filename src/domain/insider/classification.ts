import { type Day, earlier } from '../series/date.ts';
import { meaningOf, otherwiseDated } from './amendment.ts';
import { type Filing, isAmendment } from './filing.ts';
import { type Purchase, purchaseOf, type Unfit } from './purchase.ts';
import { addReport, type Repetition, type ReportedTrade, tradesOf } from './reported-trade.ts';

/** Why a trade counts for no cluster. */
export type Omission = Unfit | Repetition | 'amended';

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

/** What is known of the trades of one date. */
type Book = {
  /** The reports that nothing has amended, as they became public; what restates one stands in its place. */
  reports: Purchase[];
  /** The trades that those reports tell of: judged anew when one of them is amended. */
  trades: ReportedTrade[];
};

/** What the filings read so far come to. */
type Reading = {
  readonly books: Map<Day, Book>;
  readonly omitted: Omitted[];
  readonly doubts: Doubt[];
  /** The reports that a report restates. */
  readonly restated: Map<Purchase, readonly Purchase[]>;
  /** The books of which a report was amended today, and what counted before that. */
  readonly amendedToday: Map<Book, ReadonlySet<Purchase>>;
  /** Since when a purchase counts, where an amendment had a part in it. */
  readonly since: Map<Purchase, Day>;
};

/**
 * Sorts out which trades of one issuer count, whatever their order. Filings are taken as they became public, so that
 * what counts on a day never depends on what was filed later; what an amendment takes away no longer stands in the way
 * of reports that had repeated it, and they count from its day on.
 */
export function judge(filings: readonly Filing[]): Judgement {
  const reading: Reading = {
    books: new Map(),
    omitted: [],
    doubts: [],
    restated: new Map(),
    amendedToday: new Map(),
    since: new Map(),
  };
  let today: Day = '';
  for (const trades of byFiling(filings)) {
    const filedOn = trades[0]?.filedOn ?? '';
    if (filedOn !== today) endDay(reading, today);
    today = filedOn;
    readFiling(reading, trades);
  }
  endDay(reading, today);
  return outcome(reading);
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

function readFiling(reading: Reading, trades: readonly Filing[]): void {
  const reports: Purchase[] = [];
  for (const filing of trades) {
    const purchase = purchaseOf(filing);
    if (typeof purchase === 'string') reading.omitted.push({ filing, why: purchase });
    else reports.push(purchase);
  }
  const amended = amend(reading, trades, reports);
  for (const report of reports) {
    if (amended.has(report.date)) continue;
    const book = bookOf(reading, report.date);
    book.reports.push(report);
    addReport(book.trades, report);
  }
}

function bookOf({ books }: Reading, date: Day): Book {
  const known = books.get(date);
  if (known !== undefined) return known;
  const book: Book = { reports: [], trades: [] };
  books.set(date, book);
  return book;
}

/** Puts the reports of an amendment in the place of those that it restates; the dates on which it does. */
function amend(reading: Reading, trades: readonly Filing[], reports: readonly Purchase[]): ReadonlySet<Day> {
  const amended = new Set<Day>();
  const [first] = trades;
  if (first === undefined || !isAmendment(first) || first.formType === '3/A') return amended;
  const inShares = trades.filter(({ isDerivative }) => !isDerivative);
  const dates = new Set(inShares.map(({ transactionDate }) => transactionDate ?? ''));
  for (const date of dates) {
    const own = reports.filter((report) => report.date === date);
    const stated = inShares.filter(({ transactionDate }) => transactionDate === date);
    const [head] = stated;
    const book = reading.books.get(date);
    if (head === undefined) continue;
    const meant = meaningOf(stated, book?.trades ?? []);
    if (book === undefined || meant.reports.length === 0) {
      doubtDates(reading, own, dates);
      continue;
    }
    if (!meant.isClear) {
      reading.doubts.push({ amendment: head, originals: meant.reports.map(({ filing }) => filing) });
      continue;
    }
    for (const { filing } of meant.reports) reading.omitted.push({ filing, why: 'amended', because: head });
    replace(reading, book, meant.reports, own);
    amended.add(date);
  }
  return amended;
}

/** Where an amendment may have corrected only the date of a trade, both stay, and a doubt says so. */
function doubtDates({ books, doubts }: Reading, own: readonly Purchase[], dates: ReadonlySet<Day>): void {
  const [first] = own;
  // All that is known of an issuer is much to look through for amendments that name no day.
  if (first === undefined || first.filing.originalFiledOn === null) return;
  const known = [...books.values()].flatMap(({ reports }) => reports);
  const originals = otherwiseDated(own, dates, known).map(({ filing }) => filing);
  if (originals.length > 0) doubts.push({ amendment: first.filing, originals });
}

function replace(
  { restated, amendedToday }: Reading,
  book: Book,
  originals: readonly Purchase[],
  reports: readonly Purchase[],
): void {
  if (!amendedToday.has(book)) amendedToday.set(book, new Set(book.trades.map(({ counted }) => counted)));
  const filedOn = originals.flatMap((original) => original.filedOn);
  const inPlace = reports.map((report) => ({
    ...report,
    filedOn: [...new Set([...report.filedOn, ...filedOn])],
  }));
  for (const report of inPlace) restated.set(report, originals);
  const place = book.reports.findIndex((report) => originals.includes(report));
  const left = book.reports.filter((report) => !originals.includes(report));
  book.reports = [...left.slice(0, place), ...inPlace, ...left.slice(place)];
  book.trades = tradesOf(book.reports);
}

/** Says since when it counts of each trade of a date on which something was amended today. */
function endDay({ amendedToday, restated, since }: Reading, today: Day): void {
  for (const [{ trades }, before] of amendedToday) {
    const sinceOf = (report: Purchase): Day =>
      before.has(report)
        ? (since.get(report) ?? report.knownOn)
        : (restated.get(report) ?? [])
            // Another insider is news, even in a trade that was known.
            .filter(({ insider }) => insider.cik === report.insider.cik)
            .map(sinceOf)
            .reduce(earlier, today);
    for (const { counted } of trades) since.set(counted, sinceOf(counted));
  }
  amendedToday.clear();
}

function outcome({ books, omitted, doubts, since }: Reading): Judgement {
  const trades = [...books.keys()].sort().flatMap((date) => books.get(date)?.trades ?? []);
  return {
    purchases: trades.map(({ counted }) => {
      const knownOn = since.get(counted);
      return knownOn === undefined ? counted : { ...counted, knownOn };
    }),
    omitted: [
      ...omitted,
      ...trades.flatMap(({ counted, repeated }) =>
        repeated.map(({ report, why }) => ({ filing: report.filing, why, because: counted.filing })),
      ),
    ],
    doubts,
  };
}
