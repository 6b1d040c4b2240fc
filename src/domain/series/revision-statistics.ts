import { Decimal } from 'decimal.js';
import type { Day } from '../values/date.ts';
import { withoutNegativeZero } from '../values/decimal.ts';

type RevisedPair = { readonly date: Day; readonly earlier: string; readonly later: string };

const none = {
  ...{ mean: null, t: null, tHac: null, meanAbsolute: null },
  ...{ sd: null, upward: null, sameSign: null },
};

/** The digits that keep sums of squares of values with 400 digits more precise than the output. */
const Precise = Decimal.clone({ defaults: true, precision: 1000, rounding: Decimal.ROUND_HALF_EVEN });

type Numbers = readonly Decimal[];

/**
 * Computes the statistics of revisions, whose dates ascend; null for too few or equal revisions.
 * `t` is the mean divided by its standard error, as if revisions were independent; `tHac` allows for autocorrelation,
 * by Newey and West. The divisor of the standard deviation is count - 1.
 */
export function revisionStatistics(pairs: readonly RevisedPair[]) {
  const count = pairs.length;
  const values = pairs.map(({ earlier, later }) => [new Precise(earlier), new Precise(later)] as const);
  const revisions = values.map(([earlier, later]) => later.minus(earlier));
  const range = { count, firstDate: pairs[0]?.date ?? null, lastDate: pairs.at(-1)?.date ?? null };
  if (count === 0) return { ...range, ...none };
  const total = Precise.sum(0, ...revisions);
  const mean = total.div(count);
  // Deviations from the mean times the count are exact and short.
  const deviations = revisions.map((revision) => revision.times(count).minus(total));
  const variance = Precise.sum(...deviations.map((deviation) => deviation.pow(2))).div(count ** 2);
  const sd = count === 1 ? undefined : variance.div(count - 1).sqrt();
  const error = sd?.div(new Precise(count).sqrt());
  const hac = neweyWest(deviations)
    .div(count ** 3)
    .sqrt();
  const shareOf = (found: number) => new Precise(found).div(count).toFixed(4);
  return {
    ...range,
    mean: rounded(mean),
    t: ratio(mean, error),
    tHac: ratio(mean, hac),
    meanAbsolute: rounded(Precise.sum(0, ...revisions.map((revision) => revision.abs())).div(count)),
    sd: sd === undefined ? null : rounded(sd),
    upward: shareOf(revisions.filter((revision) => revision.gt(0)).length),
    sameSign: shareOf(values.filter(([earlier, later]) => earlier.cmp(0) === later.cmp(0)).length),
  };
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
  return Precise.sum(...products).div(deviations.length);
}

function ratio(mean: Decimal, error: Decimal | undefined): string | null {
  return error?.gt(0) === true ? rounded(mean.div(error)) : null;
}

function rounded(number: Decimal): string {
  return withoutNegativeZero(number.toFixed(6));
}
