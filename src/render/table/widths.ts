/** The width that a column needs, and the width to which it may be cut; equal for a column that may not be cut. */
export type ColumnWish = { readonly natural: number; readonly least: number };

/** The cells between two columns. */
export const gap = 2;

/**
 * Fits columns into a line of `width` cells: narrows the widest first; if that is not enough, leaves out columns from the
 * end (the result is shorter then), but never the first.
 */
export function fitWidths(wishes: readonly ColumnWish[], width: number): number[] {
  for (let kept = wishes.length; kept > 1; kept -= 1) {
    const widths = narrow(wishes.slice(0, kept), width - gap * (kept - 1));
    if (widths !== undefined) return widths;
  }
  return wishes.slice(0, 1).map(({ natural, least }) => Math.max(least, Math.min(natural, width)));
}

/** Applies the highest limit to all widths that keeps their sum within `room`; undefined if no limit does. */
function narrow(wishes: readonly ColumnWish[], room: number): number[] | undefined {
  const limitedTo = (limit: number) =>
    wishes.map(({ natural, least }) => Math.max(least, Math.min(natural, limit)));
  let low = 0;
  let high = Math.max(...wishes.map(({ natural }) => natural));
  if (sum(limitedTo(low)) > room) return undefined;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sum(limitedTo(middle)) <= room) low = middle;
    else high = middle - 1;
  }
  return limitedTo(low);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
