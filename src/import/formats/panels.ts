import { type Day, dayOf, type Frequency, monthEnd, parseDay } from '../../domain/series/date.ts';
import { missingTexts } from '../../domain/series/missing-value.ts';
import { frequencyOf, parseSeriesId } from '../../domain/series/series.ts';
import { refusal, type SourceFile } from '../files/source-file.ts';
import { cellsOf, readCsv } from '../readers/csv.ts';
import { readSheets, type Sheet } from '../readers/xlsx.ts';
import { type FileHead, type ImportFormat, type ReadOptions, textHead } from './format.ts';
import { isFredWorkbook } from './fred/downloads.ts';
import { isCurveColumn } from './treasury.ts';
import {
  columnId,
  fredCells,
  isRealTimeColumn,
  isValue,
  isVintageColumn,
  readFredTable,
  readVintageCsv,
  seriesOf,
  unknownVintage,
  type VintageColumn,
  type VintageRow,
  type VintageTable,
  vintageBatches,
} from './vintage-table.ts';

/** McCracken and Ng's monthly panel, one vintage per file; its date is the last day of the month in the file name. */
const fredMd: ImportFormat = panel({
  kind: 'fred-md',
  summary: ['FRED-MD monthly panel', ', one vintage per file, named 2015-01.csv'],
  source: 'FRED-MD',
  frequency: 'M',
  secondRow: /^transform:?$/i,
});

/** Their quarterly panel; each quarter is dated by its last month. */
const fredQd: ImportFormat = panel({
  kind: 'fred-qd',
  summary: ['FRED-QD quarterly panel', ', one vintage per file, named 2021-04.csv'],
  source: 'FRED-QD',
  frequency: 'Q',
  secondRow: /^factors:?$/i,
});

type PanelKind = Pick<ImportFormat, 'kind' | 'summary' | 'source'> & {
  readonly frequency: Frequency;
  /** The first cell below `sasdate`, in which the two panels differ. */
  readonly secondRow: RegExp;
};

function panel({ frequency, secondRow, ...named }: PanelKind): ImportFormat {
  return {
    ...named,
    vintageKind: 'sampled',
    whole: true,
    takesAsOf: true,
    recognise: ({ header, text }) =>
      header[0]?.toLowerCase() === 'sasdate' && secondRow.test(cellsOf(text, 1)[0] ?? ''),
    async *read(file, options) {
      const vintage = monthOf(file, options);
      let shortYears = false;
      const table = await readVintageCsv(file, {
        column: (name) => ({ seriesId: columnId(file, name), vintage }),
        date: (text) => {
          const [, month, day, year] = /^(\d{1,2})\/(\d{1,2})\/(\d\d)$/.exec(text) ?? [];
          if (year === undefined) return text.endsWith('-01') ? parseDay(text) : undefined;
          shortYears = true;
          return Number(day) === 1 ? dayOf(fullYear(Number(year)), Number(month), 1) : undefined;
        },
        dateForm: 'M/D/YYYY, the first day of a month',
        dateOrder: 'M/D/YYYY',
        isNote: (label) => /^(?:factors|transform):?$/i.test(label),
      });
      if (shortYears) refuseDisorder(file, table);
      yield* vintageBatches(file, table, { ...fredCells, frequency });
    },
  };
}

/** The panels begin in 1959, so two-digit years from 59 are in the 1900s; `refuseDisorder` catches the exceptions. */
function fullYear(year: number): number {
  return year + (year >= 59 ? 1900 : 2000);
}

function refuseDisorder(file: SourceFile, { rows }: VintageTable): void {
  let before = '';
  for (const { row, date } of rows) {
    if (date < before) {
      const reason = `with two-digit years, dates must ascend; the row above has ${before}`;
      throw refusal(file, { row, value: date }, reason);
    }
    before = date;
  }
}

/** Published file names: `2015-01.csv`, `2024-12-md.csv`, `FRED-MD_2020m05.csv`. */
const fileMonth = /^(?:FRED-?[MQ]D[-_]?)?(\d{4})(?:-|m)(\d{1,2})(?:-?[mq]d?)?\.csv$/i;

function monthOf(file: SourceFile, options: ReadOptions): Day {
  if (options.asOf !== undefined) return options.asOf;
  const [, year, month] = fileMonth.exec(file.name) ?? [];
  const first = dayOf(Number(year), Number(month), 1);
  if (first !== undefined) return monthEnd(first);
  throw unknownVintage(file, 'the file name is not the month of its vintage, such as 2015-01.csv');
}

/** A panel of FRED series as published on the day in the file name; its rows can be monthly and its columns coarser. */
const datedPanel: ImportFormat = {
  kind: 'dated-panel',
  summary: ['panel of FRED series', ' (date,PAYEMS,…), one vintage per file, named YYYY-MM-DD.csv'],
  source: 'FRED dated panel',
  vintageKind: 'sampled',
  whole: true,
  takesAsOf: true,
  recognise: isDatedPanel,
  async *read(file, options) {
    const vintage = vintageOf(file, options);
    const table = await readVintageCsv(file, {
      column: (name) => ({ seriesId: columnId(file, name), vintage }),
    });
    const rowFrequency = frequencyOf(table.rows.map(({ date }) => date));
    yield* vintageBatches(file, table, { ...fredCells, ...(rowFrequency === 'M' && { rowFrequency }) });
  },
};

/** Only the file name distinguishes the publisher's panels from other tables of series by date. */
function isDatedPanel({ header: [date, ...columns], name }: FileHead): boolean {
  if (date !== 'date' || columns.length === 0 || columns.every(isCurveColumn)) return false;
  if (dayOfName(name) === undefined || columns.some(isRealTimeColumn)) return false;
  return columns.every((column) => isSeriesColumn(column) && !isVintageColumn(column));
}

function dayOfName(name: string): Day | undefined {
  return parseDay(name.replace(/\.csv$/i, ''));
}

function vintageOf(file: SourceFile, options: ReadOptions): Day {
  const vintage = options.asOf ?? dayOfName(file.name);
  if (vintage !== undefined) return vintage;
  throw unknownVintage(file, 'the file name is not its vintage date, such as 2016-07-29.csv');
}

/** Figures by date as people write them: `Date,GDP`, or `date,value` with `--series`. It claims no source. */
const plainCsv: ImportFormat = {
  kind: 'plain-csv',
  summary: [
    'figures by date',
    ' (Date,GDP, or date,value with --series), one vintage per file; its date is --as-of',
  ],
  vintageKind: 'fetched',
  whole: true,
  takesAsOf: true,
  takesSeries: true,
  recognise(head) {
    const [date, ...columns] = head.header;
    if (columns.length === 0 || columns.some((name) => maturityName.test(name) || isVintageColumn(name)))
      return false;
    if ((date !== 'Date' && date !== 'date') || isDatedPanel(head)) return false;
    if (columns.every(isCurveColumn) || columns.some(isRealTimeColumn)) return false;
    return columns.every(isValue) || columns.every((name) => isSeriesColumn(name) && !isValue(name));
  },
  async *read(file, options) {
    const vintage = options.asOf ?? parseDay(file.name.replace(/\.\w+$/, ''));
    if (vintage === undefined)
      throw unknownVintage(file, 'the file does not state when its figures were known');
    yield* readFredTable(file, (name) => ({ seriesId: seriesOf(file, name, options), vintage }));
  },
};

/** A treasury table has maturities, such as `10 Yr`. */
const maturityName = /^\d+(?:\.\d+)? ?(?:mo|month|yr|year)s?$/i;

/** Columns that asof's output and other tables have beside a date, where a panel has series. */
const fieldName =
  /^(?:value|rate|maturity|source|unit|frequency|id|series_id|as_of(?:_date)?|curve_type|trade_date)$/;

function isSeriesColumn(name: string): boolean {
  if (fieldName.test(name) || maturityName.test(name) || parseDay(name) !== undefined) return false;
  return parseSeriesId(name) !== undefined;
}

/**
 * The Real-Time Data Set of the Philadelphia Fed: one workbook per variable, one column per vintage, dated the 15th of
 * its month or of the middle month of its quarter. Numbers are the shortest text of the stored double.
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
    yield* vintageBatches(
      file,
      { columns, rows },
      {
        withdrawals: new Set(missingTexts.realTimeDataSet),
        frequency,
      },
    );
  },
};

function isWorkbook({ text, name }: FileHead): boolean {
  return text.startsWith('PK\u0003\u0004') && /\.xlsx$/i.test(name);
}

function isHeader([date, ...columns]: readonly string[]): boolean {
  return date === 'DATE' && columns.every((name) => vintageName.test(name));
}

/** The only sheet of a workbook; a file that is not a workbook or has another number of sheets is refused. */
async function readOnlySheet(file: SourceFile): Promise<Sheet['rows']> {
  const sheets = await readSheets(file);
  const [sheet] = sheets;
  if (sheet === undefined || sheets.length > 1)
    throw refusal(file, {}, `the workbook has ${sheets.length} sheets; expected one`);
  return sheet.rows;
}

/** The rows of a CSV file at their places, so that blank rows count. */
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

/** The letters of a column by its index: 0 is A, 26 is AA. */
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
  // A workbook of the publisher writes quarters as 1947:Q1.
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

/** The label of a row, such as `1947:Q1` or `1947:01`, and its row in the file. */
type PeriodLabel = { readonly row: number; readonly label: string };

/** Variables of the data set that are quarterly. Their labels are `1947:Q1`, and `1947:01` in some copies. */
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
 * The periods of rows. `1947:01` is a month, unless the rows of a variable count quarters: 01 to 04, then 01 of the
 * next year. With too few rows to tell, the variable decides; an unknown one is refused.
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

/** The formats of tables of figures by date, in the order in which help lists them. */
export const panelFormats: readonly ImportFormat[] = [fredMd, fredQd, datedPanel, plainCsv, rtdsm];
