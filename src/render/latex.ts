import { type Field, fieldKinds } from '../operations/field.ts';
import { cellTexts } from './columns.ts';
import { printable } from './printable.ts';
import { lineRenderer, type OutputLayout, type TextRenderer } from './renderer.ts';

/** Renders rows as a LaTeX table with the rules of booktabs and exact digits; cells are text, never markup. */
export function latexRenderer({ columns: { fields }, header }: OutputLayout): TextRenderer {
  const texts = cellTexts(fields);
  const cells = fields.map((field) => (isNumber(field) ? numberCell : escapeText));
  const names = lineOf(fields.map(({ name }) => escapeText(name)));
  const columns = fields.map((field) => (isNumber(field) ? 'r' : 'l')).join('');
  return lineRenderer(
    (row) => lineOf(texts(row).map((text, i) => cells[i]?.(text) ?? '')),
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

function lineOf(cells: readonly string[]): string {
  return `${cells.join(' & ')} \\\\\n`;
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
