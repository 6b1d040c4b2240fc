import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvRenderer, formatCsvRecord, tsvRenderer } from '../../../src/render/delimited.ts';
import { field, layout, observation, observationFields, output } from '../../support/rows.ts';

const csvHeader = 'date,value,as_of_date,series_id,unit,frequency,source\n';

describe('CSV', () => {
  it('has LF line ends, days without a time, exact digits, and quotes only where needed', () => {
    expect(output(csvRenderer(layout(observationFields)), [observation('2014-10-01', '17710.70')])).toBe(
      `${csvHeader}2014-10-01,17710.70,2015-01-30,GDP,"Billions of Dollars, Seasonally Adjusted Annual Rate",Q,FRED\n`,
    );
  });

  it('has its header once over many pages', () => {
    const text = output(
      csvRenderer(layout(observationFields)),
      [observation('2014-10-01', '1')],
      [],
      [observation('2014-07-01', '2')],
    );
    expect(text.split(csvHeader)).toHaveLength(2);
    expect(text.trimEnd().split('\n')).toHaveLength(3);
  });

  it('has its header even without rows and without a page', () => {
    expect(output(csvRenderer(layout(observationFields)), [])).toBe(csvHeader);
    expect(output(csvRenderer(layout(observationFields)))).toBe(csvHeader);
  });

  it('has no header if it is turned off', () => {
    expect(output(csvRenderer(layout(observationFields, { header: false })), [])).toBe('');
    expect(output(csvRenderer(layout([field('id')], { header: false })), [{ id: 'GDP' }])).toBe('GDP\n');
  });

  it.each([
    ['a missing value is empty', 'decimal', null, ''],
    ['booleans are true and false', 'boolean', false, 'false'],
    ['integers are digits', 'integer', 2147483647, '2147483647'],
    ['lists are joined by ;', 'list', ['0001-24-1', '0001-24-2'], '0001-24-1;0001-24-2'],
    ['objects in lists are left out', 'list', [{ owner_name: 'A' }, { owner_name: 'B' }], ''],
    ['a formula stays unchanged', 'text', '=SUM(A1)', '=SUM(A1)'],
    ['a negative number stays unchanged', 'decimal', '-0.50', '-0.50'],
    ['a time of day is not lost', 'day', '2024-07-31T16:05:00Z', '2024-07-31T16:05:00Z'],
    ['a lone carriage return is quoted', 'text', 'a\rb', '"a\rb"'],
    ['quotes are doubled', 'text', 'the "core"', '"the ""core"""'],
  ] as const)('%s', (_, type, cell, expected) => {
    const text = output(csvRenderer(layout([field('a', type), field('b')])), [{ a: cell, b: 'x' }]);
    expect(text).toBe(`a,b\n${expected},x\n`);
  });

  it('leaves a field empty if the row lacks it', () => {
    expect(output(csvRenderer(layout([field('a'), field('b')])), [{ b: 'x' }])).toBe('a,b\n,x\n');
  });

  it('quotes a missing value of a single column, because readers skip empty lines', () => {
    const text = output(csvRenderer(layout([field('value', 'decimal')])), [{ value: null }, { value: '1' }]);
    expect(text).toBe('value\n""\n1\n');
    expect(parse(text, { skip_empty_lines: true })).toEqual([['value'], [''], ['1']]);
  });

  const awkward = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', ' ', 'a', '字', '=', '-', '\t') }),
    fc.tuple(fc.constantFrom('=', '+', '-', '@', "'", '"'), fc.string()).map((parts) => parts.join('')),
  );

  it('is read back unchanged by another reader, for random texts', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(awkward, awkward), { maxLength: 20 }), (rows) => {
        const text = output(
          csvRenderer(layout([field('a'), field('b')])),
          rows.map(([a, b]) => ({ a, b })),
        );
        expect(parse(text, { record_delimiter: '\n' })).toEqual([['a', 'b'], ...rows]);
      }),
    );
  });

  it('is the same for any paging', () => {
    fc.assert(
      fc.property(fc.array(awkward, { maxLength: 20 }), fc.nat(20), (texts, at) => {
        const rows = texts.map((a) => ({ a, b: 'x' }));
        const fields = [field('a'), field('b')];
        const pages = output(csvRenderer(layout(fields)), rows.slice(0, at), rows.slice(at));
        expect(pages).toBe(output(csvRenderer(layout(fields)), rows));
      }),
    );
  });
});

describe('a CSV record', () => {
  it('is what csv-stringify writes, except for a lone carriage return', () => {
    const cell = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\r'));
    const special = fc.constantFrom('', ',', '"', '""', '\n', ' a ', '=1+1', '-1.5', '\t', 'ä', '"a",b\n');
    fc.assert(
      fc.property(fc.array(fc.oneof(cell, special), { minLength: 2, maxLength: 5 }), (cells) => {
        expect(formatCsvRecord(cells)).toBe(stringify([cells]));
      }),
    );
  });
});

const tsvHeader = 'date\tvalue\tas_of_date\tseries_id\tunit\tfrequency\tsource\n';
const unescaped: { readonly [pair: string]: string } = {
  '\\t': '\t',
  '\\n': '\n',
  '\\r': '\r',
  '\\\\': '\\',
};

function read(text: string): string[][] {
  const cell = (escaped: string) => escaped.replace(/\\[\s\S]/g, (pair) => unescaped[pair] ?? `?${pair}`);
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => line.split('\t').map(cell));
}

describe('TSV', () => {
  it('quotes nothing, and has days without a time', () => {
    expect(output(tsvRenderer(layout(observationFields)), [observation('2014-10-01', '17710.70')])).toBe(
      `${tsvHeader}2014-10-01\t17710.70\t2015-01-30\tGDP\tBillions of Dollars, Seasonally Adjusted Annual Rate\tQ\tFRED\n`,
    );
  });

  it('has its header even without rows, unless it is turned off', () => {
    expect(output(tsvRenderer(layout(observationFields)), [])).toBe(tsvHeader);
    expect(output(tsvRenderer(layout(observationFields, { header: false })), [])).toBe('');
  });

  it.each([
    ['a tab', 'a\tb', 'a\\tb'],
    ['a line feed', 'a\nb', 'a\\nb'],
    ['a carriage return', 'a\rb', 'a\\rb'],
    ['a backslash', 'a\\tb', 'a\\\\tb'],
    ['a quote, which stays', 'the "core"', 'the "core"'],
    ['a formula, which stays', '=1+1', '=1+1'],
  ])('writes %s', (_, cell, expected) => {
    expect(output(tsvRenderer(layout([field('a'), field('b')])), [{ a: cell, b: null }])).toBe(
      `a\tb\n${expected}\t\n`,
    );
  });

  it('is read back by splitting and unescaping, for random texts', () => {
    const awkward = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('\\', '\t', '\n', '\r', 't', 'n', '"') }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(awkward, awkward), { maxLength: 20 }), (rows) => {
        const text = output(
          tsvRenderer(layout([field('a'), field('b')])),
          rows.map(([a, b]) => ({ a, b })),
        );
        expect(read(text)).toEqual([['a', 'b'], ...rows]);
      }),
    );
  });
});
