import { addDays } from '../../domain/series/date.ts';
import type { Across, Chart, Line } from './chart.ts';
import type { Point } from './runs.ts';

/** What a chart shows, in words, for those who do not see it: each line with its ends and its extremes. */
export function description(chart: Chart): string {
  if (chart.panels.length === 0) return 'There are no values.';
  const sentences = chart.panels.flatMap(({ heading, lines }) =>
    lines.map((line) => `${named(line, heading)}: ${course(line, chart.across)}.`),
  );
  return sentences.join(' ');
}

function named({ label }: Line, heading: string): string {
  if (heading === '' || heading === label) return label;
  return heading.startsWith(`${label}, `) ? heading : `${label}, ${heading}`;
}

function course({ runs }: Line, across: Across): string {
  const points = runs.flat();
  const [first = [0, 0] as const] = points;
  const least = points.reduce((found, point) => (point[1] < found[1] ? point : found), first);
  const greatest = points.reduce((found, point) => (point[1] > found[1] ? point : found), first);
  const last = points.at(-1) ?? first;
  const at = ([x, y]: Point) => `${y} (${placeName(x, across)})`;
  return `from ${at(first)} to ${at(last)}, lowest ${at(least)}, highest ${at(greatest)}`;
}

function placeName(x: number, across: Across): string {
  return across.kind === 'day' ? addDays('1970-01-01', x) : (across.names[x] ?? '');
}
