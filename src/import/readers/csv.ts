import { type DateOrder, isMonthFirst } from '../../domain/values/date.ts';
import { entryOf } from '../../domain/values/groups.ts';
import { missingTexts } from '../../domain/values/missing-value.ts';
import { clip } from '../../errors/wording.ts';
import { defined } from '../../platform/defined.ts';
import { type FilePlace, refusal, type SourceFile } from '../files/source-file.ts';
import { type CsvColumn, type CsvRow, CsvRows, delimitedRows, RecordCells } from './cells.ts';
import { type CellForm, otherWidth, recordsIn } from './delimited.ts';

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
  readonly rows: CsvRows;
  readonly notes: readonly string[];
}> {
  const dialect = {
    ...dialectOf((await file.head()).toString('latin1')),
    ...defined({ quotes: form.quotes, endsLines: form.endsLines }),
  };
  let known: { readonly header: Header; readonly table: Table } | undefined;
  let [empty, endsOpen] = [true, false];
  const onOpenEnd = () => {
    endsOpen = true;
  };
  for await (const batch of recordsIn(file, { ...dialect, onOpenEnd })) {
    const records = new RecordCells(file, batch, dialect.quotes);
    let at = 0;
    if (known === undefined) {
      while (at < records.end && records.number(at) <= dialect.titles) at = records.after(at);
      if (at === records.end) continue;
      const table: Table = new Table(file, records.row(at), dialect, form.usual);
      known = { header: readHeader(table.header), table };
      at = records.after(at);
    }
    const { header, table } = known;
    const rows = await table.read(records, at);
    const last = rows.rows.length - 1;
    if (last < 0) continue;
    empty = false;
    yield { header, rows, notes: endsOpen ? [openEnd(rows.at(last))] : [] };
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

const dateColumn = /(?:^|_)date$|^sasdate$|^realtime_(?:start|end)$|^covered_to$/i;

const [upperNan, lowerNan] = missingTexts.dataFrame;

const commaNumber = /^-?\d+,\d+(?:e[+-]?\d+)?$/i;
const pointNumber = /^-?\d+\.\d+(?:e[+-]?\d+)?$/i;

/** A column with more texts has others than days, and begins anew. */
const mostDays = 100_000;

/** A table below its header, up to its last column with a name. */
class Table {
  /** The header without row numbers, and without the cells behind the last name. */
  readonly header: CsvRow;
  readonly #file: SourceFile;
  readonly #dialect: Dialect;
  readonly #usual: DateOrder | undefined;
  readonly #columns: readonly { readonly name: string; readonly isDate: boolean }[];
  /** The texts of each column of dates. */
  readonly #days = new Map<number, Parameters<RecordCells['days']>[2]>();
  readonly #hasCommas: boolean;
  #order: DateOrder | undefined;
  #comma: NamedPlace | undefined;
  #point: NamedPlace | undefined;

  constructor(file: SourceFile, { row, cells }: CsvRow, dialect: Dialect, usual: DateOrder | undefined) {
    const own = cells.slice(dialect.indexes);
    const width = own.findLastIndex((name) => !isBlank(name)) + 1;
    this.header = { row, cells: width > 0 ? own.slice(0, width) : own };
    this.#file = file;
    this.#dialect = dialect;
    this.#usual = usual;
    this.#columns = this.header.cells.map((cell) => {
      const name = cell.trim();
      return { name, isDate: dateColumn.test(name) };
    });
    this.#hasCommas = dialect.separator !== ',' && dialect.quotes === undefined;
    this.#order = file.dateOrder;
  }

  /** Reads the records from a place on. */
  async read(records: RecordCells, from: number): Promise<CsvRows> {
    const kept = this.#recordsFrom(records, from);
    const columns: CsvColumn[] = [];
    for (const [column, { name, isDate }] of this.#columns.entries()) {
      const place = this.#dialect.indexes + column;
      if (isDate) columns.push(await this.#dayColumn(records, kept, place));
      else columns.push(records.column(kept, place, (cell, row) => this.#clean(cell, row, name)));
    }
    return new CsvRows(records.numbers(kept), columns);
  }

  async #dayColumn(records: RecordCells, kept: Int32Array, column: number): Promise<CsvColumn> {
    if ((this.#days.get(column)?.texts.length ?? 0) > mostDays) this.#days.delete(column);
    const days = entryOf(this.#days, column, () => ({ texts: [], rows: [], known: new Map() }));
    const { length: before } = days.texts;
    const found = records.days(kept, column, days);
    for (let place = before; place < days.texts.length; place += 1) {
      const text = days.texts[place] ?? '';
      if (!isPlainDate(text)) days.texts[place] = await this.#dateIn(text);
    }
    return found;
  }

  /** Lists the records from a place on that are not blank. */
  #recordsFrom(records: RecordCells, from: number): Int32Array {
    const { length: width } = this.#columns;
    const { indexes } = this.#dialect;
    const found = new Int32Array(records.end - from);
    let count = 0;
    for (let at = from; at < records.end; at = records.after(at)) {
      const isUsual = indexes === 0 && records.width(at) === width && records.hasText(at, 0);
      if (!isUsual && !this.#hasColumns(records, at)) continue;
      found[count] = at;
      count += 1;
    }
    return found.subarray(0, count);
  }

  /** Tells whether a record has the columns; false if it is blank, and throws for one of another width. */
  #hasColumns(records: RecordCells, at: number): boolean {
    const { indexes, separator } = this.#dialect;
    const { length: width } = this.#columns;
    const found = records.width(at) - indexes;
    if (indexes > 0) this.#checkIndexes(records, at);
    const { cells } = records.row(at);
    const isEmpty = (cell: string, column: number) =>
      isBlank(cell) || (isNan(cell) && this.#columns[column]?.isDate !== true);
    if (cells.slice(indexes).every(isEmpty)) return false;
    if (found >= width && cells.slice(indexes + width).every(isBlank)) return true;
    throw otherWidth(this.#file, records.number(at), found, { width, separator });
  }

  #checkIndexes(records: RecordCells, at: number): void {
    const { row, cells } = records.row(at);
    const value = cells.slice(0, this.#dialect.indexes).find((cell) => !/^\s*\d*\s*$/.test(cell));
    if (value !== undefined)
      throw refusal(this.#file, { row, value }, 'a column without a name can have only row numbers');
  }

  #clean(cell: string, row: number, column: string): string {
    if (isNan(cell)) return '';
    return this.#hasCommas ? this.#withPoint(cell, row, column) : cell;
  }

  /** Replaces a decimal comma by a point; throws if the file has both. */
  #withPoint(cell: string, row: number, column: string): string {
    const value = cell.trim();
    const isComma = commaNumber.test(value);
    if (!isComma && !pointNumber.test(value)) return cell;
    const place = { row, column, value };
    if (isComma) this.#comma ??= place;
    else this.#point ??= place;
    if (this.#comma === undefined || this.#point === undefined)
      return isComma ? value.replace(',', '.') : cell;
    const other = isComma ? this.#point : this.#comma;
    const reason = `${JSON.stringify(other.value)} in row ${other.row} has the other decimal sign, so one of them may separate thousands`;
    throw refusal(this.#file, place, reason, ['save the file with one decimal sign']);
  }

  /** Writes a date as YYYY-MM-DD, or as M/D/YY for the format to add the century; keeps any other text. */
  async #dateIn(text: string): Promise<string> {
    const trimmed = text.trim();
    const [, written, , month = '', day = ''] = yearFirst.exec(trimmed) ?? [];
    if (written !== undefined) return `${written}-${padded(month)}-${padded(day)}`;
    const [, first = '', sign, second = '', year = ''] = yearLast.exec(trimmed) ?? [];
    if (sign === undefined) return text;
    // A date with points needs no order.
    if (sign !== '.') this.#order ??= await this.#decidedOrder();
    const [m, d] = isMonthFirst(sign, this.#order) ? [first, second] : [second, first];
    return year.length === 4 ? `${year}-${padded(m)}-${padded(d)}` : `${m}/${d}/${year}`;
  }

  /** Decides the order of month and day by all dates of the file; throws if they contradict each other or leave it open. */
  async #decidedOrder(): Promise<DateOrder> {
    let [monthFirst, dayFirst, open]: (NamedPlace | undefined)[] = [];
    // In a series of months, quarters or years every date is the first day of a month.
    let [firstsIfMonthFirst, firstsIfDayFirst] = [true, true];
    const years = new Set<string>();
    for await (const records of delimitedRows(this.#file, this.#dialect))
      for (const { row, cells } of records)
        for (const [index, { name, isDate }] of this.#columns.entries()) {
          if (!isDate || row <= this.header.row) continue;
          const value = cells[index + this.#dialect.indexes] ?? '';
          const [, one = '', sign = '.', two = '', year = ''] = yearLast.exec(value.trim()) ?? [];
          if (sign === '.') continue;
          const place = { row, column: name, value };
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
      throw refusal(this.#file, place, reason);
    }
    if (monthFirst !== undefined) return 'M/D/YYYY';
    if (dayFirst !== undefined) return 'D/M/YYYY';
    // Read the other way, such dates would be a few days of January, year after year.
    if (years.size > 1 && firstsIfMonthFirst) return 'M/D/YYYY';
    if (years.size > 1 && firstsIfDayFirst) return 'D/M/YYYY';
    if (open === undefined) return 'M/D/YYYY';
    if (this.#usual !== undefined) return this.#usual;
    throw refusal(
      this.#file,
      open,
      'the month or the day could come first, and no date of the file decides it',
      ['--date-format M/D/YYYY if the month comes first', '--date-format D/M/YYYY if the day comes first'],
    );
  }
}

function isBlank(cell: string): boolean {
  return cell.trim() === '';
}

function isNan(cell: string): boolean {
  return cell === upperNan || cell === lowerNan;
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
