import fc from 'fast-check';
import type { Filing, ReportingOwner } from '../../src/domain/insider/filing.ts';

/** A director, with some fields replaced. */
export function owner(changes: Partial<ReportingOwner> = {}): ReportingOwner {
  return {
    cik: '0001913199',
    name: 'Smith Stan',
    isDirector: true,
    isOfficer: false,
    isTenPercent: false,
    officerTitle: null,
    ...changes,
  };
}

/** An open-market purchase by a director, with some fields replaced. */
export function filing(changes: Partial<Filing> = {}): Filing {
  const { filingId = '0000000001-26-000001' } = changes;
  return {
    filingId,
    accessionNumber: filingId,
    formType: '4',
    filedOn: '2026-01-02',
    acceptedAt: null,
    originalFiledOn: null,
    periodOfReport: null,
    issuerCik: '0001878313',
    issuerName: 'MAIA Biotechnology, Inc.',
    ticker: 'MAIA',
    owners: [owner()],
    is10b51: null,
    row: 1,
    isDerivative: false,
    securityTitle: 'Common Stock',
    transactionDate: '2026-01-01',
    transactionCode: 'P',
    acquiredDisposed: 'A',
    shares: '10',
    pricePerShare: '1.50',
    sharesOwnedAfter: null,
    ownership: 'D',
    ...changes,
  };
}

const owners = [
  owner(),
  owner({ cik: '0001913257', name: 'Vitoc Vlad', isDirector: false, isOfficer: true, officerTitle: 'CEO' }),
  owner({ cik: null, name: 'É. Fund', isDirector: false, isTenPercent: true }),
];

/** Any trade of a few days, issuers and owners. */
export const anyFiling: fc.Arbitrary<Filing> = fc
  .record({
    filingId: fc.constantFrom(1, 2, 3, 4, 5, 6).map((count) => `0000000001-26-00000${count}`),
    row: fc.constantFrom(1, 2, 1001),
    isDerivative: fc.boolean(),
    filedOn: fc.constantFrom('2026-01-01', '2026-01-02', '2026-01-03'),
    formType: fc.constantFrom('3' as const, '4' as const, '4/A' as const, '5' as const),
    acceptedAt: fc.constantFrom(null, '2026-01-02T10:00:00Z'),
    issuerCik: fc.constantFrom('0000000007', '0000000008'),
    ticker: fc.constantFrom(null, 'MAIA', 'HEI, HEI.A'),
    owners: fc.subarray(owners),
    is10b51: fc.constantFrom(null, true, false),
    transactionCode: fc.constantFrom(null, 'P', 'S'),
    shares: fc.constantFrom(null, '1', '2.50'),
  })
  .map(filing);

/** A row of `asof insider filings`. */
export const filingRow = {
  filing_date: '2026-06-02',
  transaction_date: '2026-06-01',
  accession_number: '0001878313-26-000060',
  ticker: 'MAIA',
  issuer_name: 'MAIA Biotechnology, Inc.',
  owner_name: 'Gryaznov Sergei',
  officer_title: 'Chief Scientific Officer',
  transaction_code: 'P',
  acquired_disposed: 'A',
  shares: '2000.0',
  price_per_share: '1.345',
  is_director: false,
  is_officer: true,
  is_ten_percent: false,
  form_type: '4',
  issuer_cik: '0001878313',
  owner_cik: '0001913228',
  other_owners: [],
  security_title: 'Common Stock',
  is_derivative: false,
  transaction_value: '2690',
  shares_owned_after: '46511.0',
  ownership: 'D',
  is_10b5_1: null,
  accepted_at: null,
  row: 1,
  other_owner_ciks: [],
  original_filing_date: null,
};

const anna = owner({ cik: '0000000001', name: 'Anna' });
const bo = owner({ cik: '0000000002', name: 'Bo', isDirector: false, isOfficer: true });
const cy = owner({ cik: '0000000003', name: 'Cy' });
const fund = owner({ cik: '0000000009', name: 'Fund LP', isDirector: false, isTenPercent: true });

const day = (count: number) => `2026-02-0${count}`;
/** The filing dates of `alikeFilings`. */
export const days = [1, 2, 3, 4, 5].map(day);

/** A transaction code of `alikeFilings`, mostly that of purchases. */
export const codes = fc.oneof({ weight: 2, arbitrary: fc.constant('P') }, fc.constantFrom('J', 'S'));

/** The same filings with purchases and the trades with another code exchanged, so that those are as frequent. */
export function exchanged(filings: readonly Filing[], code: string): readonly Filing[] {
  const other: Readonly<Record<string, string>> = { [code]: 'P', P: code };
  return filings.map((one) => ({
    ...one,
    transactionCode: other[String(one.transactionCode)] ?? one.transactionCode,
  }));
}

/** Up to nine filings of one issuer within a few days, similar enough to repeat and amend each other. */
export const alikeFilings = fc
  .array(
    fc.record({
      filed: fc.constantFrom(...days),
      isAmendment: fc.constantFrom(false, false, true),
      originalFiledOn: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, fc.constantFrom(...days)),
      owners: fc.oneof(
        { weight: 2, arbitrary: fc.constantFrom([anna], [bo], [cy]) },
        fc.shuffledSubarray([anna, bo, cy, fund], { minLength: 1 }),
      ),
      trades: fc.array(
        fc.record({
          transactionDate: fc.constantFrom('2026-01-20', '2026-01-20', '2026-01-25'),
          shares: fc.constantFrom('1', '1', '2'),
          ownership: fc.constantFrom('D' as const, 'I' as const),
          sharesOwnedAfter: fc.constantFrom('9', '9', '2', '0', null),
          // The direction of a purchase is not looked at, so that the contract's clusters stay as they are.
          acquiredDisposed: fc.constantFrom('A' as const, 'D' as const, null),
          transactionCode: fc.oneof({ weight: 5, arbitrary: fc.constant('P') }, fc.constantFrom('J', 'S')),
        }),
        { minLength: 1, maxLength: 2 },
      ),
    }),
    { maxLength: 9 },
  )
  .map((all) =>
    all.flatMap(({ filed, isAmendment, originalFiledOn, owners, trades }, place) =>
      trades.map((trade, index) =>
        filing({
          ...trade,
          owners,
          filingId: `F${place}`,
          row: index + 1,
          filedOn: filed,
          formType: isAmendment ? '4/A' : '4',
          originalFiledOn: isAmendment ? originalFiledOn : null,
        }),
      ),
    ),
  );

/** One trade as a filing states it. */
type Row = Filing;

/** What is known of one issuer's trades with a code after some filings. */
type Known = {
  /** Rows in force, in the order in which they count; a row that restates others takes their place. */
  readonly inForce: readonly Row[];
  readonly restated: ReadonlyMap<Row, readonly Row[]>;
};

/** The insider of a row: the officer or director with the lowest CIK. */
export const cikOf = ({ owners }: Row): string | undefined =>
  owners
    .filter(({ isOfficer, isDirector }) => isOfficer || isDirector)
    .map(({ cik }) => String(cik))
    .sort()[0];
const haveOwner = (a: Row, b: Row) => a.owners.some(({ cik }) => b.owners.some((other) => other.cik === cik));

/** What a trade adds to the holding: less than nothing where shares are given away. */
const addedBy = ({ transactionCode, acquiredDisposed, shares }: Row) =>
  transactionCode === 'S' || (transactionCode !== 'P' && acquiredDisposed === 'D')
    ? -Number(shares)
    : Number(shares);

/** One holding reported by two filers: it is not empty before or after the trade, so it is no coincidence. */
const isBlock = (a: Row, b: Row) => {
  const after = a.sharesOwnedAfter === null ? 0 : Number(a.sharesOwnedAfter);
  const smaller = Math.min(after, after - addedBy(a));
  return (
    smaller > 0 && a.sharesOwnedAfter === b.sharesOwnedAfter && (a.ownership === 'I' || b.ownership === 'I')
  );
};

/** The trades behind the rows in force, each with its rows: the first of them counts. */
export function tradesIn(inForce: readonly Row[]): Row[][] {
  const trades: Row[][] = [];
  for (const row of inForce) {
    const free = trades.filter(
      ([head, ...rest]) =>
        head?.transactionDate === row.transactionDate &&
        addedBy(head) === addedBy(row) &&
        [head, ...rest].every(({ filingId }) => filingId !== row.filingId),
    );
    const joined =
      free.find((rows) => rows.some((one) => haveOwner(one, row))) ??
      free.find(([head]) => head !== undefined && isBlock(head, row));
    if (joined === undefined) trades.push([row]);
    else joined.push(row);
  }
  return trades;
}

/** What is known after reading filings one after the other, computing everything again after each. */
export function knownFrom(filings: readonly Filing[], code: string): Known {
  const restated = new Map<Row, readonly Row[]>();
  let inForce: Row[] = [];
  const ids = [...new Set(filings.map(({ filingId }) => filingId))];
  const all = ids
    .map((id) => filings.filter(({ filingId }) => filingId === id).sort((a, b) => a.row - b.row))
    .map((rows) => ({ rows, key: [rows[0]?.filedOn, rows[0]?.formType, rows[0]?.filingId].join() }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  for (const { rows } of all) {
    for (const date of [...new Set(rows.map(({ transactionDate }) => transactionDate))]) {
      const stated = rows.filter(({ transactionDate }) => transactionDate === date);
      const meant = meantBy(stated, inForce, restated, code);
      const added = stated.filter((row) => row.transactionCode === code && cikOf(row) !== undefined);
      const place = inForce.findIndex((row) => meant.includes(row));
      const rest = inForce.filter((row) => !meant.includes(row));
      if (meant.length > 0) for (const row of added) restated.set(row, meant);
      if (meant.length === 0) inForce = [...rest, ...added];
      else inForce = [...rest.slice(0, place), ...added, ...rest.slice(place)];
    }
  }
  return { inForce, restated };
}

/** The rows that those of a filing replace: none where it amends nothing, or is ambiguous. */
function meantBy(
  stated: readonly Row[],
  inForce: readonly Row[],
  restated: Known['restated'],
  code: string,
): readonly Row[] {
  const [first] = stated;
  if (first === undefined || !first.formType.endsWith('/A')) return [];
  const filedOn = (row: Row): string[] => [row.filedOn, ...(restated.get(row) ?? []).flatMap(filedOn)];
  const own = tradesIn(inForce)
    .map((rows) =>
      rows.filter((row) => row.transactionDate === first.transactionDate && haveOwner(row, first)),
    )
    .filter((rows) => rows.length > 0);
  const named = own
    .map((rows) => rows.filter((row) => filedOn(row).includes(first.originalFiledOn ?? 'unnamed')))
    .filter((rows) => rows.length > 0);
  const meant = named.length > 0 ? named : own;
  const ofOneFiling = inForce.some(({ filingId }) =>
    meant.every((rows) => rows.some((row) => row.filingId === filingId)),
  );
  const ofCode = stated.filter(({ transactionCode }) => transactionCode === code).length;
  const countOf = (rows: readonly Row[], shares: string | null) =>
    rows.filter((row) => row.shares === shares).length;
  const heads = meant.flatMap((rows) => rows.slice(0, 1));
  const asStated =
    ofCode > 0
      ? ofCode === meant.length
      : heads.every(({ shares }) => countOf(heads, shares) <= countOf(stated, shares));
  return ofOneFiling && asStated ? meant.flat() : [];
}

/** The rows that count after these filings. */
function countedIn(filings: readonly Filing[], code: string): readonly Row[] {
  return tradesIn(knownFrom(filings, code).inForce).flatMap((rows) => rows.slice(0, 1));
}

type Dated = { readonly date: string; readonly who: string };

/** The clusters among trades, word by word: spans on every trade's date, joined as long as two share a trade. */
export function clustersAmong<T extends Dated>(
  trades: readonly T[],
  { minInsiders, days }: { readonly minInsiders: number; readonly days: number },
): readonly ReadonlySet<T>[] {
  const time = (text: string) => Date.parse(text) / 86_400_000;
  const spans = trades
    .map(({ date }) =>
      trades.filter((other) => time(other.date) >= time(date) && time(other.date) < time(date) + days),
    )
    .filter((span) => new Set(span.map(({ who }) => who)).size >= minInsiders);
  let joined: readonly ReadonlySet<T>[] = [];
  for (const span of spans) {
    const touching = joined.filter((one) => span.some((trade) => one.has(trade)));
    const union = new Set([...span, ...touching.flatMap((one) => [...one])]);
    joined = [...joined.filter((one) => !touching.includes(one)), union];
  }
  return joined;
}

/** A signal as the oracle gives it: the day, the first and last trade date, the insiders and the rows. */
type NaiveSignal = {
  readonly day: string;
  readonly first: string;
  readonly last: string;
  readonly size: number;
  readonly rows: readonly Row[];
};

/**
 * The signals of one issuer: on every day everything is computed from scratch from the filings up to it. A cluster that
 * shares a date with an earlier signal continues it; another one gives a signal as soon as it is worth enough.
 */
export function signalsAmong(
  filings: readonly Filing[],
  code: string,
  rule: { readonly minInsiders: number; readonly days: number; readonly minValue: number },
): readonly NaiveSignal[] {
  const signals: NaiveSignal[] = [];
  const ranges: { first: string; last: string }[] = [];
  for (const day of [...new Set(filings.map(({ filedOn }) => filedOn))].sort()) {
    const known = filings.filter(({ filedOn }) => filedOn <= day);
    const trades = countedIn(known, code).map((row) => ({
      row,
      date: String(row.transactionDate),
      who: String(cikOf(row)),
    }));
    const clusters = clustersAmong(trades, rule).map((cluster) => {
      const dates = [...cluster].map(({ date }) => date).sort();
      return { cluster: [...cluster], first: dates[0] ?? '', last: dates.at(-1) ?? '' };
    });
    for (const { cluster, first, last } of clusters.sort((a, b) => (a.first < b.first ? -1 : 1))) {
      const before = ranges.filter((one) => one.first <= last && first <= one.last);
      const rows = cluster.map(({ row }) => row);
      const value = rows.reduce((sum, row) => sum + Number(row.shares) * Number(row.pricePerShare), 0);
      if (before.length > 0 || value >= rule.minValue) ranges.push({ first, last });
      if (before.length > 0 || value < rule.minValue) continue;
      signals.push({ day, first, last, size: new Set(cluster.map(({ who }) => who)).size, rows });
    }
  }
  return signals;
}
