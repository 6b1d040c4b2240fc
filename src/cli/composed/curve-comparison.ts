import { type Maturity, monthsOf } from '../../domain/treasury/curve.ts';
import { spreadInBasisPoints } from '../../domain/treasury/spread.ts';
import type { Cell, Envelope, Row } from '../../operations/envelope.ts';
import type { Field } from '../../operations/field.ts';

/** The fields of a curve beside another. */
export const comparison: readonly Field[] = [
  { name: 'maturity', type: 'text', description: 'Maturity label.' },
  {
    name: 'rate',
    type: 'decimal',
    description: 'Rate in percent; none where the curve has it not.',
    nullable: true,
  },
  { name: 'vs_rate', type: 'decimal', description: 'Rate of the other curve.', nullable: true },
  {
    name: 'change_bps',
    type: 'decimal',
    description: 'The first less the other, in basis points.',
    nullable: true,
  },
  { name: 'trade_date', type: 'day', description: 'Date of the curve.', nullable: true },
  { name: 'vs_trade_date', type: 'day', description: 'Date of the other curve.', nullable: true },
  { name: 'curve_type', type: 'text', description: 'PAR or TIPS.' },
  { name: 'source', type: 'text', description: 'Names of the data sources of both.' },
];

/** The columns that are shown unless others are chosen. */
export const comparisonColumns: readonly string[] = comparison
  .map(({ name }) => name)
  .filter((name) => name !== 'source');

/** A curve beside another: a row for each maturity that either has, shortest first. */
export function compared(curve: Envelope, other: Envelope): Envelope {
  const [own, others] = [byMaturity(curve), byMaturity(other)];
  const names = [...new Set([...own.keys(), ...others.keys()])] as Maturity[];
  const results = names
    .sort((a, b) => monthsOf(a) - monthsOf(b))
    .map((maturity): Row => {
      const [row, vs] = [own.get(maturity), others.get(maturity)];
      const [rate, vsRate] = [row?.rate ?? null, vs?.rate ?? null];
      return {
        maturity,
        rate,
        vs_rate: vsRate,
        change_bps: change(rate, vsRate),
        trade_date: curve.results[0]?.trade_date ?? null,
        vs_trade_date: other.results[0]?.trade_date ?? null,
        curve_type: (row ?? vs)?.curve_type ?? null,
        source: [...new Set([row, vs].flatMap((one) => one?.source ?? []))].join('; '),
      };
    });
  return { ...curve, object: 'yield_curve_comparison', results, results_count: results.length };
}

function byMaturity({ results }: Envelope): ReadonlyMap<string, Row> {
  return new Map(results.map((row) => [String(row.maturity), row]));
}

function change(rate: Cell, other: Cell): string | null {
  return typeof rate === 'string' && typeof other === 'string' ? spreadInBasisPoints(rate, other) : null;
}
