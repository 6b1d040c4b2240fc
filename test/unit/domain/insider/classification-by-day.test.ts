import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyTrades } from '../../../../src/domain/insider/classification.ts';
import { clustersOf } from '../../../../src/domain/insider/cluster.ts';
import type { Filing, ReportingOwner } from '../../../../src/domain/insider/filing.ts';
import { alikeFilings, days } from '../../../support/alike-filings.ts';

const nameOf = ({ filingId, row }: Filing) => `${filingId} ${row}`;

type Row = Filing;
type Known = {
  /** Rows in force, in the order in which they count; a row that restates others takes their place. */
  readonly inForce: readonly Row[];
  readonly restated: ReadonlyMap<Row, readonly Row[]>;
};

const cikOf = ({ owners }: Row): string | undefined =>
  owners
    .filter(({ isOfficer, isDirector }) => isOfficer || isDirector)
    .map(({ cik }) => String(cik))
    .sort()[0];
const isPurchase = (row: Row) => row.transactionCode === 'P' && cikOf(row) !== undefined;
const haveOwner = (a: Row, b: Row) => a.owners.some(({ cik }) => b.owners.some((other) => other.cik === cik));
const isBlock = (a: Row, b: Row) =>
  a.sharesOwnedAfter === '9' && b.sharesOwnedAfter === '9' && (a.ownership === 'I' || b.ownership === 'I');

/** The trades behind the rows in force, each with its rows: the first of them counts. */
function tradesIn(inForce: readonly Row[]): Row[][] {
  const trades: Row[][] = [];
  for (const row of inForce) {
    const free = trades.filter(
      ([head, ...rest]) =>
        head?.transactionDate === row.transactionDate &&
        head.shares === row.shares &&
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
function naive(filings: readonly Filing[]): Known {
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
      const meant = meantBy(stated, inForce, restated);
      const added = stated.filter(isPurchase);
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
  const purchases = stated.filter(({ transactionCode }) => transactionCode === 'P').length;
  const countOf = (rows: readonly Row[], shares: string | null) =>
    rows.filter((row) => row.shares === shares).length;
  const heads = meant.flatMap((rows) => rows.slice(0, 1));
  const asStated =
    purchases > 0
      ? purchases === meant.length
      : heads.every(({ shares }) => countOf(heads, shares) <= countOf(stated, shares));
  return ofOneFiling && asStated ? meant.flat() : [];
}

/** What counts at the end of a day, and since when without a break: each day is computed from scratch. */
function countedOn(filings: readonly Filing[], last: string): ReadonlyMap<Row, string> {
  let counted: ReadonlyMap<Row, string> = new Map();
  for (const today of days.filter((one) => one <= last)) {
    const { inForce, restated } = naive(filings.filter(({ filedOn }) => filedOn <= today));
    const before = counted;
    const since = (row: Row): string =>
      before.get(row) ??
      (restated.get(row) ?? [])
        .filter((original) => cikOf(original) === cikOf(row))
        .map(since)
        .sort()[0] ??
      today;
    counted = new Map(
      tradesIn(inForce).flatMap(([head]) => (head === undefined ? [] : [[head, since(head)]])),
    );
  }
  return counted;
}

const counted = (filings: readonly Filing[]) =>
  classifyTrades(filings)
    .purchases.map((one) => `${nameOf(one.filing)} since ${one.knownOn}`)
    .sort();
const upTo = (filings: readonly Filing[], last: string) => filings.filter(({ filedOn }) => filedOn <= last);

describe('the classification on a day', () => {
  it('equals one computed from scratch from the filings up to that day', () => {
    fc.assert(
      fc.property(alikeFilings, fc.constantFrom(...days), (filings, last) => {
        const expected = [...countedOn(filings, last)].map(([row, since]) => `${nameOf(row)} since ${since}`);
        expect(counted(upTo(filings, last))).toEqual(expected.sort());
      }),
      { numRuns: 2000 },
    );
  });

  it('shows a cluster on the day on which it is said to have been detected', () => {
    const rule = { minInsiders: 2, days: 4 };
    fc.assert(
      fc.property(alikeFilings, (filings) => {
        for (const { detectedOn, dateFirst, dateLast } of clustersOf(
          classifyTrades(filings).purchases,
          rule,
        )) {
          const seen = clustersOf(classifyTrades(upTo(filings, detectedOn)).purchases, rule);
          expect(seen.some((one) => one.dateFirst <= dateLast && one.dateLast >= dateFirst)).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('does not depend on the order of the owners in a filing', () => {
    const shuffled = (owners: readonly ReportingOwner[], turn: number) => [
      ...owners.slice(turn % owners.length),
      ...owners.slice(0, turn % owners.length),
    ];
    const shown = (filings: readonly Filing[]) =>
      classifyTrades(filings).purchases.map(({ filing: one, insider, knownOn }) => [
        nameOf(one),
        insider,
        knownOn,
      ]);
    fc.assert(
      fc.property(alikeFilings, fc.array(fc.nat(3), { minLength: 9, maxLength: 9 }), (filings, turns) => {
        const turned = filings.map((one) => {
          const owners = shuffled(one.owners, turns[Number(one.filingId.slice(1))] ?? 0);
          return { ...one, owners };
        });
        expect(shown(turned)).toEqual(shown(filings));
      }),
    );
  });
});
