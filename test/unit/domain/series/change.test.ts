import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeBetween, hasBaseYear, rescalingOf } from '../../../../src/domain/series/arithmetic.ts';
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

describe('values that changed about alike', () => {
  const pairs = (old: readonly string[], now: readonly string[]) =>
    old.map((value, i) => ({ old: value, new: now[i] ?? '' }));
  /** Quarters of 2006 to 2009Q1 of real GDP as the Philadelphia Fed has them in 2009Q2, in dollars of 2000. */
  const real =
    '11217.3 11291.7 11314.1 11356.4 11357.8 11491.4 11625.7 11620.7 11646 11727.4 11712.4 11522.1 11340.9'.split(
      ' ',
    );
  /** The same as of 2009Q3, in dollars of 2005. */
  const rebased =
    '12915.9 12962.5 12965.9 13060.7 13099.9 13204 13321.1 13391.2 13366.9 13415.3 13324.6 13141.9 12925.4'.split(
      ' ',
    );

  it('are found after a change of base year, with the least and the greatest factor', () => {
    const found = rescalingOf(pairs(real, rebased));
    expect(found?.count).toBe(13);
    expect(found?.least).toBeCloseTo(13324.6 / 11712.4, 10);
    expect(found?.most).toBeCloseTo(13099.9 / 11357.8, 10);
  });

  it('are found in any unit, however large or small', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 12, maxLength: 40 }),
        fc.constantFrom(1000, 100, 12, 0.5, 0.1, 0.001),
        (values, factor) => {
          const found = rescalingOf(
            values.map((value) => ({ old: `${value}`, new: (value * factor).toFixed(6) })),
          );
          expect(found?.count).toBe(values.length);
          expect(found?.least).toBeCloseTo(factor, 5);
          expect(found?.most).toBeCloseTo(factor, 5);
        },
      ),
      { numRuns: runs(100) },
    );
  });

  // Quarters of 2010 to 2013Q1 of GDP on 2013-07-30 and after the comprehensive revision of 2013-07-31 (ALFRED).
  const gdp =
    '14270.3 14413.5 14576.0 14735.9 14814.9 15003.6 15163.2 15321.0 15478.3 15585.6 15811.0 15864.1 15984.1'.split(
      ' ',
    );
  const revised =
    '14672.5 14879.2 15049.8 15231.7 15242.9 15461.9 15611.8 15818.7 16041.6 16160.4 16356.0 16420.3 16535.3'.split(
      ' ',
    );

  it('are found at a single date, where the unit has a base year', () => {
    const [first] = pairs(real, rebased);
    if (first === undefined) throw new Error('there is no pair');
    expect(rescalingOf([first], 'Billions of Chained 2005 Dollars')?.count).toBe(1);
    expect(rescalingOf([first], 'Billions of Dollars')).toBeUndefined();
    expect(rescalingOf([{ old: '100', new: '101.5' }], 'Index 2017=100')).toBeUndefined();
  });

  // Units as FRED writes them, and the Philadelphia Fed.
  it.each([
    ['Billions of Chained 2017 Dollars', true],
    ['Index 1982-1984=100', true],
    ['Index 2017=100', true],
    ['Index Jan 2000=100', true],
    ['Billions of Real Dollars; base year varies by vintage', true],
    ['Billions of Dollars', false],
    ['Percent', false],
    ['Thousands of Persons', false],
    ['Percent Change', false],
  ])('may come from the base year of %s: %s', (unit, has) => {
    expect(hasBaseYear(unit)).toBe(has);
  });

  it.each<readonly [string, readonly { readonly old: string; readonly new: string }[]]>([
    ['a comprehensive revision', pairs(gdp, revised)],
    ['no change', pairs(real, real)],
    ['a change of all dates but one', pairs(real, [...rebased.slice(0, -1), real.at(-1) ?? ''])],
    ['a change of few dates', pairs(real.slice(0, 11), rebased.slice(0, 11))],
    ['changes in both directions', pairs([...real, ...rebased], [...rebased, ...real])],
    [
      'a change of sign',
      pairs(
        real,
        rebased.map((value) => `-${value}`),
      ),
    ],
    [
      'values out of nothing',
      pairs(
        real.map(() => '0'),
        rebased,
      ),
    ],
    [
      'nothing at all',
      pairs(
        real.map(() => '0'),
        real.map(() => '0.0'),
      ),
    ],
    [
      'uneven changes',
      pairs(
        real,
        real.map((value, i) => String(Number(value) * (1.03 + i / 10))),
      ),
    ],
  ])('are not found in %s', (_, given) => {
    expect(rescalingOf(given)).toBeUndefined();
  });
});
