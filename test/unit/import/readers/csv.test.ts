import { Readable } from 'node:stream';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SourceFile } from '../../../../src/import/files/source-file.ts';
import { type CsvRow, delimitedRows } from '../../../../src/import/readers/cells.ts';
import { readCsvBody, textHead } from '../../../../src/import/readers/csv.ts';
import { placesOf } from '../../../../src/import/readers/rows.ts';
import { runs } from '../../../support/arbitrary.ts';
import { type Content, sourceFile } from '../../../support/source-file.ts';

async function records(file: SourceFile): Promise<CsvRow[]> {
  const rows: CsvRow[] = [];
  for await (const batch of delimitedRows(file, { separator: ',' })) rows.push(...batch);
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
    ['a byte-order mark', '\uFEFFa,b\n1,2\n'],
    ['a byte-order mark before a quote', '\uFEFF"a","b"\n1,2\n'],
  ])('are read with %s', async (_, text) => {
    expect(await records(sourceFile('x.csv', text))).toEqual([
      { row: 1, cells: ['a', 'b'] },
      { row: 2, cells: ['1', '2'] },
    ]);
  });

  test('are none in an empty file', async () => {
    expect(await records(sourceFile('x.csv', ''))).toEqual([]);
  });

  test('are those of a CSV parser, for any chunks and any first quote', async () => {
    const plain = fc.stringMatching(/^[ a-m0-9.é€😀-]{0,6}$/u);
    const quoted = fc.stringMatching(/^[ a,"\n\ré]{0,6}$/).map((text) => `"${text.replaceAll('"', '""')}"`);
    const cell = fc.oneof({ weight: 12, arbitrary: plain }, { weight: 1, arbitrary: quoted });
    const repeated = fc.constantFrom('aé', '"b,"""', '12', '13');
    const row = fc
      .array(fc.oneof(cell, repeated), { minLength: 1, maxLength: 4 })
      .map((cells) => cells.join(','));
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
      { numRuns: runs(150) },
    );
  });

  const endless = '7'.repeat(16 * 2 ** 20 + 1);
  const foreign = (text: string) => Buffer.from(text, 'latin1');
  test.each<[string, Content, number?]>([
    ['row 3: a quote opens here and is never closed', 'a,b\n1,2\n"3,4\n'],
    ['row 2: a quote inside an unquoted cell', 'a,b\n1,2"\n'],
    ['row 3: text after a closing quote', 'a,b\n1,2\n"3"x,4\n'],
    ['row 4: text after a closing quote', 'a,b\n1,2\n3,4\n5,"6"x\n', 4],
    ['row 2: "Z\uFFFDrich": this is not UTF-8 text', foreign('a,b\n1,Z\xfcrich\n')],
    ['row 2: "Z\uFFFDrich": this is not UTF-8 text', foreign('"a",b\n1,Z\xfcrich\n')],
    ['row 3: "\\u0000": this is not UTF-8 text', 'a,b\n1,2\n3,\0'],
    ['row 2: a record of more than 16 MiB; this is not a CSV file', `a,b\n${endless}`],
    ['row 2: a record of more than 16 MiB; this is not a CSV file', `a,b\n"${endless}`],
  ])('are refused in %s', async (reason, content, chunkSize = 65_536) => {
    expect(await failure(sourceFile('x.csv', content, { chunkSize }))).toBe(`Problem: x.csv, ${reason}`);
  });

  test('of lines that all end are refused wherever the text is cut within a line, and nowhere else', async () => {
    const text = 'a,b\n1,"2\n3"\r\n4,5\n';
    const reasonAt = async (end: number) => {
      const file = sourceFile('x.csv', text.slice(0, end));
      try {
        for await (const _ of delimitedRows(file, { separator: ',', endsLines: true }));
        return '';
      } catch (error) {
        return String(error);
      }
    };
    const reasons = await Promise.all(Array.from(text, (_, at) => reasonAt(at + 1)));
    const cut = 'Problem: x.csv: the last line has no end, so the file is probably cut short';
    expect(reasons).toEqual(reasons.map((_, at) => ([4, 13, 17].includes(at + 1) ? '' : cut)));
  });

  test('are whole where the last chunk is small', async () => {
    const file = {
      ...sourceFile('x.csv', ''),
      read: async function* () {
        for (const part of ['a,b\n1,2345678', '9\n']) yield Buffer.from(part);
      },
    };
    const rows: string[][] = [];
    for await (const batch of delimitedRows(file, { separator: ',', endsLines: true }))
      for (const { cells } of batch) rows.push([...cells]);
    expect(rows).toEqual([
      ['a', 'b'],
      ['1', '23456789'],
    ]);
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
    const file = { ...sourceFile('x.csv', ''), read: () => stream };
    for await (const _ of delimitedRows(file, { separator: ',' })) break;
    expect(stream.destroyed).toBe(true);
  });
});

describe('the header in the head of a file', () => {
  test.each([
    ['plain', 'date,GDP\n1,2'],
    ['quoted', '"date","GDP"\r\n1,2'],
    ['after a byte-order mark', '\uFEFFdate,GDP\n1,2'],
    ['after a byte-order mark read as three characters', '\u00EF\u00BB\u00BFdate,GDP\n1,2'],
  ])('is read when it is %s', (_, head) => {
    expect(textHead(head)).toMatchObject({ header: ['date', 'GDP'], second: ['1', '2'] });
    expect(textHead(head.split('\n', 1).join(''))).toMatchObject({ header: ['date', 'GDP'], second: [''] });
  });
});

describe('the body of a CSV file', () => {
  async function body(text: string): Promise<string> {
    const out: string[] = [];
    for await (const { header, rows } of readCsvBody(sourceFile('x.csv', text), ({ cells }) =>
      cells.join('+'),
    )) {
      out.push(header, ...Array.from(rows, ({ row, cells }) => `${row}:${cells.join('+')}`));
    }
    return out.join(' ');
  }

  test('comes with its header, without rows of empty cells only', async () => {
    expect(await body('a,b\n1,2\n,\n\n,,,\n3,4\n , \n')).toBe('a+b 2:1+2 6:3+4');
  });

  test.each([
    ['quoted cells without a text', '"",""\n"",\n" ",""\n""\n'],
    ['the missing values of a data frame', 'NaN,nan\n"NaN",\n,NaN\nnan\n'],
  ])('comes without rows of %s', async (_, rows) => {
    expect(await body(`a,b\n1,2\n${rows}Nan,n\n"NaN","x"\n"N",\n`)).toBe('a+b 2:1+2 7:Nan+n 8:+x 9:N+');
  });

  test('keeps a date that is not one as it is written', async () => {
    expect(await body('date;b\n2015,01;1,5\nNaN;nan\n')).toBe('date+b 2:2015,01+1.5 3:NaN+');
  });

  test.each([
    ['', 'a,b\n1,2\n'],
    ['', 'a,b\r\n1,2\r\n'],
    ['', 'a,b\n1,"2"'],
    ['row 2 "2"', 'a,b\n1,2'],
    ['row 4 ""', 'a,b\n1,2\n\n3,'],
    ['row 2 "5"', 'a,b\n"1\n2",5'],
    // Both orders of day and month are tried before rows are yielded.
    ['row 3 "2"', 'date,b\n1/2/2020,1\n13/2/2020,2'],
  ])('is noted as %o where its last line may be cut short', async (expected, text) => {
    const notes: string[] = [];
    for await (const batch of readCsvBody(sourceFile('x.csv', text, { chunkSize: 8 }), () => ''))
      notes.push(...batch.notes);
    const found = notes.map((note) => note.replace(/^the last line, (row \d+), .*, (".*") may .*$/, '$1 $2'));
    expect(found.join()).toBe(expected);
  });

  test.each([
    [': the file is empty', ''],
    [': the file has a header and no rows', 'a,b\n'],
    [': the file has a header and no rows', 'a,b\n,\n,\n'],
    [', row 3: 1 cell, but the header has 2; is the file truncated, or is this a footer?', 'a,b\n1,2\n3\n'],
    [
      ', row 2: 3 cells, but the header has 2; is a comma part of a number or text that is not quoted?',
      'a,b\n1,2,3\n',
    ],
    [
      ', row 3: 3 cells, but the header has 2; is a semicolon part of a number or text that is not quoted?',
      'a;b\n1;2\n1;2;3\n',
    ],
    [
      ', row 2: 3 cells, but the header has 2; is a tab part of a number or text that is not quoted?',
      'a\tb\n1\t2\t3\n',
    ],
  ])('is refused%s', async (reason, text) => {
    await expect(body(text)).rejects.toMatchObject({ detail: `x.csv${reason}` });
  });
});

describe('the positions of columns', () => {
  const columns = { required: ['a', 'b'], optional: ['c'] };
  const places = (...cells: string[]) => placesOf(sourceFile('x.csv', ''), { row: 1, cells }, columns);

  test('are found in any order, also without the optional columns', () => {
    expect(Object.fromEntries(places('b', 'c', 'a'))).toEqual({ b: 0, c: 1, a: 2 });
    expect(Object.fromEntries(places('a', 'b'))).toEqual({ a: 0, b: 1 });
  });

  test.each([
    [['a', 'b', 'd'], 'x.csv, row 1, column "d": unknown column; the columns are a, b, c'],
    [['a', 'b', 'a'], 'x.csv, row 1, column "a": this column appears twice'],
    [['a', 'c'], 'x.csv, row 1, column "b": this column is missing'],
  ])('are refused for %j', (cells, message) => {
    expect(() => places(...cells)).toThrow(message);
  });
});
