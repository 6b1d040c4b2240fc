import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Row } from '../../../../src/operations/envelope.ts';
import type { Field } from '../../../../src/operations/field.ts';
import { TableRenderer } from '../../../../src/render/table.ts';
import { cellWidth } from '../../../../src/render/terminal-text.ts';
import { envelope, field, layout, observation, observationFields, output } from '../../../support/rows.ts';

// BEA's figures as of 2015-01-30, from test/data/macro/fred-api.
const gdp = [
  observation('2014-10-01', '17710.7'),
  observation('2014-07-01', '17599.8'),
  observation('1947-01-01', '243.1'),
];

/** A table at a width: its lines, and the columns that it dropped. */
function at(width: number | undefined, rows: readonly Row[], fields = observationFields) {
  const renderer = new TableRenderer(layout(fields, width === undefined ? {} : { width }));
  const lines = output(renderer, rows).split('\n');
  expect(lines.pop()).toBe('');
  return { lines, dropped: renderer.dropped?.() };
}

describe('a table', () => {
  it('of 200 cells shows everything, with numbers aligned at the decimal point and no trailing blanks', () => {
    expect(at(200, gdp)).toEqual({
      lines: [
        'date          value  as_of_date  series_id  unit                                                  frequency  source',
        '2014-10-01  17710.7  2015-01-30  GDP        Billions of Dollars, Seasonally Adjusted Annual Rate  Q          FRED',
        '2014-07-01  17599.8  2015-01-30  GDP        Billions of Dollars, Seasonally Adjusted Annual Rate  Q          FRED',
        '1947-01-01    243.1  2015-01-30  GDP        Billions of Dollars, Seasonally Adjusted Annual Rate  Q          FRED',
      ],
      dropped: [],
    });
  });

  it('of 80 cells cuts the widest text', () => {
    expect(at(80, gdp)).toEqual({
      lines: [
        'date          value  as_of_date  series_id  unit               frequency  source',
        '2014-10-01  17710.7  2015-01-30  GDP        Billions of Doll…  Q          FRED',
        '2014-07-01  17599.8  2015-01-30  GDP        Billions of Doll…  Q          FRED',
        '1947-01-01    243.1  2015-01-30  GDP        Billions of Doll…  Q          FRED',
      ],
      dropped: [],
    });
  });

  it('of 40 cells drops the last columns and names them', () => {
    expect(at(40, gdp)).toEqual({
      lines: [
        'date          value  as_of_date',
        '2014-10-01  17710.7  2015-01-30',
        '2014-07-01  17599.8  2015-01-30',
        '1947-01-01    243.1  2015-01-30',
      ],
      dropped: ['series_id', 'unit', 'frequency', 'source'],
    });
  });

  it('without a width shows everything', () => {
    const long = 'x'.repeat(5000);
    expect(at(undefined, [{ id: long, title: 'y' }], [field('id'), field('title')]).lines[1]).toBe(
      `${long}  y`,
    );
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
    expect(
      at(
        80,
        values.map((value) => ({ value, unit: '|' })),
        [field('value', 'decimal'), field('unit')],
      ).lines,
    ).toEqual([
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

  it('shows its header without rows, unless it is turned off', () => {
    expect(at(80, []).lines).toEqual(['date  value  as_of_date  series_id  unit  frequency  source']);
    expect(output(new TableRenderer(layout(observationFields, { header: false })), [])).toBe('');
  });

  it('has a bold header only if colour is allowed', () => {
    const rows = [{ id: 'GDP' }];
    expect(output(new TableRenderer(layout([field('id')], { colour: true })), rows)).toBe(
      '\u001B[1mid\u001B[22m\nGDP\n',
    );
    expect(output(new TableRenderer(layout([field('id')])), rows)).toBe('id\nGDP\n');
  });

  it('counts wide characters and emoji as two cells, and cuts between them', () => {
    const fields = [field('id'), field('title')];
    const rows = [
      { id: '国内', title: '国内総生産（名目）' },
      { id: '📈', title: '👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧' },
      { id: 'é', title: 'plain' },
    ];
    expect(at(16, rows, fields).lines).toEqual([
      'id    title',
      '国内  国内総生…',
      '📈    👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧…',
      'é     plain',
    ]);
  });

  it('is aligned in the same way over one page and over many', () => {
    const renderer = new TableRenderer(layout(observationFields, { width: 80 }));
    expect(
      output(renderer, ...gdp.map((row) => [row]))
        .split('\n')
        .slice(0, -1),
    ).toEqual(at(80, gdp).lines);
  });

  it('writes its first rows at the ten thousandth, keeps its widths and loses no digit', () => {
    const fields = [field('value', 'decimal'), field('unit')];
    const renderer = new TableRenderer(layout(fields, { width: 20 }));
    const first = renderer.page(envelope(Array(10_000).fill({ value: '1.5', unit: 'B' })));
    expect(first.split('\n')).toHaveLength(10_002);
    expect(
      renderer.page(
        envelope([
          { value: '12.25', unit: 'Billions of Dollars' },
          { value: '123456.75', unit: 'B' },
        ]),
      ),
    ).toBe('12.25  Bil…\n123456.75  B\n');
    expect(renderer.end()).toBe('');
  });

  it('keeps every line within the width for random texts', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.lorem());
    const fields = [field('id'), field('title'), field('units')];
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, text, text), { maxLength: 8 }),
        fc.integer({ min: 8, max: 60 }),
        (rows, width) => {
          const { lines } = at(
            width,
            rows.map(([id, title, units]) => ({ id, title, units })),
            fields,
          );
          expect(lines).toHaveLength(rows.length + 1);
          for (const line of lines) expect(cellWidth(line)).toBeLessThanOrEqual(width);
        },
      ),
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
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const out = output(new TableRenderer(layout([field('id')])), [{ id: text }]);
        expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u200E\u200F\u061C\u2028-\u202E\u2066-\u2069]/u);
        expect(out.split('\n')).toHaveLength(3);
      }),
    );
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
