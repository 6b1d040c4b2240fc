import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { revisionStatistics } from '../../../../src/domain/series/revision-statistics.ts';
import { changeBetween, hasBaseYear, rescalingOf } from '../../../../src/domain/values/arithmetic.ts';
import { addDays } from '../../../../src/domain/values/date.ts';
import {
  canonicalDecimal,
  decimalsOf,
  fullerText,
  parseDecimal,
  sameNumber,
} from '../../../../src/domain/values/decimal.ts';
import { runs } from '../../../support/arbitrary.ts';

const Exact = Decimal.clone({ precision: 1000, toExpNeg: -9e15, toExpPos: 9e15 });

const digits = (max: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${max}}$`));
const plain = fc
  .tuple(fc.constantFrom('', '-'), digits(25), fc.option(digits(25)))
  .map(([sign, whole, fraction]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}`);

describe('a decimal', () => {
  it('keeps its published text', () => {
    fc.assert(fc.property(plain, (text) => void expect(parseDecimal(text)).toBe(text)));
  });

  it('with an exponent is expanded to the same number', () => {
    const exponents = fc.tuple(fc.constantFrom('e', 'E'), fc.integer({ min: -60, max: 60 }));
    fc.assert(
      fc.property(plain, exponents, (text, [e, exponent]) => {
        const expanded = parseDecimal(`${text}${e}${exponent}`) ?? 'none';
        expect(expanded).toMatch(/^-?\d+(\.\d+)?$/);
        expect(new Exact(expanded).eq(new Exact(text).times(new Exact(10).pow(exponent)))).toBe(true);
      }),
    );
  });

  it.each([
    ['1.7e4', '17000'],
    ['1.70e1', '17.0'],
    ['5e-7', '0.0000005'],
    ['-1.25E+2', '-125'],
    ['0e5', '0'],
    // More than 400 characters would fill the memory.
    ['1e-398', `0.${'0'.repeat(397)}1`],
    ['-1e398', `-1${'0'.repeat(398)}`],
  ])('%s reads %s', (text, expected) => expect(parseDecimal(text)).toBe(expected));

  it.each(
    ['', ' 1', '1 ', '+1', '.5', '1.', '1,000', '1_000', '0x1f', 'NaN', 'Infinity', '1e', '1e1.5', '--1']
      .concat(['1e99999', '1e9999', '1e-9999', '1e-399', '-1e399', '１'])
      .concat('9'.repeat(401)),
  )('%j is not a decimal', (text) => expect(parseDecimal(text)).toBeUndefined());
});

describe('two texts', () => {
  const respelled = fc.constantFrom(
    (text: string) => text,
    (text: string) => `${text.includes('.') ? text : `${text}.`}00`,
    (text: string) => text.replace(/^-?/, '$&00'),
  );

  it('are one number exactly if they are equal as numbers', () => {
    fc.assert(
      fc.property(plain, respelled, plain, (text, write, other) => {
        expect(sameNumber(text, write(text))).toBe(true);
        expect(sameNumber(text, other)).toBe(new Exact(text).eq(other));
        expect(canonicalDecimal(text)).toBe(canonicalDecimal(write(text)));
        expect(sameNumber(text, null)).toBe(false);
      }),
    );
    expect(sameNumber('0', '-0.00')).toBe(true);
    expect(sameNumber(null, null)).toBe(true);
    expect(sameNumber('0.1', '0.10000000000000000000000000000001')).toBe(false);
  });

  it('have the same fuller text in any order, for any number of texts', () => {
    fc.assert(
      fc.property(plain, plain, plain, (a, b, c) => {
        expect(fullerText(a, b)).toBe(fullerText(b, a));
        expect(fullerText(fullerText(a, b), c)).toBe(fullerText(a, fullerText(b, c)));
        expect(fullerText(a, b).length).toBe(Math.max(a.length, b.length));
      }),
    );
  });
});

describe('the change from one value to another', () => {
  // The first three are of U.S. GDP for 2014Q4, and worked out by hand.
  it.each([
    ['17710.7', '17701.3', '-9.4', '-0.0531'],
    ['17735.9', '17735.933', '0.033', '0.0002'],
    ['17849.912', '17852.54', '2.628', '0.0147'],
    ['1.10', '2.1', '1.00', '90.9091'],
    ['-4', '-5', '-1', '25.0000'],
    ['-4', '4', '8', '-200.0000'],
    ['5', '0', '-5', '-100.0000'],
    ['0', '5', '5', null],
    ['-0.00', '5', '5.00', null],
    ['0.0000001', '0.0000003', '0.0000002', '200.0000'],
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
    ['a trace above a tie is above it', `2000000${'0'.repeat(300)}`, `2000001${'0'.repeat(299)}1`, '0.0001'],
  ])('%s', (_, before, after, percent) => {
    expect(changeBetween(before, after).percent).toBe(percent);
  });

  it('equals the change of the same integers, for any number of digits', () => {
    const decimal = fc
      .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.integer({ min: 0, max: 12 }))
      .map(([number, scale]) => textOf(number, scale));
    fc.assert(
      fc.property(decimal, decimal, (before, after) => {
        const [a, b] = [scaled(before), scaled(after)];
        const { change, percent } = changeBetween(before, after);
        expect(scaled(change)).toBe(b - a);
        expect(decimalsOf(change)).toBe(Math.max(decimalsOf(before), decimalsOf(after)));
        expect(percent).toBe(a === 0n ? null : textOf(halfEven((b - a) * 1_000_000n, a), 4));
      }),
      { numRuns: runs(300) },
    );
  });
});

/** A decimal text times 10^12. */
function scaled(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const size = BigInt(whole + fraction.padEnd(12, '0'));
  return text.startsWith('-') ? -size : size;
}

function textOf(number: bigint, scale: number): string {
  const size = String(number < 0n ? -number : number).padStart(scale + 1, '0');
  const point = size.length - scale;
  const fraction = scale === 0 ? '' : `.${size.slice(point)}`;
  return `${number < 0n ? '-' : ''}${size.slice(0, point)}${fraction}`;
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
  const figures = (text: string) => text.split(' ');
  // Quarters of 2006 to 2009Q1 of real GDP as the Philadelphia Fed has them in 2009Q2, in dollars of 2000.
  const real = figures(
    '11217.3 11291.7 11314.1 11356.4 11357.8 11491.4 11625.7 11620.7 11646 11727.4 11712.4 11522.1 11340.9',
  );
  // The same as of 2009Q3, in dollars of 2005.
  const rebased = figures(
    '12915.9 12962.5 12965.9 13060.7 13099.9 13204 13321.1 13391.2 13366.9 13415.3 13324.6 13141.9 12925.4',
  );
  // Quarters of 2010 to 2013Q1 of GDP on 2013-07-30 and after the comprehensive revision of 2013-07-31 (ALFRED).
  const gdp = figures(
    '14270.3 14413.5 14576.0 14735.9 14814.9 15003.6 15163.2 15321.0 15478.3 15585.6 15811.0 15864.1 15984.1',
  );
  const revised = figures(
    '14672.5 14879.2 15049.8 15231.7 15242.9 15461.9 15611.8 15818.7 16041.6 16160.4 16356.0 16420.3 16535.3',
  );

  it('are found after a change of base year, with the least and the greatest factor', () => {
    const found = rescalingOf(pairs(real, rebased));
    expect(found?.count).toBe(13);
    expect(found?.least).toBeCloseTo(13324.6 / 11712.4, 10);
    expect(found?.most).toBeCloseTo(13099.9 / 11357.8, 10);
  });

  it('are found in any unit, however large or small', () => {
    const levels = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 12, maxLength: 40 });
    fc.assert(
      fc.property(levels, fc.constantFrom(1000, 100, 12, 0.5, 0.1, 0.001), (values, factor) => {
        const found = rescalingOf(
          values.map((value) => ({ old: `${value}`, new: (value * factor).toFixed(6) })),
        );
        expect(found?.count).toBe(values.length);
        expect(found?.least).toBeCloseTo(factor, 5);
        expect(found?.most).toBeCloseTo(factor, 5);
      }),
      { numRuns: runs(50) },
    );
  });

  it('are found at a single date, where the unit has a base year', () => {
    const first = pairs(real, rebased).slice(0, 1);
    expect(rescalingOf(first, 'Billions of Chained 2005 Dollars')?.count).toBe(1);
    expect(rescalingOf(first, 'Billions of Dollars')).toBeUndefined();
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

  const zeros = real.map(() => '0');
  it.each([
    ['a comprehensive revision', gdp, revised],
    ['no change', real, real],
    ['a change of all dates but one', real, [...rebased.slice(0, -1), real.at(-1) ?? '']],
    ['a change of few dates', real.slice(0, 11), rebased.slice(0, 11)],
    ['changes in both directions', [...real, ...rebased], [...rebased, ...real]],
    ['a change of sign', real, rebased.map((value) => `-${value}`)],
    ['values out of nothing', zeros, rebased],
    ['nothing at all', zeros, real.map(() => '0.0')],
    ['uneven changes', real, real.map((value, i) => String(Number(value) * (1.03 + i / 10)))],
  ])('are not found in %s', (_, old, now) => {
    expect(rescalingOf(pairs(old, now))).toBeUndefined();
  });
});

describe('statistics of revisions', () => {
  /** The statistics of pairs of values on successive days. */
  const statistics = (...values: readonly (readonly [earlier: string, later: string])[]) =>
    revisionStatistics(
      values.map(([earlier, later], i) => ({ date: addDays('2014-01-01', i), earlier, later })),
    );

  it('are those of a textbook', () => {
    // The revisions 1, -1, 2 and 0: mean 0.5, sum of squares about it 5.
    expect(statistics(['1', '2'], ['0.5', '-0.5'], ['-3', '-1'], ['0', '0.0'])).toEqual({
      count: 4,
      firstDate: '2014-01-01',
      lastDate: '2014-01-04',
      mean: '0.500000',
      // The root of 5/3, and 0.5 divided by half of that.
      sd: '1.290994',
      t: '0.774597',
      // One lag: variance 5/4 and covariance -15/16, counted twice with weight 1/2; 0.5 divided by the root of 5/64.
      tHac: '1.788854',
      meanAbsolute: '1.000000',
      upward: '0.5000',
      sameSign: '0.7500',
    });
  });

  it('have no deviation of one revision, no t-value where all are equal, and nothing of none', () => {
    const { mean, sd, t, tHac } = statistics(['1', '2']);
    expect([mean, sd, t, tHac]).toEqual(['1.000000', null, null, null]);
    const equal = statistics(['1', '2'], ['2', '3']);
    expect([equal.sd, equal.t, equal.tHac]).toEqual(['0.000000', null, null]);
    expect(statistics()).toMatchObject({ count: 0, firstDate: null, mean: null, upward: null });
  });

  it('are exact where doubles are not, and round half to even', () => {
    expect(statistics(['10000000000000000.1', '10000000000000000.2'], ['0', '0.100001'])).toMatchObject({
      mean: '0.100000',
      meanAbsolute: '0.100000',
    });
  });

  it('are what a calculation in doubles gives, but for its errors', () => {
    const value = fc.integer({ min: -9999, max: 9999 }).map((cents) => (cents / 100).toFixed(2));
    const pairs = fc.array(fc.tuple(value, value), { minLength: 2, maxLength: 60 });
    fc.assert(
      fc.property(pairs, (values) => {
        const found = statistics(...values);
        const revisions = values.map(([earlier, later]) => Number(later) - Number(earlier));
        const n = revisions.length;
        const mean = revisions.reduce((a, b) => a + b, 0) / n;
        const about = revisions.map((one) => one - mean);
        const gamma = (lag: number) =>
          about.slice(lag).reduce((sum, one, i) => sum + one * (about[i] ?? 0), 0) / n;
        const lags = Math.min(n - 1, Math.floor(4 * (n / 100) ** (2 / 9)));
        let hac = gamma(0);
        for (let lag = 1; lag <= lags; lag += 1) hac += 2 * (1 - lag / (lags + 1)) * gamma(lag);
        const sd = Math.sqrt((gamma(0) * n) / (n - 1));
        expect(Number(found.mean)).toBeCloseTo(mean, 5);
        expect(Number(found.sd)).toBeCloseTo(sd, 5);
        expect(Number(found.meanAbsolute)).toBeCloseTo(revisions.reduce((a, b) => a + Math.abs(b), 0) / n, 5);
        if (sd > 0.01)
          expect(Number(found.t) / (mean / (sd / Math.sqrt(n)) || 1)).toBeCloseTo(mean === 0 ? 0 : 1, 2);
        if (hac > 0.01 && Math.abs(mean) > 0.01)
          expect(Number(found.tHac) / (mean / Math.sqrt(hac / n))).toBeCloseTo(1, 2);
      }),
      { numRuns: runs(25) },
    );
  });
});
