import type { Row } from '../operations/envelope.ts';
import { cellTexts } from './columns.ts';
import { LineRenderer, type OutputLayout } from './renderer.ts';

type FormatRecord = (cells: readonly string[]) => string;

/** A text of one record per row; the header comes first, also when there are no rows. */
class DelimitedRenderer extends LineRenderer {
  constructor({ columns: { fields }, header }: OutputLayout, format: FormatRecord) {
    const texts = cellTexts(fields);
    super((row: Row) => format(texts(row)), header ? format(fields.map(({ name }) => name)) : '');
  }
}

/** CSV as in RFC 4180, with LF line ends. Texts stay unchanged, also those that a spreadsheet reads as a formula. */
export class CsvRenderer extends DelimitedRenderer {
  constructor(layout: OutputLayout) {
    super(layout, formatCsvRecord);
  }
}

/** Tab-separated values without quotes: tab, LF, CR and backslash in a cell become `\t`, `\n`, `\r` and `\\`. */
export class TsvRenderer extends DelimitedRenderer {
  constructor(layout: OutputLayout) {
    super(layout, formatTsvRecord);
  }
}

/** One CSV record with its line end; only cells that need quotes have them. */
export function formatCsvRecord(cells: readonly string[]): string {
  // In a single column an empty cell would be an empty line, which many readers skip.
  if (cells.length === 1 && cells[0] === '') return '""\n';
  return `${cells.map(quoteIfNeeded).join(',')}\n`;
}

// Many readers end a line at a bare CR.
const special = /[",\n\r]/;

function quoteIfNeeded(text: string): string {
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function formatTsvRecord(cells: readonly string[]): string {
  return `${cells.map(escapeTsv).join('\t')}\n`;
}

function escapeTsv(text: string): string {
  return text.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? character);
}
