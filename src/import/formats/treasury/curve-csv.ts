import type { Day } from '../../../domain/series/date.ts';
import { parseDecimal } from '../../../domain/series/decimal.ts';
import type { CurvePoint } from '../../../domain/treasury/curve.ts';
import { type CsvRow, readCsv } from '../../readers/csv.ts';
import { type Batch, refusal, type SourceFile } from '../format.ts';
import type { Tenor } from './tenor.ts';

/** How a CSV file of daily curves is laid out: a date column, a column for each tenor, in any order. */
export type CurveLayout = {
  readonly source: string;
  readonly isDate: (header: string) => boolean;
  readonly tenor: (header: string) => Tenor | undefined;
  readonly parseDate: (text: string) => Day | undefined;
  /** What a date looks like, for the refusal of one that does not. */
  readonly dateForm: string;
  /** What stands where there is no rate, besides nothing. */
  readonly noRate: string;
};

type Header = {
  readonly names: readonly string[];
  readonly date: number;
  readonly tenors: readonly (Tenor & { readonly index: number })[];
};

/** The points of a CSV file of daily curves, row by row; an unknown column, a short row, and a rate that is no number are refused. */
export async function* readCurveCsv(file: SourceFile, layout: CurveLayout): AsyncGenerator<Batch> {
  let header: Header | undefined;
  let isEmpty = true;
  for await (const rows of readCsv(file)) {
    const points: CurvePoint[] = [];
    for (const row of rows) {
      if (header === undefined) header = readHeader(file, layout, row);
      else if (row.cells.some((cell) => cell.trim() !== '')) {
        isEmpty = false;
        appendPoints(points, file, layout, header, row);
      }
    }
    if (points.length > 0) yield { points };
  }
  if (isEmpty) throw refusal(file, {}, 'the file is empty: it has no row of rates');
}

function readHeader(file: SourceFile, layout: CurveLayout, { row, cells }: CsvRow): Header {
  const names = cells.map((cell) => cell.trim());
  const date = names.findIndex(layout.isDate);
  if (date < 0) throw refusal(file, { row }, 'the header has no date column');
  const tenors: (Tenor & { readonly index: number })[] = [];
  for (const [index, column] of names.entries()) {
    if (index === date) continue;
    const tenor = layout.tenor(column);
    if (tenor === undefined)
      throw refusal(file, { row, column }, 'the column is of no tenor that asof knows');
    const isSame = (other: Tenor) => other.curveType === tenor.curveType && other.maturity === tenor.maturity;
    if (tenors.some(isSame)) {
      throw refusal(file, { row, column }, `a second column for ${tenor.maturity}`);
    }
    tenors.push({ ...tenor, index });
  }
  if (tenors.length === 0) throw refusal(file, { row }, 'the header has no column of rates');
  return { names, date, tenors };
}

function appendPoints(
  points: CurvePoint[],
  file: SourceFile,
  layout: CurveLayout,
  header: Header,
  { row, cells }: CsvRow,
): void {
  const { names, date, tenors } = header;
  if (cells.length !== names.length) {
    throw refusal(
      file,
      { row },
      `${cells.length} cells where the header has ${names.length}: the row is broken`,
    );
  }
  const value = (cells[date] ?? '').trim();
  const tradeDate = layout.parseDate(value);
  if (tradeDate === undefined) {
    throw refusal(
      file,
      { row, column: names[date] ?? '', value },
      `not a date of the form ${layout.dateForm}`,
    );
  }
  for (const { index, curveType, maturity } of tenors) {
    const text = (cells[index] ?? '').trim();
    if (text === '' || text === layout.noRate) continue;
    const rate = parseDecimal(text);
    if (rate === undefined) {
      const none = `nothing or ${JSON.stringify(layout.noRate)} means that there is none`;
      throw refusal(file, { row, column: names[index] ?? '', value: text }, `not a rate (${none})`);
    }
    points.push({ curveType, tradeDate, maturity, rate, source: layout.source });
  }
}
