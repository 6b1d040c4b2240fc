import { spreadInBasisPoints } from '../domain/series/change.ts';
import { monthsOf } from '../domain/treasury/curve.ts';
import type { Cell, Envelope, Row } from '../operations/envelope.ts';

/** A curve beside another: a row for each maturity that either has, shortest first. */
export function compared(curve: Envelope, other: Envelope): Envelope {
  const [rates, otherRates] = [byMaturity(curve), byMaturity(other)];
  const names = [...new Set([...rates.keys(), ...otherRates.keys()])];
  const results = names
    .sort((a, b) => monthsOf(a) - monthsOf(b))
    .map((maturity): Row => {
      const [row, vs] = [rates.get(maturity), otherRates.get(maturity)];
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
