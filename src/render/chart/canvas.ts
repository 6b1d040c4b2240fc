/** A place of a canvas, in dots from its upper left corner. */
export type Dot = readonly [x: number, y: number];

/** A cell of a terminal: its character, and the number of the line that it belongs to; undefined for none. */
type CanvasCell = { readonly character: string; readonly pen: number | undefined };

/** Dots drawn with braille characters, two by four in a cell. */
export type Canvas = {
  /** Draws a line through dots; the lines of all pens but the first are dashed between them. */
  readonly draw: (through: readonly Dot[], pen: number) => void;
  /** Puts a character into the cell that a dot lies in. */
  readonly mark: (at: Dot, character: string, pen: number) => void;
  readonly rows: () => readonly (readonly CanvasCell[])[];
};

const braille = 0x2800;
/** The bits of the eight dots of a braille character, by row and column. */
const bits = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const;

/** So many dots of a dash, and so many left out after it. */
const [dash, pause] = [4, 2];

/** Stands where several lines have a character of their own. */
const several = '◉';

/** An empty canvas of so many cells. */
export function canvas(width: number, height: number): Canvas {
  const dots = new Uint8Array(width * height);
  const pens = new Int8Array(width * height).fill(-1);
  const marks = new Map<number, string>();
  const cellOf = ([x, y]: Dot): number => (y >> 2) * width + (x >> 1);

  const put = (dot: Dot, pen: number): void => {
    const [x, y] = dot;
    if (x < 0 || y < 0 || x >= 2 * width || y >= 4 * height) return;
    const cell = cellOf(dot);
    dots[cell] = (dots[cell] ?? 0) | (bits[y & 3]?.[x & 1] ?? 0);
    pens[cell] = pen;
  };

  return {
    draw(through, pen) {
      let drawn = 0;
      for (const [i, to] of through.entries()) {
        const from = through[i - 1] ?? to;
        for (const dot of between(from, to)) {
          if (pen === 0 || drawn % (dash + pause) < dash) put(dot, pen);
          drawn += 1;
        }
        put(to, pen);
      }
    },
    mark(at, character, pen) {
      put(at, pen);
      const cell = cellOf(at);
      const there = marks.get(cell) ?? character;
      marks.set(cell, there === character ? character : several);
    },
    rows: () =>
      Array.from({ length: height }, (_, row) =>
        Array.from({ length: width }, (_, column) => {
          const cell = row * width + column;
          const pen = pens[cell] ?? -1;
          const drawn = dots[cell] === 0 ? ' ' : String.fromCharCode(braille + (dots[cell] ?? 0));
          return { character: marks.get(cell) ?? drawn, pen: pen < 0 ? undefined : pen };
        }),
      ),
  };
}

/** The dots of the straight line from one dot up to another, which is left out. */
function* between([fromX, fromY]: Dot, [toX, toY]: Dot): Generator<Dot> {
  const length = Math.max(Math.abs(toX - fromX), Math.abs(toY - fromY));
  for (let i = 0; i < length; i += 1) {
    const share = i / length;
    yield [Math.round(fromX + share * (toX - fromX)), Math.round(fromY + share * (toY - fromY))];
  }
}
