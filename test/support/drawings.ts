import type { Drawing } from '../../src/operations/drawing.ts';
import type { Envelope, Row } from '../../src/operations/envelope.ts';
import { svgRenderer } from '../../src/render/chart/svg.ts';
import { textChartRenderer } from '../../src/render/chart/text.ts';
import type { ChartOptions, TextSize } from '../../src/render/renderer.ts';
import { layout } from './rows.ts';

/** A reading of a line for tests: its place (a day or a maturity) and its value. */
export type Reading = readonly [at: string, value: string | null];

/** Lines by name, each with its readings. */
export type Lines = Readonly<Record<string, readonly Reading[]>>;

/** A drawing of rows that `rowsOf` makes. */
function drawing(changes: Partial<Drawing> = {}): Drawing {
  return {
    axis: 'day',
    words: () => ({ title: 'A title', subtitle: ['As known on 2020-06-30'] }),
    marks: ({ at, value = null, line, unit = 'Percent', frequency = '' }) => [
      {
        line: String(line),
        label: String(line),
        unit: String(unit),
        frequency: String(frequency),
        at: String(at),
        value,
      },
    ],
    ...changes,
  };
}

/** The rows of lines, which may have a unit and a frequency. */
export function rowsOf(lines: Lines, about: Readonly<Record<string, Row>> = {}): readonly Row[] {
  return Object.entries(lines).flatMap(([line, readings]) =>
    readings.map(([at, value]) => ({ at, value, line, source: 'A source', ...about[line] })),
  );
}

/** A page of these rows. */
function page(results: readonly Row[], changes: Partial<Envelope> = {}): Envelope {
  const count = { results_count: results.length, has_more: false };
  return { object: 'list', request_id: 'req_1', status: 'ok', results, ...count, ...changes };
}

/** The chart in text of these rows. */
export function textOf(
  rows: readonly Row[],
  size: Partial<TextSize> = {},
  changes: Partial<Drawing> = {},
  colour = false,
  options: ChartOptions = {},
): string {
  const full = { width: 80, height: undefined, ...size };
  const renderer = textChartRenderer(drawing(changes), full, colour, options);
  return renderer.page(page(rows)) + renderer.end();
}

/** The chart as SVG of these rows. */
export function svgOf(
  rows: readonly Row[],
  changes: Partial<Drawing> = {},
  chart: ChartOptions = {},
): string {
  const renderer = svgRenderer(layout([], { drawing: drawing(changes), chart }));
  return renderer.page(page(rows)) + renderer.end();
}

/** A whole day number of a day, for arithmetic that is not the program's own. */
export function daysSince(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / 86_400_000;
}
