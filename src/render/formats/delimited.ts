// Why: docs/decisions/csv-cells.md
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { stringify } from 'csv-stringify/sync';
import { cellTexts } from '../columns.ts';
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
  return recordRenderer(layout, (cells) => formatCsvRecord(cells, quotedOnce));
}

const mostKnown = 1000;

/** Renders rows as TSV without quotes: tab, LF, CR and backslash become `\t`, `\n`, `\r` and `\\`. */
export function tsvRenderer(layout: OutputLayout): TextRenderer {
  return recordRenderer(layout, (cells) => `${cells.map(escapeTsv).join('\t')}\n`);
}

function recordRenderer(
  { columns: { fields }, header }: OutputLayout,
  format: (cells: readonly string[]) => string,
): TextRenderer {
  const texts = cellTexts(fields);
  return lineRenderer((row) => format(texts(row)), header ? format(fields.map(({ name }) => name)) : '');
}

/** Formats a CSV record with its line end; only cells that need quotes have them. */
export function formatCsvRecord(cells: readonly string[], quote = quoted): string {
  // An empty cell alone would be an empty line, which many readers skip.
  if (cells.length === 1 && cells[0] === '') return '""\n';
  return `${cells.map((text) => (special.test(text) ? quote(text) : text)).join(',')}\n`;
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
