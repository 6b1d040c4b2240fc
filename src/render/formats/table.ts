import Table from 'cli-table3';
import { type Field, type FieldKind, fieldKinds } from '../../operations/field.ts';
import { cellTexts } from '../columns.ts';
import { printable } from '../printable.ts';
import { lineRenderer, type OutputLayout, type TextRenderer } from '../renderer.ts';
import { cellWidth, cut } from '../terminal-text.ts';

/** The rows that decide the widths of columns; bounded, as is the memory. */
const measuredRows = 10_000;

/** How early a column gets its place, and the least width of its texts. */
const ranks = { high: { place: 1, least: 32 }, usual: { place: 2, least: 8 }, low: { place: 3, least: 8 } };

/** A column with the width of its cells and of fractions (`.25`: 3). */
type TableColumn = {
  readonly index: number;
  readonly name: string;
  readonly rank: Field['rank'] | undefined;
  /** Numbers align at the decimal point; texts may be cut; days and flags (`rigid`) may not. */
  readonly kind: FieldKind['alignment'];
  readonly width: number;
  readonly fraction: number;
};

/**
 * Renders a table for people: two spaces between columns, numbers aligned, control characters as pictures.
 * With a `width` it cuts long texts with `…`, then drops columns of the lowest rank, the last one first;
 * it never cuts numbers and days. Default columns then have their short heads.
 * The first 10 000 rows decide the widths; a longer number in a later row stays whole.
 */
export function tableRenderer(layout: OutputLayout): TextRenderer {
  const { header, width, colour } = layout;
  const { fields, chosen } = layout.columns;
  const isPlain = width === undefined || chosen;
  const texts = cellTexts(fields);
  let waiting: string[][] = [];
  let columns: readonly TableColumn[] | undefined;

  const lines = (rows: readonly (readonly string[])[], shown: readonly TableColumn[]) =>
    tableLines(
      rows.map((row) =>
        shown.map((column) => cellText(column, row[column.index] ?? '', width !== undefined)),
      ),
      shown,
    );
  const begin = (): string => {
    const measured = fields.map(({ name, type, head = name, rank }, index): TableColumn => {
      const shown = printable(isPlain ? name : head);
      const kind = fieldKinds[type].alignment;
      const cells = waiting.map((row) => row[index] ?? '');
      return { index, name: shown, kind, rank: isPlain ? undefined : rank, ...measure(shown, kind, cells) };
    });
    columns = width === undefined ? measured : fitColumns(measured, width);
    const heading = tableLines([columns.map(({ name }) => name)], columns).trimEnd();
    const text = (header ? `${bold(heading, colour)}\n` : '') + lines(waiting, columns);
    waiting = [];
    return text;
  };
  return {
    page({ results }) {
      const rows = results.map((row) => texts(row).map((text) => printable(text)));
      if (columns !== undefined) return lines(rows, columns);
      waiting = waiting.concat(rows);
      return waiting.length < measuredRows ? '' : begin();
    },
    end: () => (columns === undefined ? begin() : ''),
    dropped() {
      const shown = new Set(columns?.map(({ index }) => index) ?? fields.keys());
      return fields.filter((_, index) => !shown.has(index)).map(({ name }) => name);
    },
  };
}

function measure(name: string, kind: TableColumn['kind'], cells: readonly string[]) {
  let [widest, fraction] = [0, 0];
  for (const text of cells) {
    const after = kind === 'number' ? fractionWidth(text) : 0;
    fraction = Math.max(fraction, after);
    widest = Math.max(widest, cellWidth(text) - after);
  }
  return { fraction, width: Math.max(cellWidth(name), widest + fraction) };
}

function fractionWidth(text: string): number {
  const point = text.indexOf('.');
  return point === -1 ? 0 : cellWidth(text.slice(point));
}

function fitColumns(columns: readonly TableColumn[], width: number): TableColumn[] {
  // The first column names the row, such as the id of a series: it keeps a third of the line.
  const placeOf = ({ index, rank }: TableColumn) => (index === 0 ? 0 : ranks[rank ?? 'usual'].place);
  const ranked = [...columns].sort((a, b) => placeOf(a) - placeOf(b));
  const wishes = ranked.map(({ index, kind, name, rank, width: natural }) => {
    const least = index === 0 ? Math.floor(width / 3) : ranks[rank ?? 'usual'].least;
    return {
      natural,
      least: kind === 'text' ? Math.min(natural, Math.max(least, cellWidth(name))) : natural,
    };
  });
  const widths = fitWidths(wishes, width);
  return ranked
    .slice(0, widths.length)
    .map((column, i) => ({ ...column, width: widths[i] ?? column.width }))
    .sort((a, b) => a.index - b.index);
}

/** Cuts a cell to its column if allowed; pads a number for the longest fraction of the column. */
function cellText({ kind, width, fraction }: TableColumn, text: string, limited: boolean): string {
  if (kind === 'text' && limited) return cut(text, width);
  return kind === 'number' ? text + ' '.repeat(Math.max(0, fraction - fractionWidth(text))) : text;
}

function bold(text: string, colour: boolean): string {
  return colour ? `\u001B[1m${text}\u001B[22m` : text;
}

/** Renders rows as cards: one line for each field with a value, in full. */
export function cardRenderer({ columns: { fields, all, chosen }, colour }: OutputLayout): TextRenderer {
  const shown = chosen ? fields : all;
  const width = Math.max(...shown.map(({ name }) => name.length)) + ':  '.length;
  const names = shown.map(({ name }) => bold(`${name}:`.padEnd(width), colour));
  const texts = cellTexts(shown);
  let separator = '';
  return lineRenderer((row) => {
    const lines = texts(row).map((text, i) => (text === '' ? '' : `${names[i]}${printable(text)}\n`));
    const card = separator + lines.join('');
    separator = '\n';
    return card;
  });
}

/** cli-table3's time grows with the square of the rows. */
const rowsPerCall = 100;

/** A character of one cell that is in no text; it reserves the cells of a text inserted later. */
const placeholder = '\uE000';

const placeholders = /\uE000+/g;

const plain = /^[ -~]*$/;

const noBorders = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid'].flatMap((side) =>
    ['', '-mid', '-left', '-right'].map((corner) => [side + corner, '']),
  ),
);

/** Formats rows without borders and colours; a cell wider than its column moves the rest of its line. */
function tableLines(rows: readonly (readonly string[])[], columns: readonly TableColumn[]): string {
  const fits = (row: readonly string[] = []) =>
    columns.every(({ width }, i) => cellWidth(row[i] ?? '') <= width);
  const parts: string[] = [];
  for (let from = 0, to = 0; from < rows.length; from = to) {
    const most = fits(rows[from]) ? from + rowsPerCall : from + 1;
    for (to += 1; to < Math.min(most, rows.length) && fits(rows[to]); ) to += 1;
    parts.push(draw(rows.slice(from, to), columns));
  }
  return parts.join('');
}

function draw(rows: readonly (readonly string[])[], columns: readonly TableColumn[]): string {
  const table = new Table({
    chars: { ...noBorders, middle: ' '.repeat(gap) },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
    colAligns: columns.map(({ kind }) => (kind === 'number' ? 'right' : 'left')),
    colWidths: columns.map(({ width }, i) => Math.max(width, ...rows.map((row) => cellWidth(row[i] ?? '')))),
  });
  // cli-table3 measures emoji and rare characters differently.
  const replaced: string[] = [];
  const reserve = (text: string): string => {
    if (plain.test(text)) return text;
    replaced.push(text);
    return placeholder.repeat(cellWidth(text));
  };
  for (const row of rows) table.push(row.map(reserve));
  const lines = table.toString().split('\n');
  return lines
    .map((line) => `${line.replace(placeholders, () => replaced.shift() ?? '').trimEnd()}\n`)
    .join('');
}

/** In cells, between two columns. */
export const gap = 2;

/** Fits columns into a line: narrows the widest first, then drops columns from the end, but never the first. */
export function fitWidths(
  wishes: readonly { readonly natural: number; readonly least: number }[],
  width: number,
): number[] {
  for (let kept = wishes.length; kept > 1; kept -= 1) {
    const room = width - gap * (kept - 1);
    for (let limit = room; limit >= 0; limit -= 1) {
      const widths = wishes
        .slice(0, kept)
        .map(({ natural, least }) => Math.max(least, Math.min(natural, limit)));
      if (widths.reduce((sum, one) => sum + one, 0) <= room) return widths;
    }
  }
  return wishes.slice(0, 1).map(({ natural, least }) => Math.max(least, Math.min(natural, width)));
}
