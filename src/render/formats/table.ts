import Table from 'cli-table3';
import type { Envelope } from '../../operations/envelope.ts';
import { type Field, type FieldKind, fieldKinds } from '../../operations/field.ts';
import { cellTexts } from '../columns.ts';
import { printable } from '../printable.ts';
import { lineRenderer, type OutputLayout, type TextRenderer } from '../renderer.ts';
import { cellWidth, cut } from '../terminal-text.ts';

/** The rows that decide the widths of columns; bounded, as is the memory. */
const measuredRows = 10_000;

const leastTextWidths = { high: 32, usual: 8, low: 8 } as const;

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
export class TableRenderer implements TextRenderer {
  readonly #layout: OutputLayout;
  readonly #fields: readonly Field[];
  readonly #texts: ReturnType<typeof cellTexts>;
  #waiting: string[][] = [];
  #columns: readonly TableColumn[] | undefined;

  constructor(layout: OutputLayout) {
    this.#layout = layout;
    this.#fields = layout.columns.fields;
    this.#texts = cellTexts(this.#fields);
  }

  page({ results }: Envelope): string {
    const rows = results.map((row) => this.#texts(row).map((text) => printable(text)));
    if (this.#columns !== undefined) return this.#lines(rows, this.#columns);
    this.#waiting = this.#waiting.concat(rows);
    return this.#waiting.length < measuredRows ? '' : this.#begin();
  }

  end(): string {
    return this.#columns === undefined ? this.#begin() : '';
  }

  dropped(): readonly string[] {
    if (this.#columns === undefined) return [];
    const shown = new Set(this.#columns.map(({ index }) => index));
    return this.#fields.filter((_, index) => !shown.has(index)).map(({ name }) => name);
  }

  #begin(): string {
    const { header, width, colour } = this.#layout;
    const isPlain = width === undefined || this.#layout.columns.chosen;
    const measured = this.#fields.map(({ name, type, head = name, rank }, index) => {
      const column = { index, name: printable(isPlain ? name : head), kind: fieldKinds[type].alignment };
      return { ...column, rank: isPlain ? undefined : rank, ...measure(column, this.#waiting) };
    });
    const columns = width === undefined ? measured : fitColumns(measured, width);
    this.#columns = columns;
    const heading = tableLines([columns.map(({ name }) => name)], columns).trimEnd();
    const text = (header ? `${bold(heading, colour)}\n` : '') + this.#lines(this.#waiting, columns);
    this.#waiting = [];
    return text;
  }

  #lines(rows: readonly (readonly string[])[], columns: readonly TableColumn[]): string {
    const limited = this.#layout.width !== undefined;
    return tableLines(
      rows.map((row) => columns.map((column) => cellText(column, row[column.index] ?? '', limited))),
      columns,
    );
  }
}

function measure(
  { index, name, kind }: Pick<TableColumn, 'index' | 'name' | 'kind'>,
  rows: readonly (readonly string[])[],
): Pick<TableColumn, 'width' | 'fraction'> {
  let [widest, fraction] = [0, 0];
  for (const row of rows) {
    const text = row[index] ?? '';
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
  const ranked = [...columns].sort((a, b) => places(a) - places(b));
  // The first column names the row, such as the id of a series: it keeps a third of the line.
  const wishes = ranked.map((column) => ({
    natural: column.width,
    least: leastWidth(
      column,
      column.index === 0 ? Math.floor(width / 3) : leastTextWidths[column.rank ?? 'usual'],
    ),
  }));
  const widths = fitWidths(wishes, width);
  return ranked
    .slice(0, widths.length)
    .map((column, i) => ({ ...column, width: widths[i] ?? column.width }))
    .sort((a, b) => a.index - b.index);
}

function places({ index, rank }: TableColumn): number {
  if (index === 0) return 0;
  return rank === 'high' ? 1 : rank === 'low' ? 3 : 2;
}

function leastWidth({ name, kind, width }: TableColumn, least: number): number {
  return kind === 'text' ? Math.min(width, Math.max(least, cellWidth(name))) : width;
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

type MeasuredText = { readonly text: string; readonly width: number };

/** Formats rows without borders and colours; a cell wider than its column moves the rest of its line. */
function tableLines(rows: readonly (readonly string[])[], columns: readonly TableColumn[]): string {
  const measured = rows.map((row) => row.map((text) => ({ text, width: cellWidth(text) })));
  return split(measured, columns)
    .map((part) => draw(part, columns))
    .join('');
}

/** Groups rows that fit their columns; a row that does not fit is a group of its own. */
function split(rows: readonly MeasuredText[][], columns: readonly TableColumn[]): MeasuredText[][][] {
  const groups: MeasuredText[][][] = [];
  let alone = true;
  for (const row of rows) {
    const last = groups.at(-1);
    const tooWide = row.some((cell, i) => cell.width > (columns[i]?.width ?? 0));
    if (last === undefined || alone || tooWide || last.length === rowsPerCall) groups.push([row]);
    else last.push(row);
    alone = tooWide;
  }
  return groups;
}

function draw(rows: readonly MeasuredText[][], columns: readonly TableColumn[]): string {
  const table = new Table({
    chars: { ...noBorders, middle: ' '.repeat(gap) },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
    colAligns: columns.map(({ kind }) => (kind === 'number' ? 'right' : 'left')),
    colWidths: columns.map(({ width }, i) => Math.max(width, ...rows.map((row) => row[i]?.width ?? 0))),
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

type ColumnWish = { readonly natural: number; readonly least: number };

/** In cells, between two columns. */
export const gap = 2;

/** Fits columns into a line: narrows the widest first, then drops columns from the end, but never the first. */
export function fitWidths(wishes: readonly ColumnWish[], width: number): number[] {
  for (let kept = wishes.length; kept > 1; kept -= 1) {
    const widths = narrow(wishes.slice(0, kept), width - gap * (kept - 1));
    if (widths !== undefined) return widths;
  }
  return wishes.slice(0, 1).map(({ natural, least }) => Math.max(least, Math.min(natural, width)));
}

/** Finds the highest limit of all widths that keeps their sum within `room`; undefined if none does. */
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
