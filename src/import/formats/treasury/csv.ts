import { type Day, dayOf, parseDay } from '../../../domain/series/date.ts';
import { parseDecimal } from '../../../domain/series/decimal.ts';
import { missingTexts } from '../../../domain/series/missing-value.ts';
import {
  type CurveMaturity,
  type CurvePoint,
  type CurveType,
  curveMaturity,
  h15Source,
} from '../../../domain/treasury/curve.ts';
import { refusal, type SourceFile } from '../../files/source-file.ts';
import { type CsvRow, headerOf, readCsv } from '../../readers/csv.ts';
import type { Batch, ImportFormat, ReadOptions } from '../format.ts';
import { CurveChecks } from './curve-checks.ts';

/** `1 Mo`, `1.5 Month`, `10Yr`, `10 YR`. */
const maturityName = /^(\d+(?:\.\d+)?) ?(mo|months?|yrs?|years?)$/i;

/** The daily curves of the Treasury: columns change over the years, and dates have two forms. */
export const treasuryCsv: readonly ImportFormat[] = [
  treasuryCurve('PAR', {
    kind: 'treasury-par-csv',
    summary: ['daily par yield curve of the U.S. Treasury', ' (CSV: Date, 1 Mo … 30 Yr)'],
  }),
  treasuryCurve('TIPS', {
    kind: 'treasury-real-csv',
    summary: ['daily par real', ' (TIPS) yield curve of the U.S. Treasury (CSV: Date, 5 YR … 30 YR)'],
  }),
];

function treasuryCurve(curveType: CurveType, named: Pick<ImportFormat, 'kind' | 'summary'>): ImportFormat {
  const source = 'U.S. Treasury';
  return {
    ...named,
    source,
    recognise: (head) => curveTypesOf(head).has(curveType),
    read: (file, options) =>
      readCurveCsv(file, options, {
        source,
        isDate: (header) => header.toLowerCase() === 'date',
        maturity: (header) => maturityIn(header, curveType),
        parseDate: parseTradeDate,
        dateForm: 'M/D/YYYY, M/D/YY or YYYY-MM-DD',
        noRate: missingTexts.treasury,
      }),
  };
}

function maturityIn(header: string, curveType: CurveType): CurveMaturity | undefined {
  const [, count = '', unit = ''] = maturityName.exec(header) ?? [];
  return curveMaturity(curveType, count, unit);
}

/** How the Treasury spells maturities in files of par rates; files of real rates have `10 YR` or `10Yr`. */
const parSpelling = /^\d+ Yr$/;

/**
 * The curves that a header may belong to: TIPS if all its maturities are those of TIPS; but both if they are spelled
 * as in par rates, because the file may be a part of their table.
 */
function curveTypesOf(head: string): ReadonlySet<CurveType> {
  const names = headerOf(head);
  const maturities = names.filter((name) => maturityName.test(name));
  // Panels of series write `date`, FRED writes `DATE`.
  if (!names.includes('Date') || maturities.length === 0) return new Set();
  if (maturities.some((name) => maturityIn(name, 'TIPS') === undefined)) return new Set(['PAR']);
  return new Set(maturities.every((name) => parSpelling.test(name)) ? ['PAR', 'TIPS'] : ['TIPS']);
}

/** Two-digit years from 90 are in the 1900s: the curve begins in 1990. */
function parseTradeDate(text: string): Day | undefined {
  const [, month, day, digits] = /^(\d{1,2})\/(\d{1,2})\/(\d\d)$/.exec(text) ?? [];
  if (digits === undefined) return parseDay(text);
  return dayOf(Number(digits) + (Number(digits) >= 90 ? 1900 : 2000), Number(month), Number(day));
}

/** `DGS10`, `DGS3MO`, `DFII10`. */
const rateId = /^(DGS|DFII)(\d+)(MO)?$/i;

/**
 * The curves of the Federal Reserve's H.15 release as FRED publishes them: series `DGS…` are of the par curve,
 * `DFII…` of the real one.
 */
export const h15Csv: ImportFormat = {
  kind: 'h15-csv',
  summary: ['Treasury curves of the H.15 release', ' (FRED CSV of series DGS… or DFII…)'],
  source: h15Source,
  recognise: (head) => {
    const names = headerOf(head);
    return (
      names.some(isH15Date) &&
      names.length > 1 &&
      names.every((name) => isH15Date(name) || isCurveColumn(name))
    );
  },
  read: (file, options) =>
    readCurveCsv(file, options, {
      source: h15Source,
      isDate: isH15Date,
      maturity: h15Maturity,
      parseDate: parseDay,
      dateForm: 'YYYY-MM-DD',
      noRate: missingTexts.fredPoint,
    }),
};

/** Whether a column has the form of a FRED id of rates (`DGS10`, `DGS1MO`, `DFII10`). */
export function isCurveColumn(name: string): boolean {
  return rateId.test(name);
}

function isH15Date(header: string): boolean {
  return /^(?:observation_)?date$/i.test(header);
}

function h15Maturity(header: string): CurveMaturity | undefined {
  const [, series = '', count = '', months] = rateId.exec(header) ?? [];
  return curveMaturity(series.toUpperCase() === 'DFII' ? 'TIPS' : 'PAR', count, months ?? 'YEAR');
}

/** The layout of a CSV file of daily curves: a date column and one column per maturity, in any order. */
type CurveLayout = {
  readonly source: string;
  readonly isDate: (header: string) => boolean;
  readonly maturity: (header: string) => CurveMaturity | undefined;
  readonly parseDate: (text: string) => Day | undefined;
  /** The form of a date, for refusals. */
  readonly dateForm: string;
  /** The text of a cell without a rate; an empty cell has no rate either. */
  readonly noRate: string;
};

type CurveHeader = {
  readonly names: readonly string[];
  readonly date: number;
  readonly maturities: readonly (CurveMaturity & { readonly index: number })[];
};

/**
 * The points of a CSV file of daily curves. An unknown column, a row of another width than the header, a rate that is
 * not a number, and rates that no curve can have are refused.
 */
async function* readCurveCsv(
  file: SourceFile,
  options: ReadOptions,
  layout: CurveLayout,
): AsyncGenerator<Batch> {
  const checks = new CurveChecks(file, options);
  let header: CurveHeader | undefined;
  const days = new Set<Day>();
  let isEmpty = true;
  for await (const rows of readCsv(file)) {
    const points: CurvePoint[] = [];
    for (const row of rows) {
      if (header === undefined) header = readHeader(file, layout, row);
      else if (row.cells.some((cell) => cell.trim() !== '')) {
        isEmpty = false;
        appendPoints(points, file, checks, layout, header, row);
      }
    }
    for (const { tradeDate } of points) days.add(tradeDate);
    if (points.length > 0) yield { points };
  }
  if (isEmpty) throw refusal(file, {}, 'the file has no row of rates');
  checks.checkDates(days);
  if (checks.skippedDays.length > 0) yield { skippedDays: checks.skippedDays };
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
  checks: CurveChecks,
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
  if (checks.skips(tradeDate)) return;
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
    checks.checkPoint(point, () => ({ row, column: names[index] ?? '', value: text }));
    rates.push(point);
  }
  checks.checkRates(rates, () => ({ row }));
  points.push(...rates);
}
