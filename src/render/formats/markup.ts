import { type Field, fieldKinds } from '../../operations/field.ts';
import { cellTexts } from '../columns.ts';
import { printable } from '../printable.ts';
import { lineRenderer, type OutputLayout, type TextRenderer } from '../renderer.ts';

/** Renders rows as a table in GitHub's Markdown: cells are text, never markup, web addresses stay links. */
export function markdownRenderer({ columns: { fields } }: OutputLayout): TextRenderer {
  const texts = cellTexts(fields);
  const line = (cells: readonly string[]) =>
    `|${cells.map((text) => (text === '' ? '  ' : ` ${text} `)).join('|')}|\n`;
  const names = fields.map(({ name }) => escapeCell(name));
  const rule = fields.map((field) => (isNumber(field) ? '---:' : '---'));
  return lineRenderer((row) => line(texts(row).map(escapeCell)), line(names) + line(rule));
}

// Most cells match, and need no further checks.
const plain = /^[A-Za-z0-9 .:;,+%()/-]*$/;
const lineBreak = /\r\n|[\r\n\u2028\u2029]/;
// Inline markup, including GitHub's formulas; `_` only at the edge of a word, `&` only before an entity.
const markup = /[\\|`*~[<$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|&(?=#?\w+;)/gu;
// An address that GitHub links, without a sentence's punctuation at its end. Doubtful addresses are escaped.
const address =
  /((?<=^|[\s(])(?!\S*&#?\w+;)(?:https?:\/\/|www\.)[A-Za-z0-9][A-Za-z0-9.-]*(?:[/:?#][\w.~:/?#@!&'*+,;=%()-]*)?(?<=[A-Za-z0-9/=%#+-])[.,:;!?)'"]*(?=\s|$))/;

function escapeCell(text: string): string {
  if (plain.test(text)) return text;
  return text
    .split(lineBreak)
    .map((line) =>
      // Splitting by a group puts addresses at odd indexes.
      printable(line)
        .split(address)
        .map((part, i) => (i % 2 === 1 ? part : part.replace(markup, '\\$&')))
        .join(''),
    )
    .join('<br>');
}

/** Renders rows as a LaTeX table with the rules of booktabs and exact digits; cells are text, never markup. */
export function latexRenderer({ columns: { fields }, header }: OutputLayout): TextRenderer {
  const texts = cellTexts(fields);
  const cells = fields.map((field) => (isNumber(field) ? numberCell : escapeText));
  const line = (texts: readonly string[]) => `${texts.join(' & ')} \\\\\n`;
  const names = line(fields.map(({ name }) => escapeText(name)));
  const columns = fields.map((field) => (isNumber(field) ? 'r' : 'l')).join('');
  return lineRenderer(
    (row) => line(texts(row).map((text, i) => cells[i]?.(text) ?? '')),
    [
      '% needs \\usepackage{booktabs}\n',
      `\\begin{tabular}{${columns}}\n\\toprule\n`,
      header ? `${names}\\midrule\n` : '',
    ].join(''),
    '\\bottomrule\n\\end{tabular}\n',
  );
}

function isNumber({ type }: Field): boolean {
  return fieldKinds[type].alignment === 'number';
}

function numberCell(text: string): string {
  return /^-[\d.]+$/.test(text) ? `$-$${text.slice(1)}` : escapeText(text);
}

const commands: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '<': '\\textless{}',
  '>': '\\textgreater{}',
  '|': '\\textbar{}',
  '"': '\\textquotedbl{}',
};

function escapeText(text: string): string {
  return printable(text).replace(/[\\~^<>|"&%$#_{}]/g, (one) => commands[one] ?? `\\${one}`);
}
