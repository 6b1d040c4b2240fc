import { Problem } from '../../errors/problem.ts';
import type { Drawing } from '../../operations/drawing.ts';
import type { ChartOptions, TextRenderer, TextSize } from '../renderer.ts';
import { cellWidth, cut, wrap } from '../terminal-text.ts';
import { type Axis, horizontalAxis, logAxis, valueAxis } from './axes.ts';
import { type Chart, type ChartPanel, type ChartPoint, ChartRenderer, decimate } from './chart.ts';
import { abbreviate, placeLabels, spreadOut } from './labels.ts';

/** Renders a chart in braille and box characters, at most as large as `size`. */
export function textChartRenderer(
  drawing: Drawing,
  size: TextSize,
  colour: boolean,
  options: ChartOptions = {},
): TextRenderer {
  if (size.width < narrowest) throw tooSmall(narrowest, size.width, 'columns');
  return new ChartRenderer(drawing, options, (chart) => formatLines(drawChart(chart, size), colour));
}

/** The least sizes of a chart: columns of the terminal, cells of a plot, rows of a panel. */
const [narrowest, leastPlot, lowest] = [20, 8, 3];

/** The key is left out if it would leave panels fewer rows. */
const fairRows = 6;

type TextPanel = { readonly panel: ChartPanel; readonly axis: Axis; readonly rows: number };

type StyledLine = readonly StyledText[];

type PartWidths = { readonly gutter: number; readonly plot: number; readonly labels: number };

function drawChart(chart: Chart, { width, height }: TextSize): readonly StyledLine[] {
  const words = (text: string, style: StyleName): StyledLine[] =>
    text === '' ? [] : [[[cut(text, width), style]]];
  const above = [
    ...words(chart.title, 'bold'),
    ...wrap(chart.subtitle, width).flatMap((line) => words(line, 'dim')),
  ];
  const below = words(chart.source === '' ? '' : `Source: ${chart.source}`, 'dim');
  if (chart.panels.length === 0) return [...above, [], [['no values', 'plain']], ...below];
  const key = chart.key.flatMap((text) => words(text, 'plain'));
  const fixed = above.length + below.length + 2;
  const [withKey, withoutKey] = [key.length, 0].map((more) => plotRows(chart, width, height, fixed + more));
  const showsKey = withKey !== undefined && (withKey >= fairRows || withKey === withoutKey);
  const rows = showsKey ? withKey : withoutKey;
  if (rows === undefined) {
    const needed = fixed + chart.panels.reduce((sum, panel) => sum + 1 + leastRows(panel), 0);
    throw tooSmall(needed, height ?? needed, 'lines');
  }
  const fitted = chart.panels.map((panel) => fitPanel(panel, Math.max(rows, leastRows(panel)), chart.log));
  const widths = widthsOf(fitted, width);
  if (widths.plot < leastPlot) throw tooSmall(width + leastPlot - widths.plot, width, 'columns');
  const horizontal = horizontalAxis(chart.range, (axis) => labelStarts(axis, widths) !== undefined);
  const panels = fitted.flatMap((panel) => [
    ...words(panel.panel.heading, 'dim'),
    ...drawPanel(panel, horizontal, widths, chart),
  ]);
  return [...above, ...panels, ...drawAxis(horizontal, widths), ...(showsKey ? key : []), ...below];
}

function tooSmall(needed: number, available: number, unit: 'columns' | 'lines'): Problem {
  return new Problem('bad-input', `this chart needs ${needed} ${unit}, and there is room for ${available}`, {
    hints: ['-o chart.svg draws it into a file'],
  });
}

function leastRows({ lines }: ChartPanel): number {
  return Math.max(lowest, lines.length);
}

/** Chooses the rows of a panel by the width, or as many as the height allows; undefined if these are too few. */
function plotRows({ panels }: Chart, width: number, height: number | undefined, others: number) {
  const fine = Math.max(8, Math.min(20, Math.round(width / 5)));
  const wanted = panels.length === 1 ? fine : Math.max(6, Math.round(fine / 1.6));
  if (height === undefined) return wanted;
  const there = height - others - panels.length;
  const rows = Math.min(wanted, Math.floor(there / panels.length));
  return panels.reduce((sum, panel) => sum + Math.max(rows, leastRows(panel)), 0) <= there ? rows : undefined;
}

function fitPanel(panel: ChartPanel, most: number, log: boolean): TextPanel {
  const { low, high } = panel;
  // The ticks of a logarithmic scale are not evenly spaced.
  if (log) return { panel, axis: logAxis(low, high, Math.max(2, most >> 1)), rows: most };
  let best: TextPanel & { readonly loss: number } = {
    panel,
    axis: valueAxis(low, high, 1),
    rows: most,
    loss: Number.POSITIVE_INFINITY,
  };
  for (let count = 1; count < most; count += 1) {
    const axis = valueAxis(low, high, count);
    const steps = axis.ticks.length - 1;
    const each = Math.floor((most - 1) / Math.max(1, steps));
    const rows = steps * each + 1;
    if (steps < 1 || each < (most < 8 ? 1 : 2) || rows < leastRows(panel)) continue;
    const unused = most * (1 - axis.place(high) + axis.place(low));
    // Two or three rows between ticks look best; if there are few, it matters more to use them all.
    const loss = most - rows + 1.5 * unused + (Math.abs(each - 2.5) * most) / 14;
    if (loss < best.loss) best = { panel, axis, rows, loss };
  }
  return best;
}

function widthsOf(panels: readonly TextPanel[], width: number): PartWidths {
  const longest = (texts: readonly string[]) => Math.max(0, ...texts.map(cellWidth));
  const gutter = longest(panels.flatMap(({ axis }) => axis.ticks.map(({ label }) => label)));
  const names = panels
    .flatMap(({ panel: { lines } }) => (lines.length > 1 ? lines : []))
    .map(({ label }) => label);
  const labels = names.length === 0 ? 0 : 1 + Math.min(longest(names), Math.max(4, Math.floor(width / 4)));
  return { gutter, labels, plot: width - gutter - 2 - labels };
}

const marks = ['●', '○', '◆', '◇'];

function drawPanel(
  { panel, axis, rows }: TextPanel,
  horizontal: Axis,
  { gutter, plot, labels }: PartWidths,
  { range, bands }: Chart,
): readonly StyledLine[] {
  const marked = range.kind === 'maturity';
  const isShaded = (cell: number): boolean =>
    bands.some(
      ([from, to]) =>
        cell >= cellAt(horizontal.place(from), plot) && cell <= cellAt(horizontal.place(to), plot),
    );
  const shaded = Array.from({ length: plot }, (_, cell) => isShaded(cell));
  const rowOf = (value: number): number => Math.round((1 - axis.place(value)) * (rows - 1));
  const columnOf = (x: number): number => Math.round(horizontal.place(x) * (2 * plot - 1));
  // Ticks and equal values are in the middle of their rows.
  const dotOf = ([x, y]: ChartPoint): Dot => [
    columnOf(x),
    Math.round(1.5 + (1 - axis.place(y)) * 4 * (rows - 1)),
  ];
  const canvas = new Canvas(plot, rows);
  for (const [pen, { runs, dots }] of panel.lines.entries()) {
    for (const run of runs) canvas.draw(decimate(run, columnOf).map(dotOf), pen);
    if (marked) for (const dot of dots) canvas.mark(dotOf(dot), marks[pen % marks.length] ?? '●', pen);
    else
      for (const dot of runs.filter(({ length }) => length === 1).flat()) canvas.mark(dotOf(dot), '•', pen);
  }
  const names = abbreviate(
    panel.lines.map(({ label }) => label),
    labels - 1,
  );
  const isNamed = labels > 0 && panel.lines.length > 1;
  const ends = isNamed ? endsByRow(panel, horizontal, plot, rowOf, rows) : undefined;
  const ticks = new Map(axis.ticks.map(({ at, label }) => [rowOf(at), label]));
  const zero = axis.place(0) > 0 && axis.place(0) < 1 ? rowOf(0) : undefined;
  return canvas.rows().map((cells, row): StyledLine => {
    const label = ticks.get(row);
    const axisText = `${(label ?? '').padStart(gutter)} ${label === undefined ? '│' : '┤'}`;
    const blank = row === zero ? '┈' : ' ';
    const drawn = cells.map(({ character, pen }, cell): StyledText => {
      if (character !== ' ') return [character, pen ?? 'plain'];
      return [blank === ' ' && shaded[cell] === true ? '░' : blank, 'dim'];
    });
    return [[axisText, 'dim'], ...addName(drawn, ends?.get(row), names)];
  });
}

type LineEnd = { readonly pen: number; readonly after: number };

/** Adds a line's name to its row: after its end if the cells there are empty, otherwise beside the plot. */
function addName(drawn: StyledLine, line: LineEnd | undefined, names: readonly string[]): StyledLine {
  if (line === undefined) return drawn;
  const text = names[line.pen] ?? '';
  const [start, end] = [line.after + 2, line.after + 3 + cellWidth(text)];
  const inside = end <= drawn.length && drawn.slice(start - 1, end).every(([cell]) => cell === ' ');
  if (!inside) return [...drawn, [` ${text}`, line.pen]];
  return [...drawn.slice(0, start), [text, line.pen], ...drawn.slice(end - 1)];
}

function endsByRow(
  { lines }: ChartPanel,
  horizontal: Axis,
  plot: number,
  rowOf: (value: number) => number,
  rows: number,
): ReadonlyMap<number, LineEnd> {
  const ends = lines.map(({ runs }) => runs.at(-1)?.at(-1) ?? ([0, 0] as const));
  const places = spreadOut(
    ends.map(([, value]) => rowOf(value)),
    { from: 0, to: rows - 1, distance: 1 },
  );
  return new Map(
    places.map((row, pen) => [row, { pen, after: cellAt(horizontal.place(ends[pen]?.[0] ?? 0), plot) }]),
  );
}

function labelStarts(
  { ticks, place }: Axis,
  { gutter, plot, labels }: PartWidths,
): readonly number[] | undefined {
  const centres = ticks.map(({ at }) => gutter + 2.5 + cellAt(place(at), plot));
  const widths = ticks.map(({ label }) => cellWidth(label));
  return placeLabels(centres, widths, { from: 0, to: gutter + 2 + plot + labels, gap: 2 })?.map(Math.floor);
}

function cellAt(place: number, plot: number): number {
  return Math.round(place * (2 * plot - 1)) >> 1;
}

function drawAxis(axis: Axis, widths: PartWidths): readonly StyledLine[] {
  const ticked = new Set(axis.ticks.map(({ at }) => cellAt(axis.place(at), widths.plot)));
  const rule = Array.from({ length: widths.plot }, (_, cell) => (ticked.has(cell) ? '┬' : '─')).join('');
  const starts = labelStarts(axis, widths) ?? [];
  let names = '';
  for (const [i, { label }] of axis.ticks.entries()) names = names.padEnd(starts[i] ?? 0) + label;
  return [[[`${' '.repeat(widths.gutter + 1)}└${rule}`, 'dim']], [[names, 'dim']]];
}

type Dot = readonly [x: number, y: number];

type CanvasCell = { readonly character: string; readonly pen: number | undefined };

const braille = 0x2800;

/** The bits of a braille character's eight dots, by row and column. */
const bits = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const;

const [dash, pause] = [4, 2];

const several = '◉';

/** A drawing of braille characters, with two by four dots in each cell. */
class Canvas {
  readonly #width: number;
  readonly #height: number;
  readonly #dots: Uint8Array;
  readonly #pens: Int8Array;
  readonly #marks = new Map<number, string>();

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

  mark(at: Dot, character: string, pen: number): void {
    this.#put(at, pen);
    const cell = this.#cellOf(at);
    const present = this.#marks.get(cell) ?? character;
    this.#marks.set(cell, present === character ? character : several);
  }

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

function* dotsBetween([fromX, fromY]: Dot, [toX, toY]: Dot): Generator<Dot> {
  const length = Math.max(Math.abs(toX - fromX), Math.abs(toY - fromY));
  for (let i = 0; i < length; i += 1) {
    const share = i / length;
    yield [Math.round(fromX + share * (toX - fromX)), Math.round(fromY + share * (toY - fromY))];
  }
}

type StyleName = 'plain' | 'bold' | 'dim' | number;

type StyledText = readonly [text: string, style: StyleName];

/** Colours of the terminal palette that are readable on light and dark backgrounds. */
const colours = [36, 35, 32, 31, 34, 33];

/** Joins styled lines, without trailing blanks; writes escape sequences only if `colour` allows them. */
function formatLines(lines: readonly (readonly StyledText[])[], colour: boolean): string {
  return lines
    .map((line) => (colour ? colourLine(line) : line.map(([text]) => text).join('')))
    .map((text) => `${text.trimEnd()}\n`)
    .join('');
}

function colourLine(line: readonly StyledText[]): string {
  const parts = joinEqual(line);
  const last = parts.length - 1;
  return parts.map(([text, style], i) => colourText(i === last ? text.trimEnd() : text, style)).join('');
}

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

function colourText(text: string, style: StyleName): string {
  if (text === '' || style === 'plain') return text;
  const [begin, end] =
    style === 'bold' ? [1, 22] : style === 'dim' ? [2, 22] : [colours[style % colours.length], 39];
  return `\u001B[${begin}m${text}\u001B[${end}m`;
}
