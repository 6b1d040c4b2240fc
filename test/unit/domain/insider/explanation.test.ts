import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyTrades } from '../../../../src/domain/insider/classification.ts';
import { clustersOf } from '../../../../src/domain/insider/cluster.ts';
import { explainCluster, type TradeExplanation } from '../../../../src/domain/insider/explanation.ts';
import type { Filing } from '../../../../src/domain/insider/filing.ts';
import { alikeFilings } from '../../../support/alike-filings.ts';
import { filing, owner } from '../../../support/filings.ts';

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

const shown = (explanations: readonly TradeExplanation[]) =>
  explanations.map(({ reason, filing: { filingId } }) => `${filingId.slice(-1)} ${reason}`);
const texts = (explanations: readonly TradeExplanation[]) =>
  explanations.map(({ filing: { filingId }, text }) => `${filingId.slice(-1)} ${text}`.trim());

describe('the explanation of a cluster', () => {
  it('lists the trades in it and near it by trade date, each with its reason', () => {
    const filings = [
      filed(1),
      filed(2),
      filed(3, { owners: [fund] }),
      filed(4, { owners: [owner({ cik: '0000000004', name: 'Kin', isDirector: false })] }),
      filed(5, { transactionDate: '2026-01-06' }),
      filed(6, { transactionDate: '2026-01-05', owners: filed(5).owners }),
      filed(7, { transactionDate: '2026-01-14', filedOn: '2026-01-14' }),
      filed(8, { transactionCode: 'S' }),
      filed(9, { isDerivative: true, row: 1001 }),
    ];
    const explanations = explained(filings);
    expect(shown(explanations)).toEqual([
      '5 outside-the-cluster',
      '1 counted',
      '2 counted',
      '3 ten-percent-owner',
      '4 not-officer-or-director',
      '9 derivative',
      '7 outside-the-cluster',
    ]);
    expect(texts(explanations)).toEqual([
      '5 outside the span',
      '1',
      '2',
      '3 by a ten-percent owner who is neither an officer nor a director',
      '4 by one who is neither an officer nor a director',
      '9 a derivative',
      '7 outside the span',
    ]);
  });

  it('names the trade that counts in the place of a repeated one', () => {
    const ann = [owner({ cik: '0000000001', name: 'Ann' })];
    const filings = [
      filed(1, { owners: ann, sharesOwnedAfter: '100' }),
      filed(2),
      filed(3, { owners: ann, filedOn: '2026-01-13' }),
      filed(4, { sharesOwnedAfter: '100', ownership: 'I', filedOn: '2026-01-14' }),
    ];
    const explanations = explained(filings);
    expect(shown(explanations)).toEqual(['1 counted', '2 counted', '3 reported-twice', '4 same-block']);
    expect(texts(explanations).slice(2)).toEqual([
      '3 the same trade reported twice: 0000000001-26-000001 row 1',
      '4 the same block reported by another filer: 0000000001-26-000001 row 1',
    ]);
  });

  it('names the amendment that withdrew a trade', () => {
    const amended = filed(3);
    const amendment = filed(4, {
      formType: '4/A',
      transactionCode: 'J',
      owners: amended.owners,
      filedOn: '2026-02-20',
    });
    const explanations = explained([filed(1), filed(2), amended, amendment]);
    expect(shown(explanations)).toEqual(['1 counted', '2 counted', '3 amended']);
    expect(texts(explanations)[2]).toBe('3 amended: 0000000001-26-000004 row 1');
  });

  it('names the ambiguous amendment of each trade that it may restate, and of its own', () => {
    const ann = { owners: [owner({ cik: '0000000001', name: 'Ann' })] };
    const filings = [
      filed(1, { ...ann, shares: '5' }),
      filed(1, { ...ann, shares: '6', row: 2 }),
      filed(2),
      filed(3, { ...ann, shares: '7', formType: '4/A', filedOn: '2026-01-13' }),
    ];
    const explanations = explained(filings);
    expect(shown(explanations)).toEqual(['1 counted', '1 counted', '2 counted', '3 counted']);
    const unclear = 'not clear what 0000000001-26-000003 row 1 amends: all of it stays';
    expect(texts(explanations)).toEqual([`1 ${unclear}`, `1 ${unclear}`, '2', `3 ${unclear}`]);
  });

  it('names the insider among joint filers, and the leading owner of a trade that does not count', () => {
    const [ann, bob] = [owner({ cik: '0000000001', name: 'Ann' }), owner({ cik: '0000000002', name: 'Bob' })];
    const explanations = explained([
      filed(1, { owners: [bob, ann], shares: '5' }),
      filed(2, { owners: [bob], shares: '6' }),
      filed(3, { owners: [fund] }),
    ]);
    expect(explanations.map(({ owner }) => owner?.name)).toEqual(['Ann', 'Bob', 'Fund']);
    expect(texts(explanations)[0]).toBe('1 one insider with the joint filers Bob');
  });

  it('shows an impossible trade near by its filing date, and says what is wrong with it', () => {
    const explanations = explained([
      filed(1),
      filed(2),
      filed(3, { transactionDate: '2026-12-10' }),
      filed(4, { transactionDate: null }),
      filed(5, { shares: '-1' }),
      filed(6, { pricePerShare: '-2' }),
      filed(7, { transactionDate: '2026-12-10', filedOn: '2026-01-15' }),
    ]);
    expect(texts(explanations)).toEqual([
      '4 impossible: the trade has no date',
      '1',
      '2',
      '5 impossible: of -1 shares',
      '6 impossible: at -2 a share',
      '3 impossible: dated 2026-12-10, after its filing on 2026-01-12',
    ]);
  });

  it('counts exactly the purchases of the cluster, and lists every purchase near it once', () => {
    fc.assert(
      fc.property(alikeFilings, (filings) => {
        const classification = classifyTrades(filings);
        for (const cluster of clustersOf(classification.trades, rule)) {
          const explanations = explainCluster(cluster, classification, rule.days);
          const nameOf = (one: Filing) => `${one.filingId} ${one.row}`;
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
