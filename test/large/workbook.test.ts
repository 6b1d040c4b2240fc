import { inflateRawSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { type SheetCell, workbookOf } from '../../src/render/formats/workbook.ts';

it('a workbook has a sheet of as many rows as a sheet can have, whose part is longer than any text can be', () => {
  const cell: SheetCell = { value: 39_843, style: { format: 'yyyy-mm-dd' } };
  const row = Array.from({ length: 15 }, () => cell);
  const rows = Array.from({ length: 1_048_576 }, () => row);
  const bytes = workbookOf([{ name: 'data', rows, widths: row.map(() => 12), hasHead: false }]);
  const path = 'xl/worksheets/sheet1.xml';
  // A local header has the size of the packed bytes 12 before its name, and that of the part 8 before.
  const name = bytes.indexOf(path);
  const [packed, size] = [bytes.readUInt32LE(name - 12), bytes.readUInt32LE(name - 8)];
  const begin = name + path.length;
  const sheet = inflateRawSync(bytes.subarray(begin, begin + packed));
  expect(sheet).toHaveLength(size);
  expect(size).toBeGreaterThan(2 ** 29);
  expect(sheet.subarray(-80).toString()).toMatch(
    /<c r="O1048576" s="1"><v>39843<\/v><\/c><\/row><\/sheetData><\/worksheet>$/,
  );
});
