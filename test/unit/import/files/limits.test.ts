import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readColumns } from '../../../../src/domain/series/table-columns.ts';
import { allBytes, type SourceFile } from '../../../../src/import/files/source-file.ts';
import type { ImportFormat } from '../../../../src/import/formats/format.ts';
import { fredApi } from '../../../../src/import/formats/fred/api.ts';
import { formatOfKind } from '../../../../src/import/formats/recognise.ts';
import { secForm345 } from '../../../../src/import/formats/sec/form345.ts';
import { secOwnershipXml } from '../../../../src/import/formats/sec/ownership.ts';
import { treasuryXml } from '../../../../src/import/formats/treasury.ts';
import { tempFolder } from '../../../support/folders.ts';
import {
  onlyFile,
  readAll,
  refusalOf,
  refuses,
  sourceFile,
  workbookMembers,
  zipOf,
} from '../../../support/source-file.ts';

const mebibyte = 2 ** 20;
const asOf = '2015-01-30';

/** A file of a beginning and then as many MiB of letters, which no memory holds at once. */
function longFile(name: string, beginning: string, mebibytes: number): SourceFile {
  const part = Buffer.alloc(mebibyte, 'a');
  function* chunks() {
    yield Buffer.from(beginning);
    for (let i = 0; i < mebibytes; i += 1) yield part;
  }
  return { ...sourceFile(name, beginning), read: () => Readable.from(chunks()) };
}

/** A workbook of one sheet with this row. */
const bookWith = (row: string) =>
  zipOf(
    Object.entries(workbookMembers({ 'FRED Graph': [] })).map(([name, content]) => ({
      name,
      content: content.replace('<sheetData></sheetData>', `<sheetData>${row}</sheetData>`),
    })),
  );

describe('JSON that would fill memory', () => {
  const lists = '['.repeat(200_000) + ']'.repeat(200_000);
  refuses(
    fredApi,
    'a.json',
    {
      ': larger than 128 MiB, the limit for a file of this kind': longFile(
        'a.json',
        '{"realtime_start":"2015-01-30","observations":[{"value":"',
        900,
      ),
      ', row 1, column "observations": "lists in lists, too deep to be shown": this entry is not an object': `{"realtime_start":"2015-01-30","output_type":1,"units":"lin","observations":[${lists}]}`,
    },
    { series: 'GDP' },
  );
});

describe('CSV of more columns than a table may have', () => {
  const names = Array.from({ length: 100_000 }, (_, i) => i.toString(36)).join(',');
  refuses(
    formatOfKind('fred-csv'),
    'a.csv',
    { ', row 1: more than 100,000 columns, the limit of a table': `DATE,${names}\n` },
    { asOf },
  );
});

describe('XML with an element that would fill memory', () => {
  const attributes = Array.from({ length: 200_000 }, (_, i) => `a${i}="1"`).join(' ');
  it.each([
    ['text', `<entry>${'a'.repeat(mebibyte)}</entry>`],
    ['attributes', `<entry ${attributes}/>`],
  ])('is refused if it has more than 1 MiB of %s', async (_, content) => {
    const feed = `<feed><title>DailyTreasuryYieldCurveRateData</title>\n${content}</feed>`;
    expect(await refusalOf(treasuryXml, sourceFile('a.xml', feed))).toBe(
      'Problem: a.xml, row 2: an element of more than 1 MiB',
    );
  });
});

describe('a workbook that would fill memory', () => {
  it.each([
    ['the last cell that a sheet can have', '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'],
    ['a row that no sheet has', '<row r="900000000"><c r="A900000000"><v>1</v></c></row>'],
  ])('is refused if it has %s', async (_, row) => {
    expect(await refusalOf(formatOfKind('fred-xlsx'), sourceFile('a.xlsx', bookWith(row)), { asOf })).toBe(
      'Problem: a.xlsx: a sheet that extends over more than 10,000,000 cells',
    );
  });
});

describe('a table of 150 000 series, which are too many arguments for a function', () => {
  it('has the frequency of its last one', () => {
    const days = ['2015-01-01', '2015-02-01', '2015-03-01', '2015-04-01'];
    const none = new Set<string>();
    const figures = new Map(Array.from({ length: 150_000 }, (_, i) => [`A${i}`, none]));
    expect(readColumns(days, figures.set('B', new Set(days))).get('B')?.implied).toBe('M');
  });
});

describe('a file read into memory', () => {
  async function* chunks() {
    for (let i = 0; i < 4; i += 1) yield Buffer.alloc(mebibyte, i);
  }

  it('may have the size of the limit, but not a byte more', async () => {
    expect(await allBytes({ path: 'a', size: 0, read: chunks }, 4 * mebibyte)).toHaveLength(4 * mebibyte);
    await expect(allBytes({ path: 'a', size: 0, read: chunks }, 3 * mebibyte)).rejects.toThrow(
      'a: larger than 3 MiB, the limit for a file of this kind',
    );
  });

  it('of more than 1 GiB is not read into memory', async () => {
    const path = join(tempFolder({ 'a.csv': '' }), 'a.csv');
    truncateSync(path, 2 ** 30 + 1);
    await expect(allBytes(await onlyFile(path))).rejects.toMatchObject({
      kind: 'bad-input',
      detail: `${path}: larger than 1 GiB, the limit for a file of this kind`,
    });
  });
});

describe('text that is not UTF-8', () => {
  it.each<[ImportFormat, string]>([
    [formatOfKind('fred-csv'), 'observation_date,\xe9\n'],
    [fredApi, '{"a":"\xe9"}'],
    [secOwnershipXml, '<ownershipDocument>\xe9</ownershipDocument>'],
    [secForm345, 'ACCESSION_NUMBER\tFILING_DATE\tDOCUMENT_TYPE\tISSUERCIK\n\xe9\n'],
  ])('is refused with a hint (%#)', async (format, text) => {
    const file = sourceFile('a', Buffer.from(text, 'latin1'));
    await expect(readAll(format, file, { asOf, filedOn: asOf })).rejects.toMatchObject({
      kind: 'bad-input',
      detail: expect.stringMatching(/: this is not UTF-8 text$/),
      hints: ['save the file as UTF-8, or download it again if it is damaged'],
    });
  });
});
