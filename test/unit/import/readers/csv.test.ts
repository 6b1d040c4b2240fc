import { Readable } from 'node:stream';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SourceFile } from '../../../../src/import/files/source-file.ts';
import { type CsvRow, readCsv } from '../../../../src/import/readers/csv.ts';
import { sourceFile } from '../../../support/source-file.ts';

async function records(file: SourceFile): Promise<CsvRow[]> {
  const rows: CsvRow[] = [];
  for await (const batch of readCsv(file)) rows.push(...batch);
  return rows;
}

const failure = (file: SourceFile) =>
  records(file).then(
    () => 'read',
    (error: unknown) => String(error),
  );

/** The row of the record below others, as an editor counts. */
const rowAfter = (records: readonly string[]) => records.join('').split('\n').length;

const isFilled = ({ cells }: CsvRow) => cells.length > 1 || cells[0] !== '';

describe('records of a CSV file', () => {
  test.each([
    [
      'LF',
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'CRLF',
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'no line feed at the end',
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a byte-order mark',
      '\uFEFFa,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a byte-order mark before a quote',
      '\uFEFF"a","b"\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'quotes, commas and line feeds in quotes',
      'a,b\n"1,""x""","2\n3"\n',
      [
        ['a', 'b'],
        ['1,"x"', '2\n3'],
      ],
    ],
    [
      'blanks, which belong to their cell',
      'a, b\n1 ,\n',
      [
        ['a', ' b'],
        ['1 ', ''],
      ],
    ],
    ['rows of unequal length', 'a,b\n1\n1,2,3\n', [['a', 'b'], ['1'], ['1', '2', '3']]],
    ['nothing', '', []],
  ])('are read with %s', async (_, text, cells) => {
    expect((await records(sourceFile('x.csv', text))).map((row) => row.cells)).toEqual(cells);
  });

  test.each([
    ['plain', 'a\n\nb\n\n\nc'],
    ['CRLF', 'a\r\n\r\nb\r\n\r\n\r\nc\r\n'],
    ['quoted', '"a"\n\nb\n\n\n"c"\n'],
    ['quoted from some row on', 'a\n\nb\n\n\n"c"\n'],
    ['over a line break in quotes', 'a\n\nb,"x\ny"\n\n"c"\n'],
  ])('keep their row numbers when empty lines are skipped (%s)', async (_, text) => {
    const file = sourceFile('x.csv', text, { chunkSize: 3 });
    expect((await records(file)).map(({ row, cells }) => `${row}${cells[0]}`)).toEqual(['1a', '3b', '6c']);
  });

  test('are those of a CSV parser, for any chunks and any first quote', async () => {
    const plain = fc.stringMatching(/^[ a-m0-9.é€😀-]{0,6}$/u);
    const quoted = fc.stringMatching(/^[ a,"\n\ré]{0,6}$/).map((text) => `"${text.replaceAll('"', '""')}"`);
    const cell = fc.oneof({ weight: 12, arbitrary: plain }, { weight: 1, arbitrary: quoted });
    const row = fc.array(cell, { minLength: 1, maxLength: 4 }).map((cells) => cells.join(','));
    const body = fc.array(fc.tuple(row, fc.constantFrom('\n', '\r\n')), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(body, fc.integer({ min: 1, max: 40 }), fc.boolean(), async (rows, chunkSize, open) => {
        const whole = rows.map(([text, end]) => text + end).join('');
        const text = `h,i,j,k\n${open ? whole.replace(/\r?\n$/, '') : whole}`;
        const lines = ['\n', ...rows.map(([record, end]) => record + end)];
        const expected = parse(text, { record_delimiter: ['\r\n', '\n'], relax_column_count: true })
          .map((cells: string[], index: number) => ({ row: rowAfter(lines.slice(0, index)), cells }))
          .filter(isFilled);
        const found = await records(sourceFile('x.csv', text, { chunkSize }));
        expect(found.filter(isFilled)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    [
      'a quote that is never closed',
      'a,b\n1,2\n"3,4\n',
      'x.csv, row 3: a quote opens here and is never closed',
    ],
    ['a quote inside a cell', 'a,b\n1,2"\n', 'x.csv, row 2: a quote inside an unquoted cell'],
    ['text after a closing quote', 'a,b\n1,2\n"3"x,4\n', 'x.csv, row 3: text after a closing quote'],
    [
      'a byte that is not UTF-8',
      Buffer.from('a,b\n1,Z\xfcrich\n', 'latin1'),
      'x.csv, row 2: "Z\uFFFDrich": this is not UTF-8 text',
    ],
    [
      'such a byte in a quoted file',
      Buffer.from('"a",b\n1,Z\xfcrich\n', 'latin1'),
      'x.csv, row 2: "Z\uFFFDrich": this is not UTF-8 text',
    ],
    ['a NUL', 'a,b\n1,2\n3,\0', 'x.csv, row 3: "\\u0000": this is not UTF-8 text'],
  ])('are refused for %s, with the row', async (_, content, message) => {
    expect(await failure(sourceFile('x.csv', content))).toBe(`Problem: ${message}`);
  });

  test('are refused with the right row when the first quote comes late', async () => {
    const late = sourceFile('x.csv', 'a,b\n1,2\n3,4\n5,"6"x\n', { chunkSize: 4 });
    expect(await failure(late)).toBe('Problem: x.csv, row 4: text after a closing quote');
  });

  test('are refused when one line never ends', async () => {
    const endless = sourceFile('x.csv', `a,b\n${'7'.repeat(17 * 1024 * 1024)}`);
    expect(await failure(endless)).toBe(
      'Problem: x.csv, row 2: a record of more than 16 MiB; this is not a CSV file',
    );
  });

  test('are refused when one quoted cell never ends', async () => {
    const endless = sourceFile('x.csv', `a,b\n"${'7'.repeat(17 * 1024 * 1024)}`);
    expect(await failure(endless)).toBe(
      'Problem: x.csv, row 2: a record of more than 16 MiB; this is not a CSV file',
    );
  });

  test('fail when their stream fails, and close it when the reader stops early', async () => {
    const broken = {
      ...sourceFile('x.csv', ''),
      read: () =>
        new Readable({
          read() {
            this.destroy(new Error('disk'));
          },
        }),
    };
    expect(await failure(broken)).toBe('Error: disk');
    const stream = Readable.from([Buffer.from('a\nb\n"c"\n'), Buffer.from('d\n')], { objectMode: false });
    for await (const _ of readCsv({ ...sourceFile('x.csv', ''), read: () => stream })) break;
    expect(stream.destroyed).toBe(true);
  });
});
