import { Readable } from 'node:stream';
import { type CsvError, parse } from 'csv-parse';
import { Problem } from '../../errors/problem.ts';
import { type DateOrder, foreign, limits, notUtf8, refusal, type SourceFile } from '../files/source-file.ts';
import { cellsIn, dialectOf, linesOf, WrittenCells, type WrittenRow } from './dialect.ts';

/** One record of a CSV file and its row, counted from 1. */
export type CsvRow = { readonly row: number; readonly cells: readonly string[] };

const batchSize = 5000;

/** Longer records are refused, so that a file of another kind cannot fill memory. */
const longestRecord = 16 * 1024 * 1024;

/**
 * The records of a CSV file in batches, from its header on: RFC 4180, UTF-8 with or without a byte-order mark, LF or
 * CRLF. What programs make of such a file is undone: titles above the header, semicolons or tabs between cells, decimal
 * commas, row numbers of a data frame before its dates, empty cells beyond the header, dates in another form, `NaN` for an empty cell. Other cells keep their blanks.
 * Empty lines are skipped, but count as rows. A broken quote, a byte that is not UTF-8, and dates or numbers that could
 * be read in two ways are refused with their row. `usual` is the order of month and day where the file leaves it open.
 */
export async function* readCsv(file: SourceFile, usual?: DateOrder): AsyncGenerator<readonly CsvRow[]> {
  const dialect = dialectOf((await file.head()).toString('latin1'));
  let reader: WrittenCells | undefined;
  for await (const batch of recordsOf(file, dialect.separator)) {
    const rows = batch.filter(({ row }) => row > dialect.titles);
    if (reader === undefined) {
      const header = rows.shift();
      if (header === undefined) continue;
      reader = new WrittenCells(file, dialect, header, usual, () => recordsOf(file, dialect.separator));
      // A header with a fault is refused before the rows below it are read.
      yield [header];
    }
    if (rows.length === 0) continue;
    await reader.read(rows);
    yield rows;
  }
}

async function* recordsOf(file: SourceFile, separator: string): AsyncGenerator<WrittenRow[]> {
  const input = await file.open();
  try {
    const chunks = withoutMark(input);
    let row = 0;
    let rest = '';
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      const chunk = next.value;
      // Splitting is six times as fast as a CSV parser, and equivalent while nothing is quoted.
      if (chunk.includes('"')) return yield* quotedRows(file, resumed(rest + chunk, chunks), row, separator);
      const end = chunk.lastIndexOf('\n');
      if (end >= 0) {
        const lines = (rest + chunk.slice(0, end + 1)).split('\n');
        lines.pop();
        const rows = plainRows(file, lines, row, separator);
        if (rows.length > 0) yield rows;
        row += lines.length;
      }
      rest = end >= 0 ? chunk.slice(end + 1) : rest + chunk;
      if (rest.length > longestRecord) throw tooLong(file, row + 1);
    }
    // The last line has no line feed; a carriage return in it is content.
    if (rest !== '')
      yield [checkedText(file, { row: row + 1, cells: plainCells(file, row + 1, rest, separator) })];
  } finally {
    input.destroy();
  }
}

/** The text of a stream without its byte-order mark; bytes that are not UTF-8 become U+FFFD. */
async function* withoutMark(input: Readable): AsyncGenerator<string> {
  input.setEncoding('utf8');
  let first = true;
  for await (const chunk of input as AsyncIterable<string>) {
    yield first && chunk.startsWith('\uFEFF') ? chunk.slice(1) : chunk;
    first = false;
  }
}

async function* resumed(text: string, chunks: AsyncIterable<string>): AsyncGenerator<string> {
  yield text;
  yield* chunks;
}

function plainRows(
  file: SourceFile,
  lines: readonly string[],
  rowsBefore: number,
  separator: string,
): WrittenRow[] {
  const rows: WrittenRow[] = [];
  let row = rowsBefore;
  for (const line of lines) {
    row += 1;
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    if (text === '') continue;
    const record = { row, cells: plainCells(file, row, text, separator) };
    rows.push(foreign.test(text) ? checkedText(file, record) : record);
  }
  return rows;
}

function plainCells(file: SourceFile, row: number, text: string, separator: string): string[] {
  const cells = text.split(separator, limits.columns + 1);
  if (cells.length > limits.columns) throw tooWide(file, row);
  return cells;
}

async function* quotedRows(
  file: SourceFile,
  text: AsyncIterable<string>,
  rowsBefore: number,
  delimiter: string,
): AsyncGenerator<WrittenRow[]> {
  const source = Readable.from(text);
  const parser = source.pipe(
    parse({
      delimiter,
      record_delimiter: ['\r\n', '\n'],
      relax_column_count: true,
      max_record_size: longestRecord,
    }),
  );
  source.on('error', (error) => parser.destroy(error));
  try {
    let row = rowsBefore;
    let batch: WrittenRow[] = [];
    for await (const cells of parser as AsyncIterable<string[]>) {
      row += 1;
      if (cells.length === 1 && cells[0] === '') continue;
      if (cells.length > limits.columns) throw tooWide(file, row);
      batch.push(checkedText(file, { row, cells }));
      if (batch.length < batchSize) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  } catch (error) {
    throw parserProblem(file, error, rowsBefore);
  } finally {
    source.destroy();
    parser.destroy();
  }
}

function checkedText(file: SourceFile, record: WrittenRow): WrittenRow {
  const broken = record.cells.find((cell) => foreign.test(cell));
  if (broken === undefined) return record;
  throw notUtf8(file, { row: record.row, value: broken });
}

function tooLong(file: SourceFile, row: number): Problem {
  return refusal(file, { row }, 'a record of more than 16 MiB; this is not a CSV file');
}

function tooWide(file: SourceFile, row: number): Problem {
  const most = limits.columns.toLocaleString('en-US');
  return refusal(file, { row }, `more than ${most} columns, the limit of a table`, [
    'split it, or write one value a line: series_id,date,as_of_date,value',
  ]);
}

const quoteErrors: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote opens here and is never closed',
  INVALID_OPENING_QUOTE: 'a quote inside an unquoted cell',
  CSV_INVALID_CLOSING_QUOTE: 'text after a closing quote',
};

function parserProblem(file: SourceFile, error: unknown, rowsBefore: number): unknown {
  const { code, lines } = error as Partial<CsvError> & { lines?: number };
  if (error instanceof Problem || typeof code !== 'string') return error;
  const row = rowsBefore + (lines ?? 1);
  if (code === 'CSV_MAX_RECORD_SIZE') return tooLong(file, row);
  if (quoteErrors[code] === undefined && !code.startsWith('CSV_')) return error;
  return refusal(file, { row }, `broken CSV: ${quoteErrors[code] ?? code}`);
}

/** The names in the header of a CSV file, without blanks and quotes around them; good for recognising a format only. */
export function headerOf(head: string): readonly string[] {
  const header = cellsOf(head, 0);
  const last = header.findLastIndex((name) => name !== '');
  return header.slice(0, Math.max(last, 0) + 1);
}

/** The cells of the row with that index below the titles, without row numbers of a data frame; 0 is the header. */
export function cellsOf(head: string, index: number): readonly string[] {
  const { separator, titles, indexes } = dialectOf(head);
  return cellsIn(linesOf(head, titles + index + 1)[titles + index] ?? '', separator).slice(indexes);
}

type CsvBody<Header> = { readonly header: Header; readonly rows: readonly CsvRow[] };

/**
 * The records below the header of a CSV file, in batches, each with the result of `readHeader` (called once).
 * Records of empty cells only are skipped. Refused: a record with more or fewer cells than the header, and a file
 * without records.
 */
export async function* readCsvBody<Header>(
  file: SourceFile,
  readHeader: (header: CsvRow) => Header,
  usual?: DateOrder,
): AsyncGenerator<CsvBody<Header>> {
  let known: { readonly header: Header; readonly width: number } | undefined;
  let empty = true;
  for await (const batch of readCsv(file, usual)) {
    let records = batch;
    if (known === undefined) {
      const first = batch[0];
      if (first === undefined) continue;
      known = { header: readHeader(first), width: first.cells.length };
      records = batch.slice(1);
    }
    const { header, width } = known;
    const rows = records.filter(({ row, cells }) => {
      if (cells[0]?.trim() === '' && cells.every((cell) => cell.trim() === '')) return false;
      if (cells.length === width) return true;
      throw refusal(
        file,
        { row },
        `${cells.length} cells, but the header has ${width}; is the file truncated?`,
      );
    });
    if (rows.length === 0) continue;
    empty = false;
    yield { header, rows };
  }
  if (known === undefined) throw refusal(file, {}, 'the file is empty');
  if (empty) throw refusal(file, {}, 'the file has a header and no rows');
}
