// Why: docs/decisions/types-of-files.md
import type { ColumnMetaData, Statistics } from 'hyparquet';
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { dayNumber } from '../../domain/values/date.ts';
import { parseDecimal } from '../../domain/values/decimal.ts';
import { Problem } from '../../errors/problem.ts';
import type { Cell, ColumnPage, Row } from '../../operations/envelope.ts';
import { type Field, type FieldKind, fieldKinds, toWire, wholeTime } from '../../operations/field.ts';
import type { OutputLayout, Renderer } from '../renderer.ts';

/** The rows of a row group, which are in memory. */
const groupRows = 50_000;

/** The bytes after which the writer begins another page of a column. */
const mostPage = 2 ** 20;

/** Renders Parquet with a schema of the fields alone; equal rows give equal bytes, with any pages. */
export function parquetRenderer({ columns: { fields }, double = false }: OutputLayout): Renderer {
  const columns = fields.map((field) => new ParquetColumn(field, double));
  const writer = new ByteWriter();
  /** Begins with the first row group, so that a short answer can start again if the data change. */
  let file: ParquetWriter | undefined;
  let rows = 0;
  let asOf: string | undefined;

  const begun = (): ParquetWriter => {
    file ??= new ParquetWriter({
      writer,
      schema: schemaOf(columns, ({ encoded }) => encoded),
      createdBy: 'asof',
      ...(asOf !== undefined && { kvMetadata: [{ key: 'as_of', value: asOf }] }),
    });
    return file;
  };
  const writeGroup = (): void => {
    const columnData = columns.map(({ name, cells: data, hasBounds }) => {
      // The last group has fewer rows.
      data.length = rows;
      return { name, data, statistics: !hasBounds };
    });
    // The writer adds up the sizes of all cells to find where a page is full.
    const pageSize = columns.every(({ fitsPage }) => fitsPage) ? 0 : mostPage;
    begun().write({ columnData, rowGroupSize: Number.POSITIVE_INFINITY, pageSize });
    for (const { meta_data } of begun().row_groups.at(-1)?.columns ?? []) {
      const column = columns.find(({ name }) => name === meta_data?.path_in_schema[0]);
      if (column?.hasBounds !== true || meta_data === undefined) continue;
      meta_data.statistics = column.bounds();
      meta_data.encoding_stats = encodingStats(meta_data);
    }
    for (const column of columns) column.begin();
    rows = 0;
  };
  /** Takes the bytes since the last call; the writer still counts from the start of the file. */
  const takeBytes = (): Uint8Array => {
    const bytes = writer.getBytes().slice();
    writer.index = 0;
    return bytes;
  };
  const addColumns = (count: number, cellsOf: ColumnPage['cellsOf']): Uint8Array => {
    const added = columns.map((column) => ({ column, cells: cellsOf(column.name) }));
    for (let from = 0; from < count; ) {
      const to = Math.min(count, from + groupRows - rows);
      for (const { column, cells } of added) column.add(cells, from, to);
      rows += to - from;
      from = to;
      if (rows === groupRows) writeGroup();
    }
    return takeBytes();
  };
  return {
    page({ as_of, results }) {
      asOf ??= as_of;
      return addColumns(results.length, (name) => results.map((row) => row[name]));
    },
    columns: ({ rows, cellsOf }) => addColumns(rows, cellsOf),
    *end() {
      if (rows > 0) writeGroup();
      yield takeBytes();
      const ended = begun();
      ended.schema = schemaOf(columns, ({ element }) => element);
      ended.finish();
      yield takeBytes();
    },
  };
}

/** Says how a column is encoded, as the writer does beside the statistics that it computes. */
function encodingStats({ encodings, dictionary_page_offset }: ColumnMetaData) {
  const dictionary = { page_type: 'DICTIONARY_PAGE', encoding: 'PLAIN', count: 1 } as const;
  return [
    ...(dictionary_page_offset === undefined ? [] : [dictionary]),
    // Cells whose bounds are known fit into a page.
    { page_type: 'DATA_PAGE_V2', encoding: encodings.at(-1) ?? 'PLAIN', count: 1 } as const,
  ];
}

function schemaOf(
  columns: readonly ParquetColumn[],
  elementOf: (column: ParquetColumn) => SchemaElement,
): SchemaElement[] {
  const leaves = columns.flatMap((column) => [elementOf(column), ...(column.isList ? listElements : [])]);
  return [{ name: 'rows', num_children: columns.length }, ...leaves];
}

/** The column of a field, and its cells of one row group; its type depends only on the field. */
class ParquetColumn {
  readonly name: string;
  readonly element: SchemaElement;
  /** The element as the writer encodes it: it encodes each decimal anew, which takes 3 µs, but takes bytes as they are. */
  readonly encoded: SchemaElement;
  readonly isList: boolean;
  readonly isDecimal: boolean;
  readonly #field: Field;
  readonly #kind: ParquetKind;
  readonly #isText: boolean;
  readonly #wire: (record: Row) => Row;
  /** What the cells of the group so far are stored as: most come again, and equal decimals are written fastest. */
  readonly #stored = new Map<Cell, StoredCell>();
  /** True if few cells have come again, so that looking for them takes longer than it saves. */
  #areNew = false;
  readonly #bytes = new DecimalBytes();
  readonly #decimals = new Extremes<bigint>((one, other) => one < other);
  readonly #days = new Extremes<number>((one, other) => one < other);
  readonly #texts = new Extremes<string>(isBefore);
  #missing = 0;
  /** The bytes of the texts of the group. */
  #length = 0;
  /** The cells of the group; the next group is written over them, as an array that grows takes longer. */
  readonly cells: StoredCell[] = [];
  #count = 0;

  constructor(field: Field, double: boolean) {
    const { name, fields = [] } = field;
    this.name = name;
    this.#kind = parquetKind(field, double);
    this.#field = field;
    this.#wire = toWire(fields);
    this.isList = this.#kind === kinds.LIST;
    // Another service may lack our additional fields.
    this.element = { name, repetition_type: 'OPTIONAL', ...this.#kind.element };
    this.isDecimal = this.#kind === kinds.DECIMAL;
    this.#isText = this.#kind === kinds.STRING;
    const { converted_type: _, ...bytes } = this.element;
    this.encoded = this.isDecimal ? bytes : this.element;
  }

  /** Begins a row group. */
  begin(): void {
    this.#stored.clear();
    for (const kept of [this.#bytes, this.#decimals, this.#days, this.#texts]) kept.clear();
    [this.#count, this.#missing, this.#length] = [0, 0, 0];
  }

  /** True if `bounds` says what the cells of the group lie between; otherwise the writer compares all of them. */
  get hasBounds(): boolean {
    const isOther = this.#isText || this.#kind === kinds.DATE;
    return this.isDecimal || (isOther && !this.#areNew && this.fitsPage);
  }

  /** True if the writer would begin no second page for the group. */
  get fitsPage(): boolean {
    const { type_length: width = 8 } = this.element;
    return this.#isText ? this.#length < mostPage : !this.isList && this.#count * width < mostPage;
  }

  /** Adds the cells between two places; throws a Problem for one that the schema's type would hold inexactly. */
  add(cells: readonly (Cell | undefined)[], from: number, to: number): void {
    let above: Cell | undefined;
    let stored: StoredCell = null;
    let length = 0;
    for (let place = from; place < to; place += 1) {
      const cell = cells[place];
      if (place === from || cell !== above) {
        stored = this.#storedFor(cell);
        length = typeof stored === 'string' ? Buffer.byteLength(stored) : 0;
      }
      above = cell;
      this.cells[this.#count] = stored;
      this.#count += 1;
      this.#length += length;
      if (stored === null) this.#missing += 1;
    }
  }

  /** Returns the bounds of the group: of decimals, which the writer would compare without a sign, of days or of texts. */
  bounds(): Statistics {
    const { least, most } = this.isDecimal ? this.#decimals : this.#isText ? this.#texts : this.#days;
    return {
      ...(least !== undefined && most !== undefined && { min_value: least, max_value: most }),
      null_count: BigInt(this.#missing),
    };
  }

  #storedFor(cell: Cell | undefined): StoredCell {
    // An empty text means unknown in the contract, such as a unit.
    if (cell === undefined || cell === null || cell === '') return null;
    const known = this.#areNew ? undefined : this.#stored.get(cell);
    if (known !== undefined) return known;
    const made = this.isDecimal ? this.#decimal(cell) : this.#kind.stored(cell, this.#wire);
    if (made === undefined) throw this.#refused(cell);
    if (this.#areNew) return made;
    if (typeof made === 'string') this.#texts.add(made);
    else if (typeof made === 'number') this.#days.add(made);
    this.#stored.set(cell, made);
    this.#areNew = this.#stored.size > 1000 && this.#stored.size * 2 > this.#count;
    return made;
  }

  #decimal(cell: Cell): Uint8Array | undefined {
    const exact = unscaled(cell, precision, scale);
    if (exact === undefined) return undefined;
    this.#decimals.add(exact);
    return this.#bytes.of(exact);
  }

  #refused(cell: Cell): Problem {
    const text = JSON.stringify(cell);
    const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
    const asDouble = parquetKind(this.#field, true).stored(cell, this.#wire);
    const rounds = asDouble === undefined ? '' : ' --double rounds it;';
    return new Problem(
      'bad-input',
      `column '${this.name}' has ${shown}, and Parquet would hold ${this.#kind.holds}`,
      { hints: [`-f csv writes it as it is;${rounds} --columns leaves it out`] },
    );
  }
}

/** Tells whether a text is before another in the order of their bytes, which differs above U+D800 from that of texts. */
function isBefore(one: string, other: string): boolean {
  return Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;
}

/** The least and the most of some values. */
class Extremes<T> {
  readonly #isBefore: (one: T, other: T) => boolean;
  least: T | undefined;
  most: T | undefined;

  constructor(isBefore: (one: T, other: T) => boolean) {
    this.#isBefore = isBefore;
  }

  add(value: T): void {
    if (this.least === undefined || this.#isBefore(value, this.least)) this.least = value;
    if (this.most === undefined || this.#isBefore(this.most, value)) this.most = value;
  }

  clear(): void {
    [this.least, this.most] = [undefined, undefined];
  }
}

function parquetKind({ type, nearest = false, held }: Field, double: boolean): ParquetKind {
  const { parquet } = fieldKinds[type];
  if ((double || nearest) && parquet === 'DECIMAL') return kinds.NEAREST;
  if (held === undefined) return kinds[parquet];
  if (held === 'single') return kinds.SINGLE;
  return 'bits' in held ? integers(held.bits, held.isSigned) : decimals(held.precision, held.scale);
}

type StoredCell = string | number | bigint | boolean | null | Uint8Array | readonly (string | null)[];

type ParquetKind = {
  readonly element: Omit<SchemaElement, 'name'>;
  /** Converts a cell to the storage type; undefined if that is inexact. */
  readonly stored: (cell: Cell, wire: (record: Row) => Row) => StoredCell | undefined;
  /** What the type holds, for the refusal of another cell. */
  readonly holds: string;
};

/** The digits of all numbers, as readers of several files take the type from one of them. */
const [precision, scale] = [38, 18];

/** How each type is stored; `NEAREST` and `SINGLE` are for numbers as DOUBLE and FLOAT. */
const kinds: Readonly<Record<FieldKind['parquet'] | 'NEAREST' | 'SINGLE', ParquetKind>> = {
  DECIMAL: decimals(precision, scale),
  NEAREST: {
    element: { type: 'DOUBLE' },
    stored: (cell) =>
      parseDecimal(String(cell)) !== undefined && Number.isFinite(Number(cell)) ? Number(cell) : undefined,
    holds: 'a double',
  },
  DATE: {
    element: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
    stored: (cell) => (/^\d{4}-\d\d-\d\d$/.test(String(cell)) ? dayNumber(String(cell)) : undefined),
    holds: 'a day without a time',
  },
  INT64: integers(64, true),
  DOUBLE: {
    element: { type: 'DOUBLE' },
    stored: (cell) => (typeof cell === 'number' ? cell : undefined),
    holds: 'a number',
  },
  SINGLE: {
    element: { type: 'FLOAT' },
    stored: (cell) => (typeof cell === 'number' ? cell : undefined),
    holds: 'a number',
  },
  TIMESTAMP: {
    element: {
      type: 'INT64',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' },
    },
    stored: microseconds,
    holds: 'a time in microseconds',
  },
  MOMENT: {
    element: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' } },
    stored: (cell) => microseconds(String(cell).replace(/Z$/, '')),
    holds: 'a time in UTC',
  },
  BOOLEAN: {
    element: { type: 'BOOLEAN' },
    stored: (cell) => (typeof cell === 'boolean' ? cell : undefined),
    holds: 'true or false',
  },
  STRING: {
    element: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
    stored: textOf,
    holds: 'a text',
  },
  LIST: {
    element: { converted_type: 'LIST', logical_type: { type: 'LIST' }, num_children: 1 },
    stored: (cell, wire) =>
      Array.isArray(cell)
        ? cell.map((entry) => (entry === null ? null : textOf(isRecord(entry) ? wire(entry) : entry)))
        : undefined,
    holds: 'a list',
  },
};

const listElements: readonly SchemaElement[] = [
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  { name: 'element', repetition_type: 'OPTIONAL', ...kinds.STRING.element },
];

function isRecord(entry: Cell): entry is Row {
  return typeof entry === 'object' && entry !== null && !Array.isArray(entry);
}

function textOf(cell: Cell): string {
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
}

function decimals(precision: number, scale: number): ParquetKind {
  // 16 bytes hold 38 digits; few files have more.
  const type_length = Math.max(16, Math.ceil((precision * Math.log2(10) + 1) / 8));
  return {
    element: {
      type: 'FIXED_LEN_BYTE_ARRAY',
      type_length,
      converted_type: 'DECIMAL',
      logical_type: { type: 'DECIMAL', precision, scale },
      precision,
      scale,
    },
    stored: (cell) => unscaled(cell, precision, scale),
    holds: `a number of at most ${precision - scale} digits before the point and ${scale} after it`,
  };
}

function integers(bits: 8 | 16 | 32 | 64, isSigned: boolean): ParquetKind {
  const isWide = bits === 64;
  const within = isSigned ? BigInt.asIntN : BigInt.asUintN;
  return {
    element: {
      type: isWide ? 'INT64' : 'INT32',
      // hyparquet-writer writes the logical type of integers in a form that no reader takes.
      ...(!(isWide && isSigned) && { converted_type: `${isSigned ? 'INT' : 'UINT'}_${bits}` as const }),
    },
    stored(cell) {
      if (!/^-?\d{1,20}$/.test(String(cell)) || typeof cell === 'boolean') return undefined;
      const exact = BigInt(String(cell));
      if (within(bits, exact) !== exact) return undefined;
      return isWide ? exact : Number(exact);
    },
    holds: 'an integer',
  };
}

/** Parses a time as microseconds since 1970; undefined for more decimals. */
function microseconds(cell: Cell): bigint | undefined {
  const [, day, time, decimals = ''] =
    /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?$/.exec(wholeTime(String(cell))) ?? [];
  if (day === undefined) return undefined;
  return BigInt(Date.parse(`${day}T${time}Z`)) * 1000n + BigInt(decimals.padEnd(6, '0'));
}

/** The most digits that a double holds, of whatever number. */
const doubleDigits = 15;

const powers = Array.from({ length: scale + 1 }, (_, exponent) => 10n ** BigInt(exponent));

function unscaled(cell: Cell, precision: number, scale: number): bigint | undefined {
  const text = String(cell);
  const plain = text.length <= doubleDigits ? plainNumber(text) : undefined;
  const power = plain && powers[scale - plain.decimals];
  if (plain !== undefined && power !== undefined && text.length - plain.decimals <= precision - scale)
    return BigInt(plain.digits) * power;
  const exact = parseDecimal(text) ?? '';
  const [, sign, whole = '', fraction = ''] = /^(-?)0*(\d*)(?:\.(\d*?)0*)?$/.exec(exact) ?? [];
  if (exact === '' || whole.length > precision - scale || fraction.length > scale) return undefined;
  return BigInt(`${sign}${whole}${fraction.padEnd(scale, '0')}`);
}

/** Reads a number of few digits, as most are, in a fifth of the time; undefined for any other text. */
function plainNumber(text: string): { readonly digits: number; readonly decimals: number } | undefined {
  const start = text.startsWith('-') ? 1 : 0;
  let [digits, point] = [0, -1];
  for (let at = start; at < text.length; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (digit >= 0 && digit <= 9) digits = digits * 10 + digit;
    else if (digit === -2 && point === -1 && at > start) point = at;
    else return undefined;
  }
  const decimals = point < 0 ? 0 : text.length - point - 1;
  if (text.length === start || (point >= 0 && decimals === 0)) return undefined;
  return { digits: start === 1 ? -digits : digits, decimals };
}

/** Makes unscaled numbers the 16 bytes of their complement of two, highest first. */
class DecimalBytes {
  readonly #number = new DataView(new ArrayBuffer(16));
  readonly #written = new Uint8Array(this.#number.buffer);
  /** The bytes of all row groups: to make and to free them takes longer than to write them. */
  readonly #made: Uint8Array[] = [];
  #used = 0;

  of(unscaled: bigint): Uint8Array {
    this.#number.setBigInt64(0, unscaled >> 64n);
    this.#number.setBigInt64(8, unscaled);
    const bytes = this.#made[this.#used] ?? new Uint8Array(16);
    bytes.set(this.#written);
    this.#made[this.#used] = bytes;
    this.#used += 1;
    return bytes;
  }

  /** Takes back all bytes that were returned; the next numbers are written over them. */
  clear(): void {
    this.#used = 0;
  }
}
