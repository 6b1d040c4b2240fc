import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Field,
  fieldKinds,
  fromWire,
  headFromWire,
  headToWire,
  toWire,
} from '../../../src/operations/field.ts';
import { field } from '../../support/rows.ts';

const day = fc
  .integer({ min: -100_000, max: 300_000 })
  .map((days) => new Date(days * 86_400_000).toISOString().slice(0, 10));

const buyer = { ...field('buyers', 'records'), fields: [field('bought_on', 'day'), field('name')] };
const fields = [field('date', 'day'), field('label'), field('updated', 'instant'), buyer];

const inside = {
  date: '2014-10-01',
  label: '2014-10-01',
  updated: '2015-01-30',
  buyers: [{ bought_on: '2014-10-02', name: '2014-10-02' }],
};
const outside = {
  date: '2014-10-01T00:00:00Z',
  label: '2014-10-01',
  updated: '2015-01-30T00:00:00Z',
  buyers: [{ bought_on: '2014-10-02T00:00:00Z', name: '2014-10-02' }],
};

describe('a row', () => {
  it('has date-times on the wire and days inside, also in its records; a text that looks like a day stays a text', () => {
    expect(toWire(fields)(inside)).toEqual(outside);
    expect(fromWire(fields)(outside)).toEqual(inside);
  });

  it('comes back from the wire as it was', () => {
    const row = fc.record({
      date: fc.option(day),
      label: fc.oneof(day, fc.string()),
      updated: day,
      buyers: fc.array(fc.record({ bought_on: day, name: fc.string() })),
      unknown: fc.json(),
    });
    fc.assert(fc.property(row, (one) => void expect(fromWire(fields)(toWire(fields)(one))).toEqual(one)));
  });

  it('keeps the order of its fields, the fields that it lacks, and fields that no operation declares', () => {
    const row = { extra: '2014-10-01', date: '2014-10-01' };
    expect(JSON.stringify(toWire(fields)(row))).toBe('{"extra":"2014-10-01","date":"2014-10-01T00:00:00Z"}');
  });
});

it.each([
  ['day', '2014-10-01T00:00:00.000Z', '2014-10-01'],
  ['day', '2014-10-01T00:00:00+00:00', '2014-10-01'],
  ['day', '2014-10-01T13:30:00Z', '2014-10-01'],
  ['instant', '2014-10-01T00:00:00-00:00', '2014-10-01'],
  ['instant', '2014-10-01T13:30:00Z', '2014-10-01T13:30:00Z'],
] as const)('of another service a %s, %s, is %s', (type, text, expected) => {
  expect(fromWire([field('at', type)])({ at: text })).toEqual({ at: expected });
});

it('an instant with a time of day goes out as it came in', () => {
  const row = { at: '2014-10-01T13:30:00Z' };
  expect(toWire([field('at', 'instant')])(row)).toEqual(row);
});

it('the coverage of an envelope has date-times on the wire', () => {
  const days = { first_vintage: '2015-01-30', last_vintage: '2015-02-27', covered_to: '2015-03-15' };
  const coverage = { ...days, first_date: null };
  const sent = headToWire({ object: 'vintage_list', coverage });
  expect(sent.coverage).toEqual({
    first_vintage: '2015-01-30T00:00:00Z',
    last_vintage: '2015-02-27T00:00:00Z',
    first_date: null,
    covered_to: '2015-03-15T00:00:00Z',
  });
  expect(headFromWire(sent)).toEqual({ object: 'vintage_list', coverage });
});

it('every kind of field refuses values of another kind on the wire', () => {
  const values: Readonly<Record<Field['type'], unknown>> = {
    text: 'a',
    decimal: '-1.50',
    day: '2014-10-01T00:00:00Z',
    instant: '2014-10-01T13:30:00Z',
    moment: '2014-10-01T13:30:00Z',
    integer: 1,
    double: 1.5,
    timestamp: '2014-10-01T13:30:00',
    boolean: true,
    list: ['a'],
    records: [{}],
  };
  const accepted = Object.entries(fieldKinds).map(([type, { isOnWire }]) => [
    type,
    Object.entries(values).flatMap(([other, value]) => (isOnWire(value) ? [other] : [])),
  ]);
  expect(Object.fromEntries(accepted)).toEqual({
    text: ['text', 'decimal', 'day', 'instant', 'moment', 'timestamp'],
    double: ['integer', 'double'],
    timestamp: ['text', 'decimal', 'day', 'instant', 'moment', 'timestamp'],
    decimal: ['decimal'],
    day: ['day', 'instant', 'moment'],
    instant: ['day', 'instant', 'moment'],
    moment: ['day', 'instant', 'moment'],
    integer: ['integer'],
    boolean: ['boolean'],
    list: ['list', 'records'],
    records: ['list', 'records'],
  });
});
