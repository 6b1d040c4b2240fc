import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import readXlsxFile from 'read-excel-file/node';
import { describe, expect, it } from 'vitest';
import type { Row } from '../../../src/operations/envelope.ts';
import type { Field } from '../../../src/operations/field.ts';
import { renderPages } from '../../../src/render/renderer.ts';
import { XlsxRenderer } from '../../../src/render/xlsx.ts';
import { asof, statements } from '../../support/command.ts';
import { newFolder, scratchFolder } from '../../support/folders.ts';
import { envelope, field, layout, observation, observationFields } from '../../support/rows.ts';

const folder = scratchFolder();

async function bytesOf(fields: readonly Field[], rows: readonly Row[], header = true): Promise<Buffer> {
  const about = async () => [['Vintages', 'GDP: sampled']] as const;
  const chunks: Uint8Array[] = [];
  const renderer = new XlsxRenderer(layout(fields, { about, header }));
  for await (const chunk of renderPages(renderer, [envelope(rows)])) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** The sheets of a workbook, read by another library. */
async function sheetsOf(bytes: Buffer) {
  const path = join(folder, 'book.xlsx');
  writeFileSync(path, bytes);
  const sheets = await readXlsxFile(path);
  return Object.fromEntries(sheets.map(({ sheet, data }) => [sheet, data]));
}

describe('a workbook', () => {
  it('has numbers as numbers, days as dates, and texts as texts', async () => {
    const fields = [
      ...observationFields.slice(0, 2),
      field('count', 'integer'),
      field('yes', 'boolean'),
      field('text'),
    ];
    const rows = [
      { date: '2014-10-01', value: '17710.70', count: 3, yes: true, text: '=1+1' },
      { date: '1900-03-01', value: '-0.5', count: 0, yes: false, text: null },
    ];
    const { data } = await sheetsOf(await bytesOf(fields, rows));
    expect(data).toEqual([
      ['date', 'value', 'count', 'yes', 'text'],
      [new Date('2014-10-01T00:00:00Z'), 17710.7, 3, true, '=1+1'],
      [new Date('1900-03-01T00:00:00Z'), -0.5, 0, false, null],
    ]);
  });

  it('has what a cell cannot hold as text with all digits, and says so', async () => {
    const rows = ['123456789012345', '1234567890123456', '0.1234567890123456', '100000000000000000000'].map(
      (value) => observation('1899-12-31', value),
    );
    const { data, notes } = await sheetsOf(await bytesOf(observationFields.slice(0, 2), rows));
    expect(data?.slice(1)).toEqual([
      ['1899-12-31', 123456789012345],
      ['1899-12-31', '1234567890123456'],
      ['1899-12-31', '0.1234567890123456'],
      ['1899-12-31', 1e20],
    ]);
    expect(notes).toContainEqual([
      'Cells',
      '6 are text: a cell holds no number of more than 15 digits, and no day before 1900-03-01',
    ]);
  });

  it('has notes on the as-of day, the source, the unit, the sampling and the columns', async () => {
    const { notes } = await sheetsOf(await bytesOf(observationFields, [observation('2014-10-01', '1')]));
    expect(notes?.slice(0, 5)).toEqual([
      ['As of', '2015-01-31'],
      ['Source', 'FRED'],
      ['Unit', 'GDP: Billions of Dollars, Seasonally Adjusted Annual Rate'],
      ['Vintages', 'GDP: sampled'],
      ['Column', 'date:'],
    ]);
  });

  it('has the same bytes at any time', async () => {
    const rows = [observation('2014-10-01', '1')];
    const first = await bytesOf(observationFields, rows);
    // The times in an archive have steps of two seconds.
    await new Promise((resolve) => setTimeout(resolve, 2100));
    expect(await bytesOf(observationFields, rows)).toEqual(first);
  });
});

describe('asof -o FILE.xlsx', () => {
  it('writes the rows and notes on the series, also of a panel', async () => {
    const home = newFolder();
    const store = home.path('store.db');
    const file = home.write(
      'facts.csv',
      statements(['A,2020-01-01,2020-02-01,1.5', 'A,2020-04-01,2020-05-01,2']),
    );
    await asof(['import', file, '--store', store]);
    const path = home.path('panel.xlsx');
    const line = ['panel', 'A', '--as-of', '2020-05-31', '--wide', '-o', path, '--store', store];
    expect((await asof(line)).code).toBe(0);
    const sheets = await readXlsxFile(path);
    expect(sheets.map(({ sheet }) => sheet)).toEqual(['data', 'notes']);
    expect(sheets[0]?.data[1]).toEqual([new Date('2020-04-01T00:00:00Z'), 2]);
    const notes = sheets[1]?.data.map(([name, text]) => `${name} ${text}`);
    expect(notes).toContain('As of 2020-05-31');
    expect(notes).toContain('Coverage A: to 2020-05-01');
  });

  it('is refused on a terminal', async () => {
    const { code, err } = await asof(['obs', 'GDP', '-f', 'xlsx'], { stdoutIsTerminal: true });
    expect([code, err]).toEqual([2, expect.stringContaining('xlsx is a binary format')]);
  });
});
