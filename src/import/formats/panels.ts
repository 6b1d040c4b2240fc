import { publishers } from '../../domain/series/publishers.ts';
import { realTimeVariables } from '../../domain/series/real-time-data-set.ts';
import { frequencyOf, parseSeriesId } from '../../domain/series/series.ts';
import { type Day, dayOf, type Frequency, monthEnd, parseDay } from '../../domain/values/date.ts';
import { missingTexts } from '../../domain/values/missing-value.ts';
import { refusal, type SourceFile } from '../files/source-file.ts';
import type { FileHead } from '../readers/csv.ts';
import { isWorkbook, readSheets } from '../readers/xlsx.ts';
import { type ImportFormat, readSeriesId } from './format.ts';
import { isCurveColumn } from './treasury.ts';
import {
  fredCells,
  isRealTimeColumn,
  isValue,
  isVintageColumn,
  readFredTable,
  readVintageCsv,
  seriesOf,
  type VintageColumn,
  type VintageTable,
  vintageBatches,
  vintageOf,
} from './vintage-table.ts';

/** The monthly panel of McCracken and Ng, one vintage per file, dated the last day of the month in its name. */
export const fredMd: ImportFormat = panel({
  kind: 'fred-md',
  summary: ['FRED-MD monthly panel', ', one vintage per file, named 2015-01.csv'],
  source: publishers.fredMd.name,
  frequency: 'M',
  secondRow: /^transform:?$/i,
});

/** Their quarterly panel; each quarter is dated by its last month. */
export const fredQd: ImportFormat = panel({
  kind: 'fred-qd',
  summary: ['FRED-QD quarterly panel', ', one vintage per file, named 2021-04.csv'],
  source: publishers.fredQd.name,
  frequency: 'Q',
  secondRow: /^factors:?$/i,
});

type PanelKind = Pick<ImportFormat, 'kind' | 'summary' | 'source'> & {
  readonly frequency: Frequency;
  /** The first cell below `sasdate`, which differs between the two panels. */
  readonly secondRow: RegExp;
};

function panel({ frequency, secondRow, ...named }: PanelKind): ImportFormat {
  return {
    ...named,
    vintageKind: 'sampled',
    whole: true,
    takesAsOf: true,
    recognise: ({ header, second }) =>
      header[0]?.toLowerCase() === 'sasdate' && secondRow.test(second[0] ?? ''),
    async *read(file, options) {
      const [, year, month] = fileMonth.exec(file.name) ?? [];
      const first = dayOf(Number(year), Number(month), 1);
      const reason = 'the file name is not the month of its vintage, such as 2015-01.csv';
      const vintage = vintageOf(file, options, first && monthEnd(first), reason);
      let shortYears = false;
      const table = await readVintageCsv(file, {
        column: (name) => ({ seriesId: readSeriesId(file, { row: 1, column: name }), vintage }),
        date: (text) => {
          const [, month, day, year] = /^(\d{1,2})\/(\d{1,2})\/(\d\d)$/.exec(text) ?? [];
          if (year === undefined) return text.endsWith('-01') ? parseDay(text) : undefined;
          shortYears = true;
          // 1959 to 2058; `refuseDisorder` catches the exceptions.
          const century = Number(year) >= 59 ? 1900 : 2000;
          return Number(day) === 1 ? dayOf(century + Number(year), Number(month), 1) : undefined;
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

/** Published file names: `2015-01.csv`, `2024-12-md.csv`, `2026-rev-08-md.csv`, `FRED-MD_2020m05.csv`. */
const fileMonth = /^(?:FRED-?[MQ]D[-_]?)?(\d{4})(?:-(?:rev-)?|m)(\d{1,2})(?:-?[mq]d?)?\.csv$/i;

/** A panel of FRED series published on the day in its name, by month or coarser. */
const datedPanel: ImportFormat = {
  kind: 'dated-panel',
  summary: ['panel of FRED series', ' (date,PAYEMS,…), one vintage per file, named YYYY-MM-DD.csv'],
  source: 'FRED dated panel',
  vintageKind: 'sampled',
  whole: true,
  takesAsOf: true,
  recognise: isDatedPanel,
  async *read(file, options) {
    const reason = 'the file name is not its vintage date, such as 2016-07-29.csv';
    const vintage = vintageOf(file, options, dayOfName(file.name), reason);
    const table = await readVintageCsv(file, {
      column: (name) => ({ seriesId: readSeriesId(file, { row: 1, column: name }), vintage }),
    });
    const rowFrequency = frequencyOf(table.rows.map(({ date }) => date));
    yield* vintageBatches(file, table, { ...fredCells, ...(rowFrequency === 'M' && { rowFrequency }) });
  },
};

/** Tells a publisher's panel from other tables of series by date, by its file name alone. */
function isDatedPanel({ header: [date, ...columns], name }: FileHead): boolean {
  if (date !== 'date' || columns.length === 0 || columns.every(isCurveColumn)) return false;
  if (dayOfName(name) === undefined || columns.some(isRealTimeColumn)) return false;
  return columns.every((column) => isSeriesColumn(column) && !isVintageColumn(column));
}

function dayOfName(name: string): Day | undefined {
  return parseDay(name.replace(/\.csv$/i, ''));
}

/** Figures by date as people write them: `Date,GDP`, or `date,value` with `--series`. It states no source. */
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
    const named = parseDay(file.name.replace(/\.\w+$/, ''));
    const vintage = vintageOf(file, options, named, 'the file does not state when its figures were known');
    yield* readFredTable(file, (name) => ({ seriesId: seriesOf(file, name, options), vintage }));
  },
};

/** A treasury table has maturities, such as `10 Yr`. */
const maturityName = /^\d+(?:\.\d+)? ?(?:mo|month|yr|year)s?$/i;

/** Columns beside a date in asof's output and other tables, where a panel has series. */
const fieldName =
  /^(?:value|rate|maturity|source|unit|frequency|id|series_id|as_of(?:_date)?|curve_type|trade_date)$/;

function isSeriesColumn(name: string): boolean {
  if (fieldName.test(name) || maturityName.test(name) || parseDay(name) !== undefined) return false;
  return parseSeriesId(name) !== undefined;
}

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
  source: publishers.rtdsm.name,
  vintageKind: 'sampled',
  whole: true,
  recognise: ({ header, sheets = [{ head: { header } }] }) =>
    sheets.every(
      ({
        head: {
          header: [date, ...columns],
        },
      }) => date === 'DATE' && columns.length > 0 && columns.every((name) => vintageName.test(name)),
    ),
  async *read(file) {
    const inWorkbook = isWorkbook(await file.head());
    let ofQuarters: boolean | undefined;
    let variable: string | undefined;
    const table = await readVintageCsv(inWorkbook ? await onlySheet(file) : file, {
      column(name) {
        const column = columnOf(file, name);
        variable ??= column.seriesId;
        if (column.seriesId === variable) return column;
        throw refusal(file, { row: 1, column: name }, `not a vintage of ${variable}, as the first column is`);
      },
      date(label) {
        const [, year, quarter, month] = /^(\d{4}):(?:Q([1-4])|(\d\d))$/.exec(label) ?? [];
        ofQuarters ??= quarter !== undefined;
        if (ofQuarters !== (quarter !== undefined)) return undefined;
        return dayOf(Number(year), quarter === undefined ? Number(month) : 3 * Number(quarter) - 2, 1);
      },
      dateForm: '1947:Q1 or 1947:01, in one form throughout',
    });
    // The publisher's workbooks write quarters as 1947:Q1.
    const title = realTimeVariables.get(variable ?? '')?.title;
    if (variable !== undefined && title !== undefined) yield { metadata: [{ seriesId: variable, title }] };
    const counted = !inWorkbook && ofQuarters !== true && countsQuarters(file, table, variable ?? '');
    const rows = counted ? table.rows.map((row) => ({ ...row, date: quarterOf(row.date) })) : table.rows;
    yield* vintageBatches(
      file,
      { ...table, rows },
      {
        withdrawals: missingTexts.realTimeDataSet,
        frequency: counted || ofQuarters === true ? 'Q' : 'M',
      },
    );
  },
};

async function onlySheet(file: SourceFile): Promise<SourceFile> {
  const [sheet, ...others] = await readSheets(file);
  if (sheet !== undefined && others.length === 0) return { ...sheet.csv, path: file.path };
  throw refusal(file, {}, `the workbook has ${others.length + 1} sheets; expected one`);
}

/** A variable and its vintage: `ROUTPUT65Q4`, `EMPLOY64M12`. */
const vintageName = /^(.+?)(\d\d)(?:Q([1-4])|M(\d{1,2}))$/i;

function columnOf(file: SourceFile, name: string): Omit<VintageColumn, 'name'> {
  const [, prefix = '', digits = '', quarter, month] = vintageName.exec(name) ?? [];
  const seriesId = parseSeriesId(prefix);
  const year = Number(digits) + (Number(digits) >= 60 ? 1900 : 2000);
  const vintage = dayOf(year, quarter === undefined ? Number(month) : 3 * Number(quarter) - 1, 15);
  if (seriesId !== undefined && vintage !== undefined) return { seriesId, vintage };
  const reason = 'not a variable and its vintage, such as ROUTPUT65Q4 or EMPLOY64M12';
  throw refusal(file, { row: 1, column: name }, reason);
}

/**
 * Tells whether `1947:01` is a quarter: the rows count 01 to 04, then 01 again.
 * With too few rows to tell, the variable decides; throws for an unknown variable.
 */
function countsQuarters(file: SourceFile, { rows }: VintageTable, variable: string): boolean {
  const periods = rows.map(({ date }) => {
    const [year = 0, number = 0] = date.split('-').map(Number);
    return { year, number, place: 4 * year + number };
  });
  const [first] = periods;
  const isRun = periods.every(
    ({ number, place }, index) => number <= 4 && place === (first?.place ?? 0) + index,
  );
  if (!isRun) return false;
  const frequency = realTimeVariables.get(variable)?.frequency;
  if (periods.at(-1)?.year !== first?.year || frequency === 'Q') return true;
  if (frequency === 'M') return false;
  const reason =
    'this could be a month or a quarter, and the file is too short to decide it; write 1947:Q1 for quarters';
  throw refusal(file, { row: rows[0]?.row ?? 0, value: rows[0]?.date.slice(0, 7) ?? '' }, reason);
}

function quarterOf(date: string): string {
  const [year, number] = date.split('-').map(Number);
  return dayOf(year ?? 0, 3 * (number ?? 0) - 2, 1) ?? date;
}

/** The panels and tables of figures by date, in the order of the help. */
export const panelFormats: readonly ImportFormat[] = [fredMd, fredQd, datedPanel, plainCsv, rtdsm];
