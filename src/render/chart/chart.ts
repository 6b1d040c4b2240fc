import { sourceNamesIn } from '../../domain/series/publishers.ts';
import { type Maturity, monthsOf } from '../../domain/treasury/curve.ts';
import { type Day, dayNumber } from '../../domain/values/date.ts';
import { groupBy } from '../../domain/values/groups.ts';
import { Problem } from '../../errors/problem.ts';
import type { ChartMark, Drawing } from '../../operations/drawing.ts';
import { defined } from '../../platform/defined.ts';
import { printable } from '../printable.ts';
import type { ChartOptions, TextRenderer } from '../renderer.ts';

type ChartLine = {
  readonly label: string;
  readonly runs: readonly (readonly ChartPoint[])[];
  readonly dots: readonly ChartPoint[];
};

/** Lines of one unit over one scale, from the least to the greatest value. */
export type ChartPanel = {
  /** The unit, after the name of a panel's only line if the chart has several panels. */
  readonly heading: string;
  readonly lines: readonly ChartLine[];
  readonly low: number;
  readonly high: number;
};

/** The horizontal axis: days since 1970, or maturities at 0, 1, 2 … */
export type HorizontalRange =
  | { readonly kind: 'day'; readonly first: number; readonly last: number }
  | { readonly kind: 'maturity'; readonly names: readonly string[] };

/** A chart of any size with printable texts; no panels without values. */
export type Chart = {
  readonly title: string;
  readonly subtitle: string;
  readonly panels: readonly ChartPanel[];
  readonly range: HorizontalRange;
  readonly key: readonly string[];
  readonly source: string;
  readonly bands: readonly (readonly [from: number, to: number])[];
  readonly log: boolean;
  /** True if each run is a bar, from 0 to its value. */
  readonly bars: boolean;
};

type LineValues = Omit<ChartMark, 'at' | 'value' | 'line' | 'source'> & {
  readonly at: Map<string, number | null>;
};

/** Renders all rows, in any order, as one chart. */
export function chartRenderer(
  drawing: Drawing,
  { title: named, index, log = false }: ChartOptions,
  draw: (chart: Chart) => string,
): TextRenderer {
  const all = new Map<string, LineValues>();
  const sources = new Set<string>();
  let asOf: Day | undefined;
  let published: Day | undefined;
  return {
    page({ as_of, results }) {
      asOf ??= as_of;
      for (const row of results) {
        const { as_of_date: day } = row;
        if (typeof day === 'string' && (published === undefined || day > published)) published = day;
        for (const { line, at, value, source, ...about } of drawing.marks(row)) {
          for (const one of sourceNamesIn(String(source ?? row.source ?? ''))) sources.add(one);
          const values = all.get(line) ?? { ...about, at: new Map() };
          all.set(line, values);
          const number = numberOf(value, about.label, at);
          values.at.set(at, drawing.bars === true && number === 0 ? null : number);
        }
      }
      return '';
    },
    end() {
      const given = [...all.values()].filter(({ at }) => [...at.values()].some((value) => value !== null));
      const lines = index === undefined ? given : indexed(given, index, drawing);
      const known = { ...defined({ asOf, published }), lines: lines.map(({ label }) => label) };
      const range = rangeOf(drawing, lines, drawing.until?.(known));
      const bands = bandsOf(drawing, range);
      const summary = { ...known, shaded: bands.length > 0 };
      const { title, subtitle } = drawing.words(summary);
      const panels = panelsOf(lines, drawing, range);
      const low = Math.min(...panels.map((panel) => panel.low));
      if (log && low <= 0)
        throw new Problem('bad-input', `a logarithmic scale shows values above 0, and one is ${low}`, {
          hints: ['leave out --log'],
        });
      return draw({
        title: printable(named ?? title),
        subtitle: printable(
          [...(named === undefined ? [] : [title]), subtitle.join('; ')].filter(Boolean).join('. '),
        ),
        panels,
        range,
        key: (drawing.key?.(summary) ?? []).map(([label, name]) => printable(`${label}: ${name}`)),
        source: printable([...sources].sort().join('; ')),
        bands,
        log,
        bars: drawing.bars === true,
      });
    },
  };
}

/** Scales lines to the first date that all of them have. */
function indexed(lines: readonly LineValues[], index: number, { axis }: Drawing): readonly LineValues[] {
  if (axis !== 'day')
    throw new Problem('bad-input', 'a chart of a yield curve has no index: leave out --index');
  if (lines.length === 0) return lines;
  const days = [...new Set(lines.flatMap(({ at }) => [...at.keys()]))].sort();
  const base = days.find((day) => lines.every(({ at }) => (at.get(day) ?? null) !== null));
  if (base === undefined) throw new Problem('bad-input', 'an index needs a date that all lines have');
  return lines.map(({ at, ...line }) => {
    const first = at.get(base) ?? 0;
    if (first <= 0)
      throw new Problem('bad-input', `${line.label} is ${first} on ${base}: an index needs a value above 0`);
    const scaled = [...at].map(([day, value]) => [day, value && (value / first) * index] as const);
    return { ...line, unit: `Index, ${base} = ${index}`, at: new Map(scaled) };
  });
}

function bandsOf({ bands = [] }: Drawing, range: HorizontalRange): Chart['bands'] {
  if (range.kind !== 'day') return [];
  return bands.flatMap(({ from, to }): Chart['bands'] => {
    const first = Math.max(range.first, dayNumber(from));
    const last = Math.min(range.last, to === undefined ? range.last : dayNumber(to));
    return first < last ? [[first, last]] : [];
  });
}

function numberOf(value: ChartMark['value'], label: string, at: string): number | null {
  if (value === null || value === '') return null;
  const number = Number(value);
  // Scales do not overflow.
  if (number === 0 || Math.abs(Math.log10(Math.abs(number))) <= 280) return number;
  throw new Problem('bad-input', `${label} ${at}: a chart cannot show a value of this size`, {
    hints: ['--csv writes all digits'],
  });
}

function panelsOf(
  all: readonly LineValues[],
  drawing: Drawing,
  range: HorizontalRange,
): readonly ChartPanel[] {
  const byUnit = groupBy(all, ({ unit }) => unit);
  return [...byUnit].map(([unit, values]) => {
    const lines = values.map((line) => lineOf(line, drawing, range));
    const names = byUnit.size > 1 && lines.length === 1 ? lines.map(({ label }) => label) : [];
    const heading = [...names, printable(unit)].filter((text) => text !== '').join(', ');
    return { heading, lines, ...boundsOf(lines) };
  });
}

function lineOf(values: LineValues, drawing: Drawing, range: HorizontalRange): ChartLine {
  const label = printable(values.label);
  if (range.kind === 'maturity') {
    // A curve without some maturities is unbroken: four-month bills exist since 2022. Dots show its maturities.
    const points = range.names.flatMap((name, i): ChartPoint[] => {
      const rate = values.at.get(name) ?? null;
      return rate === null ? [] : [[i, rate]];
    });
    return { label, runs: [points], dots: points };
  }
  const points = [...values.at].map(([day, value]) => [dayNumber(day), value] as const);
  points.sort(([a], [b]) => a - b);
  if (drawing.bars === true) {
    const counts = splitIntoRuns(points).flat();
    return {
      label,
      runs: counts.map(([x, count]): readonly ChartPoint[] => [
        [x, 0],
        [x, count],
      ]),
      dots: [],
    };
  }
  if (drawing.stepped === true) {
    const steps = splitIntoRuns(points).flat();
    return { label, runs: toSteps(points, range.last), dots: steps.length > mostDots ? [] : steps };
  }
  const runs = splitIntoRuns(points, spacings[values.frequency]);
  return { label, runs, dots: runs.flatMap((run) => (run.length === 1 ? run : [])) };
}

/** With more steps, the dots at their beginnings would hide them. */
const mostDots = 60;

/** The longest distance of consecutive values, in days, by frequency; a longer one is a gap. */
const spacings: Readonly<Record<string, number>> = { D: 10, W: 10, BW: 21, M: 45, Q: 135, SA: 270, A: 550 };

function rangeOf({ axis, stepped }: Drawing, all: readonly LineValues[], until?: Day): HorizontalRange {
  const places = new Set(all.flatMap(({ at }) => [...at.keys()]));
  if (axis === 'maturity') {
    const names = [...places] as Maturity[];
    return { kind: 'maturity', names: names.sort((a, b) => monthsOf(a) - monthsOf(b)) };
  }
  const days = [...places].sort();
  const [first, last] = [days[0] ?? '1970-01-01', days.at(-1) ?? '1970-01-01'];
  const end = stepped === true && until !== undefined && until > last ? until : last;
  return { kind: 'day', first: dayNumber(first), last: dayNumber(end) };
}

function boundsOf(lines: readonly ChartLine[]): { readonly low: number; readonly high: number } {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [, value] of lines.flatMap(({ runs }) => runs.flat()))
    [low, high] = [Math.min(low, value), Math.max(high, value)];
  return { low, high };
}

/** A horizontal position, and a value. */
export type ChartPoint = readonly [x: number, y: number];

/** A horizontal position, and a value or null. */
export type ChartReading = readonly [x: number, y: number | null];

/** Splits readings into unbroken runs, from left to right: at a missing value, and at a distance above `longest`. */
export function splitIntoRuns(
  readings: readonly ChartReading[],
  longest = Number.POSITIVE_INFINITY,
): readonly (readonly ChartPoint[])[] {
  const runs: ChartPoint[][] = [];
  let open: ChartPoint[] | undefined;
  let before = Number.NEGATIVE_INFINITY;
  for (const [x, y] of readings) {
    if (y === null || x - before > longest) open = undefined;
    if (y === null) continue;
    if (open === undefined) {
      open = [];
      runs.push(open);
    }
    open.push([x, y]);
    before = x;
  }
  return runs;
}

/** Turns readings into steps: each value lasts until the next, the last one until `end`; null ends a run. */
export function toSteps(readings: readonly ChartReading[], end: number): readonly (readonly ChartPoint[])[] {
  const steps = readings.flatMap(([x, y], i): readonly ChartReading[] => {
    const until = readings[i + 1]?.[0] ?? end;
    return [[x, y], ...(y !== null && until > x ? [[until, y] as const] : [])];
  });
  return splitIntoRuns(steps);
}

/** Keeps the first, lowest, highest and last point of each column, in their order: the drawn line stays the same. */
export function decimate(run: readonly ChartPoint[], columnOf: (x: number) => number): readonly ChartPoint[] {
  const kept: ChartPoint[] = [];
  for (let from = 0; from < run.length; ) {
    const column = columnOf(run[from]?.[0] ?? 0);
    let [low, high, to] = [from, from, from];
    for (; to < run.length && columnOf(run[to]?.[0] ?? 0) === column; to += 1) {
      if (valueAt(run, to) < valueAt(run, low)) low = to;
      if (valueAt(run, to) > valueAt(run, high)) high = to;
    }
    for (const index of [...new Set([from, low, high, to - 1])].sort((a, b) => a - b))
      kept.push(run[index] ?? [0, 0]);
    from = to;
  }
  return kept;
}

function valueAt(run: readonly ChartPoint[], index: number): number {
  return run[index]?.[1] ?? 0;
}
