import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { progressLine, type Share } from '../../../src/cli/terminal/progress-line.ts';
import type { Row } from '../../../src/operations/envelope.ts';
import type { Field } from '../../../src/operations/field.ts';
import { seriesShow } from '../../../src/operations/series/series.ts';
import { selectColumns } from '../../../src/render/columns.ts';
import { cardRenderer, fitWidths, gap, tableRenderer } from '../../../src/render/formats/table.ts';
import { printable } from '../../../src/render/printable.ts';
import type { OutputLayout } from '../../../src/render/renderer.ts';
import { cellWidth, cut } from '../../../src/render/terminal-text.ts';
import {
  anyText,
  envelope,
  field,
  layout,
  observation,
  observationFields,
  output,
} from '../../support/rows.ts';

// BEA's figures as of 2015-01-30, from test/data/macro/fred-api.
const gdp = [
  observation('2014-10-01', '17710.7'),
  observation('2014-07-01', '17599.8'),
  observation('1947-01-01', '243.1'),
];

/** Rows that have no cell in common. */
const mixed = gdp.map((row, i) =>
  i !== 1
    ? row
    : {
        ...row,
        ...{ as_of_date: '2014-12-23', series_id: 'GDPC1', frequency: 'A', source: 'BEA' },
        unit: 'Billions of 2009 Dollars',
      },
);

/** A table at a width: its lines, and the columns that it dropped. */
function at(width: number | undefined, rows: readonly Row[], fields: readonly Field[] = observationFields) {
  const renderer = tableRenderer(layout(fields, width === undefined ? {} : { width }));
  const lines = output(renderer, rows).split('\n');
  expect(lines.pop()).toBe('');
  return { lines, dropped: renderer.dropped?.() };
}

describe('a table', () => {
  it('of 80 cells cuts the widest text, over one page and over many', () => {
    const lines = [
      'date          value  as_of_date  series_id  unit               frequency  source',
      '2014-10-01  17710.7  2015-01-30  GDP        Billions of Doll…  Q          FRED',
      '2014-07-01  17599.8  2014-12-23  GDPC1      Billions of 2009…  A          BEA',
      '1947-01-01    243.1  2015-01-30  GDP        Billions of Doll…  Q          FRED',
    ];
    expect(at(80, mixed)).toEqual({ lines, dropped: [] });
    const paged = tableRenderer(layout(observationFields, { width: 80 }));
    expect(output(paged, ...mixed.map((row) => [row]))).toBe(`${lines.join('\n')}\n`);
  });

  it('for a terminal has words and days that all its rows have in common above it, broken between them', () => {
    const lines = [
      'as_of_date: 2015-01-30  series_id: GDP',
      'unit: Billions of Dollars, Seasonally Adjusted Annual Rate  frequency: Q',
      'source: FRED',
      'date          value',
      '2014-10-01  17710.7',
      '2014-07-01  17599.8',
      '1947-01-01    243.1',
    ];
    expect(at(80, gdp)).toEqual({ lines, dropped: [] });
    expect(at(30, gdp).lines.slice(0, 4)).toEqual([
      'as_of_date: 2015-01-30',
      'series_id: GDP',
      'unit: Billions of Dollars,',
      'Seasonally Adjusted Annual',
    ]);
  });

  it('keeps common words in its columns for one row, named columns, without a header, and outside of a terminal', () => {
    const fields = [field('date', 'day'), field('unit')];
    const rows = [
      { date: '2014-10-01', unit: 'Percent' },
      { date: '2014-07-01', unit: 'Percent' },
    ];
    const shown = (changes: Partial<OutputLayout>, all: readonly Row[] = rows) =>
      output(tableRenderer(layout(fields, changes)), all).split('\n')[0];
    expect(shown({ width: 80 })).toBe('unit: Percent');
    expect(shown({})).toBe('date        unit');
    expect(shown({ width: 80 }, rows.slice(1))).toBe('date        unit');
    expect(shown({ width: 80, header: false })).toBe('2014-10-01  Percent');
    expect(shown({ width: 80, columns: { fields, all: fields, chosen: true } })).toBe('date        unit');
  });

  it('never takes numbers, empty cells, high ranks or its last column out of its columns', () => {
    const common = { value: '1.5', note: '', status: 'planned' };
    const fields: readonly Field[] = [
      field('value', 'decimal'),
      field('note'),
      { ...field('status'), rank: 'high' },
    ];
    expect(at(80, [common, common], fields).lines[0]).toBe('value  note  status');
    expect(at(80, [{ unit: 'Percent' }, { unit: 'Percent' }], [field('unit')]).lines).toEqual([
      'unit',
      'Percent',
      'Percent',
    ]);
  });

  it('says what is common to all rows, also to those that a short terminal does not show', () => {
    const rows = Array.from({ length: 100 }, (_, i) => ({
      value: `${i}`,
      unit: i === 50 ? 'B' : 'A',
      id: 'X',
    }));
    const fields = [field('value', 'decimal'), field('unit'), field('id')];
    const short = tableRenderer(layout(fields, { width: 80, lines: 9 }));
    const pages = rows.map((row) => [row]);
    expect(
      output(short, ...pages)
        .split('\n')
        .map((line) => line.trimEnd()),
    ).toEqual([
      'id: X',
      'value  unit',
      ...['    0  A', '    1  A', '    2  A', '    3  A', '    …  …', '   98  A', '   99  A', ''],
    ]);
    expect(short.hidden?.()).toBe(94);
    const whole = tableRenderer(layout(fields, { width: 80, lines: 9 }));
    expect(output(whole, rows.slice(0, 7)).split('\n')).toHaveLength(10);
    expect(whole.hidden?.()).toBe(0);
  });

  it('shows computed numbers with the decimals of their column on a terminal, and all of them elsewhere', () => {
    const fields: readonly Field[] = [{ ...field('t', 'decimal'), digits: 2 }];
    const rows = [{ t: '28.247739' }, { t: '3.055000' }, { t: null }];
    expect(at(80, rows, fields).lines).toEqual(['    t', '28.25', ' 3.06', '']);
    expect(at(undefined, rows, fields).lines[1]).toBe('28.247739');
  });

  it('of 40 cells drops the last columns and names them', () => {
    expect(at(40, mixed)).toEqual({
      lines: [
        'date          value  as_of_date',
        '2014-10-01  17710.7  2015-01-30',
        '2014-07-01  17599.8  2014-12-23',
        '1947-01-01    243.1  2015-01-30',
      ],
      dropped: ['series_id', 'unit', 'frequency', 'source'],
    });
  });

  it('without a width, or of as many cells as it needs, shows everything', () => {
    const rows = [{ id: 'x'.repeat(500), title: 'a title' }];
    const lines = [`${'id'.padEnd(502)}title`, `${'x'.repeat(500)}  a title`];
    for (const width of [undefined, 509])
      expect(at(width, rows, [field('id'), field('title')])).toEqual({ lines, dropped: [] });
  });

  it('keeps the first column and whole numbers on the narrowest terminal', () => {
    const fields = [field('value', 'decimal'), field('unit')];
    expect(at(5, [{ value: '17710.70', unit: 'B' }], fields)).toEqual({
      lines: ['   value', '17710.70'],
      dropped: ['unit'],
    });
  });

  it('aligns numbers of any shape', () => {
    const values = ['-0.25', '12', '1234.5', '.', '3.125', null, 'unlimited'];
    const rows = values.map((value) => ({ value, unit: '|' }));
    const fields: readonly Field[] = [field('value', 'decimal'), { ...field('unit'), rank: 'high' }];
    expect(at(80, rows, fields).lines).toEqual([
      '        value  unit',
      '       -0.25   |',
      '       12      |',
      '     1234.5    |',
      '         .     |',
      '        3.125  |',
      '               |',
      'unlimited      |',
    ]);
  });

  it('shows its header without rows, unless it is turned off, and in bold only if colour is allowed', () => {
    expect(at(80, []).lines).toEqual(['date  value  as_of_date  series_id  unit  frequency  source']);
    const table = (changes: Parameters<typeof layout>[1]) =>
      output(tableRenderer(layout([field('id')], changes)), [{ id: 'GDP' }]);
    expect(table({ header: false })).toBe('GDP\n');
    expect(table({ colour: true })).toBe('\u001B[1mid\u001B[22m\nGDP\n');
    expect(table({})).toBe('id\nGDP\n');
  });

  it('counts wide characters and emoji as two cells, and cuts between them', () => {
    const rows = [
      { id: '国内', title: '国内総生産（名目）' },
      { id: '📈', title: '👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧' },
      { id: 'é', title: 'plain' },
    ];
    expect(at(16, rows, [field('id'), field('title')]).lines).toEqual([
      'id    title',
      '国内  国内総生…',
      '📈    👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧…',
      'é     plain',
    ]);
  });

  it('keeps every text in its row beside a text without cells', () => {
    const rows = [
      { id: '\uA947', title: 'a mark alone' },
      { id: '国', title: 'a country' },
    ];
    expect(at(20, rows, [field('id'), field('title')]).lines).toEqual([
      'id  title',
      expect.stringMatching(/^\uA947 +a mark alone$/),
      '国  a country',
    ]);
  });

  it('writes its first rows at the ten thousandth, keeps its widths and loses no digit', () => {
    const fields = [field('value', 'decimal'), field('unit')];
    const renderer = tableRenderer(layout(fields, { width: 20 }));
    const first = renderer.page(envelope(Array(10_000).fill({ value: '1.5', unit: 'B' })));
    expect(first.split('\n')).toHaveLength(10_002);
    const later = [
      { value: '12.25', unit: 'Billions of Dollars' },
      { value: '123456.75', unit: 'B' },
    ];
    expect(renderer.page(envelope(later))).toBe('12.25  Bil…\n123456.75  B\n');
    expect(renderer.end()).toBe('');
  });

  it('keeps every line within the width for random texts', () => {
    const text = fc.oneof(anyText, fc.string({ unit: 'grapheme' }), fc.lorem());
    const rows = fc.array(fc.record({ id: text, title: text, units: text }), { maxLength: 8 });
    fc.assert(
      fc.property(rows, fc.integer({ min: 8, max: 60 }), (found, width) => {
        const { lines } = at(width, found, [field('id'), field('title'), field('units')]);
        // Words that all rows have in common may take several lines above the head.
        expect(lines.length).toBeGreaterThan(found.length);
        for (const line of lines) expect(cellWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe('a table shows foreign text without terminal commands:', () => {
  it.each([
    ['a colour', '\u001B[31mred', '␛[31mred'],
    ['a window title', '\u001B]0;owned\u0007', '␛]0;owned␇'],
    ['a clear screen in one byte', '\u009B2J', '\uFFFD2J'],
    ['a line break', 'a\r\nb', 'a␍␊b'],
    ['a tab', 'a\tb', 'a␉b'],
    ['a delete', 'a\u007Fb', 'a␡b'],
    ['a null', 'a\0b', 'a␀b'],
    ['a bidi override', 'abc\u202Etxt.exe', 'abc\uFFFDtxt.exe'],
    ['a bidi isolate', '\u2066abc\u2069', '\uFFFDabc\uFFFD'],
    ['a line separator', 'a\u2028b', 'a\uFFFDb'],
    ['an invisible character', 'a\u200Bb\uFEFF', 'a\uFFFDb\uFFFD'],
    ['half a character', 'a\uD83Db', 'a\uFFFDb'],
  ])('%s', (_, cell, shown) => {
    expect(at(80, [{ id: cell }], [field('id')]).lines[1]).toBe(shown);
    expect(at(80, [], [field(cell)]).lines[0]).toBe(shown);
    expect(at(80, [{ list: [cell] }], [field('list', 'list')]).lines[1]).toBe(shown);
    expect(at(80, [{ value: cell }], [field('value', 'decimal')]).lines[1]?.trim()).toBe(shown);
  });

  it('any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const out = output(tableRenderer(layout([field('id')])), [{ id: text }]);
        expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u200E\u200F\u061C\u2028-\u202E\u2066-\u2069]/u);
        expect(out.split('\n')).toHaveLength(3);
      }),
    );
  });

  it.each(['Gross Domestic Product', 'Zürich', '国内総生産', '👩‍👩‍👧', 'می‌خواهم'])('but keeps %s', (text) => {
    expect(printable(text)).toBe(text);
  });
});

describe('a table on a terminal', () => {
  const fields: Field[] = [
    { ...field('id', 'text'), head: 'key' },
    { ...field('source', 'text'), rank: 'low' },
    field('units', 'text'),
    { ...field('detected_on', 'day'), rank: 'high' },
    { ...field('observation_count', 'integer'), head: 'count' },
  ];
  const rows = [
    { id: 'GDP', source: 'FRED', units: 'Dollars', detected_on: '2015-01-30', observation_count: 311 },
  ];

  it.each<readonly [number, readonly string[], readonly string[]]>([
    [60, ['key  source  units    detected_on  count', 'GDP  FRED    Dollars  2015-01-30     311'], []],
    [34, ['key  units    detected_on  count', 'GDP  Dollars  2015-01-30     311'], ['source']],
    [28, ['key  units    detected_on', 'GDP  Dollars  2015-01-30'], ['source', 'observation_count']],
    [20, ['key  detected_on', 'GDP  2015-01-30'], ['source', 'units', 'observation_count']],
  ])('of %i cells leaves out columns of low rank first and of high rank last', (width, lines, dropped) => {
    expect(at(width, rows, fields)).toEqual({ lines, dropped });
  });

  it('has whole names without a width', () => {
    expect(at(undefined, rows, fields).lines[0]).toBe('id   source  units    detected_on  observation_count');
  });
});

const text = (natural: number) => ({ natural, least: Math.min(natural, 8) });
const rigid = (natural: number) => ({ natural, least: natural });

describe('the widths of columns', () => {
  it.each([
    ['are the natural ones if there is room', [rigid(10), text(20)], 32, [10, 20]],
    ['take from the widest first', [text(30), text(12)], 34, [20, 12]],
    ['take equally from equals', [text(30), text(30)], 42, [20, 20]],
    ['never take from a column that may not be cut', [rigid(30), text(12)], 40, [30, 8]],
    ['leave out columns from the end', [rigid(30), text(12), rigid(4)], 40, [30, 8]],
    ['give texts their full width once other columns are left out', [text(20), rigid(30)], 24, [20]],
    ['cut the first column rather than leave it out', [text(30), rigid(30)], 12, [12]],
    ['keep the first column whole if it may not be cut', [rigid(30), rigid(30)], 12, [30]],
    ['are empty for no columns', [], 80, []],
  ])('%s', (_, wishes, width, expected) => {
    expect(fitWidths(wishes, width)).toEqual(expected);
  });

  it('fit the line, stay between least and natural, and leave no room for another column', () => {
    const size = fc.integer({ min: 1, max: 60 });
    const wish = fc.tuple(size, size).map(([a, b]) => ({ natural: Math.max(a, b), least: Math.min(a, b) }));
    const several = fc.array(wish, { minLength: 1, maxLength: 8 });
    const total = (all: readonly number[]) => all.reduce((sum, one) => sum + one, 0) + gap * (all.length - 1);
    fc.assert(
      fc.property(several, fc.integer({ min: 60, max: 200 }), (wishes, width) => {
        const widths = fitWidths(wishes, width);
        expect(total(widths)).toBeLessThanOrEqual(width);
        for (const [i, cells] of widths.entries()) {
          expect(cells).toBeGreaterThanOrEqual(wishes[i]?.least ?? Number.NaN);
          expect(cells).toBeLessThanOrEqual(wishes[i]?.natural ?? Number.NaN);
        }
        if (widths.length === wishes.length) return;
        expect(total(wishes.slice(0, widths.length + 1).map(({ least }) => least))).toBeGreaterThan(width);
      }),
    );
  });
});

describe('a card', () => {
  const row = {
    id: 'GDP',
    title: 'Gross Domestic Product',
    units: '',
    observation_count: 311,
    source: 'B\u001B[2JEA',
    description_changes: [],
  };

  function card(names?: readonly string[], colour = false, rows: readonly Row[] = [row]): string {
    const columns = selectColumns(seriesShow.fields, seriesShow.columns, names);
    return output(cardRenderer({ columns, header: true, colour }), rows);
  }

  it('has an aligned line for each field that has a value, with its name and the value in full', () => {
    // The longest name is that of a field without a value.
    const width = Math.max(...seriesShow.fields.map(({ name }) => name.length)) + 3;
    const expected = [
      ['id', 'GDP'],
      ['title', 'Gross Domestic Product'],
      ['observation_count', '311'],
      ['source', 'B␛[2JEA'],
    ];
    expect(card()).toBe(expected.map(([name, value]) => `${`${name}:`.padEnd(width)}${value}\n`).join(''));
  });

  it('has the columns that the user names, in that order, in bold where colours are allowed', () => {
    expect(card(['title', 'id'])).toBe('title:  Gross Domestic Product\nid:     GDP\n');
    expect(card(['id'], true)).toBe('\u001B[1mid:  \u001B[22mGDP\n');
  });

  it('is separated from the next by an empty line', () => {
    expect(card(['id'], false, [{ id: 'A' }, { id: 'B' }])).toBe('id:  A\n\nid:  B\n');
  });
});

// Widths: Unicode's EastAsianWidth.txt (W and F are two cells) and emoji-test.txt.
describe('the width in terminal cells of', () => {
  it.each([
    ['ASCII', 'GDPC1', 5],
    ['an empty text', '', 0],
    ['Latin with marks', 'Zürich', 6],
    ['a combining mark', 'e\u0301', 1],
    ['ideographs', '国内総生産', 10],
    ['Hangul', '한국', 4],
    ['fullwidth forms', 'ＧＤＰ', 6],
    ['an emoji', '📈', 2],
    ['a family of joined emoji', '👩‍👩‍👧', 2],
    ['a flag', '🇺🇸', 2],
    ['an ellipsis', '…', 1],
    ['the picture of a control character', '␛', 1],
  ])('%s', (_, shown, width) => {
    expect(cellWidth(shown)).toBe(width);
  });
});

describe('cutting a text', () => {
  it.each([
    ['leaves a text that fits', 'GDPC1', 5, 'GDPC1'],
    ['marks the cut', 'GDPC1', 4, 'GDP…'],
    ['keeps a wide character whole or drops it', '国内総', 4, '国…'],
    ['keeps joined emoji together', '👩‍👩‍👧👩‍👩‍👧', 3, '👩‍👩‍👧…'],
    ['keeps a mark with its letter', 'e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
    ['to one cell leaves only the ellipsis', 'GDPC1', 1, '…'],
  ])('%s', (_, shown, width, expected) => {
    expect(cut(shown, width)).toBe(expected);
  });
});

describe('the line of long work', () => {
  const [empty, quarter, half] = [
    '[....................]',
    '[#####...............]',
    '[##########..........]',
  ];
  it.each<
    readonly [
      text: string,
      share: readonly [done: number, total?: number | undefined, unit?: string],
      seconds: number,
      line: string,
    ]
  >([
    ['', [12_000, undefined, 'rows'], 3, '12,000 rows, 4,000 rows/s'],
    ['', [7, undefined, 'requests'], 2, '7 requests, 3.5 requests/s'],
    ['', [1, undefined, 'series'], 300, '1 series, 0.0033 series/s'],
    ['', [0, undefined, 'rows'], 3, '0 rows'],
    ['', [5, undefined, 'rows'], 0, '5 rows'],
    ['a.csv', [1, 4], 2, `${quarter} 1 of 4, 6 s left, a.csv`],
    ['a.csv', [0, 4], 2, `${empty} 0 of 4, a.csv`],
    ['', [19, 1000], 2, `${empty} 19 of 1,000`],
    ['', [20, 1000], 2, `${empty} 20 of 1,000, 1 min 38 s left`],
    ['', [4, 4], 2, '[####################] 4 of 4'],
    ['', [5, 4], 2, '[####################] 5 of 4'],
    ['', [0, 0], 2, `${empty} 0 of 0`],
    ['', [250_000, 1_000_000, 'rows'], 2, `${quarter} 250,000 of 1,000,000 rows, 125,000 rows/s, 6 s left`],
    [
      '9 of b.csv',
      [10_250_000, 41e6, 'bytes'],
      2,
      `${quarter} 10.3 of 41.0 MB, 5.1 MB/s, 6 s left, 9 of b.csv`,
    ],
    ['', [500, 2000, 'bytes'], 1, `${quarter} 0.5 of 2.0 kB, 0.5 kB/s, 3 s left`],
    ['', [3e9, 4e9, 'bytes'], 60, '[###############.....] 3.0 of 4.0 GB, 50.0 MB/s, 20 s left'],
    ['', [1, 2], 59.2, `${half} 1 of 2, 1 min 0 s left`],
    ['', [1, 2], 125, `${half} 1 of 2, 2 min 5 s left`],
    ['', [1, 2], 3660, `${half} 1 of 2, 1 h 1 min left`],
  ])('%j %j after %d s', (words, [done, total, unit], seconds, line) => {
    const share: Share = { done, ...(total !== undefined && { total }), ...(unit !== undefined && { unit }) };
    expect(progressLine(words, share, seconds * 1000, 100)).toBe(line);
  });

  it('is its words where nothing is counted', () => {
    expect(progressLine('2 requests', undefined, 3000, 100)).toBe('2 requests');
  });

  it.each([
    [79, '[##########..........] 1 of 2 files, 0.25 files/s, 4 s left, looking at data/gdp.csv'.slice(0, 78)],
    [60, '[##########..........] 1 of 2 files, 0.25 files/s, 4 s left'.slice(0, 59)],
    [58, '1 of 2 files, 0.25 files/s, 4 s left, looking at data/gdp.csv'.slice(0, 57)],
    [20, '1 of 2 files, 0.25 f'.slice(0, 19)],
    [1, ''],
  ])('in %d cells keeps what it can', (width, kept) => {
    const share = { done: 1, total: 2, unit: 'files' };
    expect(progressLine('looking at data/gdp.csv', share, 4000, width)).toBe(`${kept}…`);
  });

  it('of items without a unit loses its bar before the end of its words', () => {
    const words = 'ECB:RTD.Q.S0.S.G_GDPM_TO_C.E, 1 request, 12,345 rows';
    expect(progressLine(words, { done: 0, total: 1 }, 4000, 77)).toBe(`0 of 1, ${words}`);
    expect(progressLine(words, { done: 0, total: 1 }, 4000, 100)).toBe(
      `[${'.'.repeat(20)}] 0 of 1, ${words}`,
    );
  });

  it('is never wider than allowed, and passes no control character of a file name on', () => {
    const count = fc.nat({ max: 1e12 });
    const share = fc.record({ done: count, total: count, unit: fc.constantFrom('rows', 'bytes') });
    const words = fc.oneof(fc.string({ unit: 'grapheme' }), anyText);
    const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
    fc.assert(
      fc.property(words, share, count, fc.integer({ min: 1, max: 120 }), (given, done, elapsed, width) => {
        const line = progressLine(given, done, elapsed, width);
        // Any grapheme takes at most two cells, however many code points it has.
        const widths = Array.from(graphemes.segment(line), ({ segment }) =>
          Math.min(2, stringWidth(segment)),
        );
        expect(widths.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(width);
        expect(line).not.toMatch(/[\p{Cc}\u2028\u2029\u202A-\u202E]/u);
      }),
    );
  });
});
