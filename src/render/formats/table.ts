import Table from 'cli-table3';
import type { Row } from '../../operations/envelope.ts';
import { type Field, type FieldKind, fieldKinds } from '../../operations/field.ts';
import { cellTexts } from '../columns.ts';
import { printable } from '../printable.ts';
import { lineRenderer, type OutputLayout, type TextRenderer } from '../renderer.ts';
import { cellWidth, cut, wrap } from '../terminal-text.ts';

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
 * For a `width`, default columns have short heads, and words or days that all rows have in common stand above the table;
 * then it cuts long texts with `…`, and drops columns of the lowest rank, the last one first. Numbers stay whole.
 * With `lines`, a longer table has its first and its last rows. The first 10 000 rows decide the widths of one without.
 */
export function tableRenderer(layout: OutputLayout): TextRenderer {
  const { header, width, colour } = layout;
  const { fields, chosen } = layout.columns;
  const isPlain = width === undefined || chosen;
  const texts = cellTexts(fields);
  const kept = new KeptRows(layout.lines);
  let columns: readonly TableColumn[] | undefined;

  const lines = (rows: readonly (readonly string[])[], shown: readonly TableColumn[]) =>
    tableLines(
      rows.map((row) =>
        shown.map((column) => cellText(column, row[column.index] ?? '', width !== undefined)),
      ),
      shown,
    );
  const begin = (isWhole: boolean): string => {
    const common = isWhole && header && !isPlain ? kept.common(fields) : new Map<number, string>();
    const parts = [...common].map(([index, text]) => `${fields[index]?.name}: ${text}`);
    const above = wrapParts(parts, width ?? 0);
    const waiting = kept.take(above.length + (header ? 1 : 0));
    const measured = fields.map(({ name, type, head = name, rank }, index): TableColumn => {
      const shown = printable(isPlain ? name : head);
      const kind = fieldKinds[type].alignment;
      const cells = waiting.map((row) => row[index] ?? '');
      return { index, name: shown, kind, rank: isPlain ? undefined : rank, ...measure(shown, kind, cells) };
    });
    const own = measured.filter(({ index }) => !common.has(index));
    columns = width === undefined ? own : fitColumns(own, width);
    const heading = tableLines([columns.map(({ name }) => name)], columns).trimEnd();
    const head = header ? `${bold(heading, colour)}\n` : '';
    return above.map((line) => `${line}\n`).join('') + head + lines(waiting, columns);
  };
  return {
    page({ results }) {
      const rows = results.map((row) =>
        texts(row).map((text, i) => printable(isPlain ? text : shortened(text, fields[i]?.digits))),
      );
      if (columns !== undefined) return lines(rows, columns);
      for (const row of rows) kept.add(row);
      return kept.isFull() ? begin(false) : '';
    },
    end: () => (columns === undefined ? begin(true) : ''),
    dropped() {
      const shown = new Set(columns?.map(({ index }) => index) ?? fields.keys());
      const unseen = fields.filter((_, index) => !shown.has(index) && !kept.isCommon(index));
      return unseen.map(({ name }) => name);
    },
    hidden: () => kept.hidden,
  };
}

/** However small a terminal is, this many rows are shown. */
const fewestRows = 5;

/** The rows that decide the columns of a table; of a table with most lines, only those that may be shown. */
class KeptRows {
  readonly #most: number;
  readonly #isCut: boolean;
  #first: (readonly string[])[] = [];
  #last: (readonly string[])[] = [];
  #count = 0;
  /** The first row, and the places of the cells in which no later row differs. */
  #sample: readonly string[] = [];
  #equal = new Set<number>();
  #common = new Map<number, string>();
  hidden = 0;

  constructor(lines: number | undefined) {
    this.#isCut = lines !== undefined;
    this.#most = lines === undefined ? measuredRows : Math.max(lines, fewestRows);
  }

  add(row: readonly string[]): void {
    if (this.#count === 0) [this.#sample, this.#equal] = [row, new Set(row.keys())];
    else for (const index of this.#equal) if (row[index] !== this.#sample[index]) this.#equal.delete(index);
    this.#count += 1;
    if (!this.#isCut || this.#first.length < this.#most) this.#first.push(row);
    else this.#last.push(row);
    if (this.#last.length > 2 * this.#most) this.#last = this.#last.slice(-this.#most);
  }

  /** Tells whether the rows so far decide the columns, although more may come. */
  isFull(): boolean {
    return !this.#isCut && this.#count >= this.#most;
  }

  /** Returns the cells that all of several rows have in common, by place; none of numbers or of high rank. */
  common(fields: readonly Field[]): ReadonlyMap<number, string> {
    const found = [...this.#equal].flatMap((index): [number, string][] => {
      const { type = 'text', rank } = fields[index] ?? {};
      const text = this.#sample[index] ?? '';
      const stays = text === '' || rank === 'high' || fieldKinds[type].alignment === 'number';
      return stays ? [] : [[index, text]];
    });
    // Something must be left to show.
    if (this.#count > 1 && found.length < fields.length) this.#common = new Map(found);
    return this.#common;
  }

  isCommon(index: number): boolean {
    return this.#common.has(index);
  }

  /** Returns the rows that fit below some lines, with a row of `…` in place of those between. */
  take(above: number): readonly (readonly string[])[] {
    const rows = [...this.#first, ...this.#last];
    [this.#first, this.#last] = [[], []];
    const most = Math.max(this.#most - above, fewestRows);
    if (!this.#isCut || this.#count <= most) return rows;
    const ending = Math.floor((most - 1) / 3);
    const beginning = most - 1 - ending;
    this.hidden = this.#count - beginning - ending;
    return [...rows.slice(0, beginning), this.#sample.map(() => '…'), ...rows.slice(-ending)];
  }
}

function shortened(text: string, digits: number | undefined): string {
  return digits === undefined || text === '' ? text : Number(text).toFixed(digits);
}

/** Joins texts into lines of at most a width if possible; breaks between texts, then between words. */
function wrapParts(parts: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const longer = `${lines.at(-1) ?? ''}${' '.repeat(gap)}${part}`;
    if (lines.length > 0 && cellWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(...wrap(part, width));
  }
  return lines;
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

/** Renders rows as cards: one line for each field with a value, in full; an empty list is none. */
export function cardRenderer({ columns: { fields, all, chosen }, colour }: OutputLayout): TextRenderer {
  const shown = chosen ? fields : all;
  const width = Math.max(...shown.map(({ name }) => name.length)) + ':  '.length;
  const names = shown.map(({ name }) => bold(`${name}:`.padEnd(width), colour));
  const texts = cellTexts(shown);
  let separator = '';
  return lineRenderer((row) => {
    const lines = texts(row).map((text, i) =>
      text === '' || isEmptyList(row[shown[i]?.name ?? '']) ? '' : `${names[i]}${printable(text)}\n`,
    );
    const card = separator + lines.join('');
    separator = '\n';
    return card;
  });
}

function isEmptyList(cell: Row[string] | undefined): boolean {
  return Array.isArray(cell) && cell.length === 0;
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
    const cells = plain.test(text) ? 0 : cellWidth(text);
    // A text without cells, such as a mark alone, has no place to be found again.
    if (cells === 0) return text;
    replaced.push(text);
    return placeholder.repeat(cells);
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
