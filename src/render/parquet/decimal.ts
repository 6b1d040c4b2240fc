import { parseDecimal } from '../../domain/series/decimal.ts';
import { Problem } from '../../errors/problem.ts';
import type { Cell } from '../../operations/envelope.ts';
import { optional, type ParquetColumn } from './column.ts';

/**
 * The type of every number: the most digits that readers of Parquet hold, and room for the decimals of a double. Readers
 * take the type of a set of files from one of them, and round the others to it, so that all files have the same type.
 */
const [precision, scale] = [38, 18];

/** Exact numbers as DECIMAL(38,18). A number with more digits is a Problem that names it. */
export function decimalColumn(name: string): ParquetColumn {
  const type = {
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: 16,
    converted_type: 'DECIMAL',
    logical_type: { type: 'DECIMAL', precision, scale },
    precision,
    scale,
  } as const;
  return { elements: [optional(name, type)], stored: (cell) => unscaled(name, cell) };
}

/** The number in units of the last decimal place of the type. */
function unscaled(name: string, cell: Cell | undefined): bigint {
  const text = parseDecimal(String(cell));
  if (text === undefined)
    throw refused(`column '${name}' has ${shorten(String(cell))}, which is not a number`);
  const [digits = '', decimals = ''] = text.replace('-', '').split('.');
  const whole = digits.replace(/^0+/, '');
  const fraction = decimals.replace(/0+$/, '');
  if (whole.length > precision - scale || fraction.length > scale)
    throw refused(
      `column '${name}' has ${shorten(text)}, and numbers in Parquet have at most ${precision - scale} digits before the point and ${scale} after it`,
    );
  const units = BigInt(whole + fraction.padEnd(scale, '0'));
  return text.startsWith('-') ? -units : units;
}

function shorten(text: string): string {
  return `'${text.length > 60 ? `${text.slice(0, 60)}…` : text}'`;
}

function refused(detail: string): Problem {
  return new Problem('bad-input', detail, { hints: ['-f csv writes every digit; --columns leaves it out'] });
}
