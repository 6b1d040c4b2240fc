import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../src/errors/problem.ts';
import type { Envelope, Row } from '../../../src/operations/envelope.ts';
import { clockAt } from '../../../src/operations/value.ts';
import { selectColumns } from '../../../src/render/columns.ts';
import { jsonRenderer, ndjsonRenderer } from '../../../src/render/formats/json.ts';
import { gzipRenderer } from '../../../src/render/gzip.ts';
import { createRenderer, formatForFile, formatNames, outputFormat } from '../../../src/render/output.ts';
import { type Chunk, renderPages } from '../../../src/render/renderer.ts';
import {
  anyText,
  envelope,
  field,
  layout,
  observation,
  observationFields,
  output,
} from '../../support/rows.ts';

const latest = observation('2014-10-01', '17710.70');
const older = observation('2014-07-01', '17599.8');

/** What a failing action throws, as data. */
function problemOf(action: () => unknown) {
  try {
    action();
  } catch (error) {
    if (error instanceof Problem) {
      const { kind, field, detail, hints } = error;
      return { kind, field, detail, hints };
    }
  }
  throw new Error('there was no Problem');
}

describe('the format for the file name', () => {
  it.each<readonly [format: string | undefined, ...paths: string[]]>([
    ['csv', 'gdp.csv', 'gdp.csv.gz'],
    ['tsv', 'out/gdp.2015.tsv', 'gdp.tab'],
    ['json', 'GDP.JSON'],
    ['ndjson', 'gdp.ndjson', 'gdp.jsonl', 'GDP.NDJSON.GZ'],
    ['svg', 'chart.svg'],
    ['png', 'chart.png'],
    ['pdf', 'chart.pdf'],
    ['table', 'C:\\data\\gdp.txt'],
    ['parquet', 'gdp.parquet'],
    ['markdown', 'gdp.md', 'GDP.Markdown'],
    ['latex', 'gdp.tex'],
    ['xlsx', 'gdp.XLSX'],
    [undefined, 'gdp', 'gdp.gz', 'archive.csv/gdp', '.csv', '-'],
  ])('is %s for %s', (format, ...paths) => {
    expect(paths.map((path = '') => formatForFile(path))).toEqual(paths.map(() => format));
  });

  it.each(['gdp.ods', 'gdp.XLS', 'out/gdp.html', 'chart.jpg', 'gdp.cvs', 'gdp.2015', 'gdp.dat.gz'])(
    'is refused for %s, whose extension no format has',
    (path) => {
      expect(() => formatForFile(path)).toThrow(
        /^asof writes no \.(ods|xls|html|jpg|cvs|2015|dat) files: the formats are table, csv/,
      );
    },
  );
});

describe('the name of a format', () => {
  const parse = (name: string) => outputFormat.parse(name, 'format', clockAt(new Date()));
  const all = 'table, csv, tsv, json, ndjson, parquet, markdown, latex, xlsx, svg, png, pdf, ics';

  it('is one of the formats of the command line', () => {
    expect(formatNames.join(', ')).toBe(all);
    expect(formatNames.map(parse)).toEqual(formatNames);
  });

  it('is refused if it is unknown, with the list of formats and the likely one', () => {
    expect(problemOf(() => parse('cvs'))).toEqual({
      kind: 'validation-error',
      field: 'format',
      detail: `invalid 'format' "cvs": use ${all}`,
      hints: ['did you mean csv?'],
    });
    for (const name of ['constructor', 'toString', 'CSV', '']) expect(() => parse(name)).toThrow(Problem);
  });
});

describe('the columns of an output', () => {
  const fields = [field('date', 'day'), field('value', 'decimal'), field('unit'), field('note')];
  const select = (...names: string[]) => selectColumns(fields, ['date', 'value', 'unit'], names);

  it('are the defaults in their order, the chosen ones in theirs, or all of them by the name all', () => {
    expect(selectColumns(fields, ['date', 'value'])).toEqual({
      fields: fields.slice(0, 2),
      chosen: false,
      all: fields,
    });
    expect(select('note', ' date')).toEqual({ fields: [fields[3], fields[0]], chosen: true, all: fields });
    expect(select('all')).toEqual({ fields, chosen: true, all: fields });
    const own = [...fields, field('all')];
    expect(selectColumns(own, [], ['all']).fields).toEqual([field('all')]);
  });

  it.each([
    [
      ['date', 'valu'],
      "unknown column 'valu': the columns are date, value, unit, note",
      ['did you mean value?'],
    ],
    [[''], "unknown column '': the columns are date, value, unit, note", []],
    [['all', 'date'], "unknown column 'all': the columns are date, value, unit, note", []],
    [['unit', 'unit'], "column 'unit' is named twice", []],
  ])('are refused as %j', (names, detail, hints) => {
    expect(problemOf(() => select(...names))).toEqual({ kind: 'bad-input', field: 'columns', detail, hints });
  });
});

describe('a rendered output', () => {
  const pages = [envelope([latest], 'c'), envelope([older])];

  it.each([
    ['table', /^date +value .*\n2014-10-01 +17710\.70 .*\n2014-07-01 +17599\.8 .*\n$/],
    ['csv', /^date,value,.*\n2014-10-01,17710\.70,.*\n2014-07-01,17599\.8,.*\n$/],
    ['tsv', /^date\tvalue\t.*\n2014-10-01\t17710\.70\t.*\n2014-07-01\t17599\.8\t.*\n$/],
    ['json', /^\{\n {2}"object": "observation_series",[\s\S]* 2,\n {2}"has_more": false\n\}\n$/],
    ['markdown', /^\| date \| value \|.*\n\|.*\n\| 2014-10-01 .*\n\| 2014-07-01 .*\n$/],
    ['ndjson', /^\{"date":"2014-10-01T00:00:00Z",.*\}\n\{"date":"2014-07-01T00:00:00Z",.*\}\n$/],
    ['latex', /^% .*\n\\begin[\s\S]*2014-10-01 & .*\n2014-07-01 & .*\n\\bottomrule\n\\end\{tabular\}\n$/],
  ] as const)('is complete and has no empty chunk in the format %s', async (format, expected) => {
    const chunks: Chunk[] = [];
    for await (const chunk of renderPages(await createRenderer(format, layout(observationFields)), pages))
      chunks.push(chunk);
    expect(chunks).not.toContain('');
    expect(chunks.join('')).toMatch(expected);
  });

  it('has the chunk of a page before the next page is requested', async () => {
    const asked: number[] = [];
    async function* source(): AsyncGenerator<Envelope> {
      for (const [i, page] of pages.entries()) {
        asked.push(i);
        yield page;
      }
    }
    const chunks = renderPages(await createRenderer('csv', layout(observationFields)), source());
    expect((await chunks.next()).value).toContain('17710.7');
    expect(asked).toEqual([0]);
    await chunks.return(undefined);
  });
});

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

/** An envelope of observations as the contract has it, indented by two. */
function wireText(page: Envelope): string {
  return `${JSON.stringify({ ...page, results: page.results.map(onWire) }, null, 2)}\n`;
}

describe('JSON', () => {
  it.each([
    ['the last', envelope([latest, older])],
    ['one that has more, with its cursor', envelope([latest], 'bmV4dA')],
    ['one without results', envelope([])],
    ['one with fields that the contract lacks', { ...envelope([latest]), note: 'x' }],
  ])('of one page is the unchanged envelope of the service, indented by two: %s', (_, page) => {
    const json = jsonRenderer(file);
    expect(json.page(page) + json.end()).toBe(wireText(page));
  });

  it('of several pages is one envelope that begins like the first, with all results and no cursor', () => {
    const json = jsonRenderer(file);
    const text = json.page({ ...envelope([latest], 'c'), note: 'x' } as never) + json.page(envelope([older]));
    const { results, results_count, has_more, ...head } = envelope([latest, older]);
    const whole = { ...head, note: 'x', results, results_count, has_more };
    expect(text + json.end()).toBe(wireText(whole));
  });

  it('has only the chosen columns on every page, in their order, with days as on the wire', () => {
    const text = output(jsonRenderer(chosen), [latest]);
    expect(text).toContain('"value": "17710.70",\n      "date": "2014-10-01T00:00:00Z"\n    }');
    expect(JSON.parse(text)).toEqual(envelope([{ value: '17710.70', date: '2014-10-01T00:00:00Z' }]));
    const { results } = JSON.parse(output(jsonRenderer(chosen), [latest], [older], [older]));
    expect(results.map((row: Row) => Object.keys(row))).toEqual(Array(3).fill(['value', 'date']));
  });

  it('is what JSON.stringify makes of all rows, for random rows and pages', () => {
    const row = fc.dictionary(fc.string(), fc.oneof(anyText, fc.constant(null), fc.array(fc.string())));
    fc.assert(
      fc.property(fc.array(fc.array(row, { maxLength: 4 }), { minLength: 2, maxLength: 5 }), (pages) => {
        const whole = `${JSON.stringify(envelope(pages.flat()), null, 2)}\n`;
        expect(output(jsonRenderer(file), ...pages)).toBe(whole);
      }),
    );
  });

  it('has each page from the second on when it arrives', () => {
    const json = jsonRenderer(file);
    expect(json.page(envelope([latest], 'c'))).toBe('');
    expect(json.page(envelope([older], 'c'))).toContain('17599.8');
    expect(json.page(envelope([older]))).toMatch(/^,\n {4}\{\n {6}"date"/);
  });

  it('without a page is a bug, not a broken document', () => {
    expect(() => jsonRenderer(file).end()).toThrow('needs an envelope');
  });
});

describe('NDJSON', () => {
  it('has one result per line, as on the wire, or only its chosen columns, and nothing without results', () => {
    const text = output(ndjsonRenderer(file), [latest], [older]);
    expect(text.split('\n')).toEqual([JSON.stringify(onWire(latest)), JSON.stringify(onWire(older)), '']);
    const part = '{"value":"17710.70","date":"2014-10-01T00:00:00Z"}\n';
    expect(output(ndjsonRenderer(chosen), [latest])).toBe(part);
    expect(output(ndjsonRenderer(file), [])).toBe('');
  });

  it('keeps every row on one line for random texts', () => {
    fc.assert(
      fc.property(fc.array(anyText), (texts) => {
        const rows = texts.map((a) => ({ a, list: [{ a }], none: null }));
        const lines = output(ndjsonRenderer(file), rows).split('\n');
        expect(lines.pop()).toBe('');
        expect(lines.map((line) => JSON.parse(line))).toEqual(rows);
      }),
    );
  });
});

describe('a compressed output', () => {
  /** The bytes that some chunks become. */
  async function packed(chunks: readonly string[]): Promise<Buffer> {
    const renderer = gzipRenderer({ page: ({ object }) => object, end: () => '' });
    const members: Chunk[] = [];
    const pages = chunks.map((object) => ({ ...envelope([]), object }));
    for await (const chunk of renderPages(renderer, pages)) members.push(chunk);
    return Buffer.concat(members.map((chunk) => Buffer.from(chunk)));
  }

  it('unpacks to its content, also without any, and does not depend on how that arrives', async () => {
    // More than one member of a megabyte.
    const long = '2014-10-01,17701.3,é\n'.repeat(60_000);
    for (const text of ['', 'é', long]) expect(gunzipSync(await packed([text])).toString()).toBe(text);
    const whole = await packed([long]);
    const property = fc.asyncProperty(fc.array(fc.nat(long.length), { maxLength: 5 }), async (cuts) => {
      const places = [0, ...cuts.sort((a, b) => a - b), long.length];
      const chunks = places.slice(1).map((end, i) => long.slice(places[i], end));
      expect((await packed(chunks)).equals(whole)).toBe(true);
    });
    await fc.assert(property, { numRuns: 5 });
  });
});
