import type { Day, Frequency } from '../../domain/series/date.ts';
import { parseDecimal } from '../../domain/series/decimal.ts';
import type { SeriesMetadata } from '../../domain/series/series.ts';
import type { Statement } from '../../domain/series/statement.ts';
import { type Batch, refusal, type SourceFile } from './format.ts';

const batchSize = 5000;

/** A column that is one whole vintage of one series. */
export type VintageColumn = {
  /** The column as its file names it, for refusals. */
  readonly name: string;
  readonly seriesId: string;
  readonly vintage: Day;
};

/** A row of figures: its place in the file, its date, and a text for every column (blank where the cell is). */
export type VintageRow = { readonly row: number; readonly date: Day; readonly cells: readonly string[] };

/** A file of whole vintages; it is held in memory because what a blank means depends on what follows it. */
export type VintageTable = {
  readonly columns: readonly VintageColumn[];
  readonly rows: readonly VintageRow[];
};

/** How a format writes its cells, and what it implies of a column. */
type CellRules = {
  /** The exact decimal text of a number, or undefined when the cell holds none. */
  readonly number: (text: string) => string | undefined;
  /** The texts that say: no longer, or not, available. */
  readonly withdrawals: ReadonlySet<string>;
  readonly frequencyOf: (column: number) => Frequency;
  /** Whether a column can have a figure on a date at all; where it cannot, a cell without a number states nothing. */
  readonly hasDate: (column: number, date: Day) => boolean;
};

/** The cells of FRED's and FRED-like CSV files: decimals; `.`, `#N/A` and `NA` are withdrawals; nothing is implied. */
export const fredCells: CellRules = {
  number: parseDecimal,
  withdrawals: new Set(['.', '#N/A', 'NA']),
  frequencyOf: () => '',
  hasDate: () => true,
};

/** Refuses a table in which a vintage of a series, or a date, stands twice. */
function refuseRepeats(file: SourceFile, { columns, rows }: VintageTable): void {
  const vintages = new Map<string, string>();
  for (const { name, seriesId, vintage } of columns) {
    const key = `${seriesId} ${vintage}`;
    const before = vintages.get(key);
    if (before !== undefined) {
      throw refusal(
        file,
        { column: name },
        `${seriesId} as of ${vintage} stands in column ${before} already`,
      );
    }
    vintages.set(key, name);
  }
  const dates = new Map<Day, number>();
  for (const { row, date } of rows) {
    const before = dates.get(date);
    if (before !== undefined)
      throw refusal(file, { row, value: date }, `this date stands in row ${before} already`);
    dates.set(date, row);
  }
}

/**
 * What a table of whole vintages says, a column at a time: numbers are values, the format's withdrawal texts are
 * withdrawals, and so is a blank between a column's first and last number; other blanks say nothing.
 */
export function* vintageBatches(file: SourceFile, table: VintageTable, rules: CellRules): Generator<Batch> {
  refuseRepeats(file, table);
  yield {
    implied: impliedMetadata(table, rules),
    coverage: table.columns.map(({ seriesId, vintage }) => ({ seriesId, coveredTo: vintage, whole: true })),
  };
  // "Between" is a matter of dates, whatever order the file has its rows in.
  const rows = [...table.rows].sort((a, b) => (a.date < b.date ? -1 : 1));
  let statements: Statement[] = [];
  for (const [index, column] of table.columns.entries()) {
    stateColumn(file, { ...column, index }, rows, rules, statements);
    if (statements.length < batchSize) continue;
    yield { statements };
    statements = [];
  }
  if (statements.length > 0) yield { statements };
}

function impliedMetadata({ columns }: VintageTable, rules: CellRules): SeriesMetadata[] {
  const implied = new Map<string, SeriesMetadata>();
  for (const [index, { seriesId }] of columns.entries()) {
    const frequency = rules.frequencyOf(index);
    if (frequency !== '') implied.set(seriesId, { seriesId, frequency });
  }
  return [...implied.values()];
}

function stateColumn(
  file: SourceFile,
  { name, seriesId, vintage: asOf, index }: VintageColumn & { readonly index: number },
  rows: readonly VintageRow[],
  rules: CellRules,
  statements: Statement[],
): void {
  let started = false;
  let blanks: Day[] = [];
  for (const { row, date, cells } of rows) {
    const text = (cells[index] ?? '').trim();
    const value = text === '' ? undefined : rules.number(text);
    if (value !== undefined) {
      for (const blank of blanks) statements.push({ seriesId, date: blank, asOf, value: null });
      blanks = [];
      started = true;
      statements.push({ seriesId, date, asOf, value });
    } else if (text !== '' && !rules.withdrawals.has(text)) {
      throw refusal(file, { row, column: name, value: text }, notANumber(rules));
    } else if (rules.hasDate(index, date)) {
      if (text !== '') statements.push({ seriesId, date, asOf, value: null });
      else if (started) blanks.push(date);
    }
  }
}

function notANumber({ withdrawals }: CellRules): string {
  return `neither a decimal number nor ${[...withdrawals].join(' or ')}`;
}
