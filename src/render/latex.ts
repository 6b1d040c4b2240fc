import type { Envelope } from '../operations/envelope.ts';
import { type Field, fieldKinds } from '../operations/field.ts';
import { cellTexts } from './columns.ts';
import { printable } from './printable.ts';
import type { OutputLayout, TextRenderer } from './renderer.ts';

/**
 * A table for LaTeX with the rules of booktabs: exact digits, numbers aligned right, missing values empty. Cells are
 * text, never markup: what LaTeX would read as a command is escaped.
 */
export class LatexRenderer implements TextRenderer {
  readonly #texts: ReturnType<typeof cellTexts>;
  readonly #cell: readonly ((text: string) => string)[];
  #header: string;

  constructor({ columns: { fields }, header }: OutputLayout) {
    this.#texts = cellTexts(fields);
    this.#cell = fields.map((field) => (isNumber(field) ? numberCell : escapeText));
    const names = lineOf(fields.map(({ name }) => escapeText(name)));
    const columns = fields.map((field) => (isNumber(field) ? 'r' : 'l')).join('');
    this.#header = [
      '% needs \\usepackage{booktabs}\n',
      `\\begin{tabular}{${columns}}\n\\toprule\n`,
      header ? `${names}\\midrule\n` : '',
    ].join('');
  }

  page({ results }: Envelope): string {
    const lines = results.map((row) =>
      lineOf(this.#texts(row).map((text, i) => this.#cell[i]?.(text) ?? '')),
    );
    return this.#begin() + lines.join('');
  }

  end(): string {
    return `${this.#begin()}\\bottomrule\n\\end{tabular}\n`;
  }

  #begin(): string {
    const header = this.#header;
    this.#header = '';
    return header;
  }
}

function isNumber({ type }: Field): boolean {
  return fieldKinds[type].alignment === 'number';
}

function lineOf(cells: readonly string[]): string {
  return `${cells.join(' & ')} \\\\\n`;
}

/** A number with the minus sign of mathematics; words for numbers are text. */
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
