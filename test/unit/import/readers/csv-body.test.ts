import { describe, expect, test } from 'vitest';
import { readCsvBody, textHead } from '../../../../src/import/readers/csv.ts';
import { placesOf } from '../../../../src/import/readers/rows.ts';
import { sourceFile } from '../../../support/source-file.ts';

async function body(text: string): Promise<string> {
  const out: string[] = [];
  for await (const { header, rows } of readCsvBody(sourceFile('x.csv', text), ({ cells }) =>
    cells.join('+'),
  )) {
    out.push(header, ...rows.map(({ row, cells }) => `${row}:${cells.join('+')}`));
  }
  return out.join(' ');
}

const refused = (text: string) => body(text).catch((error: unknown) => String(error));

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
  test('comes with its header, without rows of empty cells only', async () => {
    expect(await body('a,b\n1,2\n,\n\n,,,\n3,4\n , \n')).toBe('a+b 2:1+2 6:3+4');
  });

  test.each([
    ['no content', '', 'x.csv: the file is empty'],
    ['a header alone', 'a,b\n', 'x.csv: the file has a header and no rows'],
    ['a header and blank rows', 'a,b\n,\n,\n', 'x.csv: the file has a header and no rows'],
    [
      'a row cut short',
      'a,b\n1,2\n3\n',
      'x.csv, row 3: 1 cell, but the header has 2; is the file truncated?',
    ],
    ['a row too long', 'a,b\n1,2,3\n', 'x.csv, row 2: 3 cells, but the header has 2; is the file truncated?'],
  ])('is refused with %s', async (_, text, message) => {
    expect(await refused(text)).toBe(`Problem: ${message}`);
  });
});

describe('the positions of columns', () => {
  const columns = { required: ['a', 'b'], optional: ['c'] };
  const places = (...cells: string[]) => placesOf(sourceFile('x.csv', ''), { row: 1, cells }, columns);

  test('are found in any order, also without the optional columns', () => {
    expect([...places('b', 'c', 'a')]).toEqual([
      ['b', 0],
      ['c', 1],
      ['a', 2],
    ]);
    expect([...places('a', 'b')]).toEqual([
      ['a', 0],
      ['b', 1],
    ]);
  });

  test.each([
    [['a', 'b', 'd'], 'x.csv, row 1, column "d": unknown column; the columns are a, b, c'],
    [['a', 'b', 'a'], 'x.csv, row 1, column "a": this column appears twice'],
    [['a', 'c'], 'x.csv, row 1, column "b": this column is missing'],
  ])('are refused for %j', (cells, message) => {
    expect(() => places(...cells)).toThrow(message);
  });
});
