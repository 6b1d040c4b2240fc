import { Decimal } from 'decimal.js';
import type { Day } from '../values/date.ts';
import { withoutNegativeZero } from '../values/decimal.ts';

/** Two exact values of a date; the later revises the earlier. */
type RevisedPair = { readonly date: Day; readonly earlier: string; readonly later: string };

/** Rounded half to even; absent for too few or equal revisions. */
type RevisionStatistics = {
  readonly count: number;
  readonly firstDate: Day | undefined;
  readonly lastDate: Day | undefined;
  readonly mean?: string | undefined;
  /** The mean divided by its standard error, as if revisions were independent. */
  readonly t?: string | undefined;
  /** The mean divided by the Newey-West standard error, which allows for autocorrelation. */
  readonly tHac?: string | undefined;
  readonly meanAbsolute?: string | undefined;
  /** The standard deviation, with the divisor count - 1. */
  readonly sd?: string | undefined;
  readonly upward?: string | undefined;
  readonly sameSign?: string | undefined;
};

/** The digits that keep sums of squares of values with 400 digits more precise than the output. */
const Precise = Decimal.clone({ defaults: true, precision: 1000, rounding: Decimal.ROUND_HALF_EVEN });

type Numbers = readonly Decimal[];

/** Computes the statistics of revisions, whose dates ascend. */
export function revisionStatistics(pairs: readonly RevisedPair[]): RevisionStatistics {
  const count = pairs.length;
  const values = pairs.map(({ earlier, later }) => [new Precise(earlier), new Precise(later)] as const);
  const revisions = values.map(([earlier, later]) => later.minus(earlier));
  const [firstDate, lastDate] = [pairs[0]?.date, pairs.at(-1)?.date];
  if (count === 0) return { count, firstDate, lastDate };
  const total = sum(revisions);
  const mean = total.div(count);
  // Deviations from the mean times the count are exact and short.
  const deviations = revisions.map((revision) => revision.times(count).minus(total));
  const variance = sum(deviations.map((deviation) => deviation.times(deviation))).div(count ** 2);
  const sd = count === 1 ? undefined : variance.div(count - 1).sqrt();
  const error = sd?.div(new Precise(count).sqrt());
  const hac = neweyWest(deviations)
    .div(count ** 3)
    .sqrt();
  const shareOf = (found: number) => new Precise(found).div(count).toFixed(4);
  return {
    count,
    firstDate,
    lastDate,
    mean: rounded(mean),
    t: ratio(mean, error),
    tHac: ratio(mean, hac),
    meanAbsolute: rounded(sum(revisions.map((revision) => revision.abs())).div(count)),
    sd: sd && rounded(sd),
    upward: shareOf(revisions.filter((revision) => revision.gt(0)).length),
    sameSign: shareOf(values.filter(([earlier, later]) => signOf(earlier) === signOf(later)).length),
  };
}

function sum(numbers: Numbers): Decimal {
  return numbers.reduce((total, one) => total.plus(one), new Precise(0));
}

/** Computes the long-run variance, with Bartlett weights up to lag 4 (count / 100)^(2/9), rounded down. */
function neweyWest(deviations: Numbers): Decimal {
  const count = deviations.length;
  const lags = Math.min(count - 1, Math.floor(4 * (count / 100) ** (2 / 9)));
  let variance = covariance(deviations, 0);
  for (let lag = 1; lag <= lags; lag += 1)
    variance = variance.plus(
      covariance(deviations, lag)
        .times(2 * (lags + 1 - lag))
        .div(lags + 1),
    );
  return variance;
}

function covariance(deviations: Numbers, lag: number): Decimal {
  const products = deviations.slice(lag).map((one, i) => one.times(deviations[i] ?? 0));
  return sum(products).div(deviations.length);
}

function ratio(mean: Decimal, error: Decimal | undefined): string | undefined {
  return error === undefined || !error.gt(0) ? undefined : rounded(mean.div(error));
}

function rounded(number: Decimal): string {
  return withoutNegativeZero(number.toFixed(6));
}

function signOf(number: Decimal): number {
  return number.isZero() ? 0 : number.isNegative() ? -1 : 1;
}
