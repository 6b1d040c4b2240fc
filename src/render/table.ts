import type { Field } from '../operations/field.ts';
import { type FieldKind, fieldKinds } from '../operations/field-kinds.ts';
import { cellTexts } from './cell-text.ts';
import { fitWidths } from './column-widths.ts';
import { printable } from './printable.ts';
import type { Layout, TextRenderer } from './renderer.ts';
import { tableLines } from './table-lines.ts';
import { cellWidth, cut } from './terminal-text.ts';

/** Widths are settled by so many rows, so that a table of any length takes bounded memory. */
const measuredRows = 10_000;

/** No text column becomes narrower than this, or than its name. */
const leastText = 8;

/** A column as measured: its kind of cells, the cells they need, and those of the longest fraction (`.25` is 3). */
type Column = {
  readonly name: string;
  readonly kind: FieldKind['alignment'];
  readonly width: number;
  readonly fraction: number;
};

/**
 * A borderless table for people: two spaces between columns, numbers to the right with their points aligned, foreign
 * control characters made visible. Within a `width` long texts are cut with `…`, then the last columns dropped; numbers
 * and days never are cut. Rows after the first 10 000 keep those rows' widths, and a longer number stands out.
 */
export function table({ columns: { fields }, header, width, colour }: Layout): TextRenderer {
  const texts = cellTexts(fields);
  const worded = (text: string, i: number): string => printable(fields[i]?.words?.[text] ?? text);
  let waiting: string[][] = [];
  let columns: readonly Column[] | undefined;

  const lines = (rows: readonly (readonly string[])[], settled: readonly Column[]): string =>
    tableLines(
      rows.map((row) => settled.map((column, i) => cell(column, row[i] ?? '', width !== undefined))),
      settled.map((column) => column.width),
    );

  const open = (): string => {
    const measured = fields.map((field, i) => measure(field, waiting, i));
    columns = width === undefined ? measured : fitted(measured, width);
    const widths = columns.map((column) => column.width);
    const heading = header ? bold(tableLines([columns.map(headingCell)], widths), colour) : '';
    const text = heading + lines(waiting, columns);
    waiting = [];
    return text;
  };

  return {
    page: ({ results }) => {
      const rows = results.map((row) => texts(row).map(worded));
      if (columns !== undefined) return lines(rows, columns);
      waiting = waiting.concat(rows);
      return waiting.length < measuredRows ? '' : open();
    },
    end: () => (columns === undefined ? open() : ''),
    dropped: () => (columns === undefined ? [] : fields.slice(columns.length).map(({ name }) => name)),
  };
}

function measure(field: Field, rows: readonly (readonly string[])[], index: number): Column {
  const kind = fieldKinds[field.type].alignment;
  const name = printable(field.name);
  let widest = 0;
  let fraction = 0;
  for (const row of rows) {
    const text = row[index] ?? '';
    const after = kind === 'number' ? fractionWidth(text) : 0;
    fraction = Math.max(fraction, after);
    widest = Math.max(widest, cellWidth(text) - after);
  }
  return { name, kind, fraction, width: Math.max(cellWidth(name), widest + fraction) };
}

function fractionWidth(text: string): number {
  const point = text.indexOf('.');
  return point === -1 ? 0 : cellWidth(text.slice(point));
}

function fitted(columns: readonly Column[], width: number): Column[] {
  // What names a row, such as the id of a series, gives way last.
  const wishes = columns.map((column, i) => ({
    natural: column.width,
    least: leastWidth(column, i === 0 ? Math.floor(width / 3) : leastText),
  }));
  const widths = fitWidths(wishes, width);
  return columns
    .slice(0, widths.length)
    .map((column, i) => ({ ...column, width: widths[i] ?? column.width }));
}

function leastWidth({ name, kind, width }: Column, least: number): number {
  return kind === 'text' ? Math.min(width, Math.max(least, cellWidth(name))) : width;
}

function cell({ kind, width, fraction }: Column, text: string, limited: boolean): string {
  if (kind !== 'number') return padded(kind === 'text' && limited ? cut(text, width) : text, width);
  const aligned = text + ' '.repeat(Math.max(0, fraction - fractionWidth(text)));
  return ' '.repeat(Math.max(0, width - cellWidth(aligned))) + aligned;
}

function headingCell({ name, kind, width }: Column): string {
  return kind === 'number' ? name.padStart(width - cellWidth(name) + name.length) : padded(name, width);
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - cellWidth(text)));
}

function bold(text: string, colour: boolean): string {
  return colour ? `\u001B[1m${text.trimEnd()}\u001B[22m\n` : text;
}
