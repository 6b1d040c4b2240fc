import fc from 'fast-check';
import type { Envelope, Row } from '../../src/operations/envelope.ts';
import type { Field } from '../../src/operations/field.ts';
import type { OutputLayout, Renderer } from '../../src/render/renderer.ts';

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
