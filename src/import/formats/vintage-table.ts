import type { Statement } from '../../domain/series/revision-history.ts';
import type { SeriesMetadata } from '../../domain/series/series.ts';
import { readColumns } from '../../domain/series/table-columns.ts';
import { type DateOrder, type Day, type Frequency, parseDay } from '../../domain/values/date.ts';
import { entryOf } from '../../domain/values/groups.ts';
import { missingTexts } from '../../domain/values/missing-value.ts';
import { refusal, type SourceFile } from '../files/source-file.ts';
import { type CsvRow, readCsvBody } from '../readers/csv.ts';
import { type Batch, type ReadOptions, readDay, readNumber, readSeriesId } from './format.ts';

const batchSize = 5000;

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
};

type CellRules = {
  /** The texts for "not available" and "no longer available". */
  readonly withdrawals: readonly string[];
  readonly frequency?: Frequency;
  /** The frequency of columns without a coarser one, if the format states it. */
  readonly rowFrequency?: Frequency;
};

/** The cells of FRED's CSV files and similar ones: decimals; `.`, `#N/A` and `NA` are withdrawals. */
export const fredCells: CellRules = {
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
  };
  let statements: Statement[] = [];
  for (const [index, { seriesId, vintage: asOf }] of table.columns.entries()) {
    const values = cells[index] ?? [];
    const speaksFor = readings.get(seriesId)?.speaksFor;
    for (const [row, { date }] of table.rows.entries()) {
      const value = values[row] ?? null;
      if (value !== null || speaksFor === undefined || speaksFor(date))
        statements.push({ seriesId, date, asOf, value });
    }
    if (statements.length < batchSize) continue;
    yield { statements };
    statements = [];
  }
  if (statements.length > 0) yield { statements };
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

/** Reads a CSV file of whole vintages with FRED's cells. */
export async function* readFredTable(
  file: SourceFile,
  column: VintageLayout['column'],
): AsyncGenerator<Batch> {
  yield* vintageBatches(file, await readVintageCsv(file, { column }), fredCells);
}

export async function readVintageCsv(file: SourceFile, layout: VintageLayout): Promise<VintageTable> {
  const rows: VintageRow[] = [];
  let columns: readonly VintageColumn[] = [];
  const { date: dateIn, dateForm, dateOrder, isNote } = layout;
  for await (const batch of readCsvBody(file, (header) => columnsOf(file, header, layout), {
    usual: dateOrder,
  })) {
    columns = batch.header;
    for (const { row, cells } of batch.rows) {
      const label = (cells[0] ?? '').trim();
      if (rows.length === 0 && isNote?.(label) === true) continue;
      const date = readDay(file, { row, value: label }, dateForm, dateIn);
      rows.push({ row, date, cells: cells.slice(1) });
    }
  }
  if (rows.length === 0) throw refusal(file, {}, 'the file has a header and no rows of figures');
  return { columns, rows };
}

function columnsOf(file: SourceFile, header: CsvRow, layout: VintageLayout): readonly VintageColumn[] {
  const names = header.cells.slice(1).map((cell) => cell.trim());
  if (names.length === 0) throw refusal(file, { row: header.row }, 'the file has dates and no series');
  return names.map((name) => ({ name, ...layout.column(name) }));
}

/** Returns the series of a column: `value` is the one of `--series`, any other name is an id. */
export function seriesOf(file: SourceFile, name: string, { series }: ReadOptions): string {
  if (!isValue(name)) {
    const id = readSeriesId(file, { row: 1, column: name });
    if (series === undefined || series === id) return id;
    const reason = `the file names its series ${id}; --id ${id}=${series} imports it as ${series}`;
    throw refusal(file, { row: 1, column: name }, reason);
  }
  if (series !== undefined) return readSeriesId(file, { row: 1, column: series });
  throw refusal(file, { row: 1, column: name }, 'the file does not name its series; pass --series ID');
}

/** Tells whether a column is named `value`, for any series. */
export function isValue(name: string): boolean {
  return name.toUpperCase() === 'VALUE';
}

/** Returns a file's vintage date: `--as-of`, or else the stated one; throws with `reason` if both are missing. */
export function vintageOf(
  file: SourceFile,
  { asOf }: ReadOptions,
  stated: Day | undefined,
  reason: string,
): Day {
  const vintage = asOf ?? stated;
  if (vintage !== undefined) return vintage;
  throw refusal(file, {}, `${reason}; pass --as-of`, ['asof import FILE --as-of YYYY-MM-DD']);
}

/** Tells whether a column has the start or the end of real-time periods. */
export function isRealTimeColumn(name: string): boolean {
  return /^realtime_(?:start|end)(?:_date)?$/i.test(name);
}

const vintageColumn = /^(.+)_(?=\d{8}$|\d{4}-\d\d-\d\d$)(\d{4})-?(\d\d)-?(\d\d)$/;

/** Tells whether a column is named after a series and vintage date: `GDPC1_20150130`, `GDPC1_2015-01-30`. */
export function isVintageColumn(name: string): boolean {
  return vintageColumn.test(name);
}

/** Splits the name of a vintage column into its series and its vintage date. */
export function splitVintageColumn(
  name: string,
): { readonly series: string; readonly vintage: Day } | undefined {
  const [, series, year, month, day] = vintageColumn.exec(name) ?? [];
  const vintage = parseDay(`${year}-${month}-${day}`);
  return series === undefined || vintage === undefined ? undefined : { series, vintage };
}
