const longestText = 400;

/** The exact text `-?digits[.digits]` of a number, exponents expanded, nothing rounded; undefined otherwise. */
export function parseDecimal(text: string): string | undefined {
  if (text.length > longestText) return undefined;
  const expanded = /^-?\d+(?:\.\d+)?$/.test(text) ? text : withoutExponent(text);
  return expanded === undefined || expanded.length > longestText ? undefined : expanded;
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

/** One text for each number, so that `1.50`, `01.5` and `1.5` compare as equal. */
export function canonicalDecimal(text: string): string {
  const negative = text.startsWith('-');
  let digits = trimZeros(negative ? text.slice(1) : text);
  if (digits.includes('.')) digits = digits.replace(/\.?0+$/, '');
  return negative && digits !== '0' ? `-${digits}` : digits;
}

/** A rounded text, in which zero has no sign. */
export function withoutNegativeZero(text: string): string {
  return /^-0(?:\.0*)?$/.test(text) ? text.slice(1) : text;
}

/** The number of decimals of a text. */
export function decimalsOf(text: string): number {
  const point = text.indexOf('.');
  return point === -1 ? 0 : text.length - point - 1;
}

/** Whether two values are the same number, or both missing. */
export function sameNumber(a: string | null, b: string | null): boolean {
  if (a === b) return true;
  return a !== null && b !== null && canonicalDecimal(a) === canonicalDecimal(b);
}

/** The longer of two texts of one number, which says more about precision; of equally long ones the first by order. */
export function fullerText(a: string, b: string): string {
  if (a.length !== b.length) return a.length > b.length ? a : b;
  return a < b ? a : b;
}
