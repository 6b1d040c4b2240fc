/** A panel of a chart in text, read back from its characters alone. */
export type ReadPanel = {
  /** The values that rows of dots stand for, from the labels at the side. */
  readonly valueAt: (dotRow: number) => number;
  readonly ticks: readonly { readonly row: number; readonly value: number }[];
  readonly dots: readonly { readonly x: number; readonly y: number }[];
  readonly rows: number;
  /** Whether characters other than dots stand for values. */
  readonly marked: boolean;
};

/** A chart in text, read back. */
export type ReadChart = {
  readonly panels: readonly ReadPanel[];
  readonly labels: readonly string[];
  /** The columns of dots in which the ticks below stand, from the left of the plot. */
  readonly tickColumns: readonly number[];
  readonly plotWidth: number;
};

// Unicode numbers the dots of a braille cell 1 to 8 in this order: down the left, down the right, then the bottom two.
const dotPlaces = [
  [0, 0],
  [0, 1],
  [0, 2],
  [1, 0],
  [1, 1],
  [1, 2],
  [0, 3],
  [1, 3],
] as const;

const marks = /[●○◆◇◉•]/;

/** Reads a chart in text. */
export function readText(text: string): ReadChart {
  const lines = text.split('\n');
  const rule = lines.findIndex((line) => /^ *└/.test(line));
  const left = (lines[rule] ?? '').indexOf('└') + 1;
  const ruled = (lines[rule] ?? '').slice(left);
  const isRow = (line: string) => /^[ \d,.e-]*[│┤]/.test(line) && /[│┤]/.test(line[left - 1] ?? '');
  const panels: ReadPanel[] = [];
  for (let i = 0; i < rule; ) {
    let end = i;
    while (isRow(lines[end] ?? '')) end += 1;
    if (end > i) panels.push(readPanel(lines.slice(i, end), left, ruled.length));
    i = Math.max(end, i + 1);
  }
  const tickColumns = [...ruled].flatMap((character, i) => (character === '┬' ? [2 * i] : []));
  const labels = (lines[rule + 1] ?? '').trim().split(/ +/);
  return { panels, labels, tickColumns, plotWidth: ruled.length };
}

function readPanel(lines: readonly string[], left: number, width: number): ReadPanel {
  const ticks = lines.flatMap((line, row) => {
    const label = line.slice(0, left - 1).trim();
    return label === '' ? [] : [{ row, value: Number(label.replaceAll(',', '')) }];
  });
  const dots = lines.flatMap((line, row) =>
    [...line.slice(left, left + width)].flatMap((character, column) => {
      const code = character.charCodeAt(0);
      if (marks.test(character)) return [{ x: 2 * column + 0.5, y: 4 * row + 1.5 }];
      if (code < 0x2800 || code > 0x28ff) return [];
      return dotPlaces.flatMap(([x, y], bit) =>
        (code >> bit) & 1 ? [{ x: 2 * column + x, y: 4 * row + y }] : [],
      );
    }),
  );
  const [top, bottom] = [ticks[0], ticks.at(-1)];
  const valueAt = (dotRow: number): number => {
    if (top === undefined || bottom === undefined) return Number.NaN;
    const share = ((dotRow - 1.5) / 4 - top.row) / (bottom.row - top.row);
    return top.value + share * (bottom.value - top.value);
  };
  return { valueAt, ticks, dots, rows: lines.length, marked: lines.some((line) => marks.test(line)) };
}
