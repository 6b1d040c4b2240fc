import { Readable } from 'node:stream';
import { type CsvError, parse } from 'csv-parse';
import { Problem } from '../../errors/problem.ts';
import { notUtf8, refusal, type SourceFile } from '../formats/format.ts';

/** One record of a CSV file, with its place in the file (1 is the first record, usually the header). */
export type CsvRow = { readonly row: number; readonly cells: readonly string[] };

const batchSize = 5000;

/** Longer records are refused, so that a file that is no CSV cannot fill the memory. */
const longestRecord = 16 * 1024 * 1024;

/**
 * The records of a CSV file in batches: RFC 4180, UTF-8 with or without a byte-order mark, LF or CRLF.
 * Cells are trimmed only of what quoting adds. Lines that are wholly empty are passed over, but keep their number.
 * A broken quote or a byte that is no UTF-8 refuses the file with its row.
 */
export async function* readCsv(file: SourceFile): AsyncGenerator<readonly CsvRow[]> {
  const input = await file.open();
  try {
    const chunks = withoutMark(input);
    let row = 0;
    let rest = '';
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      const chunk = next.value;
      // Splitting is six times as fast as a CSV parser, and the same as long as nothing is quoted.
      if (chunk.includes('"')) return yield* quotedRows(file, resumed(rest + chunk, chunks), row);
      const end = chunk.lastIndexOf('\n');
      if (end >= 0) {
        const lines = (rest + chunk.slice(0, end + 1)).split('\n');
        lines.pop();
        const rows = plainRows(file, lines, row);
        if (rows.length > 0) yield rows;
        row += lines.length;
      }
      rest = end >= 0 ? chunk.slice(end + 1) : rest + chunk;
      if (rest.length > longestRecord) throw tooLong(file, row + 1);
    }
    // The last line has no line feed to take a carriage return with it.
    if (rest !== '') yield [checked(file, { row: row + 1, cells: rest.split(',') })];
  } finally {
    input.destroy();
  }
}

/** The text of a stream without its byte-order mark; what is no UTF-8 becomes U+FFFD, as every decoder does. */
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

function plainRows(file: SourceFile, lines: readonly string[], rowsBefore: number): CsvRow[] {
  const rows: CsvRow[] = [];
  let row = rowsBefore;
  for (const line of lines) {
    row += 1;
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    if (text === '') continue;
    rows.push({ row, cells: text.split(',') });
    if (foreign.test(text)) checked(file, { row, cells: text.split(',') });
  }
  return rows;
}

async function* quotedRows(
  file: SourceFile,
  text: AsyncIterable<string>,
  rowsBefore: number,
): AsyncGenerator<readonly CsvRow[]> {
  const source = Readable.from(text);
  const parser = source.pipe(
    parse({ record_delimiter: ['\r\n', '\n'], relax_column_count: true, max_record_size: longestRecord }),
  );
  source.on('error', (error) => parser.destroy(error));
  try {
    let row = rowsBefore;
    let batch: CsvRow[] = [];
    for await (const cells of parser as AsyncIterable<string[]>) {
      row += 1;
      if (cells.length === 1 && cells[0] === '') continue;
      batch.push(checked(file, { row, cells }));
      if (batch.length < batchSize) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  } catch (error) {
    throw readable(file, error, rowsBefore);
  } finally {
    source.destroy();
    parser.destroy();
  }
}

/** What no text holds: NUL, and what stands for bytes that are no UTF-8. */
const foreign = /[\0\uFFFD]/;

function checked(file: SourceFile, record: CsvRow): CsvRow {
  const broken = record.cells.find((cell) => foreign.test(cell));
  if (broken === undefined) return record;
  throw notUtf8(file, { row: record.row, value: broken });
}

function tooLong(file: SourceFile, row: number): Problem {
  return refusal(file, { row }, 'a record of more than 16 MiB: this is not a CSV file');
}

const breaks: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened here and never closed',
  INVALID_OPENING_QUOTE: 'a quote stands inside a cell that is not quoted',
  CSV_INVALID_CLOSING_QUOTE: 'text follows a closing quote',
};

function readable(file: SourceFile, error: unknown, rowsBefore: number): unknown {
  const { code, lines } = error as Partial<CsvError> & { lines?: number };
  if (error instanceof Problem || typeof code !== 'string') return error;
  const row = rowsBefore + (lines ?? 1);
  if (code === 'CSV_MAX_RECORD_SIZE') return tooLong(file, row);
  if (breaks[code] === undefined && !code.startsWith('CSV_')) return error;
  return refusal(file, { row }, `broken CSV: ${breaks[code] ?? code}`);
}
