import { parseDecimal } from '../domain/series/decimal.ts';
import { Problem } from '../errors/problem.ts';
import { optional, type ParquetColumn } from './parquet-schema.ts';

/** Parquet and its readers hold so many digits in 64 bits, and so many in 128. */
const [fewDigits, mostDigits] = [18, 38];

/** A text and how many digits of it count. */
type Digits = { readonly text: string; readonly count: number };

/**
 * Exact numbers as DECIMAL, with as many decimals as the longest of them has: DECIMAL(18,s), or DECIMAL(38,s) where one
 * needs it, so that files of one question seldom differ in type. More than 38 digits are a Problem that names the value.
 */
export function decimalColumn(name: string): ParquetColumn {
  let whole: Digits = { text: '', count: 0 };
  let fraction: Digits = { text: '', count: 0 };
  const precision = () => (whole.count + fraction.count > fewDigits ? mostDigits : fewDigits);
  return {
    keep(cell) {
      const text = parseDecimal(String(cell));
      if (text === undefined)
        throw refused(`column '${name}' has ${shown(String(cell))}, which is no number`);
      const [digits = '', decimals = ''] = text.replace('-', '').split('.');
      const before = digits.replace(/^0+/, '').length;
      if (before > whole.count) whole = { text, count: before };
      if (decimals.length > fraction.count) fraction = { text, count: decimals.length };
      if (whole.count + fraction.count > mostDigits) throw tooLong(name, whole, fraction);
      return text;
    },
    elements: () => [element(name, precision(), fraction.count)],
    stored: (kept) => kept.map((text) => (text === null ? null : unscaled(String(text), fraction.count))),
  };
}

function element(name: string, precision: number, scale: number) {
  return optional(name, {
    ...(precision === fewDigits ? { type: 'INT64' } : { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16 }),
    converted_type: 'DECIMAL',
    logical_type: { type: 'DECIMAL', precision, scale },
    precision,
    scale,
  });
}

/** The number in units of its last decimal place: `-1.5` at a scale of 3 is -1500. */
function unscaled(text: string, scale: number): bigint {
  const [digits = '', decimals = ''] = text.split('.');
  return BigInt(digits + decimals.padEnd(scale, '0'));
}

function tooLong(name: string, whole: Digits, fraction: Digits): Problem {
  const longest = [whole, fraction].filter(({ count }) => count > 0).map(({ text }) => shown(text));
  const texts = [...new Set(longest)].join(' and ');
  const digits = whole.count + fraction.count;
  return refused(
    `column '${name}' takes ${digits} digits for ${texts}, and Parquet holds at most ${mostDigits}`,
  );
}

function shown(text: string): string {
  return `'${text.length > 60 ? `${text.slice(0, 60)}…` : text}'`;
}

function refused(detail: string): Problem {
  return new Problem('bad-input', detail, { hints: ['-f csv writes every digit; --columns leaves it out'] });
}
