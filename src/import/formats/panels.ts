import { publishers } from '../../domain/series/publishers.ts';
import { frequencyOf, parseSeriesId, type SeriesMetadata } from '../../domain/series/series.ts';
import { Statements } from '../../domain/series/statements.ts';
import { readColumns } from '../../domain/series/table-columns.ts';
import { type DateOrder, type Day, dayOf, type Frequency, parseDay } from '../../domain/values/date.ts';
import { DistinctDays } from '../../domain/values/distinct-days.ts';
import { entryOf } from '../../domain/values/groups.ts';
import { missingTexts } from '../../domain/values/missing-value.ts';
import { refusal, type SourceFile } from '../files/source-file.ts';
import type { CsvRow } from '../readers/cells.ts';
import { type FileHead, isDateColumn, readCsvBody } from '../readers/csv.ts';
import {
  type Batch,
  type ImportFormat,
  isValue,
  readDay,
  readNumber,
  readSeriesId,
  seriesOf,
  vintageOf,
  vintageOfMonth,
} from './format.ts';
import { isCurveColumn } from './treasury.ts';

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
      const vintage = vintageOfMonth(file, options, fileMonth, '2015-01.csv');
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
export const datedPanel: ImportFormat = {
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
export const plainCsv: ImportFormat = {
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

/** A column with one whole vintage of one series. */
export type VintageColumn = {
  readonly name: string;
  readonly seriesId: string;
  readonly vintage: Day;
};

/** A row of figures: its row in the file, date and cells. */
type VintageRow = { readonly row: number; readonly date: Day; readonly cells: readonly string[] };

/** All rows of a file, because the meaning of blanks depends on them. */
export type VintageTable = {
  readonly columns: readonly VintageColumn[];
  readonly rows: readonly VintageRow[];
  readonly notes?: readonly string[];
};

type CellRules = {
  /** The texts for "not available" and "no longer available". */
  readonly withdrawals: readonly string[];
  readonly frequency?: Frequency;
  /** The frequency of columns without a coarser one, if the format states it. */
  readonly rowFrequency?: Frequency;
};

/** The cells of FRED's CSV files and similar ones: decimals; `.`, `#N/A` and `NA` are withdrawals. */
const fredCells: CellRules = {
  withdrawals: missingTexts.fred,
};

/**
 * Reads a table of whole vintages, column by column; throws for repeated dates and vintages.
 * A cell without a number means no figure in its vintage, in rows that begin a period of the series.
 */
export function* vintageBatches(file: SourceFile, table: VintageTable, rules: CellRules): Generator<Batch> {
  refuseRepeats(file, table);
  const cells = readCells(file, table, rules);
  const readings = readingsOf(table, cells, rules);
  yield {
    implied: Array.from(readings).flatMap(([seriesId, { implied }]): SeriesMetadata[] =>
      implied === '' ? [] : [{ seriesId, frequency: implied }],
    ),
    coverage: table.columns.map(({ seriesId, vintage }) => ({ seriesId, coveredTo: vintage, whole: true })),
    notes: table.notes ?? [],
  };
  const days = new DistinctDays();
  for (const [index, { seriesId, vintage: asOf }] of table.columns.entries()) {
    const statements = new Statements(seriesId, [], days);
    const values = cells[index] ?? [];
    const speaksFor = readings.get(seriesId)?.speaksFor;
    for (const [row, { date }] of table.rows.entries()) {
      const value = values[row] ?? null;
      if (value !== null || speaksFor === undefined || speaksFor(date)) statements.add(date, asOf, value);
    }
    yield { statements: [statements] };
  }
}

function refuseRepeats(file: SourceFile, { columns, rows }: VintageTable): void {
  const vintages = new Map<string, string>();
  for (const { name, seriesId, vintage } of columns) {
    const key = `${seriesId} ${vintage}`;
    const before = vintages.get(key);
    if (before !== undefined) {
      const reason =
        before === name
          ? 'two columns have this name'
          : `column ${before} already has ${seriesId} as of ${vintage}`;
      throw refusal(file, { column: name }, reason, ['remove one of them, or name it for its own series']);
    }
    vintages.set(key, name);
  }
  const dates = new Map<Day, number>();
  for (const { row, date } of rows) {
    const before = dates.get(date);
    if (before !== undefined)
      throw refusal(file, { row, value: date }, `row ${before} already has this date`);
    dates.set(date, row);
  }
}

/** A number, null for a withdrawal, or undefined for a blank cell. */
type CellValue = string | null | undefined;

function readCells(
  file: SourceFile,
  { columns, rows }: VintageTable,
  { withdrawals }: CellRules,
): readonly (readonly CellValue[])[] {
  const described = [...withdrawals, 'blank'].join(' or ');
  return columns.map(({ name }, index) =>
    rows.map(({ row, cells }) => {
      const value = (cells[index] ?? '').trim();
      if (value === '') return undefined;
      return readNumber(file, { row, column: name, value }, withdrawals, described);
    }),
  );
}

/** Decides how to read the columns of each series; all vintages of a series have one frequency. */
function readingsOf(
  { columns, rows }: VintageTable,
  cells: readonly (readonly CellValue[])[],
  { frequency, rowFrequency }: CellRules,
): ReturnType<typeof readColumns> {
  if (frequency !== undefined)
    return new Map(columns.map(({ seriesId }) => [seriesId, { implied: frequency, speaksFor: () => true }]));
  const figures = new Map<string, Set<Day>>();
  const entries = new Map<string, Set<Day>>();
  for (const [index, { seriesId }] of columns.entries()) {
    const days = entryOf(figures, seriesId, () => new Set<Day>());
    const all = entryOf(entries, seriesId, () => new Set<Day>());
    for (const [row, { date }] of rows.entries()) {
      const value = cells[index]?.[row];
      if (value !== undefined) all.add(date);
      if (typeof value === 'string') days.add(date);
    }
  }
  // FRED once wrote dots in months without a quarterly figure: only two or more numbers show a frequency.
  for (const [seriesId, days] of figures)
    if (days.size < 2) figures.set(seriesId, entries.get(seriesId) ?? days);
  const dates = rows.map(({ date }) => date);
  return readColumns(dates, figures, rowFrequency);
}

type VintageLayout = {
  /** Returns the series and vintage of a column; throws a refusal if its name states neither. */
  readonly column: (name: string) => Omit<VintageColumn, 'name'>;
  /** Default: YYYY-MM-DD. */
  readonly date?: (text: string) => Day | undefined;
  readonly dateForm?: string;
  /** The order of month and day, if the publisher always uses one. */
  readonly dateOrder?: DateOrder;
  /** Tells by its first cell whether a row above the first date has no figures. Default: never. */
  readonly isNote?: (label: string) => boolean;
};

async function* readFredTable(file: SourceFile, column: VintageLayout['column']): AsyncGenerator<Batch> {
  yield* vintageBatches(file, await readVintageCsv(file, { column }), fredCells);
}

export async function readVintageCsv(file: SourceFile, layout: VintageLayout): Promise<VintageTable> {
  const rows: VintageRow[] = [];
  let columns: readonly VintageColumn[] = [];
  const notes: string[] = [];
  const { date: dateIn, dateForm, dateOrder, isNote } = layout;
  for await (const batch of readCsvBody(file, (header) => columnsOf(file, header, layout), {
    usual: dateOrder,
  })) {
    columns = batch.header;
    notes.push(...batch.notes);
    for (const { row, cells } of batch.rows) {
      const label = (cells[0] ?? '').trim();
      if (rows.length === 0 && isNote?.(label) === true) continue;
      const date = readDay(file, { row, value: label }, dateForm, dateIn);
      rows.push({ row, date, cells: cells.slice(1) });
    }
  }
  if (rows.length === 0) throw refusal(file, {}, 'the file has a header and no rows of figures');
  return { columns, rows, notes };
}

function columnsOf(file: SourceFile, header: CsvRow, layout: VintageLayout): readonly VintageColumn[] {
  const names = header.cells.slice(1).map((cell) => cell.trim());
  if (names.length === 0) throw refusal(file, { row: header.row }, 'the file has dates and no series');
  return names.map((name) => ({ name, ...layout.column(name) }));
}

/** Tells whether a column has the start or the end of real-time periods. */
function isRealTimeColumn(name: string): boolean {
  return /^realtime_(?:start|end)(?:_date)?$/i.test(name);
}

const vintageColumn = /^(.+)_(?=\d{8}$|\d{4}-\d\d-\d\d$)(\d{4})-?(\d\d)-?(\d\d)$/;

/** Tells whether a column is named after a series and vintage date: `GDPC1_20150130`, `GDPC1_2015-01-30`. */
function isVintageColumn(name: string): boolean {
  return vintageColumn.test(name);
}

/** Splits the name of a vintage column into its series and its vintage date. */
function splitVintageColumn(name: string): { readonly series: string; readonly vintage: Day } | undefined {
  const [, series, year, month, day] = vintageColumn.exec(name) ?? [];
  const vintage = parseDay(`${year}-${month}-${day}`);
  return series === undefined || vintage === undefined ? undefined : { series, vintage };
}

/** FRED's CSV download: the figures of one day, not stated in the file. */
export const fredCsv: ImportFormat = {
  kind: 'fred-csv',
  summary: ['FRED download', ' (observation_date,GDP), one vintage per file; its date is --as-of'],
  source: publishers.fred.name,
  vintageKind: 'fetched',
  whole: true,
  takesAsOf: true,
  takesSeries: true,
  recognise({ header: [date, ...columns] }) {
    if (!isFredDate(date) || columns.length === 0 || columns.some(isRealTimeColumn)) return false;
    // A column named by a vintage date alone does not state its series.
    if (columns.some((name) => parseDay(name) !== undefined)) return false;
    // The Real-Time Data Set has a column for each vintage of its variable, such as ROUTPUT65Q4.
    if (columns.every((name) => /\d\d(?:Q[1-4]|M\d\d?)$/i.test(name))) return false;
    return !columns.some(isVintageColumn) && !columns.every(isCurveColumn);
  },
  async *read(file, options) {
    const reason = 'the file does not state when its figures were known';
    const vintage = vintageOf(file, options, undefined, reason);
    // For some years FRED named the only column VALUE, for any series.
    yield* readFredTable(file, (name) => ({ seriesId: seriesOf(file, name, options), vintage }));
  },
};

/** ALFRED's CSV download of several vintages; a column's name is its series and vintage date. */
export const alfredWide: ImportFormat = {
  kind: 'alfred-wide',
  summary: ['ALFRED download', ' (observation_date,GDPC1_20150130,…), one vintage per column'],
  source: publishers.fred.name,
  vintageKind: 'exact',
  whole: true,
  recognise: ({ header: [date = '', ...columns] }) => isDateColumn(date) && columns.some(isVintageColumn),
  read: (file) =>
    readFredTable(file, (name) => {
      const parts = splitVintageColumn(name);
      if (parts !== undefined)
        return { seriesId: readSeriesId(file, { row: 1, column: parts.series }), vintage: parts.vintage };
      const reason = 'not a series and its vintage date, such as GDPC1_20150130';
      throw refusal(file, { row: 1, column: name }, reason);
    }),
};

function isFredDate(name = ''): boolean {
  return /^observation_date$/i.test(name) || name === 'DATE';
}
