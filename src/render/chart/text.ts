import { Problem } from '../../errors/problem.ts';
import type { TextRenderer } from '../renderer.ts';
import { cellWidth, cut } from '../terminal-text.ts';
import { type Axis, acrossAxis, valueAxis } from './axes.ts';
import { canvas, type Dot } from './canvas.ts';
import { type Chart, gathering, type Panel } from './chart.ts';
import type { Drawing, TextSize } from './drawing.ts';
import { type Inked, ink, type Style } from './ink.ts';
import { labelRow, spread } from './label-places.ts';
import { decimated, type Point } from './runs.ts';
import { shortNames } from './short-names.ts';
import { wrapped } from './wrapped.ts';

/** A chart in text: braille dots and box characters, no wider and no higher than its size, coloured only where allowed. */
export function textChart(drawing: Drawing, size: TextSize, colour: boolean): TextRenderer {
  if (size.width < narrowest) throw tooSmall(narrowest, size.width, 'columns');
  const rows = gathering(drawing);
  return {
    page: (page) => {
      rows.add(page);
      return '';
    },
    end: () => ink(linesOf(rows.chart(), size), colour),
  };
}

/** What a chart is not drawn without: columns of the terminal, cells of the plot, rows of a panel. */
const [narrowest, leastPlot, lowest] = [20, 8, 3];

/** A panel of fewer rows than this shows little. */
const fairRows = 6;

/** A panel as it is drawn: how many rows, over which axis. */
type Placed = { readonly panel: Panel; readonly axis: Axis; readonly rows: number };

type Line = readonly Inked[];

/** How wide each part of a line is: the labels of values, the plot, the labels of lines. */
type Widths = { readonly gutter: number; readonly plot: number; readonly labels: number };

function linesOf(chart: Chart, { width, height }: TextSize): readonly Line[] {
  const words = (text: string, style: Style): Line[] => (text === '' ? [] : [[[cut(text, width), style]]]);
  const above = [
    ...words(chart.title, 'bold'),
    ...wrapped(chart.subtitle, width).flatMap((line) => words(line, 'dim')),
  ];
  const below = words(chart.source === '' ? '' : `Source: ${chart.source}`, 'dim');
  if (chart.panels.length === 0) return [...above, [], [['no values', 'plain']], ...below];
  const key = chart.key.flatMap((text) => words(text, 'plain'));
  const fixed = above.length + below.length + 2;
  // The long names of series give way to the picture.
  const [withKey, without] = [key.length, 0].map((more) => plotRows(chart, width, height, fixed + more));
  const keyed = withKey !== undefined && (withKey >= fairRows || withKey === without);
  const rows = keyed ? withKey : without;
  if (rows === undefined) {
    const needed = fixed + chart.panels.reduce((sum, panel) => sum + 1 + leastRows(panel), 0);
    throw tooSmall(needed, height ?? needed, 'lines');
  }
  const placed = chart.panels.map((panel) => fittedPanel(panel, Math.max(rows, leastRows(panel))));
  const widths = widthsOf(placed, width);
  if (widths.plot < leastPlot) throw tooSmall(width + leastPlot - widths.plot, width, 'columns');
  const across = acrossAxis(chart.across, (axis) => dateRow(axis, widths) !== undefined);
  const panels = placed.flatMap((one) => [
    ...words(one.panel.heading, 'dim'),
    ...panelLines(one, across, widths, chart.across.kind === 'maturity'),
  ]);
  return [...above, ...panels, ...axisLines(across, widths), ...(keyed ? key : []), ...below];
}

function tooSmall(needed: number, there: number, what: 'columns' | 'lines'): Problem {
  return new Problem('bad-input', `this chart needs ${needed} ${what}, and there is room for ${there}`, {
    hints: ['-o chart.svg draws it into a file'],
  });
}

/** Each line of a panel has a row for its label. */
function leastRows({ lines }: Panel): number {
  return Math.max(lowest, lines.length);
}

/** The rows for each panel: as many as look well under this width, or as there are; undefined where these are too few. */
function plotRows({ panels }: Chart, width: number, height: number | undefined, others: number) {
  const fine = Math.max(8, Math.min(20, Math.round(width / 5)));
  const wanted = panels.length === 1 ? fine : Math.max(6, Math.round(fine / 1.6));
  if (height === undefined) return wanted;
  const there = height - others - panels.length;
  const rows = Math.min(wanted, Math.floor(there / panels.length));
  return panels.reduce((sum, panel) => sum + Math.max(rows, leastRows(panel)), 0) <= there ? rows : undefined;
}

/** The panel in at most so many rows, with ticks in the middle of rows and evenly spaced. */
function fittedPanel(panel: Panel, most: number): Placed {
  const { low, high } = panel;
  let best: Placed & { readonly loss: number } = {
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
    // Two or three rows from tick to tick look best; where there are few rows the use of them counts more.
    const loss = most - rows + 1.5 * unused + (Math.abs(each - 2.5) * most) / 14;
    if (loss < best.loss) best = { panel, axis, rows, loss };
  }
  return best;
}

function widthsOf(placed: readonly Placed[], width: number): Widths {
  const longest = (texts: readonly string[]) => Math.max(0, ...texts.map(cellWidth));
  const gutter = longest(placed.flatMap(({ axis }) => axis.ticks.map(({ label }) => label)));
  const names = placed
    .flatMap(({ panel: { lines } }) => (lines.length > 1 ? lines : []))
    .map(({ label }) => label);
  const labels = names.length === 0 ? 0 : 1 + Math.min(longest(names), Math.max(4, Math.floor(width / 4)));
  return { gutter, labels, plot: width - gutter - 2 - labels };
}

/** The characters at maturities, for each line. */
const marks = ['●', '○', '◆', '◇'];

function panelLines(
  { panel, axis, rows }: Placed,
  across: Axis,
  { gutter, plot, labels }: Widths,
  marked: boolean,
): readonly Line[] {
  const rowOf = (value: number): number => Math.round((1 - axis.place(value)) * (rows - 1));
  const columnOf = (x: number): number => Math.round(across.place(x) * (2 * plot - 1));
  // Ticks stand in the middle of their rows, and so do the values there.
  const dotOf = ([x, y]: Point): Dot => [columnOf(x), Math.round(1.5 + (1 - axis.place(y)) * 4 * (rows - 1))];
  const picture = canvas(plot, rows);
  for (const [pen, { runs, dots }] of panel.lines.entries()) {
    for (const run of runs) picture.draw(decimated(run, columnOf).map(dotOf), pen);
    if (marked) for (const dot of dots) picture.mark(dotOf(dot), marks[pen % marks.length] ?? '●', pen);
    else
      for (const dot of runs.filter(({ length }) => length === 1).flat()) picture.mark(dotOf(dot), '•', pen);
  }
  const names = shortNames(
    panel.lines.map(({ label }) => label),
    labels - 1,
  );
  const ends = labels === 0 || panel.lines.length === 1 ? [] : endsByRow(panel, across, plot, rowOf, rows);
  const ticks = new Map(axis.ticks.map(({ at, label }) => [rowOf(at), label]));
  const zero = axis.place(0) > 0 && axis.place(0) < 1 ? rowOf(0) : undefined;
  return picture.rows().map((cells, row): Line => {
    const label = ticks.get(row);
    const axisText = `${(label ?? '').padStart(gutter)} ${label === undefined ? '│' : '┤'}`;
    const blank = row === zero ? '┈' : ' ';
    const drawn = cells.map(
      ({ character, pen }): Inked => (character === ' ' ? [blank, 'dim'] : [character, pen ?? 'plain']),
    );
    return [[axisText, 'dim'], ...named(drawn, ends[row], names)];
  });
}

/** A line that is named in a row, and where it ends, in cells. */
type End = { readonly pen: number; readonly after: number };

/** A row with the name of a line: behind its end where nothing else is drawn there, else beside the plot. */
function named(drawn: readonly Inked[], line: End | undefined, names: readonly string[]): readonly Inked[] {
  if (line === undefined) return drawn;
  const text = names[line.pen] ?? '';
  const [start, end] = [line.after + 2, line.after + 3 + cellWidth(text)];
  const inside = end <= drawn.length && drawn.slice(start - 1, end).every(([cell]) => cell === ' ');
  if (!inside) return [...drawn, [` ${text}`, line.pen]];
  return [...drawn.slice(0, start), [text, line.pen], ...drawn.slice(end - 1)];
}

/** The line to be named in each row: one that ends there, or near. */
function endsByRow(
  { lines }: Panel,
  across: Axis,
  plot: number,
  rowOf: (value: number) => number,
  rows: number,
): readonly (End | undefined)[] {
  const ends = lines.map(({ runs }) => runs.at(-1)?.at(-1) ?? ([0, 0] as const));
  const places = spread(
    ends.map(([, value]) => rowOf(value)),
    { from: 0, to: rows - 1, distance: 1 },
  );
  const byRow: (End | undefined)[] = Array.from({ length: rows }, () => undefined);
  for (const [pen, row] of places.entries())
    byRow[row] = { pen, after: cellAt(across.place(ends[pen]?.[0] ?? 0), plot) };
  return byRow;
}

/** Where the labels below begin, in cells from the left; undefined where they do not fit. */
function dateRow({ ticks, place }: Axis, { gutter, plot, labels }: Widths): readonly number[] | undefined {
  const centres = ticks.map(({ at }) => gutter + 2.5 + cellAt(place(at), plot));
  const widths = ticks.map(({ label }) => cellWidth(label));
  return labelRow(centres, widths, { from: 0, to: gutter + 2 + plot + labels, gap: 2 })?.map(Math.floor);
}

function cellAt(place: number, plot: number): number {
  return Math.round(place * (2 * plot - 1)) >> 1;
}

function axisLines(axis: Axis, widths: Widths): readonly Line[] {
  const ticked = new Set(axis.ticks.map(({ at }) => cellAt(axis.place(at), widths.plot)));
  const rule = Array.from({ length: widths.plot }, (_, cell) => (ticked.has(cell) ? '┬' : '─')).join('');
  const starts = dateRow(axis, widths) ?? [];
  let names = '';
  for (const [i, { label }] of axis.ticks.entries()) names = names.padEnd(starts[i] ?? 0) + label;
  return [[[`${' '.repeat(widths.gutter + 1)}└${rule}`, 'dim']], [[names, 'dim']]];
}
