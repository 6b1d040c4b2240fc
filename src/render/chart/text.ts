import { Problem } from '../../errors/problem.ts';
import type { Drawing } from '../../operations/drawing.ts';
import type { ChartOptions, TextRenderer, TextSize } from '../renderer.ts';
import { cellWidth, cut, wrap } from '../terminal-text.ts';
import { type Axis, horizontalAxis, logAxis, valueAxis } from './axes.ts';
import { type Chart, type ChartPanel, type ChartPoint, chartRenderer, decimate } from './chart.ts';
import { abbreviate, placeLabels, spreadOut } from './labels.ts';

/** Renders a chart in braille and box characters, at most as large as `size`. */
export function textChartRenderer(
  drawing: Drawing,
  size: TextSize,
  colour: boolean,
  options: ChartOptions = {},
): TextRenderer {
  if (size.width < narrowest) throw tooSmall(narrowest, size.width, 'columns');
  return chartRenderer(drawing, options, (chart) => formatLines(drawChart(chart, size), colour));
}

/** The least sizes of a chart: columns of the terminal, cells of a plot, rows of a panel. */
const [narrowest, leastPlot, lowest] = [20, 8, 3];

/** The key is left out if it would leave panels fewer rows. */
const fairRows = 6;

type TextPanel = ChartPanel & { readonly axis: Axis; readonly rows: number };

type StyledLine = readonly StyledText[];

/** The widths of a chart, and its horizontal axis. */
type TextFrame = {
  readonly gutter: number;
  readonly plot: number;
  readonly labels: number;
  readonly horizontal: Axis;
};

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
  if (rows === undefined) throw tooSmall(fixed + linesOf(chart, 0), height ?? 0, 'lines');
  const fitted = chart.panels.map((panel) => fitPanel(panel, rowsOf(panel, rows), chart.log));
  const longest = (texts: readonly string[]) => Math.max(0, ...texts.map(cellWidth));
  const gutter = longest(fitted.flatMap(({ axis }) => axis.ticks.map(({ label }) => label)));
  const named = fitted.flatMap(({ lines }) => (lines.length > 1 ? lines.map(({ label }) => label) : []));
  const most = Math.max(4, Math.floor(width / 4));
  const labels = named.length === 0 ? 0 : 1 + Math.min(longest(named), most);
  const plot = width - gutter - 2 - labels;
  if (plot < leastPlot) throw tooSmall(width + leastPlot - plot, width, 'columns');
  const labelStarts = ({ ticks, place }: Axis) =>
    placeLabels(
      ticks.map(({ at }) => gutter + 2.5 + cellAt(place(at), plot)),
      ticks.map(({ label }) => cellWidth(label)),
      { from: 0, to: width, gap: 2 },
    )?.map(Math.floor);
  const horizontal = horizontalAxis(chart.range, (axis) => labelStarts(axis) !== undefined);
  const panels = fitted.flatMap((panel) => [
    ...words(panel.heading, 'dim'),
    ...drawPanel(panel, { gutter, plot, labels, horizontal }, chart),
  ]);
  const ticked = new Set(horizontal.ticks.map(({ at }) => cellAt(horizontal.place(at), plot)));
  const rule = Array.from({ length: plot }, (_, cell) => (ticked.has(cell) ? '┬' : '─')).join('');
  const starts = labelStarts(horizontal) ?? [];
  let days = '';
  for (const [i, { label }] of horizontal.ticks.entries()) days = days.padEnd(starts[i] ?? 0) + label;
  const axis: StyledLine[] = [[[`${' '.repeat(gutter + 1)}└${rule}`, 'dim']], [[days, 'dim']]];
  return [...above, ...panels, ...axis, ...(showsKey ? key : []), ...below];
}

function tooSmall(needed: number, available: number, unit: 'columns' | 'lines'): Problem {
  return new Problem('bad-input', `this chart needs ${needed} ${unit}, and there is room for ${available}`, {
    hints: ['-o chart.svg draws it into a file'],
  });
}

/** Returns the rows of a panel, in which each line can have its name. */
function rowsOf({ lines }: ChartPanel, wanted: number): number {
  return Math.max(wanted, lowest, lines.length);
}

function linesOf({ panels }: Chart, rows: number): number {
  return panels.reduce((sum, panel) => sum + 1 + rowsOf(panel, rows), 0);
}

/** Chooses the rows of a panel by the width, or as many as the height allows; undefined if these are too few. */
function plotRows(chart: Chart, width: number, height: number | undefined, others: number) {
  const count = chart.panels.length;
  const fine = Math.max(8, Math.min(20, Math.round(width / 5)));
  const wanted = count === 1 ? fine : Math.max(6, Math.round(fine / 1.6));
  if (height === undefined) return wanted;
  const rows = Math.min(wanted, Math.floor((height - others) / count) - 1);
  return others + linesOf(chart, rows) <= height ? rows : undefined;
}

function fitPanel(panel: ChartPanel, most: number, log: boolean): TextPanel {
  const { low, high } = panel;
  // The ticks of a logarithmic scale are not evenly spaced.
  if (log) return { ...panel, axis: logAxis(low, high, Math.max(2, most >> 1)), rows: most };
  let best = { axis: valueAxis(low, high, 1), rows: most, loss: Number.POSITIVE_INFINITY };
  for (let count = 1; count < most; count += 1) {
    const axis = valueAxis(low, high, count);
    const steps = axis.ticks.length - 1;
    const each = Math.floor((most - 1) / Math.max(1, steps));
    const rows = steps * each + 1;
    if (steps < 1 || each < (most < 8 ? 1 : 2) || rows < rowsOf(panel, 0)) continue;
    const unused = most * (1 - axis.place(high) + axis.place(low));
    // Two or three rows between ticks look best; if there are few, it matters more to use them all.
    const loss = most - rows + 1.5 * unused + (Math.abs(each - 2.5) * most) / 14;
    if (loss < best.loss) best = { axis, rows, loss };
  }
  return { ...panel, ...best };
}

const marks = ['●', '○', '◆', '◇'];

function drawPanel(
  { lines, axis, rows }: TextPanel,
  { gutter, plot, labels, horizontal }: TextFrame,
  { range, bands }: Chart,
): readonly StyledLine[] {
  const cellOf = (x: number): number => cellAt(horizontal.place(x), plot);
  const rowOf = (value: number): number => Math.round((1 - axis.place(value)) * (rows - 1));
  const columnOf = (x: number): number => Math.round(horizontal.place(x) * (2 * plot - 1));
  // Ticks and equal values are in the middle of their rows.
  const dotOf = ([x, y]: ChartPoint): Dot => [
    columnOf(x),
    Math.round(1.5 + (1 - axis.place(y)) * 4 * (rows - 1)),
  ];
  const canvas = new Canvas(plot);
  for (const [pen, { runs, dots }] of lines.entries()) {
    for (const run of runs) canvas.draw(decimate(run, columnOf).map(dotOf), pen);
    const isCurve = range.kind === 'maturity';
    const mark = isCurve ? (marks[pen % marks.length] ?? '') : '•';
    const marked = isCurve ? dots : runs.filter(({ length }) => length === 1).flat();
    for (const dot of marked) canvas.mark(dotOf(dot), mark, pen);
  }
  const ticks = new Map(axis.ticks.map(({ at, label }) => [rowOf(at), label]));
  const zero = axis.place(0) > 0 && axis.place(0) < 1 ? rowOf(0) : undefined;
  const shaded = Array.from({ length: plot }, (_, cell) =>
    bands.some(([from, to]) => cell >= cellOf(from) && cell <= cellOf(to)),
  );
  const names = abbreviate(
    lines.map(({ label }) => label),
    labels - 1,
  );
  const ends = lines.map(({ runs }) => runs.at(-1)?.at(-1) ?? ([0, 0] as const));
  const endRows = ends.map(([, value]) => rowOf(value));
  const nameRows = lines.length > 1 ? spreadOut(endRows, { from: 0, to: rows - 1, distance: 1 }) : [];
  return Array.from({ length: rows }, (_, row): StyledLine => {
    const blankAt = (cell: number) => (shaded[cell] === true ? '░' : ' ');
    const drawn = Array.from(
      shaded,
      (_, cell): StyledText => canvas.textAt(row, cell) ?? [row === zero ? '┈' : blankAt(cell), 'dim'],
    );
    const label = ticks.get(row);
    const axisText = `${(label ?? '').padStart(gutter)} ${label === undefined ? '│' : '┤'}`;
    const pen = nameRows.indexOf(row);
    const named = pen < 0 ? drawn : addName(drawn, names[pen] ?? '', pen, cellOf(ends[pen]?.[0] ?? 0));
    return [[axisText, 'dim'], ...named];
  });
}

/** Adds a line's name to its row: after its end if the cells there are empty, otherwise beside the plot. */
function addName(drawn: StyledLine, name: string, pen: number, after: number): StyledLine {
  const [start, end] = [after + 2, after + 3 + cellWidth(name)];
  const isInside = end <= drawn.length && drawn.slice(start - 1, end).every(([cell]) => cell === ' ');
  if (!isInside) return [...drawn, [` ${name}`, pen]];
  return [...drawn.slice(0, start), [name, pen], ...drawn.slice(end - 1)];
}

function cellAt(place: number, plot: number): number {
  return Math.round(place * (2 * plot - 1)) >> 1;
}

type Dot = readonly [x: number, y: number];

/** The bits of a braille character's eight dots, from left to right and down. */
const bits = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80];

const [dash, pause] = [4, 2];

/** A drawing of braille characters, with two by four dots in each cell. */
class Canvas {
  readonly #width: number;
  readonly #cells = new Map<number, { dots: number; pen: number; mark?: string }>();

  constructor(width: number) {
    this.#width = width;
  }

  /** Draws a line through dots: solid for the first pen, dashed for the others. */
  draw(through: readonly Dot[], pen: number): void {
    let drawn = 0;
    for (const [i, to] of through.entries()) {
      for (const dot of dotsBetween(through[i - 1] ?? to, to)) {
        if (pen === 0 || drawn % (dash + pause) < dash) this.#put(dot, pen);
        drawn += 1;
      }
      this.#put(to, pen);
    }
  }

  mark(at: Dot, character: string, pen: number): void {
    const cell = this.#put(at, pen);
    cell.mark = (cell.mark ?? character) === character ? character : '◉';
  }

  /** Returns what a cell shows; undefined for an empty one. */
  textAt(row: number, column: number): StyledText | undefined {
    const cell = this.#cells.get(row * this.#width + column);
    return cell && [cell.mark ?? String.fromCharCode(0x2800 + cell.dots), cell.pen];
  }

  #put([x, y]: Dot, pen: number) {
    const place = (y >> 2) * this.#width + (x >> 1);
    const cell = this.#cells.get(place) ?? { dots: 0, pen };
    this.#cells.set(place, cell);
    cell.dots |= bits[2 * (y & 3) + (x & 1)] ?? 0;
    cell.pen = pen;
    return cell;
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

/** Joins neighbours of one style, and blanks with any, so that a style begins once. */
function colourLine(line: readonly StyledText[]): string {
  const parts: [text: string, style: StyleName][] = [];
  for (const [text, style] of line) {
    const last = parts.at(-1);
    if (last !== undefined && (last[1] === style || text.trim() === '')) last[0] += text;
    else parts.push([text, style]);
  }
  return parts
    .map(([text, style], i) => colourText(i === parts.length - 1 ? text.trimEnd() : text, style))
    .join('');
}

function colourText(text: string, style: StyleName): string {
  if (text === '' || style === 'plain') return text;
  const [begin, end] =
    typeof style === 'number' ? [colours[style % colours.length], 39] : [style === 'bold' ? 1 : 2, 22];
  return `\u001B[${begin}m${text}\u001B[${end}m`;
}
