import { parseSeriesId } from '../../domain/series/series.ts';
import { type Day, dayOf, type Frequency } from '../../domain/values/date.ts';
import { missingTexts } from '../../domain/values/missing-value.ts';
import { refusal, type SourceFile } from '../files/source-file.ts';
import { type FileHead, readCsv, textHead } from '../readers/csv.ts';
import { readSheets, type Sheet } from '../readers/xlsx.ts';
import type { ImportFormat } from './format.ts';
import { isFredWorkbook } from './fred/downloads.ts';
import { type VintageColumn, type VintageRow, vintageBatches } from './vintage-table.ts';

/**
 * The Real-Time Data Set of the Philadelphia Fed: a workbook per variable, a column per vintage.
 * A vintage is dated the 15th of its month or of the middle month of its quarter.
 */
export const rtdsm: ImportFormat = {
  kind: 'rtdsm',
  summary: [
    'Philadelphia Fed real-time data set',
    ' (ROUTPUTQvQd.xlsx, or a CSV of it), one vintage per column',
  ],
  source: 'Philadelphia Fed Real-Time Data Set',
  vintageKind: 'sampled',
  whole: true,
  recognise: (head) =>
    isWorkbook(head)
      ? !isFredWorkbook(head) &&
        (head.sheets?.headers ?? []).every((header) => isHeader(textHead(`${header}\n`).header))
      : head.header.length > 1 && isHeader(head.header),
  async *read(file) {
    const workbook = isWorkbook(textHead((await file.head()).toString('latin1'), file.name));
    const sheet = workbook ? await readOnlySheet(file) : await readTable(file);
    const columns = readColumns(file, sheet[0] ?? []);
    const { rows, frequency } = readRows(file, sheet, columns, workbook);
    const withdrawals = new Set(missingTexts.realTimeDataSet);
    yield* vintageBatches(file, { columns, rows }, { withdrawals, frequency });
  },
};

function isWorkbook({ text, name }: FileHead): boolean {
  return text.startsWith('PK\u0003\u0004') && /\.xlsx$/i.test(name);
}

function isHeader([date, ...columns]: readonly string[]): boolean {
  return date === 'DATE' && columns.every((name) => vintageName.test(name));
}

async function readOnlySheet(file: SourceFile): Promise<Sheet['rows']> {
  const sheets = await readSheets(file);
  const [sheet] = sheets;
  if (sheet === undefined || sheets.length > 1)
    throw refusal(file, {}, `the workbook has ${sheets.length} sheets; expected one`);
  return sheet.rows;
}

async function readTable(file: SourceFile): Promise<Sheet['rows']> {
  const sheet: (readonly (string | null)[])[] = [];
  for await (const rows of readCsv(file)) {
    for (const { row, cells } of rows) {
      while (sheet.length < row - 1) sheet.push([]);
      sheet.push(cells.map((cell) => (cell.trim() === '' ? null : cell.trim())));
    }
  }
  return sheet;
}

function readColumns(file: SourceFile, header: readonly unknown[]): VintageColumn[] {
  if (header[0] !== 'DATE') {
    const value = String(header[0] ?? '');
    throw refusal(
      file,
      { row: 1, column: 'A', value },
      'the first cell of a Real-Time Data Set workbook is DATE',
    );
  }
  if (header.length < 2) throw refusal(file, { row: 1 }, 'the file has dates and no vintages');
  const columns = header.slice(1).map((cell, index) => readColumn(file, cell, columnLetters(index + 1)));
  const [first] = columns;
  const other = columns.find(({ seriesId }) => seriesId !== first?.seriesId);
  if (first === undefined || other === undefined) return columns;
  throw refusal(
    file,
    { row: 1, column: other.name },
    `not a vintage of ${first.seriesId}, as the first column is`,
  );
}

/** A variable and its vintage: `ROUTPUT65Q4`, `EMPLOY64M12`. */
const vintageName = /^(.+?)(\d\d)(?:Q([1-4])|M(\d{1,2}))$/i;

function readColumn(file: SourceFile, cell: unknown, letters: string): VintageColumn {
  const header = typeof cell === 'string' ? cell : '';
  const parts = vintageName.exec(header);
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

/** Returns the letters of a column by its index: 0 is A, 26 is AA. */
function columnLetters(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnLetters(Math.floor(index / 26) - 1) + letter;
}

function readRows(
  file: SourceFile,
  sheet: Sheet['rows'],
  columns: readonly VintageColumn[],
  workbook: boolean,
): { readonly rows: readonly VintageRow[]; readonly frequency: Frequency } {
  const labels = sheet.flatMap((cells, index) => {
    const isRow = index > 0 && cells.some((cell) => cell !== null);
    return isRow ? [{ row: index + 1, label: String(cells[0] ?? '') }] : [];
  });
  if (labels.length === 0) throw refusal(file, {}, 'the file has a header and no rows');
  // The publisher's workbooks write quarters as 1947:Q1.
  const { dates, frequency } = periodsOf(file, labels, workbook ? undefined : columns[0]?.seriesId);
  const rows = labels.map(({ row }, index) => {
    return { row, date: dates[index] ?? '', cells: readCells(file, row, sheet[row - 1] ?? [], columns) };
  });
  return { rows, frequency };
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

type PeriodLabel = { readonly row: number; readonly label: string };

/** Quarterly variables of the data set. Their labels are `1947:Q1`, and `1947:01` in some copies. */
const quarterly: ReadonlySet<string> = new Set(
  `NCON NCPROFAT NCPROFATW NOUTPUT NPI NPSAV NDPI OLI OPH P PCON PCONX PIMP PROPI PTI RATESAV RCON RCOND RCONG RCONHH
  RCONND RCONS RCONSHH RCONSNP REX RFS RG RGF RGSL RIMP RINVBF RINVCHI RINVRESID RNX ROUTPUT RRI RTS ULC WSD`.split(
    /\s+/,
  ),
);

const monthly: ReadonlySet<string> = new Set(
  `BASEBASA CPI CUM CUT DIVBASA EMPLOY H HG HS HSTARTS IPM IPT LFC LFPART M1 M2 NBRBASA NBRECBASA PCPI PCPIX POP PPPI
  PPPIX RUC TRBASA`.split(/\s+/),
);

/**
 * Reads the periods of rows; `1947:01` is a month, or a quarter if the rows count 01 to 04, then 01 again.
 * With too few rows to tell, the variable decides; throws for an unknown variable.
 */
function periodsOf(
  file: SourceFile,
  labels: readonly PeriodLabel[],
  variable?: string,
): { readonly dates: readonly Day[]; readonly frequency: Frequency } {
  const [first] = labels;
  const ofQuarters = /:Q/.test(first?.label ?? '');
  const asQuarters = variable !== undefined && !ofQuarters && countsQuarters(file, labels, variable);
  const dates = labels.map(({ row, label }) => {
    const [, year, quarter, number] = /^(\d{4}):(?:Q([1-4])|(\d\d))$/.exec(label) ?? [];
    const isQuarter = quarter !== undefined;
    const month = isQuarter || asQuarters ? 3 * Number(quarter ?? number) - 2 : Number(number);
    const date = dayOf(Number(year), month, 1);
    if (date === undefined)
      throw refusal(file, { row, column: 'A DATE', value: label }, 'not a date such as 1947:Q1 or 1947:01');
    if (isQuarter !== ofQuarters)
      throw refusal(file, { row, column: 'A DATE', value: label }, 'the file mixes months and quarters');
    return date;
  });
  return { dates, frequency: ofQuarters || asQuarters ? 'Q' : 'M' };
}

function countsQuarters(file: SourceFile, labels: readonly PeriodLabel[], variable: string): boolean {
  const periods = labels.map(({ label }) => {
    const [year = 0, number = 0] = label.split(':').map(Number);
    return { year, number, quarters: 4 * year + number };
  });
  const isFollowing = ({ number, quarters }: (typeof periods)[number], index: number) =>
    number <= 4 && (index === 0 || quarters === (periods[index - 1]?.quarters ?? 0) + 1);
  if (!periods.every(isFollowing)) return false;
  if (new Set(periods.map(({ year }) => year)).size > 1 || quarterly.has(variable)) return true;
  if (monthly.has(variable)) return false;
  const { row = 0, label: value = '' } = labels[0] ?? {};
  const reason =
    'this could be a month or a quarter, and the file is too short to decide it; write 1947:Q1 for quarters';
  throw refusal(file, { row, column: 'A DATE', value }, reason);
}
