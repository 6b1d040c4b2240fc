import { type Day, dayOf, parseDay } from '../../../domain/series/date.ts';
import type { CurveType } from '../../../domain/treasury/curve.ts';
import { headerOf } from '../../readers/csv-table.ts';
import type { Format } from '../format.ts';
import { type CurveLayout, readCurveCsv } from './curve-csv.ts';
import { type Tenor, tenorOf } from './tenor.ts';

const source = 'U.S. Treasury';

/** `1 Mo`, `1.5 Month`, `10Yr`, `10 YR`. */
const tenorName = /^(\d+(?:\.\d+)?) ?(mo|months?|yrs?|years?)$/i;

/** Treasury's daily par yield curve, as its site and its archive give it: the columns change over the years, the dates have two forms. */
export const treasuryParCsv: Format = {
  kind: 'treasury-par-csv',
  summary: 'daily par yield curve of the U.S. Treasury (CSV: Date, 1 Mo … 30 Yr)',
  source,
  whole: false,
  takesAsOf: false,
  recognise: (head) => curveTypeOf(head) === 'PAR',
  read: (file) => readCurveCsv(file, layoutOf('PAR')),
};

/** Treasury's daily par real yield curve (TIPS), which has no tenor under five years. */
export const treasuryRealCsv: Format = {
  kind: 'treasury-real-csv',
  summary: 'daily par real (TIPS) yield curve of the U.S. Treasury (CSV: Date, 5 Yr … 30 Yr)',
  source,
  whole: false,
  takesAsOf: false,
  recognise: (head) => curveTypeOf(head) === 'TIPS',
  read: (file) => readCurveCsv(file, layoutOf('TIPS')),
};

function layoutOf(curveType: CurveType): CurveLayout {
  return {
    source,
    isDate,
    tenor: (header) => tenorNamed(header, curveType),
    parseDate: parseTradeDate,
    dateForm: 'M/D/YYYY, M/D/YY or YYYY-MM-DD',
    noRate: 'N/A',
  };
}

function isDate(header: string): boolean {
  return header.toLowerCase() === 'date';
}

function tenorNamed(header: string, curveType: CurveType): Tenor | undefined {
  const [, count = '', unit = ''] = tenorName.exec(header) ?? [];
  return tenorOf(curveType, count, unit);
}

/** Which curve the header is of: a real curve has the tenors of TIPS and no other; undefined when it is of no curve. */
function curveTypeOf(head: string): CurveType | undefined {
  const names = headerOf(head);
  const tenors = names.filter((name) => tenorName.test(name));
  // Panels of series write `date`, FRED writes `DATE`.
  if (!names.includes('Date') || tenors.length === 0) return undefined;
  return tenors.every((name) => tenorNamed(name, 'TIPS') !== undefined) ? 'TIPS' : 'PAR';
}

/** Two-digit years from 90 are of the 1900s: the curve begins in 1990. */
function parseTradeDate(text: string): Day | undefined {
  const parts = /^(\d{1,2})\/(\d{1,2})\/(\d{2}|\d{4})$/.exec(text);
  if (parts === null) return parseDay(text);
  const [, month, day, digits = ''] = parts;
  const year = Number(digits);
  const century = digits.length === 4 ? 0 : year >= 90 ? 1900 : 2000;
  return dayOf(century + year, Number(month), Number(day));
}
