import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CurvePoint, monthsOf, planPoints } from '../../../../src/domain/treasury/curve.ts';
import { runs } from '../../../support/arbitrary.ts';
import { emptyModel, importInto, type ModelStatement, type NaiveModel } from '../../../support/knowledge.ts';

const keep = { replace: false };

/** A rate as a statement of the naive model: curve type as series, maturity as vintage date. */
function statementOf({ curveType, tradeDate, maturity, rate }: CurvePoint): ModelStatement {
  return { series: curveType, date: tradeDate, asOf: maturity, value: rate };
}

const points: fc.Arbitrary<readonly CurvePoint[]> = fc.array(
  fc.record({
    curveType: fc.constantFrom('PAR' as const, 'TIPS' as const),
    tradeDate: fc.constantFrom('2024-01-02', '2024-01-03'),
    maturity: fc.constantFrom('1.5M' as const, '10Y' as const),
    rate: fc.constantFrom('4.1', '4.10', '04.1', '3', '-0.5'),
    source: fc.constantFrom('Federal Reserve H.15', 'U.S. Treasury'),
  }),
  { maxLength: 12 },
);

/** Points without contradictions: repeated ones have the same number. */
const agreeingPoints = points.map((some) =>
  some.filter((point, i) => {
    const { after } = importInto(emptyModel, some.slice(0, i).map(statementOf));
    return importInto(after, [statementOf(point)]).contradictions.length === 0;
  }),
);

/** What a store holds after it has written the plans for some batches. */
function merged(batches: readonly (readonly CurvePoint[])[], replace = false): readonly CurvePoint[] {
  let held: readonly CurvePoint[] = [];
  for (const batch of batches) {
    const { put } = planPoints(held, batch, { replace });
    const written = new Set(put.map(keyOf));
    expect(written.size).toBe(put.length);
    held = [...held.filter((point) => !written.has(keyOf(point))), ...put];
  }
  return [...held].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function keyOf({ curveType, tradeDate, maturity }: CurvePoint): string {
  return `${curveType} ${tradeDate} ${String(monthsOf(maturity)).padStart(5, '0')}`;
}

function expectRates(held: readonly CurvePoint[], known: NaiveModel): void {
  const texts = (said: readonly ModelStatement[]) =>
    said.map(({ series, date, asOf, value }) => [series, date, asOf, value].join(' ')).sort();
  expect(texts(held.map(statementOf))).toEqual(texts(known.said));
}

describe('a plan to merge curve points', () => {
  it('keeps one rate for each curve, date and maturity, the same in any batches and any order', () => {
    fc.assert(
      fc.property(
        agreeingPoints.chain((some) =>
          fc.tuple(fc.constant(some), fc.shuffledSubarray([...some], { minLength: some.length })),
        ),
        fc.nat(12),
        ([some, shuffled], cut) => {
          const held = merged([some]);
          expect(merged([shuffled.slice(0, cut), shuffled.slice(cut)])).toEqual(held);
          expectRates(held, importInto(emptyModel, some.map(statementOf)).after);
        },
      ),
      { numRuns: runs(300) },
    );
  });

  it('keeps the source that sorts first among points with the same text', () => {
    const point = { curveType: 'PAR', tradeDate: '2024-01-02', maturity: '10Y' } as const;
    const given: readonly CurvePoint[] = [
      { ...point, rate: '4.10', source: 'U.S. Treasury' },
      { ...point, rate: '4.1', source: 'A' },
      { ...point, rate: '4.10', source: 'Federal Reserve H.15' },
    ];
    expect(merged([given])).toEqual([{ ...point, rate: '4.10', source: 'Federal Reserve H.15' }]);
  });

  it('lists every conflict, and writes nothing for known rates', () => {
    fc.assert(
      fc.property(points, points, (before, after) => {
        const held = merged([before]);
        const known = importInto(emptyModel, held.map(statementOf)).after;
        const { contradictions } = importInto(known, after.map(statementOf));
        const plan = planPoints(held, after, keep);
        expect(plan.conflicts.map(({ held: old, given }) => [old.rate, statementOf(given)])).toEqual(
          contradictions.map(({ said, held: old }) => [old, said]),
        );
        expect(plan.added + plan.known + plan.conflicts.length).toBe(after.length);
        expect(planPoints(merged([held, after]), merged([held, after]), keep).put).toEqual([]);
      }),
      { numRuns: runs(300) },
    );
  });

  it('with replace, accepts the new rates', () => {
    fc.assert(
      fc.property(points, points, (before, after) => {
        const known = importInto(
          importInto(emptyModel, merged([before]).map(statementOf)).after,
          after.map(statementOf),
          {
            replace: true,
          },
        ).after;
        expectRates(merged([merged([before]), after], true), known);
        expect(planPoints(merged([before]), after, { replace: true }).conflicts).toEqual([]);
      }),
      { numRuns: runs(300) },
    );
  });
});
