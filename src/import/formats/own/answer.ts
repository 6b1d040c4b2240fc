import { type Day, parseDay } from '../../../domain/series/date.ts';
import { Problem } from '../../../errors/problem.ts';
import { refusal, type SourceFile } from '../../files/source-file.ts';
import { headerOf, readCsvBody } from '../../readers/csv.ts';
import {
  isJsonObject,
  jsonIn,
  jsonText,
  listField,
  readJsonObject,
  type UncheckedObject,
} from '../../readers/json.ts';
import { linesIn, type TableRow } from '../../readers/tsv.ts';

/** What the head of a file says about the answer in it: the object of its envelope, or the names of its columns. */
type AnswerHead = { readonly object?: string; readonly columns: readonly string[] };

/**
 * A row of an answer. Lists are JSON, or their entries with a semicolon after each but the last; a missing cell is
 * empty.
 */
export type AnswerRow = TableRow & { has(column: string): boolean };

/** Marks the head of a Parquet file that lists its columns, one a line. */
const columnsMark = 'PAR1 columns:\n';

/** The head of a Parquet file for recognising it: the names of its columns. A file that cannot be read has none. */
export async function parquetHead(file: SourceFile): Promise<string | undefined> {
  const { readParquet } = await import('../../readers/parquet.ts');
  try {
    const { columns } = await readParquet(file);
    return columnsMark + columns.map(({ name }) => name).join('\n');
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/** What a file that begins with `head` is, if it is an answer of asof in JSON, or a table. */
export function answerHead(head: string): AnswerHead {
  if (head.startsWith(columnsMark)) return { columns: head.slice(columnsMark.length).split('\n') };
  if (!/^\s*\{/.test(head)) return { columns: headerOf(head) };
  const [, object] =
    /^\s*\{\s*"object"\s*:\s*"([a-z_]+)"/.exec(head) ??
    (/"request_id"\s*:\s*"req_/.test(head) ? /"object"\s*:\s*"([a-z_]+)"/.exec(head) : null) ??
    [];
  return object === undefined ? { columns: Object.keys(firstLineOf(head) ?? {}) } : { object, columns: [] };
}

/** The object in the first line of lines of JSON; undefined for other texts. */
function firstLineOf(head: string): UncheckedObject | undefined {
  const [line = '', ...others] = head.trimStart().split('\n', 2);
  return others.length === 0 ? undefined : objectIn(line);
}

/**
 * The rows of an answer that asof wrote as CSV, TSV, JSON, ndjson or Parquet, in batches. A row that lacks one of the
 * `required` columns is refused.
 */
export async function* answerRows(
  file: SourceFile,
  required: readonly string[],
): AsyncGenerator<readonly AnswerRow[]> {
  let isEmpty = true;
  for await (const rows of rowsIn(file)) {
    for (const row of rows) {
      isEmpty = false;
      const lacking = required.find((column) => !row.has(column));
      if (lacking !== undefined)
        throw refusal(file, { row: row.row, column: lacking }, 'this column is missing', [
          'export it without --columns',
        ]);
    }
    yield rows;
  }
  if (isEmpty) throw refusal(file, {}, 'the answer has no rows');
}

async function* rowsIn(file: SourceFile): AsyncGenerator<readonly AnswerRow[]> {
  const head = (await file.head()).toString();
  if (head.startsWith('PAR1')) yield* parquetRows(file);
  else if (!/^\s*\{/.test(head))
    yield* head.split('\n', 1)[0]?.includes('\t') ? tsvRows(file) : csvRows(file);
  else if (answerHead(head).object === undefined) yield* ndjsonRows(file);
  else {
    const results = listField(file, await readJsonObject(file), 'results');
    yield results.map((one, index) => jsonRow(one, index + 1));
  }
}

async function* parquetRows(file: SourceFile): AsyncGenerator<readonly AnswerRow[]> {
  const { readParquet } = await import('../../readers/parquet.ts');
  const { columns, groups } = await readParquet(file);
  const places = new Map(columns.map(({ name }, place) => [name, place]));
  for await (const { first, size, cellAt } of groups())
    yield Array.from({ length: size }, (_, index) => ({
      row: first + index,
      has: (column) => places.has(column),
      cell: (column) => String(cellAt(index, places.get(column) ?? -1) ?? ''),
    }));
}

async function* csvRows(file: SourceFile): AsyncGenerator<readonly AnswerRow[]> {
  const placesIn = (cells: readonly string[]) => new Map(cells.map((name, place) => [name.trim(), place]));
  for await (const { header, rows } of readCsvBody(file, ({ cells }) => placesIn(cells)))
    yield rows.map(({ row, cells }) => delimitedRow(row, cells, header));
}

const unescaped: Readonly<Record<string, string>> = { '\\\\': '\\', '\\t': '\t', '\\n': '\n', '\\r': '\r' };

/** Rows without quotes, in which a backslash begins `\t`, `\n`, `\r` and `\\`. */
async function* tsvRows(file: SourceFile): AsyncGenerator<readonly AnswerRow[]> {
  let places: ReadonlyMap<string, number> | undefined;
  let row = 0;
  for await (const lines of linesIn(file)) {
    const rows: AnswerRow[] = [];
    for (const line of lines) {
      row += 1;
      const cells = line
        .split('\t')
        .map((cell) => cell.replace(/\\[\\tnr]/g, (text) => unescaped[text] ?? text));
      if (places === undefined) places = new Map(cells.map((name, place) => [name, place]));
      else if (cells.length === places.size) rows.push(delimitedRow(row, cells, places));
      else if (line !== '')
        throw refusal(
          file,
          { row },
          `${cells.length} cells, but the header has ${places.size}; is the file truncated?`,
        );
    }
    yield rows;
  }
}

function delimitedRow(row: number, cells: readonly string[], places: ReadonlyMap<string, number>): AnswerRow {
  return {
    row,
    has: (column) => places.has(column),
    cell: (column) => cells[places.get(column) ?? -1] ?? '',
  };
}

async function* ndjsonRows(file: SourceFile): AsyncGenerator<readonly AnswerRow[]> {
  let row = 0;
  for await (const lines of linesIn(file)) {
    const rows: AnswerRow[] = [];
    for (const line of lines) {
      row += 1;
      if (line === '') continue;
      const value = objectIn(line);
      if (value === undefined) throw refusal(file, { row }, 'this line is not an object of JSON');
      rows.push(jsonRow(value, row));
    }
    yield rows;
  }
}

function objectIn(line: string): UncheckedObject | undefined {
  const value = jsonIn(line);
  return isJsonObject(value) ? value : undefined;
}

function jsonRow(cells: UncheckedObject, row: number): AnswerRow {
  return {
    row,
    has: (column) => Object.hasOwn(cells, column),
    cell: (column) => {
      const value = cells[column];
      if (value === undefined || value === null) return '';
      return typeof value === 'object' ? jsonText(value) : String(value);
    },
  };
}

/** A text without the time of day that JSON adds to a day. */
export function withoutMidnight(text: string): string {
  return text.replace(/T00:00:00(?:\.0+)?Z$/, '');
}

/** A day of an answer: `2015-01-30`, or `2015-01-30T00:00:00Z` in JSON. */
export function answerDay(text: string): Day | undefined {
  return parseDay(withoutMidnight(text));
}
