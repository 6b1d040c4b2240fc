import { Decimal } from 'decimal.js';
import type { Filing } from './filing.ts';

const exact = Decimal.clone({ precision: 1000 });

/** Shares × price, exact and without trailing zeros; null without either, and for derivatives, whose price is not one of shares. */
export function transactionValue({ isDerivative, shares, pricePerShare }: Filing): string | null {
  if (isDerivative || shares === null || pricePerShare === null) return null;
  return new exact(shares).times(pricePerShare).toFixed();
}
