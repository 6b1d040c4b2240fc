import { spreadInBasisPoints } from '../domain/series/change.ts';
import { monthsOf } from '../domain/treasury/curve.ts';
import type { RateRow } from '../operations/curve.ts';
import type { Envelope } from '../operations/envelope.ts';
import type { CurveComparisonRow } from './layouts.ts';

/** A curve beside another: a row for each maturity that either has, shortest first. */
export function compared(curve: Envelope<RateRow>, other: Envelope<RateRow>): Envelope<CurveComparisonRow> {
  const [rates, otherRates] = [byMaturity(curve), byMaturity(other)];
  const names = new Set([...rates.keys(), ...otherRates.keys()]);
  const results = [...names]
    .sort((a, b) => monthsOf(a) - monthsOf(b))
    .map((maturity) => {
      const [row, vs] = [rates.get(maturity), otherRates.get(maturity)];
      const [rate, vsRate] = [row?.rate ?? null, vs?.rate ?? null];
      return {
        maturity,
        rate,
        vs_rate: vsRate,
        change_bps: change(rate, vsRate),
        trade_date: curve.results[0]?.trade_date ?? null,
        vs_trade_date: other.results[0]?.trade_date ?? null,
        curve_type: (row ?? vs)?.curve_type ?? '',
        source: [...new Set([row, vs].flatMap((one) => one?.source ?? []))].join('; '),
      };
    });
  return { ...curve, object: 'yield_curve_comparison', results, results_count: results.length };
}

function byMaturity({ results }: Envelope<RateRow>): ReadonlyMap<string, RateRow> {
  return new Map(results.map((row) => [row.maturity, row]));
}

function change(rate: string | null, other: string | null): string | null {
  return rate === null || other === null ? null : spreadInBasisPoints(rate, other);
}
