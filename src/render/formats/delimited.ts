// Why: docs/decisions/csv-cells.md
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { stringify } from 'csv-stringify/sync';
import type { Cell, Row } from '../../operations/envelope.ts';
import { isPlainType } from '../../operations/field.ts';
import { cellText } from '../columns.ts';
import { lineRenderer, type OutputLayout, type TextRenderer } from '../renderer.ts';

/** Renders rows as CSV (RFC 4180, LF) with unchanged texts, even formulas of spreadsheets. */
export function csvRenderer(layout: OutputLayout): TextRenderer {
  // Most texts with quotes are in many rows, such as the unit of a series.
  const known = new Map<string, string>();
  const quotedOnce = (text: string): string => {
    const cell = known.get(text) ?? quoted(text);
    if (known.size < mostKnown) known.set(text, cell);
    return cell;
  };
  return recordRenderer(layout, ',', (text) => (special.test(text) ? quotedOnce(text) : text), '""');
}

const mostKnown = 1000;

/** Renders rows as TSV without quotes: tab, LF, CR and backslash become `\t`, `\n`, `\r` and `\\`. */
export function tsvRenderer(layout: OutputLayout): TextRenderer {
  return recordRenderer(layout, '\t', escapeTsv, '');
}

/** A column, with the cell of the row above, its text after the separator, and the line from there on. */
type DelimitedColumn = {
  readonly name: string;
  readonly textOf: (cell: Cell | undefined) => string;
  above: Cell | undefined;
  text: string;
  ending: string;
};

/** Renders a line for each row; `empty` is the line of a row whose cells have no text. */
function recordRenderer(
  { columns: { fields }, header }: OutputLayout,
  separator: string,
  format: (text: string) => string,
  empty: string,
): TextRenderer {
  const columns: DelimitedColumn[] = [];
  for (const [place, field] of [...fields.entries()].reverse()) {
    const text = place === 0 ? '' : separator;
    const textOf = cellText(field);
    const formatted = (cell: Cell | undefined) => text + format(textOf(cell));
    const plain = (cell: Cell | undefined) => text + (typeof cell === 'string' ? cell : textOf(cell));
    const isPlain = isPlainType(field.type) && field.words === undefined;
    const ending = text + (columns.at(-1)?.ending ?? '\n');
    columns.push({
      ...{ name: field.name, textOf: isPlain ? plain : formatted },
      ...{ above: undefined, text, ending },
    });
  }
  const lineOf = (row: Row): string => {
    let line = '\n';
    let isAbove = true;
    // Most cells are those of the row above, and most lines end as it does: a comparison takes a tenth of the time.
    for (const column of columns) {
      const cell = row[column.name];
      if (cell !== column.above) {
        column.above = cell;
        column.text = column.textOf(cell);
        isAbove = false;
      }
      if (!isAbove) column.ending = column.text + line;
      line = column.ending;
    }
    return line === '\n' ? `${empty}\n` : line;
  };
  const names = fields.map(({ name }) => format(name)).join(separator);
  return lineRenderer(lineOf, header ? `${names === '' ? empty : names}\n` : '');
}

/** Formats a CSV record with its line end; only cells that need quotes have them. */
export function formatCsvRecord(cells: readonly string[]): string {
  // An empty cell alone would be an empty line, which many readers skip.
  if (cells.length === 1 && cells[0] === '') return '""\n';
  return `${cells.map((text) => (special.test(text) ? quoted(text) : text)).join(',')}\n`;
}

// Many readers end a line at a bare CR.
const special = /[",\n\r]/;

const require = createRequire(join(import.meta.dirname, 'asof'));

/** Quotes a cell by csv-stringify, which is loaded for the first one. */
function quoted(text: string): string {
  const library: { readonly stringify: typeof stringify } = require('csv-stringify/sync');
  return library.stringify([[text]], { quoted: true, eof: false });
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function escapeTsv(text: string): string {
  return text.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? character);
}
