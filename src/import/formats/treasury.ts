import { frequencyOf } from '../../domain/series/series.ts';
import {
  type CurveMaturity,
  type CurvePoint,
  type CurveType,
  curveMaturity,
  firstDayOf,
  h15Source,
} from '../../domain/treasury/curve.ts';
import {
  addDays,
  type Day,
  dayNumber,
  dayOf,
  type Frequency,
  parseDay,
  weekdayFrom,
  weekendDay,
} from '../../domain/values/date.ts';
import { entryOf, groupBy } from '../../domain/values/groups.ts';
import { missingTexts } from '../../domain/values/missing-value.ts';
import { Problem } from '../../errors/problem.ts';
import { defined } from '../../platform/defined.ts';
import { allBytes, type FilePlace, limits, refusal, type SourceFile } from '../files/source-file.ts';
import type { CsvRow } from '../readers/cells.ts';
import { readCsvBody } from '../readers/csv.ts';
import { isNode, listOf, parseXml, textOf, type XmlNode } from '../readers/xml.ts';
import { type Batch, type ImportFormat, type ReadOptions, readDay, readNumber } from './format.ts';

const source = 'U.S. Treasury';

/** `1 Mo`, `1.5 Month`, `10Yr`, `10 YR`. */
const maturityName = /^(\d+(?:\.\d+)?) ?(mo|months?|yrs?|years?)$/i;

/** The daily curves of the Treasury; columns differ over the years, dates have two forms. */
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
  return {
    ...named,
    source,
    recognise: ({ header }) => curveTypesOf(header).has(curveType),
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

/** The Treasury's spelling in files of par rates; files of real rates have `10 YR` or `10Yr`. */
const parSpelling = /^\d+ Yr$/;

/**
 * Returns the curves that a header may belong to: TIPS if all its maturities are those of TIPS.
 * Returns both for par spelling, because the file may be a part of the table of par rates.
 */
function curveTypesOf(names: readonly string[]): ReadonlySet<CurveType> {
  const maturities = names.filter((name) => maturityName.test(name));
  // Panels of series write `date`, FRED writes `DATE`.
  if (!names.includes('Date') || maturities.length === 0) return new Set();
  if (maturities.some((name) => maturityIn(name, 'TIPS') === undefined)) return new Set(['PAR']);
  return new Set(maturities.every((name) => parSpelling.test(name)) ? ['PAR', 'TIPS'] : ['TIPS']);
}

/** Parses a date; two-digit years from 90 are in the 1900s, because the curve begins in 1990. */
function parseTradeDate(text: string): Day | undefined {
  const [, month, day, digits] = /^(\d{1,2})\/(\d{1,2})\/(\d\d)$/.exec(text) ?? [];
  if (digits === undefined) return parseDay(text);
  return dayOf(Number(digits) + (Number(digits) >= 90 ? 1900 : 2000), Number(month), Number(day));
}

/** `DGS10`, `DGS3MO`, `DFII10`. */
const rateId = /^(DGS|DFII)(\d+)(MO)?$/i;

/** The H.15 curves as FRED publishes them: `DGS…` (par) and `DFII…` (real). */
export const h15Csv: ImportFormat = {
  kind: 'h15-csv',
  summary: ['Treasury curves of the H.15 release', ' (FRED CSV of series DGS… or DFII…)'],
  source: h15Source,
  recognise: ({ header }) =>
    header.length > 1 &&
    header.some(isH15Date) &&
    header.every((name) => isH15Date(name) || isCurveColumn(name)),
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

/** Tells whether a column has the form of a FRED id of rates (`DGS10`, `DGS1MO`, `DFII10`). */
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

type CurveLayout = {
  readonly source: string;
  readonly isDate: (header: string) => boolean;
  readonly maturity: (header: string) => CurveMaturity | undefined;
  readonly parseDate: (text: string) => Day | undefined;
  readonly dateForm: string;
  /** The text of a cell without a rate, besides an empty cell. */
  readonly noRate: string;
};

async function* readCurveCsv(
  file: SourceFile,
  options: ReadOptions,
  layout: CurveLayout,
): AsyncGenerator<Batch> {
  const { source, parseDate, dateForm, noRate } = layout;
  const checks = new CurveChecks(file, options);
  const days = new Set<Day>();
  const form = { noRows: 'the file has no row of rates' };
  for await (const { header, rows } of readCsvBody(file, (row) => curveHeader(file, layout, row), form)) {
    const points = [...rows].flatMap(({ row, cells }): readonly CurvePoint[] => {
      const at = ({ index, name }: CurveColumn) => ({
        row,
        column: name,
        value: (cells[index] ?? '').trim(),
      });
      const tradeDate = readDay(file, at(header.date), dateForm, parseDate);
      if (checks.skips(tradeDate)) return [];
      const rates = header.maturities.flatMap((column): readonly CurvePoint[] => {
        const { curveType, maturity } = column;
        const rate = readNumber(file, at(column), ['', noRate], `empty or ${JSON.stringify(noRate)}`);
        if (rate === null) return [];
        const point = { curveType, tradeDate, maturity, rate, source };
        checks.checkPoint(point, () => at(column));
        return [point];
      });
      checks.checkRates(rates, () => ({ row }));
      return rates;
    });
    for (const { tradeDate } of points) days.add(tradeDate);
    if (points.length > 0) yield { points };
  }
  checks.checkDates(days);
  if (checks.skippedDays.length > 0) yield { skippedDays: checks.skippedDays };
}

type CurveColumn = { readonly index: number; readonly name: string };

function curveHeader(file: SourceFile, { isDate, maturity }: CurveLayout, { row, cells }: CsvRow) {
  const columns = cells.map((cell, index) => ({ index, name: cell.trim() }));
  const date = columns.find(({ name }) => isDate(name));
  if (date === undefined) throw refusal(file, { row }, 'the header has no date column');
  const maturities: (CurveColumn & CurveMaturity)[] = [];
  for (const column of columns) {
    if (column === date) continue;
    const place = { row, column: column.name };
    const found = maturity(column.name);
    if (found === undefined) throw refusal(file, place, 'not a maturity that asof knows');
    if (maturities.some((one) => one.curveType === found.curveType && one.maturity === found.maturity))
      throw refusal(file, place, `a second column for ${found.maturity}`);
    maturities.push({ ...column, ...found });
  }
  if (maturities.length === 0) throw refusal(file, { row }, 'the header has no column of rates');
  return { date, maturities };
}

/** Refuses impossible curves in one file, and leaves out the trade dates that the user skips. */
export class CurveChecks {
  readonly #file: SourceFile;
  readonly #skip: ReadonlySet<Day>;
  readonly #skipped = new Set<Day>();

  constructor(file: SourceFile, { skipDays = [] }: Pick<ReadOptions, 'skipDays'>) {
    this.#file = file;
    this.#skip = new Set(skipDays);
  }

  skips(tradeDate: Day): boolean {
    if (!this.#skip.has(tradeDate)) return false;
    this.#skipped.add(tradeDate);
    return true;
  }

  get skippedDays(): readonly Day[] {
    return [...this.#skipped].sort();
  }

  /** Throws for an impossible point; `placeOf` finds its place in the file, which may take long. */
  checkPoint(point: CurvePoint, placeOf: () => FilePlace): void {
    const fault = impossiblePoint(point);
    if (fault !== undefined) throw this.#refusal(fault, placeOf());
  }

  checkRates(points: readonly CurvePoint[], placeOf: () => FilePlace = () => ({})): void {
    const fault = impossibleRates(points);
    if (fault !== undefined) throw this.#refusal(fault, { ...placeOf(), value: fault.tradeDate });
  }

  checkDates(days: ReadonlySet<Day>, place: FilePlace = {}): void {
    const reason = impossibleDates(days);
    if (reason !== undefined) throw refusal(this.#file, place, reason);
  }

  #refusal({ reason, tradeDate }: CurveFault, place: FilePlace): Problem {
    const hints =
      tradeDate === undefined ? [] : [`--skip-days ${tradeDate} imports the other days of the file`];
    return refusal(this.#file, place, reason, hints);
  }
}

/** `BC_1MONTH`, `BC_1_5MONTH`, `BC_30YEAR` for the par curve, `TC_10YEAR` for the real one. */
const rateName = /^(BC|TC)_(\d+(?:_5)?)(MONTH|YEAR)$/;

/** Repeats the 30-year rate, for display. */
const displayName = 'BC_30YEARDISPLAY';

/** The Treasury's XML feed of daily curves (`BC_…`, `TC_…`); an entry without rates is a day without a curve. */
export const treasuryXml: ImportFormat = {
  kind: 'treasury-xml',
  summary: ['daily par or real yield curve of the U.S. Treasury', ' (XML feed)'],
  source,
  recognise: ({ text }) =>
    /^\s*(?:<\?xml[^>]*>\s*)?<feed\b/.test(text) &&
    /DailyTreasury(?:Real)?YieldCurveRateDat|<(?:\w+:)?[BT]C_\d/.test(text),
  read: readFeed,
};

/** The properties of an entry without a curve, and what the reader adds. */
const plainName = /^(?:Id|NEW_DATE|BC_30YEARDISPLAY|[#@].*)$/;

async function* readFeed(file: SourceFile, options: ReadOptions): AsyncGenerator<Batch> {
  const { onRefused } = options;
  const checks = new CurveChecks(file, options);
  const { root, lineOf } = await parseXml(file, await allBytes(file, limits.xml), ['entry']);
  if (!isNode(root.feed)) throw refusal(file, {}, 'this XML is not a feed');
  const entries = listOf(root.feed.entry);
  if (entries.length === 0) throw refusal(file, {}, 'the feed has no entry');
  const at = (element: unknown, place?: FilePlace) => ({ ...place, ...defined({ row: lineOf(element) }) });
  const rateOf = (column: string, element: unknown): string | undefined => {
    const [first, second] = listOf(element);
    if (second !== undefined)
      throw refusal(file, at(first, { column }), 'the element appears twice in one entry');
    if (isNode(element) && element['@_null'] === 'true') return undefined;
    const value = textOf(element);
    if (value === undefined) throw refusal(file, at(element, { column }), 'elements instead of a rate');
    return readNumber(file, { ...at(element, { column }), value }, [''], 'empty') ?? undefined;
  };
  const dayOfEntry = (entry: unknown) => {
    const properties = propertiesOf(entry);
    if (properties === undefined) throw refusal(file, at(entry), 'an entry without properties');
    const place = { ...at(properties, { column: 'NEW_DATE' }), value: textOf(properties.NEW_DATE) ?? '' };
    const tradeDate = readDay(file, place, 'YYYY-MM-DDT00:00:00', dayStated);
    if (checks.skips(tradeDate)) return [];
    const rates = Object.entries(properties).filter(([name]) => /^[BT]C_/.test(name) && name !== displayName);
    if (rates.length === 0 && Object.keys(properties).some((name) => !plainName.test(name)))
      throw refusal(file, at(entry), 'an entry without BC_… or TC_… rates');
    const points = rates.flatMap(([column, element]): CurvePoint[] => {
      const found = maturityNamed(column);
      if (found === undefined) throw refusal(file, at(element, { column }), 'not a maturity that asof knows');
      const rate = rateOf(column, element);
      if (rate === undefined) return [];
      const point = { ...found, tradeDate, rate, source };
      checks.checkPoint(point, () => at(properties, { column, value: rate }));
      return [point];
    });
    checks.checkRates(points, () => at(properties));
    return [{ tradeDate, points }];
  };
  const days = entries.flatMap((entry) => {
    try {
      return dayOfEntry(entry);
    } catch (error) {
      if (onRefused === undefined || !(error instanceof Problem)) throw error;
      onRefused(error, dayStated(textOf(propertiesOf(entry)?.NEW_DATE) ?? ''));
      return [];
    }
  });
  checks.checkDates(new Set(days.map(({ tradeDate }) => tradeDate)));
  const empty = days.filter(({ points }) => points.length === 0);
  yield {
    points: days.flatMap(({ points }) => points),
    ...(checks.skippedDays.length > 0 && { skippedDays: checks.skippedDays }),
    notes: empty.map(({ tradeDate }) => `${tradeDate} has no rates: a day without a curve`),
  };
}

function propertiesOf(entry: unknown): XmlNode | undefined {
  const content = isNode(entry) ? entry.content : undefined;
  const properties = isNode(content) ? content.properties : undefined;
  return isNode(properties) ? properties : undefined;
}

function dayStated(value: string): Day | undefined {
  const [, date = ''] = /^(\d{4}-\d{2}-\d{2})(?:T00:00:00(?:\.0+)?Z?)?$/.exec(value) ?? [];
  return parseDay(date);
}

function maturityNamed(name: string): CurveMaturity | undefined {
  const [, prefix, count = '', unit = ''] = rateName.exec(name) ?? [];
  return curveMaturity(prefix === 'TC' ? 'TIPS' : 'PAR', count.replace('_', '.'), unit);
}

/** The end of the first 20-year rate in the Federal Reserve's release, 1962 to 1986. */
const lastOfFirstTwentyYears = '1986-12-31';

/** A reason against a file's curves, and the trade date to skip. */
type CurveFault = { readonly reason: string; readonly tradeDate?: Day };

/** The highest accepted rate; the highest ever, in 1981, were near 17. */
const highestRate = 30;

/** Explains why a point is impossible by its trade date, maturity or rate; undefined if it is possible. */
function impossiblePoint(point: CurvePoint): CurveFault | undefined {
  const { curveType, tradeDate, maturity, rate } = point;
  const holiday = bondMarketHoliday(tradeDate);
  const first = firstDayOf(curveType, maturity) ?? '';
  const weekend = weekendDay(tradeDate);
  if (weekend !== undefined)
    return {
      reason: `${tradeDate} is a ${weekend}, on which no curve is published; are month and day exchanged?`,
    };
  if (holiday !== undefined) {
    const reason = `the bond market is closed on ${tradeDate}, ${holiday}, and no curve is published`;
    return { reason, tradeDate };
  }
  const isOfFirstLife = curveType === 'PAR' && maturity === '20Y' && tradeDate <= lastOfFirstTwentyYears;
  if (tradeDate < first && !isOfFirstLife)
    return { reason: `there is no ${maturity} rate before ${first}; are the columns shifted?` };
  if (Math.abs(Number(rate)) > highestRate)
    return { reason: `rates are in percent, and none is above ${highestRate}; are these basis points?` };
  const computed = 'rates are in percent with two decimals; is this a fraction, or did a program compute it?';
  return /\.\d{2,}[1-9]/.test(rate) ? { reason: computed } : undefined;
}

/** Finds the first trade date with only zero rates; one real rate and nominal rates under a year may be zero. */
function impossibleRates(points: readonly CurvePoint[]): Required<CurveFault> | undefined {
  const curves = groupBy(points, ({ tradeDate, curveType }) => `${tradeDate} ${curveType}`);
  const impossible = [...curves.values()].find((curve) => !canBeCurve(curve))?.[0];
  return impossible && { reason: 'all rates are zero, as of no trade date', tradeDate: impossible.tradeDate };
}

function canBeCurve(points: readonly CurvePoint[]): boolean {
  if (points.some(({ rate }) => Number(rate) !== 0)) return true;
  return points[0]?.curveType === 'TIPS'
    ? points.length === 1
    : points.every(({ maturity }) => maturity.endsWith('M'));
}

type Averages = Partial<Record<Frequency, string>>;
const averages: Averages = { M: 'monthly', Q: 'quarterly', SA: 'semiannual', A: 'annual' };

/** Explains why trade dates cannot be those of a file: they are weekly or further apart, like averages. */
function impossibleDates(days: ReadonlySet<Day>): string | undefined {
  const numbers = Array.from(days, dayNumber).sort((a, b) => a - b);
  const isWeekly = numbers.every((number, i) => i === 0 || number - (numbers[i - 1] ?? 0) === 7);
  const name = days.size > 2 && isWeekly ? 'weekly' : averages[frequencyOf(days)];
  if (name === undefined) return undefined;
  if (days.size < 3 && ![...days].every((day) => day.endsWith('-01'))) return undefined;
  return `these are ${name} figures, such as averages; a curve has the rates of trade dates`;
}

/** The first year of the Treasury's daily curve; earlier holidays are not checked. */
const firstYear = 1990;

/**
 * The holidays on a fixed date, which close the market on Monday if they fall on a Sunday.
 * Some also close it on Friday before a Saturday. The Treasury published curves on some such Fridays: New Year's Day
 * (1993-12-31 and later), Veterans Day (1995-11-10 and later), and the first Juneteenth (2021-06-18).
 */
const fixed: readonly (readonly [name: string, date: string, since: number, closesOnFriday?: true])[] = [
  ['New Year’s Day', '01-01', firstYear],
  ['Juneteenth', '06-19', 2022],
  ['Independence Day', '07-04', firstYear, true],
  ['Veterans Day', '11-11', firstYear],
  ['Christmas Day', '12-25', firstYear, true],
];

/** The holidays on a weekday of a month, as the first day from which that weekday counts. */
const movable: readonly (readonly [name: string, from: string, weekday: 'monday' | 'thursday'])[] = [
  ['Martin Luther King Day', '01-15', 'monday'],
  ['Presidents’ Day', '02-15', 'monday'],
  ['Memorial Day', '05-25', 'monday'],
  ['Labor Day', '09-01', 'monday'],
  ['Columbus Day', '10-08', 'monday'],
  ['Thanksgiving', '11-22', 'thursday'],
];

const holidays = new Map<number, ReadonlyMap<Day, string>>();

/** Returns the holiday on which the bond market is closed, since 1990; not Good Friday, which has curves. */
export function bondMarketHoliday(day: Day): string | undefined {
  const year = Number(day.slice(0, 4));
  if (year < firstYear) return undefined;
  return entryOf(holidays, year, () => holidaysOf(year)).get(day);
}

function holidaysOf(year: number): ReadonlyMap<Day, string> {
  const found = new Map<Day, string>();
  for (const [name, from, weekday] of movable) found.set(weekdayFrom(`${year}-${from}`, weekday), name);
  for (const [name, date, since, closesOnFriday = false] of fixed) {
    const day = `${year}-${date}`;
    const moved = { Sunday: 1, Saturday: closesOnFriday ? -1 : 0, weekday: 0 };
    if (year >= since) found.set(addDays(day, moved[weekendDay(day) ?? 'weekday']), name);
  }
  return found;
}
