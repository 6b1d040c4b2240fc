import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { logAxis } from '../../../../src/render/chart/axes.ts';
import { rowsOf, svgOf, textOf } from '../../../support/drawings.ts';

const rows = rowsOf({
  A: [
    ['2020-01-01', '50'],
    ['2020-02-01', '100'],
    ['2020-03-01', '75'],
  ],
  B: [
    ['2020-02-01', '4'],
    ['2020-03-01', '5'],
  ],
});

/** The numbers of an attribute in an SVG. */
function numbers(svg: string, pattern: RegExp): readonly number[] {
  return [...svg.matchAll(pattern)].map(([, text]) => Number(text));
}

describe('the options of a chart', () => {
  it('set the width and the height of an SVG exactly', () => {
    const fixed = fc.record({
      width: fc.integer({ min: 240, max: 3000 }),
      height: fc.integer({ min: 320, max: 3000 }),
    });
    const property = fc.property(fixed, ({ width, height }) => {
      const svg = svgOf(rows, {}, { width, height });
      expect(svg).toContain(`viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`);
      for (const x of numbers(svg, / (?:x|x1|x2|cx)="([\d.]+)"/g)) expect(x).toBeLessThanOrEqual(width);
      for (const y of numbers(svg, / (?:y|y1|y2|cy)="([\d.]+)"/g)) expect(y).toBeLessThanOrEqual(height);
    });
    fc.assert(property, { numRuns: 30 });
  });

  it('refuse a size that a chart does not fit into', () => {
    expect(() => svgOf(rows, {}, { width: 100 })).toThrow(
      'this chart needs a width of 240, and 100 was asked for',
    );
    expect(() => svgOf(rows, {}, { height: 100 })).toThrow(/this chart needs a height of \d+, and 100/);
  });

  it('replace the title', () => {
    expect(svgOf(rows, {}, { title: 'Mine & yours' })).toContain('<title>Mine &amp; yours</title>');
    expect(textOf(rows, {}, {}, false, { title: 'Mine' })).toMatch(/^Mine\n/);
  });

  it('draw in greys that dashes tell apart', () => {
    const lines = Object.fromEntries(
      ['A', 'B', 'C'].map((name, i) => [
        name,
        [
          ['2020-01-01', `${i}`],
          ['2020-02-01', '5'],
        ] as const,
      ]),
    );
    const svg = svgOf(rowsOf(lines), {}, { grey: true });
    const paths = [...svg.matchAll(/<path [^>]*>/g)].map(([path]) => path);
    const looks = paths.map(
      (path) => /stroke="[^"]*"/.exec(path)?.[0] + (/stroke-dasharray="[^"]*"/.exec(path)?.[0] ?? ''),
    );
    expect(new Set(looks).size).toBe(3);
    const colours = [...svg.matchAll(/#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})/g)];
    for (const [, red = '', green = '', blue = ''] of colours) {
      const levels = [red, green, blue].map((part) => Number.parseInt(part, 16));
      expect(Math.max(...levels) - Math.min(...levels)).toBeLessThan(32);
    }
  });

  it('show lines in proportion to their values at the first date that all of them have', () => {
    const svg = svgOf(rows, {}, { index: 100 });
    expect(svg).toContain('Index, 2020-02-01 = 100');
    // A is 50, 100, 75, and B 100, 125.
    expect(svg).toContain('A, Index, 2020-02-01 = 100: from 50 (2020-01-01) to 75 (2020-03-01)');
    expect(svg).toContain('B, Index, 2020-02-01 = 100: from 100 (2020-02-01) to 125 (2020-03-01)');
  });

  it.each([
    [
      'without a common date',
      { A: [['2020-01-01', '1']], B: [['2020-02-01', '1']] },
      { index: 100 },
      'a date that all lines have',
    ],
    [
      'of 0',
      { A: [['2020-01-01', '0']] },
      { index: 100 },
      'A is 0 on 2020-01-01: an index needs a value above 0',
    ],
    [
      'on a logarithmic scale',
      { A: [['2020-01-01', '-1']] },
      { log: true },
      'a logarithmic scale shows values above 0, and one is -1',
    ],
  ] as const)('refuse values %s', (_, lines, options, said) => {
    expect(() => svgOf(rowsOf(lines), {}, options)).toThrow(said);
  });

  it('shade bands, from the first day to the last or to the end of the chart', () => {
    const bands = [{ from: '2020-01-11', to: '2020-01-31' }, { from: '2020-02-20' }, { from: '2021-01-01' }];
    const svg = svgOf(
      rows.filter(({ line }) => line === 'A'),
      { bands },
    );
    const shaded = [...svg.matchAll(/<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"[^>]*fill-opacity/g)];
    expect(shaded).toHaveLength(2);
    const [first, second] = shaded.map(([, x, width]) => ({ x: Number(x), width: Number(width) }));
    // The chart shows the 60 days from 2020-01-01 to 2020-03-01.
    const day = (first?.width ?? 0) / 20;
    expect((second?.width ?? 0) / day).toBeCloseTo(10, 1);
    expect(((second?.x ?? 0) - (first?.x ?? 0)) / day).toBeCloseTo(40, 1);
    const text = textOf(
      rows.filter(({ line }) => line === 'A'),
      {},
      { bands },
    );
    expect(text).toContain('░');
  });
});

describe('a logarithmic axis', () => {
  it.each<readonly [low: number, high: number, labels: readonly string[]]>([
    [1, 1000, ['1', '10', '100', '1,000']],
    [3, 60, ['2', '5', '10', '20', '50', '100']],
    [100, 130, ['100', '110', '120', '130']],
  ])('from %d to %d has the labels %j', (low, high, labels) => {
    expect(logAxis(low, high, 4).ticks.map(({ label }) => label)).toEqual(labels);
  });

  it('places equal ratios at equal distances, within its ends', () => {
    const positive = fc.double({ min: 1e-6, max: 1e9, noNaN: true });
    const property = fc.property(positive, positive, fc.integer({ min: 2, max: 9 }), (a, b, count) => {
      const [low, high] = a < b ? [a, b] : [b, a];
      const { place, ticks } = logAxis(low, high, count);
      for (const value of [low, high]) {
        expect(place(value)).toBeGreaterThanOrEqual(-1e-9);
        expect(place(value)).toBeLessThanOrEqual(1 + 1e-9);
      }
      const middle = Math.sqrt(low) * Math.sqrt(high);
      expect(place(middle) - place(low)).toBeCloseTo(place(high) - place(middle), 6);
      const places = ticks.map(({ at }) => place(at));
      expect([...places].sort((x, y) => x - y)).toEqual(places);
    });
    fc.assert(property);
  });
});
