import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Envelope, Row } from '../../../src/operations/envelope.ts';
import { JsonRenderer, ndjsonRenderer } from '../../../src/render/json.ts';
import { envelope, field, layout, observation, observationFields, output } from '../../support/rows.ts';

const latest = observation('2014-10-01', '17710.70');
const older = observation('2014-07-01', '17599.8');
const file = layout(observationFields);
const chosen = layout([], {
  columns: {
    fields: [field('value', 'decimal'), field('date', 'day'), field('absent')],
    chosen: true,
    all: observationFields,
  },
});

/** An observation as the contract has it: its days are date-times. */
function onWire(row: Row): Row {
  return { ...row, date: `${row.date}T00:00:00Z`, as_of_date: `${row.as_of_date}T00:00:00Z` };
}

/** An envelope of observations as the contract has it. */
function wireEnvelope(page: Envelope): Envelope {
  return { ...page, results: page.results.map(onWire) };
}

describe('JSON of one page', () => {
  it.each([
    ['the last', envelope([latest, older])],
    ['one that has more, with its cursor', envelope([latest], 'bmV4dA')],
    ['one without results', envelope([])],
    ['one with fields that the contract lacks', { ...envelope([latest]), note: 'x' }],
  ])('is the unchanged envelope of the service, indented by two: %s', (_, page) => {
    const output = new JsonRenderer(file);
    expect(output.page(page) + output.end()).toBe(`${JSON.stringify(wireEnvelope(page), null, 2)}\n`);
  });

  it('has only the chosen columns, in their order, with days as on the wire', () => {
    const output = new JsonRenderer(chosen);
    const text = output.page(envelope([latest])) + output.end();
    expect(text).toContain('"value": "17710.70",\n      "date": "2014-10-01T00:00:00Z"\n    }');
    expect(JSON.parse(text)).toEqual(envelope([{ value: '17710.70', date: '2014-10-01T00:00:00Z' }]));
  });
});

describe('JSON of several pages', () => {
  it('is one envelope with all results, their count and no cursor', () => {
    const output = new JsonRenderer(file);
    const text = output.page(envelope([latest], 'bmV4dA')) + output.page(envelope([older])) + output.end();
    expect(text).toBe(`${JSON.stringify(wireEnvelope(envelope([latest, older])), null, 2)}\n`);
  });

  it('has only the chosen columns on every page', () => {
    const rows = JSON.parse(output(new JsonRenderer(chosen), [latest], [older], [older])).results as Row[];
    expect(rows.map((row) => Object.keys(row))).toEqual(Array(3).fill(['value', 'date']));
  });

  it('begins like the first page, including fields beyond the contract', () => {
    const output = new JsonRenderer(file);
    const text =
      output.page({ ...envelope([latest], 'c'), note: 'x' } as never) +
      output.page(envelope([])) +
      output.end();
    expect(Object.keys(JSON.parse(text))).toEqual([
      ...[
        'object',
        'request_id',
        'status',
        'as_of',
        'series',
        'note',
        'results',
        'results_count',
        'has_more',
      ],
    ]);
  });

  it('is what JSON.stringify makes of all rows, for random rows and pages', () => {
    const row = fc.dictionary(
      fc.string(),
      fc.oneof(fc.string({ unit: 'binary' }), fc.constant(null), fc.array(fc.string())),
    );
    fc.assert(
      fc.property(fc.array(fc.array(row, { maxLength: 4 }), { minLength: 2, maxLength: 5 }), (pages) => {
        expect(output(new JsonRenderer(file), ...pages)).toBe(
          `${JSON.stringify(envelope(pages.flat()), null, 2)}\n`,
        );
      }),
    );
  });

  it('writes each page from the second on when it arrives', () => {
    const output = new JsonRenderer(file);
    expect(output.page(envelope([latest], 'c'))).toBe('');
    expect(output.page(envelope([older], 'c'))).toContain('17599.8');
    expect(output.page(envelope([older]))).toMatch(/^,\n {4}\{\n {6}"date"/);
  });

  it('without a page is a bug, not a broken document', () => {
    expect(() => new JsonRenderer(file).end()).toThrow('needs an envelope');
  });
});

describe('NDJSON', () => {
  it('has one result per line, as on the wire', () => {
    const text = output(ndjsonRenderer(file), [latest], [older]);
    expect(text.split('\n')).toEqual([JSON.stringify(onWire(latest)), JSON.stringify(onWire(older)), '']);
  });

  it('has only the chosen columns, in their order', () => {
    expect(output(ndjsonRenderer(chosen), [latest])).toBe(
      '{"value":"17710.70","date":"2014-10-01T00:00:00Z"}\n',
    );
  });

  it('is empty without results', () => {
    expect(output(ndjsonRenderer(file), [])).toBe('');
  });

  it('keeps every row on one line for random texts', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => {
        const rows = texts.map((a) => ({ a, list: [{ a }], none: null }));
        const lines = output(ndjsonRenderer(file), rows).split('\n');
        expect(lines.pop()).toBe('');
        expect(lines.map((line) => JSON.parse(line))).toEqual(rows);
      }),
    );
  });
});
