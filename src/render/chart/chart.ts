import { type Day, dayNumber } from '../../domain/series/date.ts';
import { type Maturity, monthsOf } from '../../domain/treasury/curve.ts';
import { Problem } from '../../errors/problem.ts';
import type { Envelope } from '../../operations/envelope.ts';
import { printable } from '../printable.ts';
import type { Drawing, Mark } from './drawing.ts';
import { type Point, runsOf, stepsOf } from './runs.ts';

/** A line of a chart: unbroken runs of points from left to right, and the points to be seen one by one. */
export type Line = {
  readonly label: string;
  readonly runs: readonly (readonly Point[])[];
  readonly dots: readonly Point[];
};

/** Lines of one unit, over one scale of values; `low` and `high` are the least and the greatest value. */
export type Panel = {
  /** The unit, and what else tells this panel from others. */
  readonly heading: string;
  readonly lines: readonly Line[];
  readonly low: number;
  readonly high: number;
};

/** What the values stand over: days since 1970 from `first` to `last`, or maturities, which stand at 0, 1, 2 … */
export type Across =
  | { readonly kind: 'day'; readonly first: number; readonly last: number }
  | { readonly kind: 'maturity'; readonly names: readonly string[] };

/** A picture of rows, before it is known how large it is; every text is safe to show. No panels: there is no value. */
export type Chart = {
  readonly title: string;
  readonly subtitle: string;
  readonly panels: readonly Panel[];
  readonly across: Across;
  readonly key: readonly string[];
  readonly source: string;
};

/** A chart in the making. */
export type Gathering = { readonly add: (page: Envelope) => void; readonly chart: () => Chart };

/** The values of a line by where they stand; null is a gap. */
type Values = Omit<Mark, 'at' | 'value' | 'line'> & { readonly at: Map<string, number | null> };

/** Gathers rows of any order into a chart. */
export function gathering(drawing: Drawing): Gathering {
  const lines = new Map<string, Values>();
  const sources = new Set<string>();
  let asOf: Day | undefined;
  let published: Day | undefined;

  return {
    add(page) {
      asOf ??= page.as_of;
      for (const row of page.results) {
        for (const source of String(row.source ?? '').split('; ')) if (source !== '') sources.add(source);
        const day = typeof row.as_of_date === 'string' ? row.as_of_date : undefined;
        if (day !== undefined && (published === undefined || day > published)) published = day;
        for (const { line, at, value, ...about } of drawing.marks(row)) {
          const known = lines.get(line) ?? { ...about, at: new Map() };
          lines.set(line, known);
          known.at.set(at, numberOf(value, about.label, at));
        }
      }
    },
    chart() {
      const all = [...lines.values()].filter(({ at }) => [...at.values()].some((value) => value !== null));
      const told = {
        ...(asOf !== undefined && { asOf }),
        ...(published !== undefined && { published }),
        lines: all.map(({ label }) => label),
      };
      const across = acrossOf(drawing, all, drawing.until?.(told));
      const { title, subtitle } = drawing.words(told);
      return {
        title: printable(title),
        subtitle: printable(subtitle),
        panels: panelsOf(all, drawing, across),
        across,
        key: drawing.key(told).map(([label, name]) => printable(`${label}: ${name}`)),
        source: printable([...sources].sort().join('; ')),
      };
    },
  };
}

/** Beyond these sizes the arithmetic of scales overflows. */
const [least, greatest] = [1e-280, 1e280];

function numberOf(value: Mark['value'], label: string, at: string): number | null {
  if (value === null || value === '') return null;
  const number = Number(value);
  const size = Math.abs(number);
  if (number === 0 || (size >= least && size <= greatest)) return number;
  throw new Problem('bad-input', `${label} ${at}: a chart cannot show a value of this size`, {
    hints: ['--csv writes all digits'],
  });
}

/** Lines of one unit share a panel, in the order in which they came. */
function panelsOf(all: readonly Values[], drawing: Drawing, across: Across): readonly Panel[] {
  const byUnit = new Map<string, Line[]>();
  for (const values of all) {
    const line = lineOf(values, drawing, across);
    byUnit.set(values.unit, [...(byUnit.get(values.unit) ?? []), line]);
  }
  return [...byUnit].map(([unit, lines]) => {
    const names = byUnit.size > 1 && lines.length === 1 ? lines.map(({ label }) => label) : [];
    const heading = [...names, printable(unit)].filter((text) => text !== '').join(', ');
    return { heading, lines, ...boundsOf(lines) };
  });
}

function lineOf(values: Values, drawing: Drawing, across: Across): Line {
  const label = printable(values.label);
  if (across.kind === 'maturity') {
    // A maturity that a curve has not is no gap in it: bills of four months came in 2022. The dots tell which it has.
    const points = across.names.flatMap((name, i): Point[] => {
      const rate = values.at.get(name) ?? null;
      return rate === null ? [] : [[i, rate]];
    });
    return { label, runs: [points], dots: points };
  }
  const points = [...values.at].map(([day, value]) => [dayNumber(day), value] as const);
  points.sort(([a], [b]) => a - b);
  if (drawing.form === 'steps') {
    const published = runsOf(points, Number.POSITIVE_INFINITY).flat();
    return { label, runs: stepsOf(points, across.last), dots: published };
  }
  const runs = runsOf(points, longestSpacing(values.frequency));
  return { label, runs, dots: runs.flatMap((run) => (run.length === 1 ? run : [])) };
}

/** Two values further apart than this many days have one missing between them. */
const spacings: Readonly<Record<string, number>> = { D: 10, W: 10, BW: 21, M: 45, Q: 135, SA: 270, A: 550 };

function longestSpacing(frequency: string): number {
  return spacings[frequency] ?? Number.POSITIVE_INFINITY;
}

function acrossOf({ axis, form }: Drawing, all: readonly Values[], until: Day | undefined): Across {
  const places = new Set(all.flatMap(({ at }) => [...at.keys()]));
  if (axis === 'maturity') {
    const names = [...places] as Maturity[];
    return { kind: 'maturity', names: names.sort((a, b) => monthsOf(a) - monthsOf(b)) };
  }
  const days = [...places].sort();
  const [first, last] = [days[0] ?? '1970-01-01', days.at(-1) ?? '1970-01-01'];
  const end = form === 'steps' && until !== undefined && until > last ? until : last;
  return { kind: 'day', first: dayNumber(first), last: dayNumber(end) };
}

function boundsOf(lines: readonly Line[]): { readonly low: number; readonly high: number } {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { runs } of lines)
    for (const run of runs)
      for (const [, value] of run) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
  return { low, high };
}
