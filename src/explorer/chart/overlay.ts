import type uPlot from 'uplot';
import { firstPlace } from '../../domain/values/date.ts';
import { groupBy } from '../../domain/values/groups.ts';
import {
  colourOf,
  type PlotData,
  type PlotLine,
  type PlotValues,
  positionsOf,
  secondsOf,
} from './plot-data.ts';

/** A place in pixels of CSS. */
type PenPoint = readonly [x: number, y: number];

type Stroke = {
  readonly colour: string;
  readonly width?: number;
  readonly dash?: readonly number[];
  readonly opacity?: number;
};

type PenText = {
  readonly colour: string;
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly size?: number;
  readonly isBold?: boolean;
};

/** What a chart draws by itself, on a canvas or into a picture, in pixels of CSS. */
export type Pen = {
  readonly lines: (runs: readonly (readonly PenPoint[])[], stroke: Stroke) => void;
  readonly area: (from: PenPoint, to: PenPoint, colour: string) => void;
  readonly dots: (points: readonly PenPoint[], radius: number, colour: string) => void;
  /** Writes a text whose baseline begins, or ends, at a point. */
  readonly text: (text: string, at: PenPoint, style: PenText) => void;
};

/** The part of a chart within its axes, in pixels of CSS, and the places of its values. */
export type PlotFrame = {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** The width of the whole chart. */
  readonly width: number;
  /** The first and last position on show. */
  readonly first: number;
  readonly last: number;
  readonly x: (position: number) => number;
  readonly y: (value: number, isOther?: boolean) => number;
};

export function frameOf(plot: uPlot): PlotFrame {
  const ratio = devicePixelRatio;
  const { left, top, width, height } = plot.bbox;
  const place = (value: number, scale: string) => plot.valToPos(value, scale, true) / ratio;
  return {
    left: left / ratio,
    right: (left + width) / ratio,
    top: top / ratio,
    bottom: (top + height) / ratio,
    width: plot.width,
    first: plot.scales.x?.min ?? 0,
    last: plot.scales.x?.max ?? 0,
    x: (position) => place(position, 'x'),
    y: (value, isOther = false) => place(value, isOther ? 'other' : 'y'),
  };
}

/** Draws what is behind the lines: shaded times, and faint lines. */
export function drawBehind(pen: Pen, { bands = [], faint = [], ...data }: PlotData, frame: PlotFrame): void {
  const { left, right, top, bottom, x } = frame;
  const shade = colourOf('--band');
  for (const { from, to } of bands) {
    const [first, last] = [Math.max(left, x(secondsOf(from))), Math.min(right, x(secondsOf(to)))];
    if (first < last) pen.area([first, top], [last, bottom], shade);
  }
  const stroke = {
    colour: colourOf('--latest'),
    width: 1,
    opacity: Math.max(0.12, Math.min(0.5, 12 / faint.length)),
  };
  for (const values of faint) pen.lines(runsOf(values, data, frame), stroke);
}

/** Draws what is above the lines: ticks, marks, and the names of lines at their ends. */
export function drawAbove(pen: Pen, data: PlotData, frame: PlotFrame): void {
  const { left, right, top, bottom, x } = frame;
  const isShown = (place: number) => place >= left && place <= right;
  const mark = colourOf('--mark');
  const ticks = within(positionsOf({ axis: 'day', at: data.ticks ?? [] }), frame);
  // Ticks that would touch each other say nothing.
  if (ticks.length < (right - left) / 3)
    pen.lines(
      ticks.map((tick) => upright(x(tick), bottom - 5, bottom)),
      { colour: mark },
    );
  const soft = colourOf('--soft');
  for (const [i, { day, label }] of (data.marks ?? []).entries()) {
    const place = x(secondsOf(day));
    if (!isShown(place)) continue;
    pen.lines([upright(place, top, bottom)], { colour: mark, dash: [4, 3] });
    const isRight = place > (left + right) / 2;
    pen.text(label, [place + (isRight ? -5 : 5), top + 12 + 15 * i], {
      colour: soft,
      anchor: isRight ? 'end' : 'start',
      size: 11,
    });
  }
  drawNames(pen, data, frame);
}

/** Returns the ends of a line from top to bottom. */
export function upright(x: number, top: number, bottom: number): readonly PenPoint[] {
  return [
    [x, top],
    [x, bottom],
  ];
}

/** Writes the name of each line beside its last value on show, at a distance from the others. */
function drawNames(pen: Pen, data: PlotData, frame: PlotFrame): void {
  const ends = data.lines.flatMap((line) => {
    const end = line.isHidden === true ? undefined : endOf(line, data, frame);
    return end === undefined ? [] : [{ line, x: end[0], y: end[1] }];
  });
  ends.sort((a, b) => a.y - b.y);
  // The numbers of another unit are to the right.
  const edge = data.otherUnit === undefined ? frame.width : frame.right;
  let lowest = frame.top + 4;
  const placed = ends.map((end) => {
    lowest = Math.max(lowest, end.y) + 14;
    return { ...end, y: lowest - 14 };
  });
  let highest = frame.bottom - 2;
  for (const end of placed.reverse()) {
    const y = Math.min(highest, end.y);
    highest = y - 14;
    const x = Math.min(end.x + 7, edge - nameWidth(end.line) + 4);
    pen.text(end.line.label, [x, y + 4], { colour: colourOf(end.line.colour), isBold: true });
  }
}

/** Estimates the width of the name of a line, with the space before it. */
export function nameWidth({ label }: PlotLine): number {
  return 12 + 7 * label.length;
}

/** Returns the part of ascending positions that is on show. */
function within(positions: readonly number[], frame: PlotFrame): readonly number[] {
  const [begin, end] = shownPlaces(positions, frame);
  return positions.slice(begin, end);
}

/** Returns the index of the first position on show, and the index after the last. */
function shownPlaces(
  positions: readonly number[],
  { first, last }: PlotFrame,
): readonly [begin: number, end: number] {
  const { length } = positions;
  return [
    firstPlace(length, (i) => (positions[i] ?? 0) >= first),
    firstPlace(length, (i) => (positions[i] ?? 0) > last),
  ];
}

/** Returns the unbroken runs of a line within the frame; of many points in a pixel, those that are seen. */
export function runsOf(
  values: PlotValues,
  data: Pick<PlotData, 'at' | 'axis' | 'isLog'>,
  frame: PlotFrame,
  isOther = false,
): readonly (readonly PenPoint[])[] {
  const { x, y, left, right } = frame;
  const runs: PenPoint[][] = [[]];
  const positions = positionsOf(data);
  const [begin, end] = shownPlaces(positions, frame);
  for (let i = begin; i < end; i += 1) {
    const value = values[i];
    if (value === undefined) continue;
    if (isGap(value, data, isOther)) runs.push([]);
    else runs.at(-1)?.push([x(positions[i] ?? 0), y(Number(value), isOther)]);
  }
  const shown = runs.filter((run) => run.length > 0);
  return end - begin > 4 * (right - left) ? shown.map(seenOf) : shown;
}

/** Keeps of the points in each pixel of the time axis the first, the lowest, the highest and the last. */
export function seenOf(points: readonly PenPoint[]): readonly PenPoint[] {
  const columns = groupBy(points, ([x]) => Math.floor(x));
  return [...columns.values()].flatMap((column) => {
    const [lowest, highest] = [Math.min, Math.max].map((most) => most(...column.map(([, y]) => y)));
    const kept = [
      0,
      column.length - 1,
      ...[lowest, highest].map((y) => column.findIndex((one) => one[1] === y)),
    ];
    return column.filter((_, i) => kept.includes(i));
  });
}

/** Returns the last place of a line within the frame. */
function endOf(
  { values, isOther = false }: PlotLine,
  data: PlotData,
  { first, last, x, y }: PlotFrame,
): PenPoint | undefined {
  const positions = positionsOf(data);
  const isEnd = (value: PlotValues[number], i: number) => {
    const place = positions[i] ?? first;
    return value !== undefined && place >= first && place <= last && !isGap(value, data, isOther);
  };
  const i = values.findLastIndex(isEnd);
  return i < 0 ? undefined : [x(positions[i] ?? first), y(Number(values[i]), isOther)];
}

/** Tells whether a line has no place for a value; a logarithm of 0 has none. */
function isGap(value: string | null, { isLog = false }: Pick<PlotData, 'isLog'>, isOther: boolean): boolean {
  return value === null || (isLog && !isOther && Number(value) <= 0);
}

/** Returns of how many places one has room for its dot: of more, only some can be told apart. */
export function placesPerDot(places: number, width: number): number {
  return Math.max(1, Math.ceil((3 * places) / Math.max(1, width)));
}
