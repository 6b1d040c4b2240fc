import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  canonicalDecimal,
  fullerText,
  parseDecimal,
  sameNumber,
} from '../../../../src/domain/series/decimal.ts';

const Exact = Decimal.clone({ precision: 1000, toExpNeg: -9e15, toExpPos: 9e15 });

const digits = (max: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${max}}$`));
const plain = fc
  .tuple(fc.constantFrom('', '-'), digits(25), fc.option(digits(25)))
  .map(([sign, whole, fraction]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}`);

describe('a decimal', () => {
  test('keeps its published text', () => {
    fc.assert(
      fc.property(plain, (text) => {
        expect(parseDecimal(text)).toBe(text);
      }),
    );
  });

  test('with an exponent is expanded to the same number', () => {
    fc.assert(
      fc.property(
        plain,
        fc.integer({ min: -60, max: 60 }),
        fc.constantFrom('e', 'E'),
        (text, exponent, e) => {
          const expanded = parseDecimal(`${text}${e}${exponent}`) ?? 'none';
          expect(expanded).toMatch(/^-?\d+(\.\d+)?$/);
          expect(new Exact(expanded).eq(new Exact(text).times(new Exact(10).pow(exponent)))).toBe(true);
        },
      ),
    );
  });

  test.each([
    ['1e-398', `0.${'0'.repeat(397)}1`],
    ['1e-399', undefined],
    ['-1e398', `-1${'0'.repeat(398)}`],
    ['-1e399', undefined],
  ])('that an exponent makes longer than 400 characters is refused like its digits: %s', (text, expected) => {
    expect(parseDecimal(text)).toBe(expected);
  });

  test.each([
    ['1.7e4', '17000'],
    ['1.70e1', '17.0'],
    ['5e-7', '0.0000005'],
    ['-1.25E+2', '-125'],
    ['0e5', '0'],
  ])('%s reads %s', (text, expected) => expect(parseDecimal(text)).toBe(expected));

  test.each([
    '',
    ' 1',
    '1 ',
    '+1',
    '.5',
    '1.',
    '1,000',
    '1_000',
    '0x1f',
    'NaN',
    'Infinity',
    '1e',
    '1e1.5',
    '--1',
    '1e99999',
    '１',
  ])('%j is not a decimal', (text) => expect(parseDecimal(text)).toBeUndefined());

  test('that would fill the memory is refused', () => {
    expect(parseDecimal('9'.repeat(401))).toBeUndefined();
    expect(parseDecimal('1e9999')).toBeUndefined();
    expect(parseDecimal('1e-9999')).toBeUndefined();
  });
});

describe('two texts', () => {
  const near = fc.tuple(
    plain,
    fc.constantFrom(
      (text: string) => text,
      (text: string) => `${text.includes('.') ? text : `${text}.`}00`,
      (text: string) => text.replace(/^-?/, '$&00'),
    ),
  );

  test('are one number exactly if they are equal as numbers', () => {
    fc.assert(
      fc.property(near, plain, ([text, write], other) => {
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

  test('have the same fuller text in any order, for any number of texts', () => {
    fc.assert(
      fc.property(plain, plain, plain, (a, b, c) => {
        expect(fullerText(a, b)).toBe(fullerText(b, a));
        expect(fullerText(fullerText(a, b), c)).toBe(fullerText(a, fullerText(b, c)));
        expect(fullerText(a, b).length).toBe(Math.max(a.length, b.length));
      }),
    );
  });
});
