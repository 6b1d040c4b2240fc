import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyTrades } from '../../../../src/domain/insider/classification.ts';
import { clustersOf } from '../../../../src/domain/insider/cluster.ts';
import type { Filing, ReportingOwner } from '../../../../src/domain/insider/filing.ts';
import { alikeFilings, codes, days, exchanged } from '../../../support/alike-filings.ts';
import { cikOf, knownFrom, tradesIn } from '../../../support/insider-oracle.ts';

const nameOf = ({ filingId, row }: Filing) => `${filingId} ${row}`;

/** What counts at the end of a day, and since when without a break: each day is computed from scratch. */
function countedOn(filings: readonly Filing[], code: string, last: string): ReadonlyMap<Filing, string> {
  let counted: ReadonlyMap<Filing, string> = new Map();
  for (const today of days.filter((one) => one <= last)) {
    const { inForce, restated } = knownFrom(
      filings.filter(({ filedOn }) => filedOn <= today),
      code,
    );
    const before = counted;
    const since = (row: Filing): string =>
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

const counted = (filings: readonly Filing[], code: string) =>
  classifyTrades(filings, code)
    .trades.map((one) => `${nameOf(one.filing)} since ${one.knownOn}`)
    .sort();
const upTo = (filings: readonly Filing[], last: string) => filings.filter(({ filedOn }) => filedOn <= last);

describe('the classification on a day', () => {
  it('equals one computed from scratch from the filings up to that day', () => {
    fc.assert(
      fc.property(alikeFilings, codes, fc.constantFrom(...days), (some, code, last) => {
        const filings = exchanged(some, code);
        const expected = [...countedOn(filings, code, last)].map(
          ([row, since]) => `${nameOf(row)} since ${since}`,
        );
        expect(counted(upTo(filings, last), code)).toEqual(expected.sort());
      }),
      { numRuns: 3000 },
    );
  });

  it('shows a cluster on the day on which it is said to have been detected', () => {
    const rule = { minInsiders: 2, days: 4 };
    fc.assert(
      fc.property(alikeFilings, (filings) => {
        for (const { detectedOn, dateFirst, dateLast } of clustersOf(classifyTrades(filings).trades, rule)) {
          const seen = clustersOf(classifyTrades(upTo(filings, detectedOn)).trades, rule);
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
      classifyTrades(filings).trades.map(({ filing: one, insider, knownOn }) => [
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
