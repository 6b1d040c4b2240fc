import { readFileSync, writeFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import { read } from '@e965/xlsx';
import readXlsxFile from 'read-excel-file/node';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Row } from '../../../src/operations/envelope.ts';
import type { Field } from '../../../src/operations/field.ts';
import { xlsxRenderer } from '../../../src/render/formats/xlsx.ts';
import { renderPages } from '../../../src/render/renderer.ts';
import { asof, statements } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';
import { envelope, field, layout, observation, observationFields } from '../../support/rows.ts';

const folder = newFolder();

async function bytesOf(fields: readonly Field[], rows: readonly Row[], header = true): Promise<Buffer> {
  const pages = async function* () {
    yield envelope(rows);
    return { about: async () => [['Vintages', 'GDP: sampled']] as const };
  };
  const chunks: Uint8Array[] = [];
  const renderer = xlsxRenderer(layout(fields, { header }));
  for await (const chunk of renderPages(renderer, pages())) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** The sheets of a workbook, read by another library. */
async function sheetsOf(bytes: Buffer) {
  const path = folder.path('book.xlsx');
  writeFileSync(path, bytes);
  const sheets = await readXlsxFile(path);
  return Object.fromEntries(sheets.map(({ sheet, data }) => [sheet, data]));
}

/** The texts of a member of a ZIP archive. */
function memberOf(bytes: Buffer, path: string): string {
  const { files = {} } = read(bytes, { bookFiles: true }) as {
    readonly files?: Readonly<Record<string, { readonly content: Uint8Array }>>;
  };
  return Buffer.from(files[path]?.content ?? []).toString();
}

describe('a workbook', () => {
  it('has a normal style, without which openpyxl and pandas warn, and a filter over its columns', async () => {
    const fields = Array.from({ length: 28 }, (_, i) => field(`c${i}`));
    const book = await bytesOf(fields, [{ c0: 'x' }, { c0: 'y' }]);
    expect(memberOf(book, 'xl/styles.xml')).toContain('<cellStyle name="Normal" xfId="0" builtinId="0"/>');
    expect(memberOf(book, 'xl/worksheets/sheet1.xml')).toContain('</sheetData><autoFilter ref="A1:AB3"/>');
    expect(read(book).Sheets.data?.['!autofilter']).toEqual({ ref: 'A1:AB3' });
    expect(memberOf(await bytesOf(fields, [], false), 'xl/worksheets/sheet1.xml')).not.toContain(
      'autoFilter',
    );
  });

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

  it('has no formulas, whatever a unit or a title begins with', async () => {
    const texts = ['=1+1', '@SUM(A1)', '+1', '-1', '=HYPERLINK("https://example.org")', "=cmd|' /C calc'!A0"];
    const workbook = await bytesOf(
      [field('title'), field('unit')],
      texts.map((text) => ({ title: text, unit: text })),
    );
    const { data } = await sheetsOf(workbook);
    expect(data?.slice(1)).toEqual(texts.map((text) => [text, text]));
    const { Sheets } = read(workbook, { cellFormula: true });
    expect(Sheets.data?.A2).toMatchObject({ t: 's', v: '=1+1' });
    for (const cell of Object.values(Sheets.data ?? {})) expect(cell).not.toHaveProperty('f');
  });

  it('has infinite numbers as text, and integers with more digits than a cell holds, and counts them', async () => {
    const fields = [field('price', 'double'), field('count', 'integer')];
    const rows: readonly Row[] = [
      { price: Number.POSITIVE_INFINITY, count: '9007199254740993' },
      { price: -0.5, count: 3 },
    ];
    const { data, notes } = await sheetsOf(await bytesOf(fields, rows));
    expect(data?.slice(1)).toEqual([
      ['Infinity', '9007199254740993'],
      [-0.5, 3],
    ]);
    expect(notes).toContainEqual([
      'Cells',
      expect.stringMatching(/^2 are text: a cell holds no infinite number/),
    ]);
  });

  it('has texts as they are that look like the code of a character', async () => {
    const texts = ['_x0041_', 'a_x000d_x0041_', '_x004_'];
    const { Sheets } = read(
      await bytesOf(
        [field('text')],
        texts.map((text) => ({ text })),
      ),
    );
    expect(['A2', 'A3', 'A4'].map((cell) => Sheets.data?.[cell]?.v)).toEqual(texts);
  });

  it('has a text of 32,767 characters, and is refused with a longer one, which spreadsheets cut', async () => {
    const rows = (length: number) => [{ text: 'x'.repeat(length) }];
    const { data } = await sheetsOf(await bytesOf([field('text')], rows(32_767)));
    expect(data?.[1]).toEqual(['x'.repeat(32_767)]);
    await expect(bytesOf([field('text')], rows(32_768))).rejects.toThrow(
      "column 'text' has a text of 32,768 characters, and a cell has at most 32,767",
    );
  });

  it('has times as dates with a time of day, and finer ones than a cell holds as text', async () => {
    const times = [
      '2014-10-01',
      '2014-10-01T12:34:56',
      '2014-10-01T12:34:56.25',
      '2014-10-01T12:34:56.123456',
    ];
    const rows = times.map((at) => ({ at }));
    const { data } = await sheetsOf(await bytesOf([field('at', 'timestamp')], rows));
    // The serial number of a time is a fraction, which this reader cuts to a thousandth of a second.
    const read = data?.slice(1).map(([cell]) => {
      if (!(cell instanceof Date)) return cell;
      return new Date(Math.round(cell.getTime() / 10) * 10).toISOString();
    });
    expect(read).toEqual([
      '2014-10-01T00:00:00.000Z',
      '2014-10-01T12:34:56.000Z',
      '2014-10-01T12:34:56.250Z',
      '2014-10-01T12:34:56.123456',
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
      '6 are text: a cell holds no infinite number, none of more than 15 digits, and no day before 1900-03-01',
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
    const times = ['2015-01-30T12:00:00Z', '2026-03-15T12:00:02Z'];
    const made: Buffer[] = [];
    for (const now of times) {
      vi.useFakeTimers({ toFake: ['Date'], now: new Date(now) });
      made.push(await bytesOf(observationFields, rows));
    }
    vi.useRealTimers();
    expect(made[1]).toEqual(made[0]);
  });
});

describe('asof -o', () => {
  const store = folder.path('store.db');

  beforeAll(async () => {
    const facts = statements([
      'A,2020-01-01,2020-02-01,1.5',
      'A,2020-01-01,2020-04-01,1.6',
      'A,2020-02-01,2020-05-01,2',
    ]);
    const about = folder.write('metadata.csv', 'series_id,units,frequency,source\nA,Tons,M,bench\n');
    await asof(['import', folder.write('facts.csv', facts), about, '--store', store]);
  });

  /** The file that a command writes; its path. */
  async function written(line: string, name: string): Promise<string> {
    const path = folder.path(name);
    const { code, err } = await asof([...line.split(' '), '-o', path, '-q', '--store', store]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return path;
  }

  /** The data and the notes of the workbook that a command writes. */
  async function workbookOf(line: string) {
    const [data, notes, ...others] = await readXlsxFile(await written(line, 'book.xlsx'));
    expect([data?.sheet, notes?.sheet, others]).toEqual(['data', 'notes', []]);
    return { rows: data?.data ?? [], notes: notes?.data.map(([name, text]) => `${name} ${text}`) };
  }

  it('FILE.xlsx writes the rows and notes on the series, also of a panel', async () => {
    const { rows, notes } = await workbookOf('panel A --as-of 2020-05-31 --wide');
    expect(rows[1]).toEqual([new Date('2020-02-01T00:00:00Z'), 2]);
    expect(notes).toEqual(expect.arrayContaining(['As of 2020-05-31', 'Coverage A: to 2020-05-01']));
  });

  it.each([
    [
      'panel A --as-of-each month-end --from 2020-03-01 --to 2020-05-31 --known-before-each --units chg --lag 1 --wide',
      [
        'As of each month-end from 2020-03-01 to 2020-05-31, known before each',
        'Transformation chg, computed within each vintage',
        'Lag the newest 1 skipped',
        'Unit A: Change, Tons',
        'Series A: A; Tons; bench',
      ],
    ],
    [
      'panel A --as-of-each friday --from 2020-03-01 --to 2020-07-01 --beyond repeat --frequency a --aggregate sum --partial',
      [
        'As of each friday from 2020-03-01 to 2020-07-01',
        'Frequency a, sum, also of periods not complete',
        'Beyond on days after the coverage the newest value that is known',
        'Unit A: Tons',
      ],
    ],
    [
      'panel A A:chg --as-of 2020-05-01 --wide',
      ['Transformation chg, computed within each vintage', 'Unit A: Tons', 'Unit A:chg: Change, Tons'],
    ],
    [
      'obs A --as-of 2020-03-01 --vs latest',
      ['As of 2020-03-01', 'As of the newest vintage', 'Unit A: Tons'],
    ],
    ['obs A --vintages 2020-03-01,2020-05-01', ['As of 2020-03-01', 'As of 2020-05-01', 'Unit A: Tons']],
    ['diff A 2020-03-01 2020-05-01', ['As of 2020-03-01', 'As of 2020-05-01', 'Coverage A: to 2020-05-01']],
    [
      'revisions A --release 1,final --units pch --digits 1',
      ['As of the newest vintage', 'Digits 1', 'Unit A: Percent Change'],
    ],
    ['revisions A --as-of 2020-05-01 --wide', ['As of 2020-05-01', 'Unit A: Tons']],
  ])('FILE.xlsx notes the days, the strictness and the units of: %s', async (line, expected) => {
    const { notes } = await workbookOf(line);
    expect(notes?.filter((one) => expected.includes(one)).sort()).toEqual([...expected].sort());
  });

  it('FILE.xlsx has, even with -q, the sentence and the notes that a terminal has beside the rows', async () => {
    const line = 'obs A --as-of 2020-03-01 --vs 2020-05-01';
    const shown = await asof([...line.split(' '), '--store', store], {
      stdoutIsTerminal: true,
      columns: 500,
    });
    const [sentence = ''] = shown.out.split('\n');
    expect(sentence).toMatch(/^On 1 March 2020, A of /);
    expect(shown.err).toContain('left out');
    const { notes } = await workbookOf(line);
    const told = shown.err
      .trim()
      .split('\n')
      .map((text) => text.replace('asof: ', 'Note '));
    expect(notes).toEqual(expect.arrayContaining([`In words ${sentence}`, ...told]));
  });

  it('FILE.xlsx makes the columns of a joined file numbers and days, where all of its cells are', async () => {
    const trades = [
      'day,price,code,size,seen,note',
      '2020-02-01,98.40,007,12345678901234567.5,2020-02-03,',
      '2020-02-01,-0.5,12,,,',
    ];
    const file = folder.write('trades.csv', trades.join('\n'));
    const { rows, notes } = await workbookOf(`join ${file} --on day A --strict --beyond repeat`);
    const day = new Date('2020-02-01T00:00:00Z');
    expect(rows.slice(1)).toEqual([
      [day, 98.4, '007', '12345678901234567.5', new Date('2020-02-03T00:00:00Z'), null, null],
      [day, -0.5, '12', null, null, null, null],
    ]);
    expect(notes).toContain('As of the day of each row, column day, published before it');
    const one =
      'Cells 1 is text: a cell holds no infinite number, none of more than 15 digits, and no day before 1900-03-01';
    expect(notes).toContain(one);
  });

  it('FILE.png writes the picture of the SVG file at twice its size', async () => {
    const bytes = readFileSync(await written('obs A --width 500 --height 400', 'a.png'));
    expect(bytes.subarray(0, 8).toString('latin1')).toBe('\u0089PNG\r\n\u001A\n');
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1000, 800]);
    const data: Buffer[] = [];
    for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at))
      if (bytes.subarray(at + 4, at + 8).toString() === 'IDAT')
        data.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
    // Each line of pixels has four bytes for each, after one for its filter.
    expect(inflateSync(Buffer.concat(data))).toHaveLength(800 * (4 * 1000 + 1));
  });

  it.each(['xlsx', 'png', 'parquet'])('is needed for %s on a terminal', async (format) => {
    const { code, out, err } = await asof(['obs', 'GDP', '-f', format], { stdoutIsTerminal: true });
    const said = `asof: ${format} is a binary format, which a terminal cannot show\n      -o FILE.${format} writes it to a file\n`;
    expect({ code, out, err }).toEqual({ code: 2, out: '', err: said });
  });
});
