import { type Day, dayOf, type Frequency } from '../../../domain/series/date.ts';
import { parseDecimal } from '../../../domain/series/decimal.ts';
import { parseSeriesId } from '../../../domain/series/series.ts';
import { Problem } from '../../../errors/problem.ts';
import {
  type VintageColumn,
  type VintageRow,
  type VintageTable,
  vintageBatches,
} from '../vintage-table.ts';
import { type Format, refusal, type SourceFile } from '../format.ts';

type Sheet = readonly (readonly unknown[])[];

/**
 * Philadelphia Fed Real-Time Data Set: a workbook for each variable, a column for each vintage.
 * A vintage is what was known in the middle of its quarter's middle month, or of its month: the 15th.
 * Numbers are the shortest text of the stored double, as the workbook holds no other.
 */
export const rtdsm: Format = {
  kind: 'rtdsm',
  summary: 'Philadelphia Fed real-time workbooks (ROUTPUTQvQd.xlsx), a column for each vintage',
  source: 'Philadelphia Fed Real-Time Data Set',
  whole: true,
  takesAsOf: false,
  recognise: (head, name) => head.startsWith('PK\u0003\u0004') && /\.xlsx$/i.test(name),
  async *read(file) {
    const sheet = await readSheet(file);
    const columns = readColumns(file, sheet[0] ?? []);
    const { rows, frequency } = readRows(file, sheet, columns);
    const table: VintageTable = { columns, rows };
    yield* vintageBatches(file, table, {
      number: shortestDecimals(),
      withdrawals: new Set(['#N/A']),
      frequencyOf: () => frequency,
      hasDate: () => true,
    });
  },
};

async function readSheet(file: SourceFile): Promise<Sheet> {
  const { default: readWorkbook } = await import('read-excel-file/node');
  const content = await file.bytes();
  const sheets = await readWorkbook(content, { parseNumber: (text) => text }).catch((error: unknown) => {
    if (error instanceof Problem || !(error instanceof Error)) throw error;
    throw refusal(file, {}, `not a readable workbook: ${error.message}`);
  });
  const [sheet, ...others] = sheets;
  if (sheet === undefined || others.length > 0) {
    throw refusal(file, {}, `${sheets.length} sheets, where a file of the Real-Time Data Set has one`);
  }
  return sheet.data;
}

function readColumns(file: SourceFile, header: readonly unknown[]): VintageColumn[] {
  if (header[0] !== 'DATE') {
    const value = String(header[0] ?? '');
    throw refusal(file, { row: 1, column: 'A', value }, 'a file of the Real-Time Data Set begins with DATE');
  }
  if (header.length < 2) throw refusal(file, { row: 1 }, 'the file has dates and no vintages');
  const columns = header.slice(1).map((cell, index) => readColumn(file, cell, columnLetters(index + 1)));
  const [first] = columns;
  const other = columns.find(({ seriesId }) => seriesId !== first?.seriesId);
  if (first === undefined || other === undefined) return columns;
  throw refusal(file, { row: 1, column: other.name }, `a vintage of another variable than ${first.seriesId}`);
}

function readColumn(file: SourceFile, cell: unknown, letters: string): VintageColumn {
  const header = typeof cell === 'string' ? cell : '';
  const parts = /^(.+?)(\d\d)(?:Q([1-4])|M(\d{1,2}))$/i.exec(header);
  const [, prefix = '', digits = '', quarter, month] = parts ?? [];
  const seriesId = parseSeriesId(prefix);
  const year = Number(digits) + (Number(digits) >= 60 ? 1900 : 2000);
  const vintage = dayOf(year, quarter === undefined ? Number(month) : 3 * Number(quarter) - 1, 15);
  if (seriesId === undefined || vintage === undefined) {
    const reason = 'not a variable and its vintage, such as ROUTPUT65Q4 or EMPLOY64M12';
    throw refusal(file, { row: 1, column: letters, value: header }, reason);
  }
  return { name: `${letters} ${header}`, seriesId, vintage };
}

/** The letters over the column with that index: 0 is A, 26 is AA. */
function columnLetters(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnLetters(Math.floor(index / 26) - 1) + letter;
}

function readRows(
  file: SourceFile,
  sheet: Sheet,
  columns: readonly VintageColumn[],
): { readonly rows: readonly VintageRow[]; readonly frequency: Frequency } {
  const rows: VintageRow[] = [];
  let frequency: Frequency = '';
  for (const [index, cells] of sheet.entries()) {
    const row = index + 1;
    if (index === 0 || cells.every((cell) => cell === null)) continue;
    const label = String(cells[0] ?? '');
    const dated = readDate(label);
    if (dated === undefined) {
      throw refusal(file, { row, column: 'A DATE', value: label }, 'not a date such as 1947:Q1 or 1947:01');
    }
    if (rows.length > 0 && dated.frequency !== frequency) {
      throw refusal(file, { row, column: 'A DATE', value: label }, 'months and quarters in one file');
    }
    frequency = dated.frequency;
    rows.push({ row, date: dated.date, cells: readCells(file, row, cells, columns) });
  }
  if (rows.length === 0) throw refusal(file, {}, 'the file has a header and no rows');
  return { rows, frequency };
}

function readDate(label: string): { readonly date: Day; readonly frequency: Frequency } | undefined {
  const [, year, quarter, month] = /^(\d{4}):(?:Q([1-4])|(\d\d))$/.exec(label) ?? [];
  const date = dayOf(Number(year), quarter === undefined ? Number(month) : 3 * Number(quarter) - 2, 1);
  return date === undefined ? undefined : { date, frequency: quarter === undefined ? 'M' : 'Q' };
}

function readCells(
  file: SourceFile,
  row: number,
  cells: readonly unknown[],
  columns: readonly VintageColumn[],
): readonly string[] {
  return columns.map(({ name }, index) => {
    const cell = cells[index + 1] ?? '';
    if (typeof cell === 'string') return cell;
    const value = cell instanceof Date ? cell.toISOString() : String(cell);
    throw refusal(file, { row, column: name, value }, 'neither a number nor #N/A');
  });
}

/** Reads stored doubles; figures repeat from vintage to vintage, so each text is worked out once. */
function shortestDecimals(): (text: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (text) => {
    let value = known.get(text);
    if (value === undefined && !known.has(text)) {
      value = parseDecimal(text) === undefined ? undefined : parseDecimal(String(Number(text)));
      known.set(text, value);
    }
    return value;
  };
}
