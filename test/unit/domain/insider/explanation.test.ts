import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyTrades } from '../../../../src/domain/insider/classification.ts';
import { clustersOf } from '../../../../src/domain/insider/cluster.ts';
import { explainCluster, type TradeExplanation } from '../../../../src/domain/insider/explanation.ts';
import type { Filing, ReportingOwner } from '../../../../src/domain/insider/filing.ts';
import { alikeFilings, filing, owner } from '../../../support/filings.ts';

const rule = { minInsiders: 2, days: 4 };
const fund = owner({ cik: '0000000009', name: 'Fund', isDirector: false, isTenPercent: true });

/** A purchase of 10 January by an owner and in a filing of that number. */
const filed = (place: number, changes: Partial<Filing> = {}) =>
  filing({
    filingId: `0000000001-26-00000${place}`,
    accessionNumber: `0000000001-26-00000${place}`,
    owners: [owner({ cik: `000000000${place}`, name: `Owner ${place}` })],
    filedOn: '2026-01-12',
    transactionDate: '2026-01-10',
    ...changes,
  });

/** The explanations of all clusters among these filings. */
function explained(filings: readonly Filing[]): readonly TradeExplanation[] {
  const classification = classifyTrades(filings);
  return clustersOf(classification.trades, rule).flatMap((cluster) =>
    explainCluster(cluster, classification, rule.days),
  );
}

const by = (...owners: readonly ReportingOwner[]) => ({ owners });
const [ann, bob] = [owner({ cik: '0000000001', name: 'Ann' }), owner({ cik: '0000000002', name: 'Bob' })];
const one = '0000000001-26-000001 row 1';
const unclear = 'counted: not clear what 0000000001-26-000003 row 1 amends: all of it stays';

describe('the explanation of a cluster', () => {
  it.each<[string, readonly Filing[], readonly string[]]>([
    [
      'lists the trades in it and near it by trade date, each with its reason',
      [
        filed(1),
        filed(2),
        filed(3, by(fund)),
        filed(4, by(owner({ cik: '0000000004', name: 'Kin', isDirector: false }))),
        filed(5, { transactionDate: '2026-01-06' }),
        filed(6, { transactionDate: '2026-01-05', owners: filed(5).owners }),
        filed(7, { transactionDate: '2026-01-14', filedOn: '2026-01-14' }),
        filed(8, { transactionCode: 'S' }),
        filed(9, { isDerivative: true, row: 1001 }),
      ],
      [
        '5 outside-the-cluster: outside the span',
        '1 counted: ',
        '2 counted: ',
        '3 ten-percent-owner: by a ten-percent owner who is neither an officer nor a director',
        '4 not-officer-or-director: by one who is neither an officer nor a director',
        '9 derivative: a derivative',
        '7 outside-the-cluster: outside the span',
      ],
    ],
    [
      'names the trade that counts in the place of a repeated one',
      [
        filed(1, { ...by(ann), sharesOwnedAfter: '100' }),
        filed(2),
        filed(3, { ...by(ann), filedOn: '2026-01-13' }),
        filed(4, { sharesOwnedAfter: '100', ownership: 'I', filedOn: '2026-01-14' }),
      ],
      [
        '1 counted: ',
        '2 counted: ',
        `3 reported-twice: the same trade reported twice: ${one}`,
        `4 same-block: the same block reported by another filer: ${one}`,
      ],
    ],
    [
      'names the amendment that withdrew a trade, also where another of its date would come to the same sums',
      [
        filed(1, { ...by(ann), shares: '7' }),
        // The first trade was a gift; the purchase is in a filing that counts anyway, for its other trade.
        filed(2, { ...by(ann), shares: '7', formType: '4/A', transactionCode: 'G', filedOn: '2026-01-13' }),
        filed(3, { ...by(ann), shares: '7', filedOn: '2026-01-14' }),
        filed(3, { ...by(ann), shares: '8', filedOn: '2026-01-14', row: 2 }),
        filed(4),
      ],
      ['1 amended: amended: 0000000001-26-000002 row 1', '4 counted: ', '3 counted: ', '3 counted: '],
    ],
    [
      'names the ambiguous amendment of each trade that it may restate, and of its own',
      [
        filed(1, { ...by(ann), shares: '5' }),
        filed(1, { ...by(ann), shares: '6', row: 2 }),
        filed(2),
        filed(3, { ...by(ann), shares: '7', formType: '4/A', filedOn: '2026-01-13' }),
      ],
      [`1 ${unclear}`, `1 ${unclear}`, '2 counted: ', `3 ${unclear}`],
    ],
    [
      'shows an impossible trade near by its filing date, and says what is wrong with it',
      [
        filed(1),
        filed(2),
        filed(3, { transactionDate: '2026-12-10' }),
        filed(4, { transactionDate: null }),
        filed(5, { shares: '-1' }),
        filed(6, { pricePerShare: '-2' }),
        filed(7, { transactionDate: '2026-12-10', filedOn: '2026-01-15' }),
      ],
      [
        '4 impossible: impossible: the trade has no date',
        '1 counted: ',
        '2 counted: ',
        '5 impossible: impossible: of -1 shares',
        '6 impossible: impossible: at -2 a share',
        '3 impossible: impossible: dated 2026-12-10, after its filing on 2026-01-12',
      ],
    ],
  ])('%s', (_, filings, expected) => {
    const shown = explained(filings).map(
      ({ reason, text, filing: { filingId } }) => `${filingId.slice(-1)} ${reason}: ${text}`,
    );
    expect(shown).toEqual(expected);
  });

  it('names the insider among joint filers, and the leading owner of a trade that does not count', () => {
    const explanations = explained([
      filed(1, { ...by(bob, ann), shares: '5' }),
      filed(2, { ...by(bob), shares: '6' }),
      filed(3, by(fund)),
    ]);
    expect(explanations.map((explanation) => explanation.owner?.name)).toEqual(['Ann', 'Bob', 'Fund']);
    expect(explanations[0]?.text).toBe('one insider with the joint filers Bob');
  });

  it('counts exactly the purchases of the cluster, and lists every purchase near it once', () => {
    fc.assert(
      fc.property(alikeFilings, (filings) => {
        const classification = classifyTrades(filings);
        for (const cluster of clustersOf(classification.trades, rule)) {
          const explanations = explainCluster(cluster, classification, rule.days);
          const nameOf = ({ filingId, row }: Filing) => `${filingId} ${row}`;
          const counted = explanations.filter(({ reason }) => reason === 'counted');
          expect(counted.map((one) => nameOf(one.filing)).sort()).toEqual(
            cluster.trades.map((one) => nameOf(one.filing)).sort(),
          );
          const day = (text: string | null) => Date.parse(String(text)) / 86_400_000;
          const near = filings.filter(
            ({ transactionDate, transactionCode }) =>
              transactionCode === 'P' &&
              day(transactionDate) >= day(cluster.dateFirst) - rule.days &&
              day(transactionDate) <= day(cluster.dateLast) + rule.days,
          );
          expect(explanations.map((one) => nameOf(one.filing)).sort()).toEqual(near.map(nameOf).sort());
        }
      }),
    );
  });
});
