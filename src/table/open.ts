import { isAscii } from 'node:buffer';
import { stat } from 'node:fs/promises';
import { cellBatch, type TableBatch, textOfCell, type UserTable } from '../answering/table.ts';
import { parseDay } from '../domain/values/date.ts';
import { Problem } from '../errors/problem.ts';
import { systemProblem } from '../errors/system-errors.ts';
import { refusal, type SourceFile } from '../import/files/source-file.ts';
import { printablePath, sourceFiles } from '../import/files/walk.ts';
import { linesOf, separatorIn } from '../import/readers/csv.ts';
import { cellText, type Records, recordHead, recordsIn } from '../import/readers/delimited.ts';
import { isWorkbook } from '../import/readers/xlsx.ts';
import type { Cell } from '../operations/envelope.ts';
import type { Field } from '../operations/field.ts';
import { defined } from '../platform/defined.ts';

/** Opens CSV, TSV or Parquet by content; throws a Problem for any other file. `-` is stdin, read into memory. */
export async function openTable(path: string, stdin?: AsyncIterable<Uint8Array>): Promise<UserTable> {
  const found = path === '-' ? undefined : await stat(path).catch(() => undefined);
  if (found?.isDirectory()) throw systemProblem('read', printablePath(path), { code: 'EISDIR' });
  const [file, ...others] = await sourceFiles([path], stdin);
  if (file === undefined || others.length > 0)
    throw new Problem('bad-input', `${path} is several files: name one`);
  const head = await file.head();
  if (head.toString('latin1', 0, 4) === 'PAR1') return parquetTable(file);
  if (isWorkbook(head)) throw refusal(file, {}, 'a workbook is not read', ['save the sheet as CSV']);
  return textTable(file, head);
}

async function parquetTable(file: SourceFile): Promise<UserTable> {
  const { readParquet } = await import('../import/readers/parquet.ts');
  const { columns, groups } = await readParquet(file);
  refuseTwice(
    file,
    {},
    columns.map(({ name }) => name),
  );
  return {
    name: file.path,
    fields: columns.map(({ name, type, held }) => ({ ...fieldOf(name, type), ...defined({ held }) })),
    async *batches() {
      for await (const { first, size, cellAt } of groups())
        yield cellBatch({ size, cellAt, rowAt: (index) => first + index });
    },
  };
}

function fieldOf(name: string, type: Field['type']): Field {
  return { name, type, description: `Column ${name} of the file.`, nullable: true };
}

class TextBatch implements TableBatch {
  readonly size: number;
  readonly #bytes: Buffer;
  /** All bytes as one text, of which cells are parts: a text of each takes three times as long. */
  #text: string | undefined;
  readonly #isAscii: boolean;
  readonly #places: Int32Array;
  readonly #width: number;
  readonly #stride: number;

  constructor({ bytes, places }: Records, width: number) {
    this.#bytes = bytes;
    this.#isAscii = isAscii(bytes);
    this.#places = places;
    this.#width = width;
    this.#stride = recordHead + width;
    this.size = places.length / this.#stride;
  }

  rowAt(index: number): number {
    return this.#places[index * this.#stride] ?? 0;
  }

  cellAt(index: number, column: number): Cell {
    this.#text ??= this.#bytes.toString('latin1');
    const start = this.#startOf(index, column);
    const text = this.#text.slice(start, this.#endOf(index, column));
    if (text === '') return null;
    return this.#isAscii && this.#bytes[start] !== codes.quote ? text : cellText(text) || null;
  }

  repeats(index: number, column: number): boolean {
    if (index === 0) return false;
    const bytes = this.#bytes;
    const [start, end] = [this.#startOf(index, column), this.#endOf(index, column)];
    const above = this.#startOf(index - 1, column);
    if (this.#endOf(index - 1, column) - above !== end - start) return false;
    for (let at = start; at < end; at += 1) if (bytes[at] !== bytes[at - start + above]) return false;
    return true;
  }

  /** Tells whether a cell is a decimal number as `forms` has it, by its bytes: a text takes five times as long. */
  isDecimal(index: number, column: number): boolean {
    const bytes = this.#bytes;
    const end = this.#endOf(index, column);
    const begin = this.#startOf(index, column);
    const start = bytes[begin] === codes.minus ? begin + 1 : begin;
    let point = end;
    for (let at = start; at < end; at += 1) {
      const code = bytes[at] ?? 0;
      if (code === codes.point && point === end) point = at;
      else if (code < codes.zero || code > codes.nine) return false;
    }
    const [whole, decimals] = [point - start, end - point - 1];
    if (whole === 0 || whole > 20 || decimals > 18 || (point < end && decimals === 0)) return false;
    return bytes[start] !== codes.zero || whole === 1;
  }

  get byteLength(): number {
    return this.#bytes.length;
  }

  copyRow(index: number, target: Uint8Array, at: number): number {
    const bytes = this.#bytes;
    const end = this.#endOf(index, this.#width - 1);
    let to = at;
    // Buffer.copy is slower for a few bytes.
    for (let from = this.#startOf(index, 0); from < end; from += 1, to += 1) target[to] = bytes[from] ?? 0;
    return to;
  }

  /** Returns the row as it is written, one character for each byte. */
  written(index: number): string {
    return this.#bytes.toString('latin1', this.#startOf(index, 0), this.#endOf(index, this.#width - 1));
  }

  #startOf(index: number, column: number): number {
    return (this.#places[(index + 1) * this.#stride - this.#width - 1 + column] ?? 0) + 1;
  }

  #endOf(index: number, column: number): number {
    return this.#places[(index + 1) * this.#stride - this.#width + column] ?? 0;
  }
}

/** Opens a text file whose first line names the columns; throws a Problem for an empty file or repeated names. */
export async function textTable(file: SourceFile, head: Buffer): Promise<UserTable> {
  if (head.includes(0)) throw refusal(file, {}, 'this is not a text file', ['save it as CSV or Parquet']);
  const separator = separatorIn(linesOf(head.toString('latin1'), 1)[0] ?? '');
  for await (const records of recordsIn(file, { separator })) {
    const width = records.places[1] ?? 0;
    const first = new TextBatch(records, width);
    const names = Array.from({ length: width }, (_, column) => textOfCell(first.cellAt(0, column)).trim());
    refuseTwice(file, { row: 1 }, names);
    const batches = async function* () {
      let head = recordHead + width;
      for await (const { bytes, places } of recordsIn(file, { separator, width })) {
        const rows = places.subarray(head);
        head = 0;
        if (rows.length > 0) yield new TextBatch({ bytes, places: rows }, width);
      }
    };
    let types: Promise<readonly Field['type'][]> | undefined;
    const typeOf = async (column: number) => {
      types ??= typesIn(batches(), width);
      return (await types)[column] ?? 'text';
    };
    return {
      name: file.path,
      fields: names.map((name, column) => ({ ...fieldOf(name, 'text'), typeInFile: () => typeOf(column) })),
      text: { separator, header: first.written(0) },
      batches,
    };
  }
  throw refusal(file, {}, 'the file is empty: its first line names the columns');
}

const codes = { quote: 34, minus: 45, point: 46, zero: 48, nine: 57 } as const;

type TextForm = readonly [type: Field['type'], isOne: (text: string) => boolean];

const decimalForm: TextForm = ['decimal', (text) => /^-?(?:0|[1-9]\d{0,19})(?:\.\d{1,18})?$/.test(text)];

/** What texts of a type look like; numbers are those that Parquet holds exactly, and codes that begin with 0 are none. */
const forms: readonly TextForm[] = [
  decimalForm,
  ['day', (text) => parseDay(text) !== undefined],
  ['timestamp', isTimestamp],
];

function isTimestamp(text: string): boolean {
  const [, day = '', rest] = /^(\d{4}-\d\d-\d\d)(.*)$/.exec(text) ?? [];
  const time = /^[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?$/;
  return parseDay(day) !== undefined && (rest === '' || time.test(rest ?? ''));
}

/** Finds the first type that all texts of each column have; texts without one, and no texts, are text. */
async function typesIn(batches: AsyncIterable<TextBatch>, width: number): Promise<readonly Field['type'][]> {
  const open = Array.from({ length: width }, () => ({ types: [...forms], hasText: false }));
  for await (const batch of batches)
    for (const [column, found] of open.entries())
      for (let index = 0; index < batch.size && !(found.hasText && found.types.length === 0); index += 1) {
        const { types } = found;
        const isDecimal = types.length === 1 && types[0] === decimalForm;
        if (isDecimal ? batch.isDecimal(index, column) : batch.repeats(index, column)) continue;
        const text = textOfCell(batch.cellAt(index, column));
        if (text === '') continue;
        found.hasText = true;
        if (types.some(([, isOne]) => !isOne(text))) found.types = types.filter(([, isOne]) => isOne(text));
      }
  return open.map(({ types, hasText }) => (hasText ? types[0]?.[0] : undefined) ?? 'text');
}

function refuseTwice(file: SourceFile, place: { readonly row?: number }, names: readonly string[]): void {
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined)
    throw refusal(file, place, `two columns have the name ${JSON.stringify(twice)}`, ['rename one of them']);
}
