import type { ColumnSource, SchemaElement } from 'hyparquet-writer';
import { parseDecimal } from '../../domain/series/decimal.ts';
import { Problem } from '../../errors/problem.ts';
import type { Cell } from '../../operations/envelope.ts';
import { type KeptCell, optional, type ParquetColumn } from './column.ts';

/** The decimal digits that Parquet readers hold in 64 and in 128 bits. */
const [fewDigits, mostDigits] = [18, 38];

/** The longest part of a number so far: its text and its digits. */
type LongestDigits = { readonly text: string; readonly count: number };

/**
 * Exact numbers as DECIMAL(18,s), where s is the most decimals of any number; DECIMAL(38,s) if 18 digits are too few. With
 * only two precisions, files of one query rarely differ in type. More than 38 digits are a Problem that names the value.
 */
export class DecimalColumn implements ParquetColumn {
  readonly #name: string;
  #whole: LongestDigits = { text: '', count: 0 };
  #fraction: LongestDigits = { text: '', count: 0 };

  constructor(name: string) {
    this.#name = name;
  }

  keep(cell: Cell | undefined): string {
    const text = parseDecimal(String(cell));
    if (text === undefined)
      throw refused(`column '${this.#name}' has ${shorten(String(cell))}, which is not a number`);
    const [digits = '', decimals = ''] = text.replace('-', '').split('.');
    const before = digits.replace(/^0+/, '').length;
    if (before > this.#whole.count) this.#whole = { text, count: before };
    if (decimals.length > this.#fraction.count) this.#fraction = { text, count: decimals.length };
    if (this.#whole.count + this.#fraction.count > mostDigits)
      throw tooLong(this.#name, this.#whole, this.#fraction);
    return text;
  }

  elements(): readonly SchemaElement[] {
    const precision = this.#whole.count + this.#fraction.count > fewDigits ? mostDigits : fewDigits;
    return [element(this.#name, precision, this.#fraction.count)];
  }

  stored(kept: readonly KeptCell[]): ColumnSource['data'] {
    const scale = this.#fraction.count;
    return kept.map((text) => (text === null ? null : unscaled(String(text), scale)));
  }
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

function tooLong(name: string, whole: LongestDigits, fraction: LongestDigits): Problem {
  const longest = [whole, fraction].filter(({ count }) => count > 0).map(({ text }) => shorten(text));
  const texts = [...new Set(longest)].join(' and ');
  const digits = whole.count + fraction.count;
  return refused(
    `column '${name}' needs ${digits} digits for ${texts}, and Parquet holds at most ${mostDigits}`,
  );
}

function shorten(text: string): string {
  return `'${text.length > 60 ? `${text.slice(0, 60)}…` : text}'`;
}

function refused(detail: string): Problem {
  return new Problem('bad-input', detail, { hints: ['-f csv writes every digit; --columns leaves it out'] });
}
