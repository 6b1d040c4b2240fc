import type { Day } from '../../../domain/series/date.ts';
import { parseDecimal } from '../../../domain/series/decimal.ts';
import type { CurveMaturity, CurvePoint } from '../../../domain/treasury/curve.ts';
import { impossibleDates, impossiblePoint, impossibleRates } from '../../../domain/treasury/curve.ts';
import { refusal, type SourceFile } from '../../files/source-file.ts';
import { type CsvRow, readCsv } from '../../readers/csv.ts';
import type { Batch } from '../format.ts';

/** The layout of a CSV file of daily curves: a date column and one column per maturity, in any order. */
export type CurveLayout = {
  readonly source: string;
  readonly isDate: (header: string) => boolean;
  readonly maturity: (header: string) => CurveMaturity | undefined;
  readonly parseDate: (text: string) => Day | undefined;
  /** The form of a date, for refusals. */
  readonly dateForm: string;
  /** The text of a cell without a rate; an empty cell has none either. */
  readonly noRate: string;
};

type CurveHeader = {
  readonly names: readonly string[];
  readonly date: number;
  readonly maturities: readonly (CurveMaturity & { readonly index: number })[];
};

/**
 * The points of a CSV file of daily curves. An unknown column, a row of another width than the header, a rate that is not
 * a number, and rates that no curve can have are refused.
 */
export async function* readCurveCsv(file: SourceFile, layout: CurveLayout): AsyncGenerator<Batch> {
  let header: CurveHeader | undefined;
  const days = new Set<Day>();
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
    for (const { tradeDate } of points) days.add(tradeDate);
    if (points.length > 0) yield { points };
  }
  if (isEmpty) throw refusal(file, {}, 'the file has no row of rates');
  const fault = impossibleDates(days);
  if (fault !== undefined) throw refusal(file, {}, fault);
}

function readHeader(file: SourceFile, layout: CurveLayout, { row, cells }: CsvRow): CurveHeader {
  const names = cells.map((cell) => cell.trim());
  const date = names.findIndex(layout.isDate);
  if (date < 0) throw refusal(file, { row }, 'the header has no date column');
  const maturities: (CurveMaturity & { readonly index: number })[] = [];
  for (const [index, column] of names.entries()) {
    if (index === date) continue;
    const found = layout.maturity(column);
    if (found === undefined) throw refusal(file, { row, column }, 'not a maturity that asof knows');
    const isSame = (other: CurveMaturity) =>
      other.curveType === found.curveType && other.maturity === found.maturity;
    if (maturities.some(isSame))
      throw refusal(file, { row, column }, `a second column for ${found.maturity}`);
    maturities.push({ ...found, index });
  }
  if (maturities.length === 0) throw refusal(file, { row }, 'the header has no column of rates');
  return { names, date, maturities };
}

function appendPoints(
  points: CurvePoint[],
  file: SourceFile,
  layout: CurveLayout,
  header: CurveHeader,
  { row, cells }: CsvRow,
): void {
  const { names, date, maturities } = header;
  if (cells.length !== names.length) {
    throw refusal(file, { row }, `${cells.length} cells, but the header has ${names.length}`);
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
  const rates: CurvePoint[] = [];
  for (const { index, curveType, maturity } of maturities) {
    const text = (cells[index] ?? '').trim();
    if (text === '' || text === layout.noRate) continue;
    const rate = parseDecimal(text);
    if (rate === undefined) {
      const reason = `not a rate; a cell without one is empty or ${JSON.stringify(layout.noRate)}`;
      throw refusal(file, { row, column: names[index] ?? '', value: text }, reason);
    }
    const point = { curveType, tradeDate, maturity, rate, source: layout.source };
    const fault = impossiblePoint(point);
    if (fault !== undefined) throw refusal(file, { row, column: names[index] ?? '', value: text }, fault);
    rates.push(point);
  }
  const fault = impossibleRates(rates);
  if (fault !== undefined) throw refusal(file, { row, value }, fault);
  points.push(...rates);
}
