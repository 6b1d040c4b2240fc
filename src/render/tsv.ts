import { delimited } from './delimited.ts';
import type { Layout, TextRenderer } from './renderer.ts';

const escapes: { readonly [character: string]: string } = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};

/**
 * Tab-separated values without quoting: every tab parts two cells and every LF ends a record, because tab, LF, CR and
 * backslash inside a cell are written as `\t`, `\n`, `\r` and `\\`.
 */
export function tsv(layout: Layout): TextRenderer {
  return delimited(layout, (records) =>
    records.map((cells) => `${cells.map(escaped).join('\t')}\n`).join(''),
  );
}

function escaped(text: string): string {
  return text.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? character);
}
