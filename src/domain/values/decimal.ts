const longestText = 400;

/** Parses a number into the exact text `-?digits[.digits]`, exponents expanded, nothing rounded. */
export function parseDecimal(text: string): string | undefined {
  if (text.length > longestText) return undefined;
  const expanded = /^-?\d+(?:\.\d+)?$/.test(text) ? text : withoutExponent(text);
  return expanded === undefined || expanded.length > longestText ? undefined : expanded;
}

/** Explains why a text of the form of a number is none that `parseDecimal` reads; undefined for any other text. */
export function faultOfDecimal(text: string): string | undefined {
  if (!/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) || parseDecimal(text) !== undefined) return undefined;
  return `use a number of at most ${longestText} characters without an exponent`;
}

function withoutExponent(text: string): string | undefined {
  const parts = /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d{1,4})$/.exec(text);
  if (parts === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (Math.abs(point) > longestText) return undefined;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + trimZeros(digits.padEnd(point, '0'));
  return `${sign}${trimZeros(digits.slice(0, point))}.${digits.slice(point)}`;
}

function trimZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '');
}

/** Returns one text for each number: `1.50`, `01.5` and `1.5` then compare as equal. */
export function canonicalDecimal(text: string): string {
  // Most texts begin and end with another digit than zero, and are canonical.
  if (text.charAt(0) > '0' && !text.endsWith('0')) return text;
  const negative = text.startsWith('-');
  let digits = trimZeros(negative ? text.slice(1) : text);
  if (digits.includes('.')) digits = digits.replace(/\.?0+$/, '');
  return negative && digits !== '0' ? `-${digits}` : digits;
}

/** Removes the sign of zero from a rounded text. */
export function withoutNegativeZero(text: string): string {
  return /^-0(?:\.0*)?$/.test(text) ? text.slice(1) : text;
}

/** Counts the decimals of a text. */
export function decimalsOf(text: string): number {
  const point = text.indexOf('.');
  return point === -1 ? 0 : text.length - point - 1;
}

/** Tells whether two values are the same number, or both missing. */
export function sameNumber(a: string | null, b: string | null): boolean {
  if (a === b) return true;
  return a !== null && b !== null && canonicalDecimal(a) === canonicalDecimal(b);
}

/** Returns the longer of two texts of a number, which is more precise; of equally long texts, the lesser. */
export function fullerText(a: string, b: string): string {
  if (a.length !== b.length) return a.length > b.length ? a : b;
  return a < b ? a : b;
}

/** The numbers that a column of a Parquet file can hold: decimals, integers, or numbers in single precision. */
export type HeldNumbers =
  | { readonly precision: number; readonly scale: number }
  | { readonly bits: 8 | 16 | 32 | 64; readonly isSigned: boolean }
  | 'single';
