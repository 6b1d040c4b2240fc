import fc from 'fast-check';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { daysSince, type Lines, type Reading, rowsOf, svgOf } from '../../../../support/drawings.ts';

type Element = { readonly [name: string]: string };

/** A picture as parsed XML. */
type Picture = {
  readonly svg: Element & {
    readonly title: string;
    readonly desc: string;
    readonly text?: readonly (Element & { readonly '#text': string })[];
    readonly line?: readonly Element[];
    readonly path?: readonly Element[];
    readonly circle?: readonly Element[];
  };
};

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  isArray: (name) => ['text', 'line', 'path', 'circle'].includes(name),
});

function pictureOf(text: string): Picture['svg'] {
  expect(XMLValidator.validate(text)).toBe(true);
  return (parser.parse(text) as Picture).svg;
}

/** The texts with their positions. */
function textsOf({ text = [] }: Picture['svg']) {
  return text.map((one) => ({
    text: String(one['#text']),
    x: Number(one.x),
    y: Number(one.y),
    anchor: one['text-anchor'],
  }));
}

/** The linear scale through labelled positions. */
function scaleThrough(
  marks: readonly { readonly at: number; readonly value: number }[],
): (value: number) => number {
  const [a, b] = [marks[0], marks.at(-1)];
  if (a === undefined || b === undefined || a === b) throw new Error('two marks make a scale');
  return (value) => a.at + ((value - a.value) / (b.value - a.value)) * (b.at - a.at);
}

/** The vertical position of a value, from the labels at the left and their lines. */
function heightOf(picture: Picture['svg']): (value: number) => number {
  const labels = textsOf(picture).filter(({ anchor }) => anchor === 'end');
  return scaleThrough(labels.map(({ text, y }) => ({ at: y - 4, value: Number(text.replaceAll(',', '')) })));
}

/** The horizontal position of a day, from the labels below and the ticks above them. */
function acrossOf(picture: Picture['svg']): (day: string) => number {
  const labels = textsOf(picture).filter(({ anchor }) => anchor === 'middle');
  const ticks = (picture.line ?? []).filter(({ x1, x2 }) => x1 === x2);
  expect(ticks).toHaveLength(labels.length);
  const scale = scaleThrough(
    labels.map(({ text }, i) => ({
      at: Number(ticks[i]?.x1),
      value: daysSince(`${text}${'-01-01'.slice(text.length - 4)}`),
    })),
  );
  return (day) => scale(daysSince(day));
}

function pointsOf(path: Element | undefined): readonly (readonly [number, number])[] {
  return [...(path?.d ?? '').matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)].map(
    ([, x, y]) => [Number(x), Number(y)] as const,
  );
}

const yearly = (values: readonly (number | null)[]): readonly Reading[] =>
  values.map((value, i) => [`${1990 + i}-01-01`, value === null ? null : String(value)]);

describe('a chart as SVG', () => {
  const lines: Lines = { GDP: yearly([3, 1, null, 9, 4]), OTHER: yearly([2, 2.5, 7.25, 3, 3]) };
  const text = svgOf(rowsOf(lines), { key: () => [['GDP', 'Gross Domestic Product']] });
  const picture = pictureOf(text);

  it('has a size, a view box, a title and a description for people who cannot see it', () => {
    expect(picture).toMatchObject({
      xmlns: 'http://www.w3.org/2000/svg',
      role: 'img',
      viewBox: `0 0 ${picture.width} ${picture.height}`,
      title: 'A title',
      desc:
        'As known on 2020-06-30. ' +
        'GDP, Percent: from 3 (1990-01-01) to 4 (1994-01-01), lowest 1 (1991-01-01), highest 9 (1993-01-01). ' +
        'OTHER, Percent: from 2 (1990-01-01) to 3 (1994-01-01), lowest 2 (1990-01-01), highest 7.25 (1992-01-01).',
    });
  });

  it('keeps a title of capital letters, as in ids, between its margins', () => {
    // The character widths of DejaVu Sans Bold, the widest font that `sans-serif` commonly is.
    const advances: Readonly<Record<string, number>> = {
      P: 0.733,
      A: 0.774,
      Y: 0.724,
      E: 0.683,
      M: 0.995,
      S: 0.72,
      ',': 0.38,
      ' ': 0.348,
    };
    const title = Array.from({ length: 12 }, () => 'PAYEMS').join(', ');
    const drawn = textsOf(pictureOf(svgOf(rowsOf(lines), { words: () => ({ title, subtitle: [] }) })));
    const shown = drawn.map((one) => one.text).filter((one) => one.startsWith('PAYEMS'));
    expect(shown.join(' ')).toBe(title);
    for (const line of shown) {
      const wide = [...line].reduce((sum, sign) => sum + (advances[sign] ?? Number.NaN), 0);
      expect(20 + 17 * wide).toBeLessThanOrEqual(700);
    }
  });

  it('abbreviates names so that no two lines have the same label', () => {
    const long: Lines = {
      'PRICES.OF.CONSUMERS.IN.TOWNS.FOOD': yearly([1, 2]),
      'PRICES.OF.CONSUMERS.IN.TOWNS.RENT': yearly([2, 3]),
    };
    const names = textsOf(pictureOf(svgOf(rowsOf(long)))).map((one) => one.text);
    expect(names).toEqual(expect.arrayContaining(['…FOOD', '…RENT']));
  });

  it('has the title, as-of date, unit, names, dates, values, full names and source', () => {
    const texts = textsOf(picture).map((one) => one.text);
    const wanted = [
      'A title',
      'As known on 2020-06-30',
      'Percent',
      'GDP',
      'OTHER',
      '1990',
      '0',
      '10',
      'GDP: Gross Domestic Product',
      'Source: A source',
    ];
    expect(texts).toEqual(expect.arrayContaining(wanted));
  });

  it('has no script, style sheet, address or font to load', () => {
    expect(text).not.toMatch(/<(script|style|image|use|foreignObject|link)|href|url\(|@import|on[a-z]+=/i);
    expect(text.match(/https?:[^"]*/g)).toEqual(['http://www.w3.org/2000/svg']);
  });

  it('breaks a line at a gap', () => {
    expect(picture.path?.map(({ d }) => d?.match(/M/g)?.length)).toEqual([2, 1]);
  });

  it('has the same bytes for the same rows in any order', () => {
    const rows = rowsOf(lines);
    const others = rows.filter(({ line }) => line === 'OTHER').reverse();
    const mixed = [...rows.filter(({ line }) => line === 'GDP').reverse(), ...others];
    expect(svgOf(mixed, { key: () => [['GDP', 'Gross Domestic Product']] })).toBe(text);
  });

  it('draws the extremes of each line where the labels say', () => {
    const [x, y] = [acrossOf(picture), heightOf(picture)];
    for (const [i, readings] of Object.values(lines).entries()) {
      const points = pointsOf(picture.path?.[i]);
      const valued = readings.flatMap(([at, value]) =>
        value === null ? [] : [[at, Number(value)] as const],
      );
      expect(points).toHaveLength(valued.length);
      for (const [n, [at, value]] of valued.entries()) {
        expect(points[n]?.[0]).toBeCloseTo(x(at), 1);
        expect(points[n]?.[1]).toBeCloseTo(y(value), 1);
      }
    }
  });

  it('draws random values between its first and its last tick', () => {
    const value = fc.oneof(
      fc.integer({ min: -50, max: 50 }),
      fc.integer({ min: -1e9, max: 1e9 }).map((n) => n / 1000),
    );
    fc.assert(
      fc.property(fc.array(fc.option(value, { freq: 6 }), { minLength: 2, maxLength: 60 }), (values) => {
        const known = values.filter((one) => one !== null);
        fc.pre(known.length > 0);
        const one = pictureOf(svgOf(rowsOf({ X: yearly(values) })));
        const labels = textsOf(one).filter(({ anchor }) => anchor === 'end');
        const [bottom, top] = [labels[0]?.y ?? 0, labels.at(-1)?.y ?? 0].map((place) => place - 4) as [
          number,
          number,
        ];
        const circles = (one.circle ?? []).map(({ cx, cy }) => [Number(cx), Number(cy)] as const);
        const points = [...(one.path ?? []).flatMap(pointsOf), ...circles];
        const y = heightOf(one);
        const heights = points.map(([, height]) => height);
        expect(Math.min(...heights)).toBeCloseTo(y(Math.max(...known)), 1);
        expect(Math.max(...heights)).toBeCloseTo(y(Math.min(...known)), 1);
        expect(Math.min(...heights)).toBeGreaterThanOrEqual(top - 0.01);
        expect(Math.max(...heights)).toBeLessThanOrEqual(bottom + 0.01);
        for (const [x] of points) expect(x).toBeGreaterThan(0);
        for (const [x] of points) expect(x).toBeLessThan(Number(one.width));
      }),
      { numRuns: 100 },
    );
  });

  it('shows any foreign text as text', () => {
    const evil = '</text><script>alert("1")</script>&amp; \u0000\u001B\uFFFE\uD800 “x”';
    const words = () => ({ title: evil, subtitle: [evil] });
    const rows = rowsOf(
      { [evil]: yearly([1, 2]), Y: yearly([1, 3]) },
      { [evil]: { unit: evil, source: evil }, Y: { unit: evil } },
    );
    const foreign = svgOf(rows, { words, key: () => [[evil, evil]] });
    const read = pictureOf(foreign);
    expect(read).not.toHaveProperty('script');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the picture must not contain these.
    expect(foreign.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001F\uFFFE\uFFFF]|\p{Cs}/u);
    expect(read.title).toContain('</text><script>alert("1")</script>&amp; ␀␛');
  });

  it('has a panel for each unit, below each other', () => {
    const two = pictureOf(svgOf(rowsOf(lines, { OTHER: { unit: 'Dollars' } })));
    const headings = textsOf(two).filter((one) => /^(GDP|OTHER), /.test(one.text));
    expect(headings.map((one) => one.text)).toEqual(['GDP, Percent', 'OTHER, Dollars']);
    const [upper, lower] = (two.path ?? []).map((path) => pointsOf(path).map(([, y]) => y));
    expect(Math.max(...(upper ?? []))).toBeLessThan(headings[1]?.y ?? 0);
    expect(Math.min(...(lower ?? []))).toBeGreaterThan(headings[1]?.y ?? 0);
  });

  it('has a dot at each maturity that a curve has', () => {
    const curves: Lines = {
      A: [
        ['1M', '4.28'],
        ['2M', null],
        ['10Y', '5.03'],
      ],
      B: [
        ['1M', '2.07'],
        ['2M', '2.04'],
        ['10Y', '1.47'],
      ],
    };
    const read = pictureOf(svgOf(rowsOf(curves), { axis: 'maturity' }));
    const y = heightOf(read);
    const wanted = [4.28, 5.03, 2.07, 2.04, 1.47];
    expect(read.circle).toHaveLength(wanted.length);
    for (const [i, value] of wanted.entries()) expect(Number(read.circle?.[i]?.cy)).toBeCloseTo(y(value), 1);
  });

  it('has a dot at each publication, whose value holds until the next', () => {
    const readings: readonly Reading[] = [
      ['2020-01-01', '2'],
      ['2020-03-01', '4'],
      ['2020-04-01', null],
    ];
    const read = pictureOf(svgOf(rowsOf({ X: readings }), { stepped: true, until: () => '2020-06-01' }));
    const [x, y] = [acrossOf(read), heightOf(read)];
    const wanted = [
      ['2020-01-01', 2],
      ['2020-03-01', 2],
      ['2020-03-01', 4],
      ['2020-04-01', 4],
    ] as const;
    const points = pointsOf(read.path?.[0]);
    expect(points).toHaveLength(wanted.length);
    for (const [i, [at, value]] of wanted.entries()) {
      expect(points[i]?.[0]).toBeCloseTo(x(at), 1);
      expect(points[i]?.[1]).toBeCloseTo(y(value), 1);
    }
    expect(read.circle).toHaveLength(2);
  });

  it.each([
    ['no rows', {}],
    ['rows without a value', { X: yearly([null]) }],
  ])('says so where there are %s', (_, none: Lines) => {
    const read = pictureOf(svgOf(rowsOf(none)));
    expect(textsOf(read).map((one) => one.text)).toContain('no values');
    expect(read.desc).toBe('As known on 2020-06-30. There are no values.');
  });

  it('of fifteen thousand days is small and keeps their extremes', () => {
    const first = daysSince('1970-01-01');
    const readings = Array.from(
      { length: 15_000 },
      (_, i): Reading => [
        new Date((first + i) * 86_400_000).toISOString().slice(0, 10),
        i === 7777 ? '900' : i === 8888 ? '-900' : String((i * 7919) % 97),
      ],
    );
    const many = svgOf(rowsOf({ X: readings }));
    expect(many.length).toBeLessThan(100_000);
    const read = pictureOf(many);
    const [x, y] = [acrossOf(read), heightOf(read)];
    const points = pointsOf(read.path?.[0]);
    for (const i of [7777, 8888]) {
      const [at = '', value = ''] = readings[i] ?? [];
      const distances = points.map(([px, py]) => Math.hypot(px - x(at), py - y(Number(value))));
      expect(Math.min(...distances)).toBeLessThan(0.1);
    }
  });
});
