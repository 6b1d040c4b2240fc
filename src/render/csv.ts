import { delimited } from './delimited.ts';
import type { Layout, TextRenderer } from './renderer.ts';

/** RFC 4180 with LF line ends; texts come through as they are, also those that a spreadsheet takes for a formula. */
export function csv(layout: Layout): TextRenderer {
  return delimited(layout, (records) => records.map(csvRecord).join(''));
}

/** One record of RFC 4180 with its line end; only cells that need quotes have them. */
export function csvRecord(cells: readonly string[]): string {
  // In a single column an empty cell would be an empty line, which many readers pass over.
  if (cells.length === 1 && cells[0] === '') return '""\n';
  return `${cells.map(quoted).join(',')}\n`;
}

// A bare CR ends a line for many readers.
const special = /[",\n\r]/;

function quoted(text: string): string {
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
