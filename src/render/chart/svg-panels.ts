import { type Axis, acrossAxis, valueAxis } from './axes.ts';
import type { Chart, Line, Panel } from './chart.ts';
import { labelRow, spread } from './label-places.ts';
import { decimated, type Point } from './runs.ts';
import { shortNames } from './short-names.ts';
import { cutToLine, type Drawn, gap, ink, margin, text, wide, width } from './svg-text.ts';
import { coordinate, element } from './xml.ts';

/** Colours that differ in lightness too, each dark enough for text on white. */
const colours: readonly string[] = [
  '#1d4ed8',
  '#c2410c',
  '#047857',
  '#7e22ce',
  '#a16207',
  '#be123c',
  '#0e7490',
  '#374151',
];

function colourOf(line: number): string {
  return colours[line % colours.length] ?? ink.text;
}

/** The size of everything that is written into the picture. */
const textSize = 12;

/** Where panels lie between left and right, and the scale below them all. */
type Frame = {
  readonly left: number;
  readonly right: number;
  readonly across: Axis;
  readonly marked: boolean;
};

/** A panel as it is placed: from its upper edge to its lower. */
type Placed = { readonly panel: Panel; readonly axis: Axis; readonly top: number; readonly bottom: number };

/** How high a plot is, by how many there are. */
const plotHeights = [0, 270, 175, 140];

/** Every panel of a chart, one below the other over one axis, from an upper edge on. */
export function panelsOf(chart: Chart, from: number): Drawn {
  const plot = plotHeights[chart.panels.length] ?? 120;
  let top = from + gap;
  const placed = chart.panels.map((panel): Placed => {
    const upper = top + (panel.heading === '' ? gap : 30);
    top = upper + plot + 2 * gap;
    const axis = valueAxis(panel.low, panel.high, Math.round(plot / 50));
    return { panel, axis, top: upper, bottom: upper + plot };
  });
  const labels = placed.flatMap(({ axis }) => axis.ticks.map(({ label }) => label));
  const names = chart.panels.flatMap(({ lines }) => (lines.length > 1 ? namesOf(lines) : []));
  const left = margin + longest(labels, false) + gap;
  const right = width - margin - gap - longest(names, true);
  const across = acrossAxis(chart.across, (axis) => labelStarts(axis, left, right) !== undefined);
  const frame = { left, right, across, marked: chart.across.kind === 'maturity' };
  const bottom = placed.at(-1)?.bottom ?? top;
  return {
    elements: [...placed.flatMap((one) => panelElements(one, frame)), ...axisElements(frame, bottom)],
    end: bottom + 30,
  };
}

function longest(texts: readonly string[], bold: boolean): number {
  return Math.max(0, ...texts.map((one) => wide(one, textSize, bold)));
}

/** The longest name of a line that stands beside it, in cells. */
const longestName = 24;

function namesOf(lines: Panel['lines']): readonly string[] {
  return shortNames(
    lines.map(({ label }) => label),
    longestName,
  );
}

function panelElements({ panel, axis, top, bottom }: Placed, frame: Frame): readonly string[] {
  const { left, right, across } = frame;
  const x = (value: number): number => left + across.place(value) * (right - left);
  const y = (value: number): number => bottom - axis.place(value) * (bottom - top);
  const heading = cutToLine(panel.heading, textSize);
  return [
    ...(heading === '' ? [] : [text(heading, margin, top - 16, { size: textSize, colour: ink.soft })]),
    ...axis.ticks.flatMap(({ at, label }) => [
      rule(left, y(at), right, y(at), at === 0 || y(at) === bottom ? ink.axis : ink.grid),
      text(label, left - gap, y(at) + 4, { size: textSize, colour: ink.soft, anchor: 'end' }),
    ]),
    ...panel.lines.flatMap((line, i) => lineElements(line, colourOf(i), x, y, frame)),
    ...(panel.lines.length > 1 ? lineNames(panel, x, y, { top, bottom }) : []),
  ];
}

type Place = (value: number) => number;

/** So many points make a line so dense that it must be thin. */
const dense = 700;

function lineElements(
  { runs, dots }: Line,
  colour: string,
  x: Place,
  y: Place,
  { marked }: Frame,
): readonly string[] {
  // Two columns to a unit: more cannot be seen on a screen of any kind.
  const thinned = runs.map((run) => decimated(run, (at) => Math.floor(x(at) * 2)));
  const d = thinned.map((run) => (run.length > 1 ? pathOf(run, x, y) : '')).join('');
  const stroke = { stroke: colour, 'stroke-width': thinned.flat().length > dense ? 1.25 : 1.75 };
  const joints = { 'stroke-linejoin': 'round', 'stroke-linecap': 'round' };
  return [
    ...(d === '' ? [] : [element('path', { d, fill: 'none', ...stroke, ...joints })]),
    ...dots.map(([at, value]) =>
      element('circle', { cx: x(at), cy: y(value), r: marked ? 3.5 : 2.5, fill: colour }),
    ),
  ];
}

/** The lines' names, to the right of all that is drawn in the panel, as high as their ends. */
function lineNames(
  { lines }: Panel,
  x: Place,
  y: Place,
  { top, bottom }: { readonly top: number; readonly bottom: number },
): readonly string[] {
  const ends = lines.map(({ runs }) => runs.at(-1)?.at(-1) ?? ([0, 0] as const));
  const beside = Math.max(...ends.map(([at]) => x(at))) + gap;
  const heights = ends.map(([, value]) => y(value));
  const places = spread(heights, { from: top, to: bottom, distance: 15 });
  return namesOf(lines).map((name, i) =>
    text(name, beside, (places[i] ?? 0) + 4, {
      size: textSize,
      colour: colourOf(i),
      bold: true,
    }),
  );
}

function pathOf(run: readonly Point[], x: Place, y: Place): string {
  return run
    .map(([at, value], i) => `${i === 0 ? 'M' : 'L'}${coordinate(x(at))} ${coordinate(y(value))}`)
    .join('');
}

function labelStarts({ ticks, place }: Axis, left: number, right: number): readonly number[] | undefined {
  const centres = ticks.map(({ at }) => left + place(at) * (right - left));
  return labelRow(
    centres,
    ticks.map(({ label }) => wide(label, textSize)),
    { from: margin, to: width - margin, gap: 12 },
  );
}

function axisElements({ left, right, across }: Frame, bottom: number): readonly string[] {
  const starts = labelStarts(across, left, right) ?? [];
  const ticks = across.ticks.flatMap(({ at, label }, i) => {
    const x = left + across.place(at) * (right - left);
    const middle = (starts[i] ?? x) + wide(label, textSize) / 2;
    return [
      rule(x, bottom, x, bottom + 5, ink.axis),
      text(label, middle, bottom + 20, { size: textSize, colour: ink.soft, anchor: 'middle' }),
    ];
  });
  return [rule(left, bottom, right, bottom, ink.axis), ...ticks];
}

function rule(x1: number, y1: number, x2: number, y2: number, stroke: string): string {
  return element('line', { x1, y1, x2, y2, stroke });
}
