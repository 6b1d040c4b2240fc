import type { Envelope } from '../../operations/envelope.ts';
import { cellTexts } from '../columns.ts';
import { printable } from '../printable.ts';
import type { OutputLayout, TextRenderer } from '../renderer.ts';

/** Rows for people, one line for each field that has a value: its name, and the value in full. */
export class CardRenderer implements TextRenderer {
  readonly #names: readonly string[];
  readonly #texts: ReturnType<typeof cellTexts>;
  readonly #bold: (text: string) => string;
  #isFirst = true;

  constructor({ columns: { fields, all, chosen }, colour }: OutputLayout) {
    const shown = chosen ? fields : all;
    const width = Math.max(...shown.map(({ name }) => name.length)) + ':  '.length;
    this.#names = shown.map(({ name }) => `${name}:`.padEnd(width));
    this.#texts = cellTexts(shown);
    this.#bold = (text) => (colour ? `\u001B[1m${text}\u001B[22m` : text);
  }

  page({ results }: Envelope): string {
    return results.map((row) => this.#separator() + this.#card(this.#texts(row))).join('');
  }

  end(): string {
    return '';
  }

  #separator(): string {
    const separator = this.#isFirst ? '' : '\n';
    this.#isFirst = false;
    return separator;
  }

  #card(texts: readonly string[]): string {
    return texts
      .map((text, i) => (text === '' ? '' : `${this.#bold(this.#names[i] ?? '')}${printable(text)}\n`))
      .join('');
  }
}
