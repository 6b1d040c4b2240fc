/** How wide a column wants to be, and how narrow it may become; a column that may not be cut has both the same. */
export type Wish = { readonly natural: number; readonly least: number };

/** The cells between two columns. */
export const gap = 2;

/**
 * The widths with which columns fit into a line of `width` cells: the widest give way first; if that is not enough,
 * columns are left out from the end (the list is shorter then), but never the first.
 */
export function fitWidths(wishes: readonly Wish[], width: number): number[] {
  for (let kept = wishes.length; kept > 1; kept -= 1) {
    const widths = squeezed(wishes.slice(0, kept), width - gap * (kept - 1));
    if (widths !== undefined) return widths;
  }
  return wishes.slice(0, 1).map(({ natural, least }) => Math.max(least, Math.min(natural, width)));
}

/** The widths under the highest common ceiling that keeps their sum within `room`, or undefined when none does. */
function squeezed(wishes: readonly Wish[], room: number): number[] | undefined {
  const under = (ceiling: number) =>
    wishes.map(({ natural, least }) => Math.max(least, Math.min(natural, ceiling)));
  let low = 0;
  let high = Math.max(...wishes.map(({ natural }) => natural));
  if (sum(under(low)) > room) return undefined;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sum(under(middle)) <= room) low = middle;
    else high = middle - 1;
  }
  return under(low);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
