import Table from 'cli-table3';
import { cellWidth } from '../terminal-text.ts';

/** Rows per call of cli-table3, whose time grows with the square of the rows. */
const rowsPerCall = 100;

/** A character of one cell that no text contains; it reserves the cells of a text that is inserted later. */
const placeholder = '\uE000';
const placeholders = /\uE000+/g;

const plain = /^[ -~]*$/;
const noBorders = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid'].flatMap((side) =>
    ['', '-mid', '-left', '-right'].map((corner) => [side + corner, '']),
  ),
);

/** A text and its width in terminal cells. */
type MeasuredText = { readonly text: string; readonly width: number };

/**
 * Lays out rows in columns of these widths, without borders, colours or trailing blanks. A cell that is wider than its
 * column moves the rest of its own line to the right.
 */
export function tableLines(rows: readonly (readonly string[])[], widths: readonly number[]): string {
  const measured = rows.map((row) => row.map((text) => ({ text, width: cellWidth(text) })));
  return split(measured, widths)
    .map((part) => draw(part, widths))
    .join('');
}

/** Groups rows that fit their columns; a row that does not fit is a group by itself. */
function split(rows: readonly MeasuredText[][], widths: readonly number[]): MeasuredText[][][] {
  const groups: MeasuredText[][][] = [];
  let alone = true;
  for (const row of rows) {
    const last = groups.at(-1);
    const tooWide = row.some((cell, i) => cell.width > (widths[i] ?? 0));
    if (last === undefined || alone || tooWide || last.length === rowsPerCall) groups.push([row]);
    else last.push(row);
    alone = tooWide;
  }
  return groups;
}

function draw(rows: readonly MeasuredText[][], widths: readonly number[]): string {
  const table = new Table({
    chars: { ...noBorders, middle: ' '.repeat(gap) },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
    colWidths: widths.map((width, i) => Math.max(width, ...rows.map((row) => row[i]?.width ?? 0))),
  });
  const replaced: string[] = [];
  for (const row of rows) table.push(row.map((cell) => replaceUncommon(cell, replaced)));
  const lines = table.toString().split('\n');
  return lines
    .map((line) => `${line.replace(placeholders, () => replaced.shift() ?? '').trimEnd()}\n`)
    .join('');
}

/** Replaces a text that is not ASCII by placeholders: cli-table3 measures emoji and rare characters differently. */
function replaceUncommon({ text, width }: MeasuredText, replaced: string[]): string {
  if (plain.test(text)) return text;
  replaced.push(text);
  return placeholder.repeat(width);
}

/** The width that a column needs, and the width to which it may be cut; equal for a column that may not be cut. */
export type ColumnWish = { readonly natural: number; readonly least: number };

/** The cells between two columns. */
export const gap = 2;

/**
 * Fits columns into a line of `width` cells: narrows the widest first; if that is not enough, leaves out columns from
 * the end (the result is shorter then), but never the first.
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
