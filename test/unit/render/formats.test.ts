import { describe, expect, it } from 'vitest';
import { Problem } from '../../../src/errors/problem.ts';
import type { Envelope } from '../../../src/operations/envelope.ts';
import { clockAt } from '../../../src/operations/value.ts';
import { createRenderer, formatForFile, formatNames, outputFormat } from '../../../src/render/output.ts';
import { type Chunk, renderPages } from '../../../src/render/renderer.ts';
import { envelope, layout, observation, observationFields } from '../../support/rows.ts';

describe('the format for the file name', () => {
  it.each([
    ['gdp.csv', 'csv'],
    ['out/gdp.2015.tsv', 'tsv'],
    ['GDP.JSON', 'json'],
    ['gdp.ndjson', 'ndjson'],
    ['gdp.jsonl', 'ndjson'],
    ['chart.svg', 'svg'],
    ['C:\\data\\gdp.txt', 'table'],
    ['gdp.parquet', 'parquet'],
    ['gdp.md', 'markdown'],
    ['GDP.Markdown', 'markdown'],
    ['gdp.tex', 'latex'],
    ['gdp.XLSX', 'xlsx'],
    ['chart.png', 'png'],
    ['gdp', undefined],
    ['gdp.tab', 'tsv'],
    ['gdp.csv.gz', 'csv'],
    ['GDP.NDJSON.GZ', 'ndjson'],
    ['gdp.gz', undefined],
    ['archive.csv/gdp', undefined],
    ['.csv', undefined],
    ['-', undefined],
  ])('%s is %s', (path, format) => {
    expect(formatForFile(path)).toBe(format);
  });
});

describe('a file name with an extension that no format has is refused:', () => {
  it.each(['gdp.ods', 'gdp.XLS', 'out/gdp.html', 'chart.jpg', 'gdp.cvs', 'gdp.2015', 'gdp.dat.gz'])(
    '%s',
    (path) => {
      expect(() => formatForFile(path)).toThrow(
        /^asof writes no \.(ods|xls|html|jpg|cvs|2015|dat) files: the formats are table, csv/,
      );
    },
  );
});

describe('the name of a format', () => {
  const parse = (name: string) => outputFormat.parse(name, 'format', clockAt(new Date()));

  it('is one of the formats of the command line', () => {
    expect(formatNames).toEqual([
      'table',
      'csv',
      'tsv',
      'json',
      'ndjson',
      'parquet',
      'markdown',
      'latex',
      'xlsx',
      'svg',
      'png',
    ]);
    expect(formatNames.map(parse)).toEqual(formatNames);
  });

  it('is refused if it is unknown, with the list of formats and the likely one', () => {
    let problem: unknown;
    try {
      parse('cvs');
    } catch (error) {
      problem = error;
    }
    expect(problem).toBeInstanceOf(Problem);
    expect(problem).toMatchObject({
      kind: 'validation-error',
      field: 'format',
      detail:
        'invalid \'format\' "cvs": use table, csv, tsv, json, ndjson, parquet, markdown, latex, xlsx, svg, png',
      hints: ['did you mean csv?'],
    });
  });

  it.each(['constructor', 'toString', 'CSV', ''])('is not %j', (name) => {
    expect(() => parse(name)).toThrow(Problem);
  });
});

describe('a rendered output', () => {
  const pages = [
    envelope([observation('2014-10-01', '17710.7')], 'c'),
    envelope([observation('2014-07-01', '17599.8')]),
  ];

  it.each([
    ['table', /^date +value .*\n2014-10-01 +17710\.7 .*\n2014-07-01 +17599\.8 .*\n$/],
    ['csv', /^date,value,.*\n2014-10-01,17710\.7,.*\n2014-07-01,17599\.8,.*\n$/],
    ['tsv', /^date\tvalue\t.*\n2014-10-01\t17710\.7\t.*\n2014-07-01\t17599\.8\t.*\n$/],
    [
      'json',
      /^\{\n {2}"object": "observation_series",[\s\S]*"results_count": 2,\n {2}"has_more": false\n\}\n$/,
    ],
    [
      'markdown',
      /^\| date \| value \|.*\n\|.*\n\| 2014-10-01 \| 17710\.7 .*\n\| 2014-07-01 \| 17599\.8 .*\n$/,
    ],
    ['ndjson', /^\{"date":"2014-10-01T00:00:00Z",.*\}\n\{"date":"2014-07-01T00:00:00Z",.*\}\n$/],
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
