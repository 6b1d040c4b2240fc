import fc from 'fast-check';
import type { Drawing } from '../../src/operations/drawing.ts';
import type { Envelope, Row } from '../../src/operations/envelope.ts';
import type { Field } from '../../src/operations/field.ts';
import { svgRenderer } from '../../src/render/chart/svg.ts';
import { textChartRenderer } from '../../src/render/chart/text.ts';
import type { ChartOptions, OutputLayout, Renderer, TextSize } from '../../src/render/renderer.ts';

/** A field for tests. */
export function field(name: string, type: Field['type'] = 'text'): Field {
  return { name, type, description: '' };
}

/** The fields of observations, as the contract has them. */
export const observationFields = [
  field('date', 'day'),
  field('value', 'decimal'),
  field('as_of_date', 'day'),
  field('series_id'),
  field('unit'),
  field('frequency'),
  field('source'),
];

/** An observation of nominal GDP, published on 2015-01-30. */
export function observation(date: string, value: string): Row {
  return {
    date,
    value,
    as_of_date: '2015-01-30',
    series_id: 'GDP',
    unit: 'Billions of Dollars, Seasonally Adjusted Annual Rate',
    frequency: 'Q',
    source: 'FRED',
  };
}

/** A page of the contract; the last one unless a cursor is given. */
export function envelope(results: readonly Row[], cursor?: string): Envelope {
  return {
    object: 'observation_series',
    request_id: 'req_0190163d8694739bb6f4f1b2c3d4e5f6',
    status: 'ok',
    as_of: '2015-01-31',
    series: { id: 'GDP', title: 'Gross Domestic Product', frequency: 'Q' },
    results,
    results_count: results.length,
    has_more: cursor !== undefined,
    ...(cursor !== undefined && { next_cursor: cursor }),
  };
}

/** The defaults of a file: all fields, with a header, no colour. */
export function layout(fields: readonly Field[], changes: Partial<OutputLayout> = {}): OutputLayout {
  return { columns: { fields, chosen: false, all: fields }, header: true, colour: false, ...changes };
}

/** The whole output of pages of rows. */
export function output(renderer: Renderer, ...pages: readonly (readonly Row[])[]): string {
  return pages.map((rows) => renderer.page(envelope(rows))).join('') + renderer.end();
}

/** Any text with code points of all of Unicode; fast-check's own `binary` takes a second to list them first. */
export const anyText = fc.string({
  unit: fc
    .oneof(fc.nat(0x7f), fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }))
    .map((code) => String.fromCodePoint(code)),
});

/** A reading of a line for tests: its place (a day or a maturity) and its value. */
export type Reading = readonly [at: string, value: string | null];

/** Lines by name, each with its readings or their text: `2020-01-01 50, 2020-02-01 -`, in which `-` is none. */
export type Lines = Readonly<Record<string, readonly Reading[] | string>>;

/** The readings of a line. */
export function readingsOf(line: readonly Reading[] | string): readonly Reading[] {
  if (typeof line !== 'string') return line;
  return line.split(', ').map((reading): Reading => {
    const [at = '', value = ''] = reading.split(' ');
    return [at, value === '-' ? null : value];
  });
}

/** A value on the first day of each month or year from 1 January of a year on. */
export function each(
  step: 'month' | 'year',
  year: number,
  values: readonly (number | string | null)[],
): readonly Reading[] {
  return values.map((value, i) => {
    const [years, months] = step === 'month' ? [year, i] : [year + i, 0];
    const at = new Date(Date.UTC(years, months, 1)).toISOString().slice(0, 10);
    return [at, value === null ? null : String(value)];
  });
}

/** One value of -900 and one of 900 among fifteen thousand days of smaller ones. */
export const manyDays: readonly Reading[] = Array.from({ length: 15_000 }, (_, i) => [
  new Date(i * 86_400_000).toISOString().slice(0, 10),
  i === 7777 ? '900' : i === 8888 ? '-900' : String((i * 7919) % 97),
]);

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
    readingsOf(readings).map(([at, value]) => ({ at, value, line, source: 'A source', ...about[line] })),
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

/** The number of the day of a label of an axis: a day, a month or a year. */
export function labelledDay(label: string): number {
  return daysSince(`${label}${'-01-01'.slice(label.length - 4)}`);
}

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
type ReadChart = {
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
