import fc from 'fast-check';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import {
  each,
  type Lines,
  labelledDay,
  manyDays,
  type Reading,
  readingsOf,
  rowsOf,
  svgOf,
  textOf,
} from '../../../support/rows.ts';

type Element = { readonly [name: string]: string };

/** A picture as parsed XML. */
type Picture = Element & {
  readonly title: string;
  readonly desc: string;
  readonly text?: readonly (Element & { readonly '#text': string })[];
  readonly line?: readonly Element[];
  readonly path?: readonly Element[];
  readonly circle?: readonly Element[];
};

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  isArray: (name) => ['text', 'line', 'path', 'circle'].includes(name),
});

function pictureOf(text: string): Picture {
  expect(XMLValidator.validate(text)).toBe(true);
  return (parser.parse(text) as { readonly svg: Picture }).svg;
}

/** The texts with their positions; those at the left label values, those below label days. */
function textsOf({ text = [] }: Picture, wanted?: 'end' | 'middle') {
  return text
    .map((one) => ({
      text: String(one['#text']),
      x: Number(one.x),
      y: Number(one.y),
      anchor: one['text-anchor'],
    }))
    .filter(({ anchor }) => wanted === undefined || anchor === wanted);
}

const wordsIn = (picture: Picture) => textsOf(picture).map(({ text }) => text);

/** The linear scale through labelled positions. */
function scaleThrough(marks: readonly { readonly at: number; readonly value: number }[]) {
  const [a, b] = [marks[0], marks.at(-1)];
  if (a === undefined || b === undefined || a === b) throw new Error('two marks make a scale');
  return (value: number) => a.at + ((value - a.value) / (b.value - a.value)) * (b.at - a.at);
}

/** Where a day and a value are, by the labels below and their ticks, and by the labels at the left. */
function scalesOf(picture: Picture) {
  const days = textsOf(picture, 'middle');
  const ticks = (picture.line ?? []).filter(({ x1, x2 }) => x1 === x2);
  const across = scaleThrough(
    days.map(({ text }, i) => ({ at: Number(ticks[i]?.x1), value: labelledDay(text) })),
  );
  const values = textsOf(picture, 'end');
  const up = scaleThrough(
    values.map(({ text, y }) => ({ at: y - 4, value: Number(text.replaceAll(',', '')) })),
  );
  return { x: (day: string) => across(labelledDay(day)), y: up, ticks: [days.length, ticks.length] };
}

function pointsOf(path: Element | undefined): readonly (readonly [number, number])[] {
  return [...(path?.d ?? '').matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)].map(
    ([, x, y]) => [Number(x), Number(y)] as const,
  );
}

/** Expects a line through the values of these readings, where the labels of the picture say. */
function expectLine(picture: Picture, number: number, line: Lines[string]): void {
  const { x, y, ticks } = scalesOf(picture);
  expect(ticks[0]).toBe(ticks[1]);
  const known = readingsOf(line).filter((reading): reading is [string, string] => reading[1] !== null);
  const points = pointsOf(picture.path?.[number]);
  expect(points).toHaveLength(known.length);
  for (const [i, [at, value]] of known.entries()) {
    expect(points[i]?.[0]).toBeCloseTo(x(at), 1);
    expect(points[i]?.[1]).toBeCloseTo(y(Number(value)), 1);
  }
}

const yearly = (values: readonly (number | null)[]) => each('year', 1990, values);

describe('a chart as SVG', () => {
  const lines: Lines = { GDP: yearly([3, 1, null, 9, 4]), OTHER: yearly([2, 2.5, 7.25, 3, 3]) };
  const key = () => [['GDP', 'Gross Domestic Product']] as const;
  const text = svgOf(rowsOf(lines), { key });
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
    const widths: Readonly<Record<string, number>> = { P: 0.733, A: 0.774, Y: 0.724, E: 0.683, M: 0.995 };
    const advances: typeof widths = { ...widths, S: 0.72, ',': 0.38, ' ': 0.348 };
    const title = Array.from({ length: 12 }, () => 'PAYEMS').join(', ');
    const drawn = wordsIn(pictureOf(svgOf(rowsOf(lines), { words: () => ({ title, subtitle: [] }) })));
    const shown = drawn.filter((one) => one.startsWith('PAYEMS'));
    expect(shown.join(' ')).toBe(title);
    for (const line of shown) {
      const wide = [...line].reduce((sum, sign) => sum + (advances[sign] ?? Number.NaN), 0);
      expect(20 + 17 * wide).toBeLessThanOrEqual(700);
    }
  });

  it('has the title, as-of date, unit, names, dates, values, full names and source', () => {
    const wanted = 'A title|As known on 2020-06-30|Percent|GDP|OTHER|1990|0|10|GDP: Gross Domestic Product';
    expect(wordsIn(picture)).toEqual(expect.arrayContaining([...wanted.split('|'), 'Source: A source']));
  });

  it('has no script, style sheet, address or font to load', () => {
    expect(text).not.toMatch(/<(script|style|image|use|foreignObject|link)|href|url\(|@import|on[a-z]+=/i);
    expect(text.match(/https?:[^"]*/g)).toEqual(['http://www.w3.org/2000/svg']);
  });

  it('draws the values of each line where the labels say, and breaks a line at a gap', () => {
    for (const [i, readings] of Object.values(lines).entries()) expectLine(picture, i, readings);
    expect(picture.path?.map(({ d }) => d?.match(/M/g)?.length)).toEqual([2, 1]);
  });

  it.each([
    ['beside it, where there is room', [2, 1, 2], 0],
    ['above or below another line that goes on there', [1, 1, 1], 13],
  ])('has the name of a line that ends early at its end, %s', (_, early, shift) => {
    const other = yearly([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    const read = pictureOf(svgOf(rowsOf({ EARLY: yearly(early), LONG: other, HIGH: yearly([9, 9, 9, 9]) })));
    const [x = 0, y = 0] = pointsOf(read.path?.[0]).at(-1) ?? [];
    const name = textsOf(read).find(({ text }) => text === 'EARLY');
    expect(name?.x).toBeCloseTo(x + 8, 1);
    expect(Math.abs((name?.y ?? 0) - 4 - y)).toBeCloseTo(shift, 1);
    const [last = 0] = pointsOf(read.path?.[1]).at(-1) ?? [];
    expect(textsOf(read).find(({ text }) => text === 'LONG')?.x).toBeCloseTo(last + 8, 1);
  });

  it('has a bar for each count but 0, from the line of 0', () => {
    const read = pictureOf(svgOf(rowsOf({ X: yearly([3, 0, 7]) }), { bars: true }));
    const { x, y } = scalesOf(read);
    const counts = { '1990-01-01': 3, '1992-01-01': 7 };
    const bars = Object.entries(counts).map(([at, count]) => [
      [x(at), y(0)],
      [x(at), y(count)],
    ]);
    expect(pointsOf(read.path?.[0]).map((place) => place.map(Math.round))).toEqual(
      bars.flat().map((place) => place.map(Math.round)),
    );
    expect(read.desc).toContain('lowest 3 (1990-01-01), highest 7 (1992-01-01)');
  });

  it('has the same bytes for the same rows in any order', () => {
    const rows = rowsOf(lines);
    const others = rows.filter(({ line }) => line === 'OTHER').reverse();
    const mixed = [...rows.filter(({ line }) => line === 'GDP').reverse(), ...others];
    expect(svgOf(mixed, { key })).toBe(text);
  });

  it('has a dot at a value without neighbours', () => {
    const { circle, path } = pictureOf(svgOf(rowsOf({ X: yearly([1, null, 2, 3]) })));
    expect([circle?.length, path?.length]).toEqual([1, 1]);
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

  it('has a dot at each maturity that a curve has, and continues a curve over one that it lacks', () => {
    const curves = { A: '1M 4.28, 2M -, 10Y 5.03', B: '1M 2.07, 2M 2.04, 10Y 1.47' };
    const read = pictureOf(svgOf(rowsOf(curves), { axis: 'maturity' }));
    const { y } = scalesOf(read);
    const wanted = [4.28, 5.03, 2.07, 2.04, 1.47];
    expect(read.circle).toHaveLength(wanted.length);
    for (const [i, value] of wanted.entries()) expect(Number(read.circle?.[i]?.cy)).toBeCloseTo(y(value), 1);
    expect(read.path?.map(({ d }) => d?.match(/[ML]/g)?.join(''))).toEqual(['ML', 'MLL']);
  });

  it.each([
    // A withdrawal ends the line; otherwise the last value holds until the as-of date.
    ['2020-01-01 2, 2020-03-01 4, 2020-04-01 -', '2020-01-01 2, 2020-03-01 2, 2020-03-01 4, 2020-04-01 4', 2],
    ['2020-01-01 2, 2020-03-01 4', '2020-01-01 2, 2020-03-01 2, 2020-03-01 4, 2020-06-01 4', 2],
  ])('has a dot at each publication, whose value holds until the next: %s', (published, drawn, dots) => {
    const stepped = { stepped: true, until: () => '2020-06-01' } as const;
    const read = pictureOf(svgOf(rowsOf({ X: published }), stepped));
    expectLine(read, 0, drawn);
    expect(read.circle).toHaveLength(dots);
  });

  it.each<readonly [string, Lines]>([
    ['no rows', {}],
    ['rows without a value', { X: yearly([null]) }],
  ])('says so where there are %s', (_, none) => {
    const read = pictureOf(svgOf(rowsOf(none)));
    expect(wordsIn(read)).toContain('no values');
    expect(read.desc).toBe('As known on 2020-06-30. There are no values.');
  });

  it('of fifteen thousand days is small and keeps their extremes', () => {
    const many = svgOf(rowsOf({ X: manyDays }));
    expect(many.length).toBeLessThan(100_000);
    const read = pictureOf(many);
    const { x, y } = scalesOf(read);
    const points = pointsOf(read.path?.[0]);
    for (const i of [7777, 8888]) {
      const [at, value] = manyDays[i] as Reading;
      const distances = points.map(([px, py]) => Math.hypot(px - x(at), py - y(Number(value))));
      expect(Math.min(...distances)).toBeLessThan(0.1);
    }
  });
});

describe('the options of a chart', () => {
  const lines: Lines = {
    A: '2020-01-01 50, 2020-02-01 100, 2020-03-01 75',
    B: '2020-02-01 4, 2020-03-01 5',
  };
  const rows = rowsOf(lines);
  const onlyA = rowsOf({ A: lines.A ?? '' });

  it('set the width and the height of an SVG exactly', () => {
    const sizes = fc.record({
      width: fc.integer({ min: 240, max: 3000 }),
      height: fc.integer({ min: 320, max: 3000 }),
    });
    fc.assert(
      fc.property(sizes, ({ width, height }) => {
        const svg = svgOf(rows, {}, { width, height });
        expect(svg).toContain(`viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`);
        const most = (pattern: RegExp) =>
          Math.max(...Array.from(svg.matchAll(pattern), ([, found]) => Number(found)));
        expect(most(/ (?:x|x1|x2|cx)="([\d.]+)"/g)).toBeLessThanOrEqual(width);
        expect(most(/ (?:y|y1|y2|cy)="([\d.]+)"/g)).toBeLessThanOrEqual(height);
      }),
      { numRuns: 20 },
    );
  });

  it('replace the title', () => {
    expect(svgOf(rows, {}, { title: 'Mine & yours' })).toContain('<title>Mine &amp; yours</title>');
    expect(textOf(rows, {}, {}, false, { title: 'Mine' })).toMatch(/^Mine\n/);
  });

  it('draw in greys that dashes tell apart', () => {
    const three = { A: '2020-01-01 0, 2020-02-01 5', B: '2020-01-01 1, 2020-02-01 5' };
    const svg = svgOf(rowsOf({ ...three, C: '2020-01-01 2, 2020-02-01 5' }), {}, { grey: true });
    const looks = Array.from(svg.matchAll(/<path [^>]*>/g), ([path]) =>
      (path.match(/stroke(?:-dasharray)?="[^"]*"/g) ?? []).join(),
    );
    expect(new Set(looks).size).toBe(3);
    const colours = [...svg.matchAll(/#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})/g)];
    for (const [, ...parts] of colours) {
      const levels = parts.map((part) => Number.parseInt(part, 16));
      expect(Math.max(...levels) - Math.min(...levels)).toBeLessThan(32);
    }
  });

  it('show lines in proportion to their values at the first date that all of them have', () => {
    const svg = svgOf(rows, {}, { index: 100 });
    // A is 50, 100, 75, and B 100, 125.
    expect(svg).toContain('A, Index, 2020-02-01 = 100: from 50 (2020-01-01) to 75 (2020-03-01)');
    expect(svg).toContain('B, Index, 2020-02-01 = 100: from 100 (2020-02-01) to 125 (2020-03-01)');
  });

  const early = '2020-01-01 1';
  it.each([
    ['a width of 100', { A: early }, { width: 100 }, 'a width of 240, and 100 was asked for'],
    ['a height of 100', { A: early }, { height: 100 }, /needs a height of \d+, and 100 was asked for/],
    [
      'an index without a common date',
      { A: early, B: '2020-02-01 1' },
      { index: 100 },
      'a date that all lines have',
    ],
    [
      'an index of 0',
      { A: '2020-01-01 0' },
      { index: 9 },
      'A is 0 on 2020-01-01: an index needs a value above 0',
    ],
    [
      'a logarithm of -1',
      { A: '2020-01-01 -1' },
      { log: true },
      'a logarithmic scale shows values above 0, and one is -1',
    ],
  ])('refuse %s', (_, given, options, said) => {
    expect(() => svgOf(rowsOf(given as Lines), {}, options)).toThrow(said);
  });

  it('shade bands, from the first day to the last or to the end of the chart', () => {
    const bands = [{ from: '2020-01-11', to: '2020-01-31' }, { from: '2020-02-20' }, { from: '2021-01-01' }];
    const svg = svgOf(onlyA, { bands });
    const [first, second, third] = Array.from(
      svg.matchAll(/<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"[^>]*fill-opacity/g),
      ([, x, width]) => ({ x: Number(x), width: Number(width) }),
    );
    expect(third).toBeUndefined();
    // The chart shows the 60 days from 2020-01-01 to 2020-03-01.
    const day = (first?.width ?? 0) / 20;
    expect((second?.width ?? 0) / day).toBeCloseTo(10, 1);
    expect(((second?.x ?? 0) - (first?.x ?? 0)) / day).toBeCloseTo(40, 1);
    expect(textOf(onlyA, {}, { bands })).toContain('░');
  });
});

describe('the colours of lines', () => {
  const eight = Object.fromEntries([...'ABCDEFGH'].map((name, i) => [name, yearly([i, i + 1])]));
  const lineColours = Array.from(
    svgOf(rowsOf(eight)).matchAll(/stroke="(#\w+)" stroke-w/g),
    ([, one = '']) => one,
  );

  type Triple = readonly [number, number, number];
  const times = (matrix: readonly Triple[], [a, b, c]: Triple) =>
    matrix.map(([x, y, z]) => x * a + y * b + z * c) as unknown as Triple;

  /** The simulations of Machado, Oliveira and Fernandes (2009), of full severity. */
  const sights: Readonly<Record<string, readonly Triple[]>> = {
    'normal sight': [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ],
    protanopia: [
      [0.152286, 1.052583, -0.204868],
      [0.114503, 0.786281, 0.099216],
      [-0.003882, -0.048116, 1.051998],
    ],
    deuteranopia: [
      [0.367322, 0.860646, -0.227968],
      [0.280085, 0.672501, 0.047413],
      [-0.01182, 0.04294, 0.968881],
    ],
  };
  // IEC 61966-2-1, the white of D65, and CIE 1976 L*a*b*.
  const toXyz: readonly Triple[] = [
    [0.4124564, 0.3575761, 0.1804375],
    [0.2126729, 0.7151522, 0.072175],
    [0.0193339, 0.119192, 0.9503041],
  ];
  const linear = (colour: string) =>
    [1, 3, 5].map((at) => {
      const level = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
      return level <= 0.04045 ? level / 12.92 : ((level + 0.055) / 1.055) ** 2.4;
    }) as unknown as Triple;
  const labOf = (light: Triple): Triple => {
    const inside = light.map((one) => Math.min(1, Math.max(0, one))) as unknown as Triple;
    const [x, y, z] = times(toXyz, inside).map((one, i) => {
      const part = one / ([0.95047, 1, 1.08883][i] ?? 1);
      return part > 216 / 24389 ? Math.cbrt(part) : ((24389 / 27) * part + 16) / 116;
    }) as unknown as Triple;
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
  };

  // The nearest two of the palette of Okabe and Ito, made for the colour-blind, are 17 apart (with deuteranopia).
  it.each([
    ['normal sight', 2, 100],
    ['protanopia', 2, 100],
    ['deuteranopia', 2, 100],
    ['normal sight', 5, 25],
    ['protanopia', 5, 25],
    ['deuteranopia', 5, 25],
    ['normal sight', 8, 15],
    ['protanopia', 8, 15],
    ['deuteranopia', 8, 15],
  ])('differ with %s: the first %i by %i', (sight, count, least) => {
    const seen = lineColours
      .slice(0, count)
      .map((colour) => labOf(times(sights[sight] ?? [], linear(colour))));
    const distances = seen.flatMap((a, i) =>
      seen.slice(0, i).map((b) => Math.hypot(...a.map((part, k) => part - (b[k] ?? 0)))),
    );
    expect(Math.min(...distances)).toBeGreaterThanOrEqual(least);
  });

  it.each(lineColours)('are readable as text on white (WCAG 2, 4.5:1): %s', (colour) => {
    const [red, green, blue] = linear(colour);
    expect(1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)).toBeGreaterThanOrEqual(4.5);
  });
});
