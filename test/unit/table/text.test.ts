import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TableFiles, UserTable } from '../../../src/answering/table.ts';
import { daysIn } from '../../../src/answering/table.ts';
import { textTable } from '../../../src/table/open.ts';
import { runs } from '../../support/arbitrary.ts';
import { sourceFile } from '../../support/source-file.ts';

async function tableOf(text: string | Buffer, chunkSize = 65_536): Promise<UserTable> {
  const file = sourceFile('x.csv', text, { chunkSize });
  return textTable(file, await file.head());
}

/** No table of a name is asked for. */
const files: TableFiles = { latest: '2026-01-15', open: () => Promise.reject(new Error('no tables here')) };

/** The rows of a table: the place, the cells and the text of each. */
async function read(text: string | Buffer, chunkSize?: number) {
  const table = await tableOf(text, chunkSize);
  const rows: { row: number; cells: unknown[]; text: string }[] = [];
  for await (const batch of table.batches())
    for (let index = 0; index < batch.size; index += 1) {
      const bytes = Buffer.alloc(batch.byteLength);
      rows.push({
        row: batch.rowAt(index),
        cells: table.fields.map((_, column) => batch.cellAt(index, column)),
        text: bytes.toString('utf8', 0, batch.copyRow(index, bytes, 0)),
      });
    }
  return { names: table.fields.map(({ name }) => name), text: table.text, rows };
}

const texts = ['', '2015-01-30', '5.6', 'a,b', 'say "x"', 'two\nlines', 'cr\r\nlf', '"', 'Ærø', '日本', ' '];
const cell = fc.oneof(
  fc.constantFrom(...texts),
  fc.string({ maxLength: 8 }).filter((text) => !/[\0]/.test(text)),
);

describe('a table in a text', () => {
  it('has the cells that another program wrote, however the bytes are cut, and each row as it was written', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc
          .integer({ min: 2, max: 4 })
          .chain((width) =>
            fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }),
          ),
        fc.constantFrom(',', ';', '\t'),
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        fc.integer({ min: 1, max: 30 }),
        async (cells, delimiter, record_delimiter, quoted, chunkSize) => {
          const names = ['day', 'b', 'c', 'd'].slice(0, cells[0]?.length);
          const write = (rows: string[][]) =>
            stringify(rows, { delimiter, record_delimiter, quoted, quoted_match: /[\r\n]/ });
          const found = await read(write([names, ...cells]), chunkSize);
          expect(found.names).toEqual(names);
          expect(found.rows.map((row) => row.cells.map((text) => text ?? ''))).toEqual(cells);
          expect(found.rows.map(({ text }) => text + record_delimiter).join('')).toBe(write(cells));
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it('has a column of numbers where all its texts are decimals of at most 20 digits and 18 decimals', async () => {
    const digits = (least: number, most: number) =>
      fc.string({ unit: fc.constantFrom('0', '1', '9'), minLength: least, maxLength: most });
    const number = fc
      .tuple(fc.constantFrom('', '-', '+'), digits(0, 21), fc.constantFrom('', '.', '..'), digits(0, 19))
      .map((parts) => parts.join(''));
    /** The definition, cell by cell: no needless zero in front, and a digit on both sides of a point. */
    const isNumber = (text: string): boolean => {
      const [whole = '', decimals, ...rest] = text.replace(/^-/, '').split('.');
      const areDigits = [whole, decimals ?? '0'].every((part) => part !== '' && !/[^0-9]/.test(part));
      const isPlain = whole === '0' || (whole.length <= 20 && !whole.startsWith('0'));
      return rest.length === 0 && areDigits && isPlain && (decimals ?? '').length <= 18;
    };
    await fc.assert(
      fc.asyncProperty(fc.array(number, { minLength: 1, maxLength: 4 }), async (cells) => {
        const table = await tableOf(`n,m\n${cells.map((text) => `${text},1`).join('\n')}\n`);
        const known = cells.filter((text) => text !== '');
        const isColumn = known.length > 0 && known.every(isNumber);
        expect(await table.fields[0]?.typeInFile?.()).toBe(isColumn ? 'decimal' : 'text');
      }),
      { numRuns: runs(300) },
    );
  });

  it('counts rows as an editor does, over empty lines and line breaks in quotes', async () => {
    const { rows } = await read('day,note\n\n1,"a\nb"\n\r\n2,c\n3,d');
    expect(rows.map(({ row, text }) => [row, text])).toEqual([
      [3, '1,"a\nb"'],
      [6, '2,c'],
      [7, '3,d'],
    ]);
  });

  it('knows which cells are written as those above them', async () => {
    const table = await tableOf(
      'day,a\n2015-01-30,1\n2015-01-30,12\n"2015-01-30",12\n2015-01-31,\n2015-01-30,\n',
    );
    const repeated: string[][] = [];
    for await (const batch of table.batches())
      for (let index = 0; index < batch.size; index += 1)
        repeated.push(['day', 'a'].filter((_, column) => batch.repeats(index, column)));
    expect(repeated).toEqual([[], ['day'], ['a'], [], ['a']]);
  });

  it('with a time of day on each row has as many days to remember as it has days', async () => {
    const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));
    const text = [
      'day',
      ...hours.flatMap((hour) => [`2015-01-30T${hour}:00:00Z`, `20150131 ${hour}:30`]),
    ].join('\n');
    const days = await daysIn(await tableOf(`a,${text.replaceAll('\n', '\n1,')}`), 1, files, {
      strict: false,
    });
    expect([...days]).toEqual([
      ['2015-01-30', '2015-01-30'],
      ['20150131', '2015-01-31'],
    ]);
  });

  it('leaves out a byte-order mark, and keeps bytes that are not UTF-8', async () => {
    const latin = Buffer.concat([Buffer.from('\uFEFFday,name\n1,'), Buffer.from([0xc6]), Buffer.from('\n')]);
    const table = await tableOf(latin);
    expect(table.fields.map(({ name }) => name)).toEqual(['day', 'name']);
    const row = Buffer.alloc(3);
    for await (const batch of table.batches()) expect(batch.copyRow(0, row, 0)).toBe(3);
    expect(row).toEqual(Buffer.from([0x31, 0x2c, 0xc6]));
  });

  it.each([
    ['', 'x.csv: the file is empty'],
    ['a,b\n1\n', 'x.csv, row 2: 1 cell, but the header has 2'],
    ['a,b\n1,2\n1,2,3\n', 'x.csv, row 3: 3 cells, but the header has 2'],
    ['a,b\n1,"2\n3,4\n', 'x.csv, row 2: a quote opens here and is never closed'],
    ['a,a\n1,2\n', 'x.csv, row 1: two columns have the name "a"'],
    ['a,\0\n', 'x.csv: this is not a text file'],
  ])('is refused as %j', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
    await expect(read(text, 1)).rejects.toThrow(message);
  });
});
