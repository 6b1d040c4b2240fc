import { type Day, dayOf, parseDay } from '../../../domain/series/date.ts';
import { type CurveMaturity, type CurveType, curveMaturity } from '../../../domain/treasury/curve.ts';
import { headerOf } from '../../readers/csv.ts';
import type { ImportFormat } from '../format.ts';
import { isCurveColumn } from '../fred/csv.ts';
import { type CurveLayout, readCurveCsv } from './curve-csv.ts';

/** `1 Mo`, `1.5 Month`, `10Yr`, `10 YR`. */
const maturityName = /^(\d+(?:\.\d+)?) ?(mo|months?|yrs?|years?)$/i;

/** Treasury's daily par yield curve, from its site or its archive; columns change over the years, and dates have two forms. */
export const treasuryParCsv: ImportFormat = {
  kind: 'treasury-par-csv',
  summary: 'daily par yield curve of the U.S. Treasury (CSV: Date, 1 Mo … 30 Yr)',
  source: 'U.S. Treasury',
  vintageKind: undefined,
  whole: false,
  takesAsOf: false,
  recognise: (head) => curveTypeOf(head) === 'PAR',
  read: (file) => readCurveCsv(file, layoutOf('PAR')),
};

/** Treasury's daily par real yield curve (TIPS), which begins at five years. */
export const treasuryRealCsv: ImportFormat = {
  kind: 'treasury-real-csv',
  summary: 'daily par real (TIPS) yield curve of the U.S. Treasury (CSV: Date, 5 Yr … 30 Yr)',
  source: 'U.S. Treasury',
  vintageKind: undefined,
  whole: false,
  takesAsOf: false,
  recognise: (head) => curveTypeOf(head) === 'TIPS',
  read: (file) => readCurveCsv(file, layoutOf('TIPS')),
};

function layoutOf(curveType: CurveType): CurveLayout {
  return {
    source: 'U.S. Treasury',
    isDate: (header) => header.toLowerCase() === 'date',
    maturity: (header) => maturityNamed(header, curveType),
    parseDate: parseTradeDate,
    dateForm: 'M/D/YYYY, M/D/YY or YYYY-MM-DD',
    noRate: 'N/A',
  };
}

function maturityNamed(header: string, curveType: CurveType): CurveMaturity | undefined {
  const [, count = '', unit = ''] = maturityName.exec(header) ?? [];
  return curveMaturity(curveType, count, unit);
}

/** The curve that a header is of: TIPS if it has no other maturities than TIPS have; undefined if it has none. */
function curveTypeOf(head: string): CurveType | undefined {
  const names = headerOf(head);
  const maturities = names.filter((name) => maturityName.test(name));
  // Panels of series write `date`, FRED writes `DATE`.
  if (!names.includes('Date') || maturities.length === 0) return undefined;
  return maturities.every((name) => maturityNamed(name, 'TIPS') !== undefined) ? 'TIPS' : 'PAR';
}

/** Two-digit years from 90 are in the 1900s: the curve begins in 1990. */
function parseTradeDate(text: string): Day | undefined {
  const [, month, day, digits] = /^(\d{1,2})\/(\d{1,2})\/(\d\d)$/.exec(text) ?? [];
  if (digits === undefined) return parseDay(text);
  return dayOf(Number(digits) + (Number(digits) >= 90 ? 1900 : 2000), Number(month), Number(day));
}

/** `DGS10`, `DGS3MO`, `DFII10`. */
const rateId = /^(DGS|DFII)(\d+)(MO)?$/i;

/** The curves of the Federal Reserve's H.15 release as FRED publishes them: series `DGS…` are of the par curve, `DFII…` of the real one. */
export const h15Csv: ImportFormat = {
  kind: 'h15-csv',
  summary: 'Treasury curves of the H.15 release (FRED CSV of series DGS… or DFII…)',
  source: 'Federal Reserve H.15',
  vintageKind: undefined,
  whole: false,
  takesAsOf: false,
  recognise: (head) => {
    const names = headerOf(head);
    return (
      names.some(isH15Date) &&
      names.length > 1 &&
      names.every((name) => isH15Date(name) || isCurveColumn(name))
    );
  },
  read: (file) =>
    readCurveCsv(file, {
      source: 'Federal Reserve H.15',
      isDate: isH15Date,
      maturity: h15Maturity,
      parseDate: parseDay,
      dateForm: 'YYYY-MM-DD',
      noRate: '.',
    }),
};

function isH15Date(header: string): boolean {
  return /^(?:observation_)?date$/i.test(header);
}

function h15Maturity(header: string): CurveMaturity | undefined {
  const [, series = '', count = '', months] = rateId.exec(header) ?? [];
  return curveMaturity(series.toUpperCase() === 'DFII' ? 'TIPS' : 'PAR', count, months ?? 'YEAR');
}
