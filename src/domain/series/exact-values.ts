import { Decimal } from 'decimal.js';
import type { Day } from './date.ts';

/**
 * The one configuration of exact arithmetic, in which sums, differences and products of published texts lose no
 * digit.
 */
export const Exact = Decimal.clone({ defaults: true, precision: 2500 });

/** A value of one vintage that is a text or an average of texts, exactly: `sum / count`. */
export type ExactValue = {
  readonly sum: Decimal;
  readonly count: number;
  /** The nearest double, or one next to it. */
  readonly double: number;
  /** The largest number of decimals in its texts. */
  readonly decimals: number;
  /** The first vintage that has all of its texts. */
  readonly since: Day;
};

/**
 * A published text as an exact value; computes the sum on demand, because doubles are precise enough for most
 * results.
 */
export class PublishedText implements ExactValue {
  readonly count = 1;
  readonly double: number;
  readonly decimals: number;
  readonly since: Day;
  readonly #text: string;

  constructor(text: string, since: Day) {
    this.#text = text;
    this.double = Number(text);
    this.decimals = decimalsOf(text);
    this.since = since;
  }

  get sum(): Decimal {
    return new Exact(this.#text);
  }
}

/** The number of decimals of a decimal text. */
function decimalsOf(text: string): number {
  const point = text.indexOf('.');
  return point === -1 ? 0 : text.length - point - 1;
}

/**
 * `part / base`, rounded half to even at a number of decimals. It compares the remainder of an integer division,
 * because a quotient that is first cut to some digits can look like a tie. Zero has no sign.
 */
export function roundedQuotient(part: Decimal, base: Decimal, digits: number): string {
  const scaled = part.times(new Exact(10).pow(digits));
  const quotient = scaled.divToInt(base);
  const twice = scaled.minus(quotient.times(base)).abs().times(2);
  const side = twice.comparedTo(base.abs());
  const away = side > 0 || (side === 0 && !quotient.mod(2).isZero());
  const direction = part.isNegative() === base.isNegative() ? 1 : -1;
  const rounded = away ? quotient.plus(direction) : quotient;
  return rounded.isZero() ? new Exact(0).toFixed(digits) : rounded.times(`1e${-digits}`).toFixed(digits);
}

/** A value as a text, rounded half to even: with the decimals of its texts unless `digits` says how many. */
export function textOfExact({ sum, count, decimals }: ExactValue, digits = decimals): string {
  return roundedQuotient(sum, new Exact(count), digits);
}

/** A number as a double, and how far it may be from the true one. */
export type Estimate = { readonly value: number; readonly error: number };

/** The rounded text of a number if an estimate of it is not near a tie; otherwise undefined. */
export function certainText({ value, error }: Estimate, digits: number): string | undefined {
  const scale = 10 ** digits;
  const scaled = Math.abs(value) * scale;
  const fromTie = Math.abs(scaled - Math.floor(scaled) - 0.5);
  // A double has 53 bits, so the last of more digits are not part of the number.
  if (!(scaled < 2 ** 44) || !(fromTie > error * scale + 2 ** -8)) return undefined;
  return withoutNegativeZero(value.toFixed(digits));
}

/** A number that is computed with some precision, and how far it may be from the true one. */
export type Approximation = { readonly value: Decimal; readonly error: Decimal };

/** If no double is precise enough, decimals are computed with these precisions, one after the other. */
const precisions = [40, 120, 400, 1200];

/**
 * A true number, known through ever better approximations, rounded half to even: tries a double, then decimals with
 * more and more digits. A number that none of them can distinguish from a tie is a tie.
 */
export function roundedApproximation(
  double: Estimate,
  decimal: (arithmetic: typeof Decimal) => Approximation,
  digits: number,
): string {
  const certain = certainText(double, digits);
  if (certain !== undefined) return certain;
  let best: Decimal | undefined;
  for (const precision of precisions) {
    const { value, error } = decimal(Decimal.clone({ defaults: true, precision }));
    best = value;
    const low = value.minus(error).toDecimalPlaces(digits, Decimal.ROUND_HALF_EVEN);
    const high = value.plus(error).toDecimalPlaces(digits, Decimal.ROUND_HALF_EVEN);
    if (low.equals(high)) return withoutNegativeZero(low.toFixed(digits));
  }
  return withoutNegativeZero(
    (best ?? new Exact(0)).toDecimalPlaces(digits + 20).toFixed(digits, Decimal.ROUND_HALF_EVEN),
  );
}

function withoutNegativeZero(text: string): string {
  return /^-0(?:\.0*)?$/.test(text) ? text.slice(1) : text;
}
