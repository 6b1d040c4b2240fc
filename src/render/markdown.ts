import type { Field } from '../operations/field.ts';
import { fieldKinds } from '../operations/field-kinds.ts';
import { cellTexts } from './cell-text.ts';
import { printable } from './printable.ts';
import type { Layout, TextRenderer } from './renderer.ts';

/**
 * A table of GitHub-flavoured Markdown: exact digits, numbers to the right by the row of colons, missing is empty. What a
 * cell holds is text and never markup: line breaks are `<br>`, control characters their pictures, the rest is escaped.
 * A web address stays as it is, since GitHub makes a link of it in which a backslash would be a sign like any other.
 */
export function markdown({ columns: { fields } }: Layout): TextRenderer {
  const texts = cellTexts(fields);
  let opening = line(fields.map(({ name }) => escaped(name))) + line(fields.map(delimiter));
  const lines = (rows: readonly (readonly string[])[]): string => {
    const text = opening + rows.map((cells) => line(cells.map(escaped))).join('');
    opening = '';
    return text;
  };
  return { page: ({ results }) => lines(results.map(texts)), end: () => lines([]) };
}

function line(cells: readonly string[]): string {
  return `|${cells.map((text) => (text === '' ? '  ' : ` ${text} `)).join('|')}|\n`;
}

function delimiter({ type }: Field): string {
  return fieldKinds[type].alignment === 'number' ? '---:' : '---';
}

// What most cells hold needs no closer look.
const plain = /^[A-Za-z0-9 .:;,+%()/-]*$/;
const breaks = /\r\n|[\r\n\u2028\u2029]/;
// What begins or ends markup within a line, on GitHub also formulas; `_` only at the edge of a word, `&` only of an entity.
const markup = /[\\|`*~[<$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|&(?=#?\w+;)/gu;
// What GitHub surely links up to the signs that end a sentence; where that is not so plain, an address is any other text.
const address =
  /((?<=^|[\s(])(?!\S*&#?\w+;)(?:https?:\/\/|www\.)[A-Za-z0-9][A-Za-z0-9.-]*(?:[/:?#][\w.~:/?#@!&'*+,;=%()-]*)?(?<=[A-Za-z0-9/=%#+-])[.,:;!?)'"]*(?=\s|$))/;

function escaped(text: string): string {
  if (plain.test(text)) return text;
  return text
    .split(breaks)
    .map((part) => withoutMarkup(printable(part)))
    .join('<br>');
}

/** Parting at what is captured leaves addresses at the odd places. */
function withoutMarkup(text: string): string {
  const parts = text.split(address);
  return parts.map((part, i) => (i % 2 === 1 ? part : part.replace(markup, '\\$&'))).join('');
}
