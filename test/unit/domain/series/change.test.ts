import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeBetween } from '../../../../src/domain/series/change.ts';
import { runs } from '../../../support/arbitrary.ts';

describe('the change from one value to another', () => {
  // The first three are of U.S. GDP for 2014Q4, and worked out by hand.
  it.each([
    ['17710.7', '17701.3', '-9.4', '-0.0531'],
    ['17735.9', '17735.933', '0.033', '0.0002'],
    ['17849.912', '17852.54', '2.628', '0.0147'],
    ['0.1', '0.3', '0.2', '200.0000'],
    ['1.10', '2.1', '1', '90.9091'],
    ['-4', '-5', '-1', '25.0000'],
    ['-4', '4', '8', '-200.0000'],
    ['5', '0', '-5', '-100.0000'],
    ['0', '5', '5', null],
    ['-0.00', '5', '5', null],
    ['0.0000001', '0.0000003', '0.0000002', '200.0000'],
    [
      '3',
      '9999999999999999999999999999.5',
      '9999999999999999999999999996.5',
      '333333333333333333333333333216.6667',
    ],
  ])('%s, then %s: %s and %s percent', (before, after, change, percent) => {
    expect(changeBetween(before, after)).toEqual({ change, percent });
  });

  it.each([
    ['just below a tie', '2000001', '2000002', '0.0000'],
    ['a tie goes to the even neighbour: down', '2000000', '2000001', '0.0000'],
    ['a tie goes to the even neighbour: up', '2000000', '2000003', '0.0002'],
    ['a tie below zero goes to the even neighbour', '2000000', '1999997', '-0.0002'],
    ['just above a tie', '1999999', '2000000', '0.0001'],
    ['what rounds to nothing has no sign', '2000000', '1999999', '0.0000'],
    [
      'a thousandth of a thousandth above a tie is above it',
      `2000000${'0'.repeat(300)}`,
      `2000001${'0'.repeat(299)}1`,
      '0.0001',
    ],
  ])('%s', (_, before, after, percent) => {
    expect(changeBetween(before, after).percent).toBe(percent);
  });

  it('equals the change of the same integers, for any number of digits', () => {
    const decimal = fc
      .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.integer({ min: 0, max: 12 }))
      .map(([digits, scale]) => textOf(digits, scale));
    fc.assert(
      fc.property(decimal, decimal, (before, after) => {
        const [a, b] = [scaled(before), scaled(after)];
        const { change, percent } = changeBetween(before, after);
        expect(scaled(change)).toBe(b - a);
        expect(percent).toBe(a === 0n ? null : textOf(halfEven((b - a) * 1_000_000n, a), 4));
      }),
      { numRuns: runs(500) },
    );
  });
});

/** A decimal text times 10^12. */
function scaled(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const size = BigInt(whole + fraction.padEnd(12, '0'));
  return text.startsWith('-') ? -size : size;
}

function textOf(digits: bigint, scale: number): string {
  const size = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  const point = size.length - scale;
  const fraction = scale === 0 ? '' : `.${size.slice(point)}`;
  return `${digits < 0n ? '-' : ''}${size.slice(0, point)}${fraction}`;
}

/** The integer nearest to a quotient; of two equally near ones the even. */
function halfEven(part: bigint, base: bigint): bigint {
  const size = (number: bigint) => (number < 0n ? -number : number);
  const [whole, rest] = [size(part) / size(base), size(part) % size(base)];
  const up = rest * 2n > size(base) || (rest * 2n === size(base) && whole % 2n === 1n);
  const rounded = up ? whole + 1n : whole;
  return part < 0n === base < 0n ? rounded : -rounded;
}
