import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../../src/errors/problem.ts';
import {
  daysSince,
  each,
  type Lines,
  labelledDay,
  type ReadPanel,
  readText,
  rowsOf,
  textOf,
} from '../../../support/rows.ts';

const linesOf = (text: string) => text.replace(/\n$/, '').split('\n');
const monthly = (values: readonly (number | string | null)[]) => each('month', 2020, values);

function problemOf(work: () => unknown): Problem | undefined {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  return undefined;
}

/** Expects dots where the labels place the least and the greatest value, and none outside. */
function expectExtremes(panel: ReadPanel | undefined, values: readonly number[]): void {
  if (panel === undefined) throw new Error('there is no panel');
  const { dots, ticks, rows, valueAt, marked } = panel;
  const shown = dots.map(({ y }) => valueAt(y));
  // A mark fills the four rows of dots of its cell.
  const dot = Math.abs(valueAt(0) - valueAt(1)) * (marked ? 4 : 1);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  expect(Math.abs(Math.max(...shown) - high)).toBeLessThanOrEqual(0.51 * dot);
  expect(Math.abs(Math.min(...shown) - low)).toBeLessThanOrEqual(0.51 * dot);
  expect(ticks[0]?.value ?? 0).toBeGreaterThanOrEqual(high * (1 - 1e-12 * Math.sign(high)));
  expect(ticks.at(-1)?.value ?? 0).toBeLessThanOrEqual(low * (1 + 1e-12 * Math.sign(low)));
  expect([ticks[0]?.row, ticks.at(-1)?.row]).toEqual([0, rows - 1]);
}

describe('a text chart', () => {
  it('has a title, an as-of date, a unit, values, dates and a source', () => {
    const rows = rowsOf({ X: monthly([1, 2, 3, 4, 5, 6, 7, 8, 7, 6, 5, 4, 3]) });
    expect(textOf(rows, { width: 40 })).toBe(`A title
As known on 2020-06-30
Percent
10 ┤
   │                   ⢀⡠⣀
   │              ⢀⡠⠤⠒⠊⠁  ⠉⠒⠢⠤⣀
 5 ┤          ⣀⠤⠔⠊⠁            ⠉⠒⠤⢄⣀
   │     ⣀⠤⠒⠊⠉                      ⠉⠑⠒⠤
   │⣀⠤⠔⠒⠉
 0 ┤
   └┬──────────────────────────────────┬
  2020                              2021
Source: A source
`);
  });

  it.each([
    ['a quarter', 'Q', '2020-01-01', '2020-07-01', true],
    ['no quarter', 'Q', '2020-07-01', '2020-10-01', false],
    ['a month', 'M', '2020-01-01', '2020-03-01', true],
    ['no month', 'M', '2020-01-01', '2020-02-01', false],
    ['a week', 'W', '2020-01-01', '2020-01-15', true],
    ['no week, though a holiday moved a day', 'W', '2020-01-01', '2020-01-10', false],
    ['a fortnight', 'BW', '2020-01-01', '2020-01-29', true],
    ['a year', 'A', '2020-01-01', '2022-01-01', true],
    ['no year', 'A', '2020-01-01', '2021-01-01', false],
    ['half a year', 'SA', '2020-01-01', '2021-01-01', true],
    ['weeks of trading', 'D', '2020-01-01', '2020-02-01', true],
    ['days without trading', 'D', '2001-09-10', '2001-09-17', false],
    ['an unknown time', '', '2020-01-01', '2029-01-01', false],
  ])('joins two values unless one is missing between them: %s (%s)', (_, frequency, a, b, breaks) => {
    const text = textOf(rowsOf({ X: `${a} 1, ${b} 2` }, { X: { frequency } }));
    // A value without neighbours is a dot.
    expect(text.match(/•/g)?.length ?? 0).toBe(breaks ? 2 : 0);
  });

  it.each<readonly [name: string, values: readonly (number | string)[]]>([
    ['one value', [3.25]],
    ['one negative value', [-3.25]],
    ['equal values', [5.25, 5.25, 5.25]],
    ['nothing but zero', [0, 0]],
    ['negative values', [-3, -2.5, -7]],
    ['values on both sides of zero', [-3, 4, -1]],
    ['huge values', ['1'.padEnd(30, '0'), '3'.padEnd(30, '0')]],
    ['tiny values', ['0.000000000000001', '0.000000000000003']],
    ['values that differ in their last digits', ['100000000000.1', '100000000000.3']],
  ])('draws %s inside its frame, with the extremes where the ticks say', (_, values) => {
    expectExtremes(readText(textOf(rowsOf({ X: monthly(values) }))).panels[0], values.map(Number));
  });

  it('draws a zero line if values are on both sides of it', () => {
    const zero = (values: readonly number[]) =>
      linesOf(textOf(rowsOf({ X: monthly(values) }))).find((line) => line.includes('┈'));
    expect(zero([-3, 4, -1])).toMatch(/^ *0 ┤/);
    expect(zero([3, 4, 1])).toBeUndefined();
  });

  it.each<readonly [string, Lines]>([
    ['no rows', {}],
    ['rows without a value', { X: monthly([null, null]) }],
  ])('says “no values” if there are %s', (_, lines) => {
    const shown = linesOf(textOf(rowsOf(lines))).slice(0, 4);
    expect(shown).toEqual(['A title', 'As known on 2020-06-30', '', 'no values']);
  });

  it('refuses a value that is too large for a scale, and names it', () => {
    const rows = rowsOf({ X: `2020-01-01 ${'1'.padEnd(300, '0')}` });
    expect(problemOf(() => textOf(rows))).toMatchObject({
      detail: 'X 2020-01-01: a chart cannot show a value of this size',
      hints: ['--csv writes all digits'],
    });
  });

  it('shows foreign control characters as pictures', () => {
    const evil = 'a\u001B]0;owned\u0007\nb';
    const rows = rowsOf(
      { [evil]: monthly([1, 2]), Y: monthly([3, 4]) },
      { [evil]: { unit: evil, source: evil }, Y: { unit: evil } },
    );
    const words = () => ({ title: evil, subtitle: [evil] });
    const text = textOf(rows, {}, { words, key: () => [[evil, evil]] });
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    expect(text.match(/a␛\]0;owned␇␊b/g)).toHaveLength(7);
  });

  it('uses colours only if they are allowed, and is the same text without', () => {
    const rows = rowsOf({ A: monthly([1, 5, 2]), B: monthly([4, 2, 3]) });
    const [plain, coloured] = [textOf(rows), textOf(rows, {}, {}, true)];
    expect(plain).not.toContain('\u001B');
    expect(coloured).toContain('\u001B[1mA title\u001B[22m\n');
    expect(coloured).toContain('\u001B[36m');
    expect(coloured).toContain('\u001B[35m');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for these.
    expect(coloured.replace(/\u001B\[\d+m/g, '')).toBe(plain);
  });
});

describe('a text chart of several series', () => {
  const [a, b] = [monthly([1, 2, 3]), monthly([7, 8, 9])];

  it('of one unit has one scale, and names each line at its end', () => {
    const text = textOf(rowsOf({ LOW: a, HIGH: b }));
    const { panels } = readText(text);
    expect(panels).toHaveLength(1);
    const rowOf = (name: string) => linesOf(text).findIndex((line) => line.endsWith(` ${name}`)) - 3;
    expect(panels[0]?.valueAt(4 * rowOf('LOW') + 1.5)).toBeCloseTo(3, 0);
    expect(panels[0]?.valueAt(4 * rowOf('HIGH') + 1.5)).toBeCloseTo(9, 0);
  });

  it('of different units has a panel for each unit, over the same dates', () => {
    const text = textOf(rowsOf({ A: a, B: b }, { B: { unit: 'Dollars' } }));
    const { panels, tickColumns } = readText(text);
    expect(panels.map(({ ticks }) => ticks.map(({ value }) => value))).toEqual([
      [3, 2.5, 2, 1.5, 1],
      [9, 8.5, 8, 7.5, 7],
    ]);
    expect(linesOf(text)).toEqual(expect.arrayContaining(['A, Percent', 'B, Dollars']));
    expect(tickColumns.length).toBeGreaterThan(1);
  });

  it('that end together names them below each other', () => {
    const text = textOf(rowsOf({ ONE: a, TWO: a, THREE: a }));
    const named = linesOf(text).flatMap((line) => / (ONE|TWO|THREE)$/.exec(line)?.[1] ?? []);
    expect(named.sort()).toEqual(['ONE', 'THREE', 'TWO']);
  });

  it('that end early names them there', () => {
    const rows = rowsOf({ SHORT: monthly([1, 1.2]), LONG: monthly([5, 6, 7, 8, 9, 9, 9, 9, 9]) });
    const line = linesOf(textOf(rows)).find((one) => one.includes('SHORT')) ?? '';
    expect(line.indexOf('SHORT')).toBeLessThan(30);
  });

  it('abbreviates long names so that no two lines have the same label', () => {
    const text = textOf(rowsOf({ 'PRICES.OF.CONSUMERS.FOOD': a, 'PRICES.OF.CONSUMERS.RENT': b }));
    expect(text).toContain(' …FOOD');
    expect(text).toContain(' …RENT');
  });

  it('has the full names below, unless they leave no room for the plot', () => {
    const rows = rowsOf({ A: a, B: b });
    const key = () => [['A', 'Alpha']] as const;
    expect(textOf(rows, {}, { key })).toContain('\nA: Alpha\n');
    expect(textOf(rows, { height: 20 }, { key })).toContain('\nA: Alpha\n');
    const low = textOf(rows, { height: 11 }, { key });
    expect(low).not.toContain('Alpha');
    expect(linesOf(low)).toHaveLength(11);
  });
});

describe('a text chart of curves', () => {
  const curve = '1M 4.28, 3M 4.82, 10Y 5.03, 30Y 5.12';
  const other = '1M 2.07, 2M 2.04, 3M 1.99, 10Y 1.47, 30Y -';

  it('has the maturities of both below, shortest first, and another mark for each curve', () => {
    const lines = { '2007-06-29': curve, '2019-08-28': other };
    const text = textOf(rowsOf(lines), { width: 60 }, { axis: 'maturity' });
    expect(readText(text).labels).toEqual(['1M', '2M', '3M', '10Y', '30Y']);
    expect([text.match(/●/g)?.length, text.match(/○/g)?.length]).toEqual([4, 4]);
  });

  it('has one mark where the curves meet', () => {
    const text = textOf(rowsOf({ A: curve, B: curve }), {}, { axis: 'maturity' });
    expect(text.match(/[●○◉]/g)).toEqual(['◉', '◉', '◉', '◉']);
  });
});

describe('a text chart of any size', () => {
  const number = fc.oneof(
    fc.integer({ min: -100, max: 100 }),
    fc.integer({ min: -1_000_000, max: 1_000_000 }).map((n) => n / 100),
    fc.double({ min: -1e12, max: 1e12, noNaN: true }).map((n) => Math.round(n * 1e3) / 1e3),
  );
  const values = fc.array(fc.option(number, { freq: 8 }), { minLength: 1, maxLength: 120 });
  const names = ['A', 'GDPC1', 'A LONG NAME OF A SERIES', '消費者物価指数 👩‍👩‍👧'];
  const anyLines = fc
    .uniqueArray(fc.tuple(fc.constantFrom(...names), values), {
      selector: ([name]) => name,
      minLength: 1,
      maxLength: 3,
    })
    .map((entries) => Object.fromEntries(entries));
  const sizes = fc.record({
    width: fc.integer({ min: 20, max: 200 }),
    height: fc.option(fc.integer({ min: 5, max: 60 }), { nil: undefined }),
  });

  it('fits the terminal, and draws the extremes of each line where the ticks say', () => {
    let drawn = 0;
    fc.assert(
      fc.property(anyLines, sizes, fc.boolean(), (given, size, apart) => {
        const lines = Object.fromEntries(
          Object.entries(given).map(([name, found]) => [name, each('month', 2000, found)]),
        );
        const rows = rowsOf(lines, apart ? { GDPC1: { unit: 'Dollars' } } : {});
        let text = '';
        const refused = problemOf(() => {
          text = textOf(rows, size, { key: () => [['A', 'Alpha']] });
        });
        if (refused !== undefined) {
          expect(refused.detail).toMatch(/^this chart needs \d+ (columns|lines), and there is room for \d+$/);
          expect(size.width < 50 || (size.height ?? 60) < 20).toBe(true);
          return;
        }
        drawn += 1;
        for (const one of linesOf(text)) expect(stringWidth(one)).toBeLessThanOrEqual(size.width);
        expect(linesOf(text).length).toBeLessThanOrEqual(size.height ?? Number.POSITIVE_INFINITY);
        const byUnit = new Map<string, number[]>();
        for (const [name, found] of Object.entries(given)) {
          const known = found.filter((one) => one !== null);
          const unit = apart && name === 'GDPC1' ? 'Dollars' : 'Percent';
          if (known.length > 0) byUnit.set(unit, [...(byUnit.get(unit) ?? []), ...known]);
        }
        const { panels } = readText(text);
        expect(panels).toHaveLength(byUnit.size);
        for (const [i, known] of [...byUnit.values()].entries()) expectExtremes(panels[i], known);
      }),
      { numRuns: 120 },
    );
    expect(drawn).toBeGreaterThan(60);
  });

  it('has its dates below the columns of their values', () => {
    const lengths = fc.integer({ min: 2, max: 300 });
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 200 }), lengths, fc.nat(299), (width, count, chosen) => {
        const readings = each(
          'month',
          1990,
          Array.from({ length: count }, (_, i) => (i === chosen % count ? 1 : 0)),
        );
        const text = textOf(rowsOf({ X: readings }), { width });
        const { panels, labels, tickColumns, plotWidth } = readText(text);
        const days = labels.map(labelledDay);
        expect(days).toHaveLength(tickColumns.length);
        const [first, last] = [daysSince(readings[0]?.[0] ?? ''), daysSince(readings.at(-1)?.[0] ?? '')];
        const columnOf = (day: number) => ((day - first) / (last - first)) * (2 * plotWidth - 1);
        for (const [i, day] of days.entries())
          expect(Math.abs((tickColumns[i] ?? 0) + 0.5 - columnOf(day))).toBeLessThanOrEqual(1.01);
        const { dots = [] } = panels[0] ?? {};
        const top = Math.min(...dots.map(({ y }) => y));
        const peak = dots.filter(({ y }) => y === top).map(({ x }) => x);
        const wanted = columnOf(daysSince(readings[chosen % count]?.[0] ?? ''));
        expect(Math.min(...peak.map((x) => Math.abs(x - wanted)))).toBeLessThanOrEqual(1);
      }),
      { numRuns: 60 },
    );
  });

  it('refuses fewer than 20 columns, and says what to do', () => {
    expect(problemOf(() => textOf([], { width: 19 }))).toMatchObject({
      kind: 'bad-input',
      detail: 'this chart needs 20 columns, and there is room for 19',
      hints: ['-o chart.svg draws it into a file'],
    });
  });

  it('needs exactly the size that its refusal names', () => {
    const rows = rowsOf({ A: monthly([1, 2]), B: monthly([1, 2]) }, { B: { unit: 'Dollars' } });
    const refused = problemOf(() => textOf(rows, { height: 5 }));
    const needed = Number(/needs (\d+) lines/.exec(refused?.detail ?? '')?.[1]);
    expect(linesOf(textOf(rows, { height: needed })).length).toBeLessThanOrEqual(needed);
    expect(problemOf(() => textOf(rows, { height: needed - 1 }))).toBeDefined();
    const wide = rowsOf({ X: '2020-01-01 123456789012, 2020-02-01 123456789012.5' });
    const narrow = problemOf(() => textOf(wide, { width: 20 }));
    const columns = Number(/needs (\d+) columns/.exec(narrow?.detail ?? '')?.[1]);
    expect(columns).toBeGreaterThan(20);
    expect(problemOf(() => textOf(wide, { width: columns }))).toBeUndefined();
  });
});
