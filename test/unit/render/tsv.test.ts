import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tsv } from '../../../src/render/tsv.ts';
import { field, layout, observation, observationFields, output } from '../../support/rows.ts';

const header = 'date\tvalue\tas_of_date\tseries_id\tunit\tfrequency\tsource\n';
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

describe('tsv', () => {
  it('quotes nothing, and has days without a time', () => {
    expect(output(tsv(layout(observationFields)), [observation('2014-10-01', '17710.70')])).toBe(
      `${header}2014-10-01\t17710.70\t2015-01-30\tGDP\tBillions of Dollars, Seasonally Adjusted Annual Rate\tQ\tFRED\n`,
    );
  });

  it('has its header also with no rows, unless none is wanted', () => {
    expect(output(tsv(layout(observationFields)), [])).toBe(header);
    expect(output(tsv(layout(observationFields, { header: false })), [])).toBe('');
  });

  it.each([
    ['a tab', 'a\tb', 'a\\tb'],
    ['a line feed', 'a\nb', 'a\\nb'],
    ['a carriage return', 'a\rb', 'a\\rb'],
    ['a backslash', 'a\\tb', 'a\\\\tb'],
    ['a quote, which stays', 'the "core"', 'the "core"'],
    ['a formula, which stays', '=1+1', '=1+1'],
  ])('writes %s', (_, cell, expected) => {
    expect(output(tsv(layout([field('a'), field('b')])), [{ a: cell, b: null }])).toBe(
      `a\tb\n${expected}\t\n`,
    );
  });

  it('can be read back by splitting and unescaping, whatever the texts', () => {
    const awkward = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('\\', '\t', '\n', '\r', 't', 'n', '"') }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(awkward, awkward), { maxLength: 20 }), (rows) => {
        const text = output(
          tsv(layout([field('a'), field('b')])),
          rows.map(([a, b]) => ({ a, b })),
        );
        expect(read(text)).toEqual([['a', 'b'], ...rows]);
      }),
    );
  });
});
