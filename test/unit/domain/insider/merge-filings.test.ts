import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Filing, filingOf } from '../../../../src/domain/insider/filing.ts';
import {
  conflictingFields,
  type HeldFiling,
  planFilings,
} from '../../../../src/domain/insider/merge-filings.ts';
import { runs } from '../../../support/arbitrary.ts';
import { anyFiling, filing, owner } from '../../../support/filings.ts';

const keep = { replace: false };

/** What a store holds after it has written a plan. */
function written(held: readonly HeldFiling[], put: readonly HeldFiling[]): readonly HeldFiling[] {
  const filings = new Map(held.map((one) => [one.header.filingId, one]));
  for (const { header, concernsClusters, trades } of put) {
    const rows = new Map(filings.get(header.filingId)?.trades.map((trade) => [trade.row, trade]));
    for (const trade of trades) rows.set(trade.row, trade);
    filings.set(header.filingId, { header, concernsClusters, trades: [...rows.values()] });
  }
  return [...filings.values()];
}

function merged(batches: readonly (readonly Filing[])[], replace = false): readonly HeldFiling[] {
  let held: readonly HeldFiling[] = [];
  for (const batch of batches) held = written(held, planFilings(held, batch, { replace }).put);
  return held;
}

/** The trades of filings, by filing and row. */
function tradesOf(held: readonly HeldFiling[]): readonly Filing[] {
  const keyOf = ({ filingId, row }: Filing) => `${filingId} ${String(row).padStart(5, '0')}`;
  return held
    .flatMap(({ header, trades }) => trades.map((trade) => filingOf(header, trade)))
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function clusterMarks(held: readonly HeldFiling[]): readonly string[] {
  return held.map(({ header, concernsClusters }) => `${header.filingId} ${concernsClusters}`).sort();
}

/** Trades with different filings or rows, whose records agree about their filings. */
const distinct = fc
  .uniqueArray(anyFiling, { maxLength: 20, selector: ({ filingId, row }) => `${filingId} ${row}` })
  .map((filings) =>
    filings.map((one) => {
      const first = filings.find(({ filingId }) => filingId === one.filingId) ?? one;
      return filingOf(first, one);
    }),
  );

/** Trades, and the same trades as other files state some of them: with less detail, or in other words. */
const repeated = distinct.chain((filings) =>
  fc.tuple(
    fc.constant(filings),
    fc.array(
      fc.record({
        place: fc.nat(),
        change: fc.constantFrom<Partial<Filing>>(
          {},
          { shares: null },
          { pricePerShare: '1.5' },
          { issuerName: 'MAIA Biotechnology' },
          { owners: [] },
          { acceptedAt: null, is10b51: null },
          { transactionCode: null },
        ),
      }),
      { maxLength: 10 },
    ),
    fc.array(fc.nat(), { minLength: 30, maxLength: 30 }),
  ),
);

function shuffled<T>(items: readonly T[], order: readonly number[]): readonly T[] {
  return items
    .map((item, i) => ({ item, at: order[i] ?? 0 }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

describe('a plan to merge filings', () => {
  it('keeps each trade as stated, in any batches and any order', () => {
    fc.assert(
      fc.property(distinct, fc.nat(20), fc.boolean(), (filings, cut, backwards) => {
        const inOrder = backwards ? [...filings].reverse() : filings;
        const held = merged([inOrder.slice(0, cut), inOrder.slice(cut)]);
        expect(tradesOf(held)).toEqual(tradesOf(merged([filings])));
        expect(new Set(tradesOf(held).map((one) => JSON.stringify(one)))).toEqual(
          new Set(filings.map((one) => JSON.stringify(filingOf(one, one)))),
        );
      }),
      { numRuns: runs(300) },
    );
  });

  it('combines what several files state about a trade, in any order', () => {
    fc.assert(
      fc.property(repeated, fc.nat(30), ([filings, echoes, order], cut) => {
        const others = echoes.flatMap(({ place, change }) => {
          const one = filings[place % Math.max(1, filings.length)];
          return one === undefined ? [] : [{ ...one, ...change }];
        });
        const all = [...filings, ...others];
        fc.pre(all.every((one) => filings.every((other) => !areOne(one, other) || agree(one, other))));
        const once = merged([all]);
        const mixed = shuffled(all, order);
        const again = merged([mixed.slice(0, cut), mixed.slice(cut)]);
        expect(tradesOf(again)).toEqual(tradesOf(once));
        expect(clusterMarks(again)).toEqual(clusterMarks(once));
        expect(planFilings(once, all, keep)).toEqual({ added: 0, known: all.length, conflicts: [], put: [] });
      }),
      { numRuns: runs(300) },
    );
  });

  it('marks the filings that clusters are made of: purchases of shares and amendments', () => {
    const marksOf = (...filings: readonly Filing[]) =>
      merged([filings]).map(({ concernsClusters }) => concernsClusters);
    expect(marksOf(filing())).toEqual([true]);
    expect(marksOf(filing({ transactionCode: 'S' }))).toEqual([false]);
    expect(marksOf(filing({ isDerivative: true }))).toEqual([false]);
    expect(marksOf(filing({ formType: '3' }))).toEqual([false]);
    expect(marksOf(filing({ formType: '4/A', transactionCode: 'S' }))).toEqual([true]);
    expect(marksOf(filing({ row: 1, transactionCode: 'S' }), filing({ row: 2 }))).toEqual([true]);
  });

  it.each<[string, Partial<Filing>, keyof Filing]>([
    ['number of shares', { shares: '11' }, 'shares'],
    ['filing date', { filedOn: '2026-01-03' }, 'filedOn'],
    ['reporting owner', { owners: [owner({ cik: '0000000009' })] }, 'owners'],
  ])(
    'lists a different %s as a conflict, keeps the one held, and replaces it with replace',
    (_, change, field) => {
      const held = merged([[filing()]]);
      const given = filing(change);
      const plan = planFilings(held, [given], keep);
      expect(plan).toEqual({
        added: 0,
        known: 0,
        conflicts: [{ held: filing(), given, fields: [field] }],
        put: [],
      });
      const replaced = planFilings(held, [given], { replace: true });
      expect(replaced).toMatchObject({ added: 1, known: 0, conflicts: [] });
      expect(tradesOf(written(held, replaced.put))).toEqual([given]);
    },
  );

  it('marks a filing whose form is replaced by what its trades are on that form', () => {
    const holdings = filing({ formType: '3' });
    const changes = filing({ formType: '4', row: 2, transactionCode: 'S' });
    expect(clusterMarks(merged([[holdings]]))).toEqual(['0000000001-26-000001 false']);
    expect(clusterMarks(merged([[holdings], [changes]], true))).toEqual(['0000000001-26-000001 true']);
  });

  it('lists a new trade that contradicts its filing as a conflict', () => {
    const given = filing({ row: 2, issuerCik: '0000000009' });
    const { conflicts } = planFilings(merged([[filing()]]), [given], keep);
    expect(conflicts).toMatchObject([{ given, fields: ['issuerCik'] }]);
  });
});

function areOne(a: Filing, b: Filing): boolean {
  return a.filingId === b.filingId;
}

function agree(a: Filing, b: Filing): boolean {
  return conflictingFields(a.row === b.row ? a : filingOf(a, b), b).length === 0;
}
