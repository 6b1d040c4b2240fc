import { isAscii } from 'node:buffer';
import { type DateOrder, isMonthFirst } from '../../domain/values/date.ts';
import { missingTexts } from '../../domain/values/missing-value.ts';
import { clip, grouped } from '../../errors/wording.ts';
import { defined } from '../../platform/defined.ts';
import { type FilePlace, limits, notUtf8, refusal, type SourceFile } from '../files/source-file.ts';
import { type CellForm, cellText, otherWidth, type Records, recordHead, recordsIn } from './delimited.ts';

const separators = [',', ';', '\t'] as const;

/** Returns the separator that splits a header into the most cells. */
export function separatorIn(header: string): string {
  const counts = separators.map((separator) => cellsIn(header, separator).length);
  return separators[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** Returns the first lines of a text, without a byte-order mark and line ends. */
export function linesOf(head: string, count: number): readonly string[] {
  // The byte-order mark is one character, or three in a head that was decoded byte by byte.
  const text = head.replace(/^(?:\uFEFF|\u00EF\u00BB\u00BF)/, '');
  return text.split('\n', count).map((line) => line.replace(/\r$/, ''));
}

/** Splits a line into cells without surrounding blanks and quotes; only good for recognising a format. */
export function cellsIn(line: string, separator: string): readonly string[] {
  const cells: string[] = [];
  let [start, quoted] = [0, false];
  for (let at = 0; at <= line.length; at += 1) {
    if (line[at] === '"') quoted = !quoted;
    if (at < line.length && (quoted || line[at] !== separator)) continue;
    cells.push(
      line
        .slice(start, at)
        .trim()
        .replace(/^"(.*)"$/, '$1'),
    );
    start = at + 1;
  }
  return cells;
}

/** Tells whether FRED and ALFRED name columns of dates so. */
export function isDateColumn(name: string): boolean {
  return /^(?:observation_|period_start_)?date$/i.test(name);
}

type Dialect = CellForm & {
  readonly separator: string;
  readonly titles: number;
  /** The number of columns before the dates, in which a data frame numbers its rows. */
  readonly indexes: number;
};

const mostTitles = 60;

const indexName = /^(?:|index|Unnamed: \d+)$/;

function dialectOf(head: string): Dialect {
  const lines = linesOf(head, mostTitles + 2);
  const titles = titlesAbove(lines);
  const header = lines[titles] ?? '';
  const separator = separatorIn(header);
  const names = cellsIn(header, separator);
  const count = names.findIndex((name) => !indexName.test(name));
  const indexes = count > 0 && dateColumn.test(names[count] ?? '') ? count : 0;
  return { separator, titles, indexes };
}

/** Counts the rows of titles above a header, each of at most two cells; dates must follow the header. */
function titlesAbove(lines: readonly string[]): number {
  for (const [index, line] of lines.entries()) {
    const readings = separators.map((separator) => cellsIn(line, separator));
    if (readings.some(isHeader)) {
      const next = lines.slice(index + 1).find((below) => !/^[\s,;]*$/.test(below)) ?? '';
      return /^"?\d/.test(next) ? index : 0;
    }
    if (readings.some((cells) => cells.filter((cell) => cell !== '').length > 2)) return 0;
  }
  return 0;
}

function isHeader([first = '', ...others]: readonly string[]): boolean {
  return (isDateColumn(first) || /^sasdate$/i.test(first)) && others.some((cell) => cell !== '');
}

/** The beginning of a file, by which its format is recognised. */
export type FileHead = {
  readonly name: string;
  /** The first 64 KiB; for Parquet and workbooks only the signature. */
  readonly text: string;
  /** The names of columns, if the text is a table. */
  readonly header: readonly string[];
  /** The cells of the row below the header. */
  readonly second: readonly string[];
  /** The names of the columns of a Parquet file. */
  readonly columns?: readonly string[];
  /** The sheets of a workbook that have rows. */
  readonly sheets?: readonly { readonly name: string; readonly head: FileHead }[];
};

/** Makes the head of a text; a sheet or a part of a file has no name. */
export function textHead(text: string, name = ''): FileHead {
  const { separator, titles, indexes } = dialectOf(text);
  const [header = [], second = ['']] = linesOf(text, titles + 2)
    .slice(titles)
    .map((line) => cellsIn(line, separator).slice(indexes));
  const last = header.findLastIndex((column) => column !== '');
  return { name, text, header: header.slice(0, Math.max(last, 0) + 1), second };
}

/** One record of a CSV file and its row, counted from 1. */
export type CsvRow = { readonly row: number; readonly cells: readonly string[] };

/** Characters that show that a file is not UTF-8 text: NUL, and the replacement of undecodable bytes. */
const foreign = /[\0\uFFFD]/;

/** Reads the records of a UTF-8 text with their cells; throws with the row for other bytes. */
export async function* delimitedRows(file: SourceFile, form: CellForm): AsyncGenerator<WrittenRow[]> {
  for await (const records of recordsIn(file, form)) yield rowsOf(file, records, form.quotes);
}

function rowsOf(file: SourceFile, { bytes, places }: Records, quotes: CellForm['quotes']): WrittenRow[] {
  const text = bytes.toString('latin1');
  const isPlain = isAscii(bytes) && !bytes.includes(0);
  const rows: WrittenRow[] = [];
  let above: readonly string[] = [];
  for (let at = 0; at < places.length; at += recordHead + above.length) {
    const row = places[at] ?? 0;
    const count = places[at + 1] ?? 0;
    if (count > limits.columns)
      throw refusal(file, { row }, `more than ${grouped(limits.columns)} columns, the limit of a table`, [
        'split it, or write one value a line: series_id,date,as_of_date,value',
      ]);
    const cells = cellsAt(at, { bytes, places, text, isPlain, above, quotes });
    const value = isPlain ? undefined : cells.find((cell) => foreign.test(cell));
    if (value !== undefined) throw notUtf8(file, { row, value });
    rows.push({ row, cells });
    above = cells;
  }
  return rows;
}

type RecordText = Records & {
  /** The bytes, a character each. */
  readonly text: string;
  /** True if each byte is a character. */
  readonly isPlain: boolean;
  /** The cells of the record above; none for the first one. */
  readonly above: readonly string[];
  readonly quotes: CellForm['quotes'];
};

/** Returns the cells of a record; one that repeats the cell above, as most do by series or vintage, is its text. */
function cellsAt(record: number, { bytes, places, text, isPlain, above, quotes }: RecordText): string[] {
  const first = record + recordHead;
  // An array that grows takes three times as much memory.
  const cells = new Array<string>(places[record + 1] ?? 0);
  let start = (places[first - 1] ?? 0) + 1;
  for (let column = 0; column < cells.length; column += 1) {
    const end = places[first + column] ?? 0;
    let cell = repeats(bytes, start, end, places, record - above.length + column) ? above[column] : undefined;
    if (cell === undefined) {
      const written = text.slice(start, end);
      cell = isPlain && written[0] !== '"' ? written : cellText(written, quotes);
    }
    cells[column] = cell;
    start = end + 1;
  }
  return cells;
}

/** Tells whether bytes are those of the cell whose end is at a place; compares from the end, where days differ. */
function repeats(bytes: Buffer, start: number, end: number, places: Int32Array, endAbove: number): boolean {
  let above = (places[endAbove] ?? 0) - 1;
  if (above - (places[endAbove - 1] ?? 0) !== end - start) return false;
  for (let at = end - 1; at >= start; at -= 1, above -= 1) if (bytes[at] !== bytes[above]) return false;
  return true;
}

/**
 * Yields the records below the header of a CSV file, in batches, with the result of `readHeader`.
 * Undoes titles, separators, decimal commas, row numbers, empty cells, forms of dates and `NaN` of programs; `usual`
 * decides ambiguous dates. Notes a last line without an end. Throws if dates or numbers stay ambiguous, for a record of
 * another width than the header, and for a file without records.
 */
export async function* readCsvBody<Header>(
  file: SourceFile,
  readHeader: (header: CsvRow) => Header,
  form: {
    readonly usual?: DateOrder | undefined;
    readonly noRows?: string;
    readonly mayBeEmpty?: true;
    readonly quotes?: 'none' | 'loose';
    readonly endsLines?: true;
  } = {},
): AsyncGenerator<{
  readonly header: Header;
  readonly rows: readonly CsvRow[];
  readonly notes: readonly string[];
}> {
  const dialect = {
    ...dialectOf((await file.head()).toString('latin1')),
    ...defined({ quotes: form.quotes, endsLines: form.endsLines }),
  };
  let known: { readonly header: Header; readonly width: number; readonly clean: Cleaning } | undefined;
  let [empty, endsOpen] = [true, false];
  const onOpenEnd = () => {
    endsOpen = true;
  };
  for await (const batch of delimitedRows(file, { ...dialect, onOpenEnd })) {
    const records = known === undefined ? batch.filter(({ row }) => row > dialect.titles) : batch;
    if (known === undefined) {
      const first = records.shift();
      if (first === undefined) continue;
      const clean = cleaning(file, first, dialect, form.usual);
      known = { header: readHeader(first), width: first.cells.length, clean };
    }
    const { header, width, clean } = known;
    await clean(records);
    const rows = records.filter(({ row, cells }) => {
      if (cells.every(isBlank)) return false;
      if (cells.length === width) return true;
      throw otherWidth(file, row, cells.length, { width, separator: dialect.separator });
    });
    if (rows.length === 0) continue;
    empty = false;
    yield { header, rows, notes: endsOpen ? rows.slice(-1).map(openEnd) : [] };
  }
  if (known === undefined) throw refusal(file, {}, 'the file is empty');
  if (empty && form.mayBeEmpty !== true)
    throw refusal(file, {}, form.noRows ?? 'the file has a header and no rows');
}

/** Notes a last line that may be the beginning of a longer one. */
function openEnd({ row, cells }: CsvRow): string {
  const cell = JSON.stringify(clip(cells.at(-1) ?? ''));
  return `the last line, row ${row}, has no line end; if the file was cut short, ${cell} may be only the beginning of its last cell`;
}

type WrittenRow = { readonly row: number; cells: string[] };

type Cleaning = (records: readonly WrittenRow[]) => Promise<void>;

/** A date that is not written as YYYY-MM-DD, in a record. */
type OtherDate = { readonly cells: string[]; readonly index: number; readonly text: string };

const dateColumn = /(?:^|_)date$|^sasdate$|^realtime_(?:start|end)$|^covered_to$/i;

const [upperNan, lowerNan] = missingTexts.dataFrame;

const commaNumber = /^-?\d+,\d+(?:e[+-]?\d+)?$/i;
const pointNumber = /^-?\d+\.\d+(?:e[+-]?\d+)?$/i;

/** Removes the cells of a header that have no name, and returns what to do with the records below. */
function cleaning(file: SourceFile, header: WrittenRow, dialect: Dialect, usual?: DateOrder): Cleaning {
  const { indexes, separator, quotes } = dialect;
  const hasCommas = separator !== ',' && quotes === undefined;
  header.cells = header.cells.slice(indexes);
  const width = header.cells.findLastIndex((name) => name.trim() !== '') + 1;
  if (width > 0) header.cells = header.cells.slice(0, width);
  const names = header.cells.map((name) => name.trim());
  const dates = [...names.keys()].filter((index) => dateColumn.test(names[index] ?? ''));
  let order = file.dateOrder;
  let [comma, point]: (NamedPlace | undefined)[] = [];

  /** Writes a date as YYYY-MM-DD, or as M/D/YY for the format to add the century; keeps any other text. */
  const dateIn = async (text: string): Promise<string> => {
    const trimmed = text.trim();
    const [, written, , month = '', day = ''] = yearFirst.exec(trimmed) ?? [];
    if (written !== undefined) return `${written}-${padded(month)}-${padded(day)}`;
    const [, first = '', sign, second = '', year = ''] = yearLast.exec(trimmed) ?? [];
    if (sign === undefined) return text;
    // A date with points needs no order.
    if (sign !== '.') order ??= await decidedOrder(file, header, dialect, { names, dates, usual });
    const [m, d] = isMonthFirst(sign, order) ? [first, second] : [second, first];
    return year.length === 4 ? `${year}-${padded(m)}-${padded(d)}` : `${m}/${d}/${year}`;
  };

  /** Replaces a decimal comma by a point; throws if the file has both. */
  const withPoint = (cell: string, row: number, column: string): string => {
    const value = cell.trim();
    const isComma = commaNumber.test(value);
    if (!isComma && !pointNumber.test(value)) return cell;
    const place = { row, column, value };
    if (isComma) comma ??= place;
    else point ??= place;
    if (comma === undefined || point === undefined) return isComma ? value.replace(',', '.') : cell;
    const other = isComma ? point : comma;
    const reason = `${JSON.stringify(other.value)} in row ${other.row} has the other decimal sign, so one of them may separate thousands`;
    throw refusal(file, place, reason, ['save the file with one decimal sign']);
  };

  const removeIndexes = (record: WrittenRow): void => {
    const value = record.cells.slice(0, indexes).find((cell) => !/^\s*\d*\s*$/.test(cell));
    if (value !== undefined)
      throw refusal(file, { row: record.row, value }, 'a column without a name can have only row numbers');
    record.cells = record.cells.slice(indexes);
  };
  const cleanNumbers = ({ row, cells }: WrittenRow): void => {
    for (let index = 0; index < cells.length; index += 1) {
      const cell = cells[index] ?? '';
      if (cell === upperNan || cell === lowerNan) cells[index] = '';
      else if (hasCommas) cells[index] = withPoint(cell, row, names[index] ?? '');
    }
  };

  /** Cleans records, but for the dates that it returns. */
  const cleanCells = (records: readonly WrittenRow[]): readonly OtherDate[] => {
    const found: OtherDate[] = [];
    for (const record of records) {
      if (indexes > 0) removeIndexes(record);
      if (record.cells.length > names.length && record.cells.slice(names.length).every(isBlank))
        record.cells = record.cells.slice(0, names.length);
      const { cells } = record;
      for (const index of dates) {
        const text = cells[index];
        if (text !== undefined && !isPlainDate(text)) found.push({ cells, index, text });
      }
      cleanNumbers(record);
    }
    return found;
  };

  return async (records) => {
    for (const { cells, index, text } of cleanCells(records)) cells[index] = await dateIn(text);
  };
}

function isBlank(cell: string): boolean {
  return cell.trim() === '';
}

type NamedPlace = Required<FilePlace>;

/** Midnight after a date, with or without an offset. */
const midnight = '(?:[T ]+(?:0?0:00(?::00(?:\\.0+)?)?|12:00(?::00)? ?AM) ?(?:Z|UTC|[+-]\\d\\d:?\\d\\d)?)?';

const yearFirst = new RegExp(`^(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})${midnight}$`, 'i');
const yearLast = new RegExp(`^(\\d{1,2})([-/.])(\\d{1,2})\\2(\\d{4}|\\d\\d)${midnight}$`, 'i');

function isPlainDate(text: string): boolean {
  return text === '' || (text.length === 10 && text[4] === '-' && text[7] === '-');
}

function padded(digits: string): string {
  return digits.padStart(2, '0');
}

/** Decides the order of month and day by all dates of a file; throws if they contradict each other or leave it open. */
async function decidedOrder(
  file: SourceFile,
  header: WrittenRow,
  dialect: Dialect,
  {
    names,
    dates,
    usual,
  }: { readonly names: string[]; readonly dates: number[]; readonly usual?: DateOrder | undefined },
): Promise<DateOrder> {
  let [monthFirst, dayFirst, open]: (NamedPlace | undefined)[] = [];
  // In a series of months, quarters or years every date is the first day of a month.
  let [firstsIfMonthFirst, firstsIfDayFirst] = [true, true];
  const years = new Set<string>();
  for await (const records of delimitedRows(file, dialect))
    for (const { row, cells } of records)
      for (const index of row > header.row ? dates : []) {
        const value = cells[index + dialect.indexes] ?? '';
        const [, one = '', sign = '.', two = '', year = ''] = yearLast.exec(value.trim()) ?? [];
        if (sign === '.') continue;
        const place = { row, column: names[index] ?? '', value };
        const [first, second] = [Number(one), Number(two)];
        if (first > 12) dayFirst ??= place;
        else if (second > 12) monthFirst ??= place;
        else if (first !== second) open ??= place;
        firstsIfMonthFirst &&= second === 1;
        firstsIfDayFirst &&= first === 1;
        years.add(year);
      }
  if (monthFirst !== undefined && dayFirst !== undefined) {
    const [place, other] = monthFirst.row > dayFirst.row ? [monthFirst, dayFirst] : [dayFirst, monthFirst];
    const [part, otherPart] = place === dayFirst ? ['day', 'month'] : ['month', 'day'];
    const reason = `the ${part} comes first here, and the ${otherPart} in row ${other.row}: ${JSON.stringify(other.value)}`;
    throw refusal(file, place, reason);
  }
  if (monthFirst !== undefined) return 'M/D/YYYY';
  if (dayFirst !== undefined) return 'D/M/YYYY';
  // Read the other way, such dates would be a few days of January, year after year.
  if (years.size > 1 && firstsIfMonthFirst) return 'M/D/YYYY';
  if (years.size > 1 && firstsIfDayFirst) return 'D/M/YYYY';
  if (open === undefined) return 'M/D/YYYY';
  if (usual !== undefined) return usual;
  throw refusal(file, open, 'the month or the day could come first, and no date of the file decides it', [
    '--date-format M/D/YYYY if the month comes first',
    '--date-format D/M/YYYY if the day comes first',
  ]);
}
