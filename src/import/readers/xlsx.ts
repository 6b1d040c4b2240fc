import { Readable } from 'node:stream';
import type { CellObject } from '@e965/xlsx';
import { Problem } from '../../errors/problem.ts';
import { grouped } from '../../errors/wording.ts';
import { allBytes, limits, refusal, type SourceFile } from '../files/source-file.ts';
import { unpacksTo } from '../files/walk.ts';
import { type FileHead, isDateColumn, textHead } from './csv.ts';

/** A sheet of a workbook, also as the CSV file that its rows make. */
type Sheet = {
  readonly name: string;
  readonly rows: readonly (readonly string[])[];
  readonly head: FileHead;
  readonly csv: SourceFile;
};

/** Tells whether a file begins as a workbook, `.xlsx` or `.xls`; other Office documents do, too. */
export function isWorkbook(head: Buffer): boolean {
  return ['PK\x03\x04', '\xd0\xcf\x11\xe0'].includes(head.toString('latin1', 0, 4));
}

/** Rows by which the format of a sheet is recognised, with titles above the header. */
const headRows = 64;

/** Reads the sheets of a workbook, in order, or only their heads; throws if the file is not a workbook. */
export async function readSheets(file: SourceFile, part?: 'heads'): Promise<readonly Sheet[]> {
  const content = await allBytes(file, limits.workbook);
  // A damaged part would be left out, and a large one fill memory.
  if (content[0] === 0x50 && !(await unpacksTo(limits.workbook, content, file.path)))
    throw refusal(file, {}, 'a workbook that unpacks to more than 256 MiB', ['save the sheet as CSV']);
  const { read, utils } = await import('@e965/xlsx');
  try {
    const { SheetNames: names, Sheets: sheets } = read(content, {
      dense: true,
      cellDates: true,
      UTC: true,
      cellText: false,
      cellHTML: false,
      cellFormula: false,
      // Throws for a damaged part, which would be left out.
      WTF: true,
      ...(part === 'heads' && { sheetRows: headRows }),
    });
    return names.map((name) => {
      const sheet = sheets[name];
      if (sheet === undefined) throw new Error(`it lacks its sheet ${name}`);
      const { e: last } = utils.decode_range(sheet['!ref'] ?? 'A1');
      if ((last.r + 1) * (last.c + 1) > limits.cells)
        throw refusal(file, {}, `a sheet that extends over more than ${grouped(limits.cells)} cells`, [
          'delete what is far below or beside the figures, or save the sheet as CSV',
        ]);
      const cells: readonly (readonly CellObject[] | undefined)[] = sheet['!data'] ?? [];
      const rows = Array.from({ length: last.r + 1 }, (_, row) =>
        Array.from({ length: last.c + 1 }, (_, column) => {
          const cell = cells[row]?.[column];
          return cell?.t === 'e' ? utils.format_cell(cell) : cellText(cell?.v);
        }),
      );
      return { name, rows, ...asCsv(file, name, rows) };
    });
  } catch (error) {
    if (error instanceof Problem || !(error instanceof Error)) throw error;
    throw refusal(file, {}, `not a readable workbook: ${error.message}`);
  }
}

function cellText(value: unknown): string {
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  return String(value ?? '');
}

/** Makes the CSV file of a sheet, with its rows at their places, without titles above a column of dates. */
function asCsv(file: SourceFile, name: string, rows: Sheet['rows']): Pick<Sheet, 'head' | 'csv'> {
  const start = rows.findIndex(([first = '']) => isDateColumn(first));
  const lines = rows.map((row, index) =>
    index < start || row.every((cell) => cell === '') ? '' : row.map(csvCell).join(','),
  );
  const bytes = Buffer.from(`${lines.join('\n')}\n`);
  const csv = {
    ...file,
    path: `${file.path}/${name}`,
    size: bytes.length,
    read: () => Readable.from([bytes]),
    head: async () => bytes.subarray(0, 64 * 1024),
  };
  const head = lines.filter((line) => line !== '').slice(0, headRows);
  return { head: textHead(`${head.join('\n')}\n`), csv };
}

function csvCell(cell: string): string {
  const text = cell.trim().replaceAll('\n', ' ');
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
