import { type DateOrder, refusal, type SourceFile } from '../files/source-file.ts';

/** A date cell: its row, its column, and its text. */
export type DateCell = { readonly row: number; readonly column: string; readonly text: string };

/** A time of day at midnight after a date, with or without an offset. */
const midnight = '(?:[T ]+(?:0?0:00(?::00(?:\\.0+)?)?|12:00(?::00)? ?AM) ?(?:Z|UTC|[+-]\\d\\d:?\\d\\d)?)?';

const yearFirst = new RegExp(`^(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})${midnight}$`, 'i');
const yearLast = new RegExp(`^(\\d{1,2})([-/.])(\\d{1,2})\\2(\\d{4}|\\d\\d)${midnight}$`, 'i');

/** Whether a text has the form YYYY-MM-DD; the day need not exist. */
function isIso(text: string): boolean {
  return text.length === 10 && text[4] === '-' && text[7] === '-';
}

/**
 * The dates of one file as YYYY-MM-DD; those with a year of two digits as M/D/YY, because the century depends on the
 * format. A text of another form stays as it is. The order of month and day is the one that the user states, else the
 * one that all dates of the file together allow, else the usual one of the format; a file that leaves both open is
 * refused.
 */
export class DateReader {
  readonly #file: SourceFile;
  readonly #usual: DateOrder | undefined;
  readonly #all: () => AsyncIterable<DateCell>;
  #order: DateOrder | undefined;

  /** `all` gives every date cell of the file. */
  constructor(file: SourceFile, usual: DateOrder | undefined, all: () => AsyncIterable<DateCell>) {
    this.#file = file;
    this.#usual = usual;
    this.#all = all;
    this.#order = file.dateOrder;
  }

  /** The date in a cell; undefined if the cell stays as it is. */
  async read(text: string): Promise<string | undefined> {
    const trimmed = text.trim();
    const [, year, , month = '', day = ''] = yearFirst.exec(trimmed) ?? [];
    if (year !== undefined) return `${year}-${padded(month)}-${padded(day)}`;
    const parts = partsOf(trimmed);
    if (parts === undefined) return undefined;
    // A date with points, as in 30.1.2015, always begins with the day.
    const order = parts.dotted ? 'D/M/YYYY' : await this.#theOrder();
    const [m, d] = order === 'M/D/YYYY' ? [parts.first, parts.second] : [parts.second, parts.first];
    return parts.year.length === 4 ? `${parts.year}-${padded(m)}-${padded(d)}` : `${m}/${d}/${parts.year}`;
  }

  async #theOrder(): Promise<DateOrder> {
    this.#order ??= await decidedOrder(this.#file, this.#all(), this.#usual);
    return this.#order;
  }
}

/** Whether a date cell needs no reading. */
export function isPlainDate(text: string): boolean {
  return text === '' || isIso(text);
}

type DateParts = {
  readonly first: string;
  readonly second: string;
  readonly year: string;
  readonly dotted: boolean;
};

function partsOf(text: string): DateParts | undefined {
  const [, first = '', separator, second = '', year = ''] = yearLast.exec(text) ?? [];
  return separator === undefined ? undefined : { first, second, year, dotted: separator === '.' };
}

function padded(digits: string): string {
  return digits.padStart(2, '0');
}

const waysOut: Readonly<Record<DateOrder, string>> = {
  'M/D/YYYY': '--date-format M/D/YYYY if the month comes first',
  'D/M/YYYY': '--date-format D/M/YYYY if the day comes first',
};

async function decidedOrder(
  file: SourceFile,
  cells: AsyncIterable<DateCell>,
  usual: DateOrder | undefined,
): Promise<DateOrder> {
  let [monthFirst, dayFirst, open]: (DateCell | undefined)[] = [];
  // In a series of months, quarters or years every date is the first day of a month.
  let [firstsIfMonthFirst, firstsIfDayFirst] = [true, true];
  const years = new Set<string>();
  for await (const cell of cells) {
    const parts = partsOf(cell.text.trim());
    if (parts === undefined || parts.dotted) continue;
    const [first, second] = [Number(parts.first), Number(parts.second)];
    if (first > 12) dayFirst ??= cell;
    else if (second > 12) monthFirst ??= cell;
    else if (first !== second) open ??= cell;
    firstsIfMonthFirst &&= second === 1;
    firstsIfDayFirst &&= first === 1;
    years.add(parts.year);
  }
  if (monthFirst !== undefined && dayFirst !== undefined) throw mixed(file, monthFirst, dayFirst);
  if (monthFirst !== undefined) return 'M/D/YYYY';
  if (dayFirst !== undefined) return 'D/M/YYYY';
  // Read the other way, such dates would be a few days of January, year after year.
  if (years.size > 1 && firstsIfMonthFirst) return 'M/D/YYYY';
  if (years.size > 1 && firstsIfDayFirst) return 'D/M/YYYY';
  if (open === undefined) return 'M/D/YYYY';
  if (usual !== undefined) return usual;
  const { row, column, text } = open;
  const reason = 'the month or the day could come first, and no date of the file decides it';
  throw refusal(file, { row, column, value: text }, reason, Object.values(waysOut));
}

function mixed(file: SourceFile, monthFirst: DateCell, dayFirst: DateCell): Error {
  const [earlier, later] = monthFirst.row <= dayFirst.row ? [monthFirst, dayFirst] : [dayFirst, monthFirst];
  const [day, month] = later === dayFirst ? ['day', 'month'] : ['month', 'day'];
  const reason = `the ${day} comes first here, and the ${month} in row ${earlier.row}: ${JSON.stringify(earlier.text)}`;
  return refusal(file, { row: later.row, column: later.column, value: later.text }, reason);
}
