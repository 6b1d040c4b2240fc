import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readColumns } from '../../../../src/domain/series/table-columns.ts';
import type { SourceFile } from '../../../../src/import/files/source-file.ts';
import { fileBytes } from '../../../../src/import/files/walk.ts';
import { fredApi } from '../../../../src/import/formats/fred/api.ts';
import { formatOfKind } from '../../../../src/import/formats/recognise.ts';
import { treasuryXml } from '../../../../src/import/formats/treasury.ts';
import { tempFolder } from '../../../support/folders.ts';
import { refusalOf, sourceFile } from '../../../support/source-file.ts';
import { zipOf } from '../../../support/zip-writer.ts';

const fredCsv = formatOfKind('fred-csv');
const fredWorkbook = formatOfKind('fred-xlsx');

const mebibyte = 2 ** 20;

/** A file of a beginning and then as many MiB of letters, which no memory holds at once. */
function longFile(name: string, beginning: string, mebibytes: number): SourceFile {
  const part = Buffer.alloc(mebibyte, 'a');
  function* chunks() {
    yield Buffer.from(beginning);
    for (let i = 0; i < mebibytes; i += 1) yield part;
  }
  return { ...sourceFile(name, beginning), read: () => Readable.from(chunks()) };
}

describe('a file that would fill memory', () => {
  it('is refused if it is JSON with a text of 900 MiB', async () => {
    const file = longFile('a.json', '{"realtime_start":"2015-01-30","observations":[{"value":"', 900);
    expect(await refusalOf(fredApi, file, { series: 'GDP' })).toBe(
      'Problem: a.json: larger than 128 MiB, the limit for a file of this kind',
    );
  });

  it('is refused if its JSON has lists in lists without end', async () => {
    const lists = '['.repeat(200_000) + ']'.repeat(200_000);
    const file = sourceFile(
      'a.json',
      `{"realtime_start":"2015-01-30","output_type":1,"units":"lin","observations":[${lists}]}`,
    );
    expect(await refusalOf(fredApi, file, { series: 'GDP' })).toBe(
      'Problem: a.json, row 1, column "observations": "lists in lists, too deep to be shown": this entry is not an object',
    );
  });

  it.each(['', '"'])('is refused if it is CSV with 2 000 000 columns (quotes: %j)', async (quote) => {
    const names = Array.from({ length: 2_000_000 }, (_, i) => i.toString(36)).join(',');
    const file = sourceFile('a.csv', `${quote}DATE${quote},${names}\n`);
    expect(await refusalOf(fredCsv, file, { asOf: '2015-01-30' })).toBe(
      'Problem: a.csv, row 1: more than 100,000 columns, the limit of a table',
    );
  });

  it('is refused if its XML has one text of 2 MiB, or one element of 2 MiB of attributes', async () => {
    const feed = (content: string) =>
      sourceFile('a.xml', `<feed><title>DailyTreasuryYieldCurveRateData</title>\n${content}</feed>`);
    const attributes = Array.from({ length: 200_000 }, (_, i) => `a${i}="1"`).join(' ');
    for (const content of [`<entry>${'a'.repeat(2 * mebibyte)}</entry>`, `<entry ${attributes}/>`])
      expect(await refusalOf(treasuryXml, feed(content))).toBe(
        'Problem: a.xml, row 2: an element of more than 1 MiB',
      );
  });

  it.each([
    ['the last cell that a sheet can have', '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'],
    ['a row that no sheet has', '<row r="900000000"><c r="A900000000"><v>1</v></c></row>'],
  ])('is refused if it is a workbook with %s', async (_, row) => {
    const relation = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
    const content = zipOf([
      { name: '[Content_Types].xml', content: '<Types/>' },
      {
        name: 'xl/workbook.xml',
        content: `<workbook xmlns:r="${relation}"><sheets><sheet name="FRED Graph" sheetId="1" r:id="rId1"/></sheets></workbook>`,
      },
      {
        name: 'xl/_rels/workbook.xml.rels',
        content: `<Relationships><Relationship Id="rId1" Type="${relation}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
      },
      { name: 'xl/worksheets/sheet1.xml', content: `<worksheet><sheetData>${row}</sheetData></worksheet>` },
    ]);
    expect(await refusalOf(fredWorkbook, sourceFile('a.xlsx', content), { asOf: '2015-01-30' })).toBe(
      'Problem: a.xlsx: a sheet that extends over more than 10,000,000 cells',
    );
  });
});

describe('a table of 200 000 series', () => {
  it('has the frequency of each', () => {
    const days = ['2015-01-01', '2015-02-01', '2015-03-01', '2015-04-01'];
    const figures = new Map(Array.from({ length: 200_000 }, (_, i) => [`A${i}`, new Set(days)]));
    expect(readColumns(days, figures).get('A199999')?.implied).toBe('M');
  });
});

describe('a file that has no bytes yet', () => {
  it('is a Problem at once, because a read that waits would outlast every signal', async () => {
    const path = join(tempFolder({}), 'pipe');
    execFileSync('mkfifo', [path]);
    // A writer that never writes: without it, the pipe would just end.
    const writer = openSync(path, constants.O_RDWR);
    try {
      await expect(fileBytes(path, 'pipe').next()).rejects.toMatchObject({
        kind: 'local-io',
        detail:
          'cannot read pipe: it has nothing to read now, and may never have; save its content to a file',
      });
    } finally {
      closeSync(writer);
    }
  });
});
