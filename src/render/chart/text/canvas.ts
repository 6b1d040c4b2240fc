/** A dot of a canvas, from its upper left corner. */
export type Dot = readonly [x: number, y: number];

/** A terminal cell: its character, and the number of the line that it belongs to; undefined for none. */
type CanvasCell = { readonly character: string; readonly pen: number | undefined };

const braille = 0x2800;
/** The bits of the eight dots of a braille character, by row and column. */
const bits = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const;

/** The dots of a dash, and of the gap after it. */
const [dash, pause] = [4, 2];

/** Marks a cell in which several lines have a mark. */
const several = '◉';

/** A drawing of braille characters: two by four dots in each terminal cell. */
export class Canvas {
  readonly #width: number;
  readonly #height: number;
  readonly #dots: Uint8Array;
  readonly #pens: Int8Array;
  readonly #marks = new Map<number, string>();

  /** An empty canvas; the size is in cells. */
  constructor(width: number, height: number) {
    this.#width = width;
    this.#height = height;
    this.#dots = new Uint8Array(width * height);
    this.#pens = new Int8Array(width * height).fill(-1);
  }

  /** Draws a line through dots: solid for the first pen, dashed for the others. */
  draw(through: readonly Dot[], pen: number): void {
    let drawn = 0;
    for (const [i, to] of through.entries()) {
      const from = through[i - 1] ?? to;
      for (const dot of dotsBetween(from, to)) {
        if (pen === 0 || drawn % (dash + pause) < dash) this.#put(dot, pen);
        drawn += 1;
      }
      this.#put(to, pen);
    }
  }

  /** Puts a character into the cell of a dot. */
  mark(at: Dot, character: string, pen: number): void {
    this.#put(at, pen);
    const cell = this.#cellOf(at);
    const present = this.#marks.get(cell) ?? character;
    this.#marks.set(cell, present === character ? character : several);
  }

  /** The cells, row by row. */
  rows(): readonly (readonly CanvasCell[])[] {
    return Array.from({ length: this.#height }, (_, row) =>
      Array.from({ length: this.#width }, (_, column) => this.#cell(row * this.#width + column)),
    );
  }

  #cell(cell: number): CanvasCell {
    const [dots = 0, pen = -1] = [this.#dots[cell], this.#pens[cell]];
    const drawn = dots === 0 ? ' ' : String.fromCharCode(braille + dots);
    return { character: this.#marks.get(cell) ?? drawn, pen: pen < 0 ? undefined : pen };
  }

  #cellOf([x, y]: Dot): number {
    return (y >> 2) * this.#width + (x >> 1);
  }

  #put(dot: Dot, pen: number): void {
    const [x, y] = dot;
    if (x < 0 || y < 0 || x >= 2 * this.#width || y >= 4 * this.#height) return;
    const cell = this.#cellOf(dot);
    this.#dots[cell] = (this.#dots[cell] ?? 0) | (bits[y & 3]?.[x & 1] ?? 0);
    this.#pens[cell] = pen;
  }
}

/** The dots of a straight line, without its last dot. */
function* dotsBetween([fromX, fromY]: Dot, [toX, toY]: Dot): Generator<Dot> {
  const length = Math.max(Math.abs(toX - fromX), Math.abs(toY - fromY));
  for (let i = 0; i < length; i += 1) {
    const share = i / length;
    yield [Math.round(fromX + share * (toX - fromX)), Math.round(fromY + share * (toY - fromY))];
  }
}

/** The style of a text; a number is the colour of that line. */
export type StyleName = 'plain' | 'bold' | 'dim' | number;

/** A text and its style. */
export type StyledText = readonly [text: string, style: StyleName];

/** Colours of the terminal palette that are readable on a light and on a dark background. */
const colours = [36, 35, 32, 31, 34, 33];

/** Joins styled lines, without trailing blanks; writes escape sequences only if `colour` allows them. */
export function formatLines(lines: readonly (readonly StyledText[])[], colour: boolean): string {
  return lines
    .map((line) => `${colour ? colourLine(line) : line.map(([text]) => text).join('')}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('');
}

function colourLine(line: readonly StyledText[]): string {
  return trimEnd(joinEqual(line))
    .map(([text, style]) => colourText(text, style))
    .join('');
}

/** Joins neighbours of equal style. */
function joinEqual(line: readonly StyledText[]): readonly StyledText[] {
  const parts: StyledText[] = [];
  for (const [text, style] of line) {
    const last = parts.at(-1);
    if (last !== undefined && (last[1] === style || text.trim() === ''))
      parts[parts.length - 1] = [last[0] + text, last[1]];
    else parts.push([text, style]);
  }
  return parts;
}

function trimEnd(parts: readonly StyledText[]): readonly StyledText[] {
  return parts.map(([text, style], i) => [i === parts.length - 1 ? text.trimEnd() : text, style]);
}

function colourText(text: string, style: StyleName): string {
  if (text === '' || style === 'plain') return text;
  const [begin, end] =
    style === 'bold' ? [1, 22] : style === 'dim' ? [2, 22] : [colours[style % colours.length], 39];
  return `\u001B[${begin}m${text}\u001B[${end}m`;
}
