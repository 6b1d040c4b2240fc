import Table from 'cli-table3';
import { gap } from './column-widths.ts';
import { cellWidth } from './terminal-text.ts';

/** cli-table3 takes time with the square of the rows, so it is given so many at once. */
const mostRows = 100;

/** A character of one cell that no table contains as such: where it stands, a text is put in afterwards. */
const standIn = '\uE000';
const standIns = /\uE000+/g;

const plain = /^[ -~]*$/;
const noBorders = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid'].flatMap((side) =>
    ['', '-mid', '-left', '-right'].map((corner) => [side + corner, '']),
  ),
);

/** The cells of a row. */
type Cells = readonly string[];

/** A text and the cells of the terminal that it takes. */
type Measured = { readonly text: string; readonly width: number };

/**
 * Lines of cells that are as wide as their columns, without borders or colours, and without blanks at their ends.
 * A cell that is wider than its column pushes the rest of its own line to the right.
 */
export function tableLines(rows: readonly Cells[], widths: readonly number[]): string {
  const measured = rows.map((row) => row.map((text) => ({ text, width: cellWidth(text) })));
  return chunks(measured, widths)
    .map((chunk) => drawn(chunk, widths))
    .join('');
}

/** Rows that fit come many at once, each row that does not comes alone. */
function chunks(rows: readonly Measured[][], widths: readonly number[]): Measured[][][] {
  const all: Measured[][][] = [];
  let alone = true;
  for (const row of rows) {
    const last = all.at(-1);
    const wide = row.some((cell, i) => cell.width > (widths[i] ?? 0));
    if (last === undefined || alone || wide || last.length === mostRows) all.push([row]);
    else last.push(row);
    alone = wide;
  }
  return all;
}

function drawn(rows: readonly Measured[][], widths: readonly number[]): string {
  const table = new Table({
    chars: { ...noBorders, middle: ' '.repeat(gap) },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
    colWidths: widths.map((width, i) => Math.max(width, ...rows.map((row) => row[i]?.width ?? 0))),
  });
  const foreign: string[] = [];
  for (const row of rows) table.push(row.map((cell) => countable(cell, foreign)));
  const lines = table.toString().split('\n');
  return lines.map((line) => `${line.replace(standIns, () => foreign.shift() ?? '').trimEnd()}\n`).join('');
}

/** A text whose cells cli-table3 counts as we do: it has its own way with emoji and rare characters. */
function countable({ text, width }: Measured, foreign: string[]): string {
  if (plain.test(text)) return text;
  foreign.push(text);
  return standIn.repeat(width);
}
