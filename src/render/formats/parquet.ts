// Why: docs/decisions/types-of-files.md
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { dayNumber } from '../../domain/values/date.ts';
import { parseDecimal } from '../../domain/values/decimal.ts';
import { Problem } from '../../errors/problem.ts';
import type { Cell, Envelope, Row } from '../../operations/envelope.ts';
import { type Field, type FieldKind, fieldKinds } from '../../operations/field.ts';
import { toWire } from '../../operations/wire.ts';
import type { OutputLayout, Renderer } from '../renderer.ts';

/** The rows of a row group, which are in memory. */
const groupRows = 50_000;

type NamedColumn = ParquetColumn & { readonly name: string };

/** Renders Parquet with a schema of the fields alone; equal rows give equal bytes, with any pages. */
export class ParquetRenderer implements Renderer {
  readonly #columns: readonly NamedColumn[];
  readonly #bytes = new ByteWriter();
  /** Begins with the first row group, so that a short answer can start again if the data change. */
  #file: ParquetWriter | undefined;
  #group: readonly StoredCell[][];
  #rows = 0;
  #asOf: string | undefined;

  constructor({ columns: { fields }, double = false }: OutputLayout) {
    this.#columns = fields.map((field) => ({ name: field.name, ...parquetColumn(field, double) }));
    this.#group = this.#columns.map(() => []);
  }

  page({ as_of, results }: Envelope): Uint8Array {
    this.#asOf ??= as_of;
    for (const row of results) {
      for (const [i, { name, stored }] of this.#columns.entries()) this.#group[i]?.push(stored(row[name]));
      this.#rows += 1;
      if (this.#rows === groupRows) this.#writeGroup();
    }
    return this.#takeBytes();
  }

  *end(): Generator<Uint8Array> {
    if (this.#rows > 0) this.#writeGroup();
    yield this.#takeBytes();
    this.#begun().finish();
    yield this.#takeBytes();
  }

  #begun(): ParquetWriter {
    this.#file ??= new ParquetWriter({
      writer: this.#bytes,
      schema: [
        { name: 'rows', num_children: this.#columns.length },
        ...this.#columns.flatMap(({ elements }) => elements),
      ],
      createdBy: 'asof',
      ...(this.#asOf !== undefined && { kvMetadata: [{ key: 'as_of', value: this.#asOf }] }),
    });
    return this.#file;
  }

  #writeGroup(): void {
    const columnData = this.#columns.map(({ name }, i) => ({ name, data: this.#group[i] ?? [] }));
    this.#begun().write({ columnData, rowGroupSize: Number.POSITIVE_INFINITY });
    this.#group = this.#columns.map(() => []);
    this.#rows = 0;
  }

  /** Takes the bytes since the last call; the writer still counts from the start of the file. */
  #takeBytes(): Uint8Array {
    const bytes = this.#bytes.getBytes().slice();
    this.#bytes.index = 0;
    return bytes;
  }
}

/** Makes the column of a field; its type depends only on the field, so files with other rows fit together. */
function parquetColumn({ name, type, fields = [] }: Field, double: boolean): ParquetColumn {
  const { parquet } = fieldKinds[type];
  const { elements, stored } =
    double && parquet === 'DECIMAL' ? doubleColumn(name) : columns[parquet](name, toWire(fields));
  // An empty text means unknown in the contract, such as a unit.
  const isMissing = (cell: Cell | undefined) => cell === undefined || cell === null || cell === '';
  return { elements, stored: (cell) => (isMissing(cell) ? null : stored(cell)) };
}

const columns: Readonly<
  Record<FieldKind['parquet'], (name: string, wire: (record: Row) => Row) => ParquetColumn>
> = {
  DECIMAL: decimalColumn,
  DATE: (name) => ({
    elements: [optional(name, { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } })],
    stored: (cell) => (isDay(cell) ? dayNumber(cell) : misfit(name, cell, 'a day without a time')),
  }),
  INT64: (name) => ({
    elements: [optional(name, { type: 'INT64' })],
    stored: (cell) => (isInteger(cell) ? BigInt(cell) : misfit(name, cell, 'an integer')),
  }),
  DOUBLE: (name) => ({
    elements: [optional(name, { type: 'DOUBLE' })],
    stored: (cell) => (typeof cell === 'number' ? cell : misfit(name, cell, 'a number')),
  }),
  TIMESTAMP: (name) => ({
    elements: [optional(name, timestamp)],
    stored: (cell) => microseconds(name, cell),
  }),
  BOOLEAN: (name) => ({
    elements: [optional(name, { type: 'BOOLEAN' })],
    stored: (cell) => (typeof cell === 'boolean' ? cell : misfit(name, cell, 'true or false')),
  }),
  STRING: (name) => ({ elements: [textElement(name)], stored: textOf }),
  LIST: (name, wire) => ({
    elements: [
      optional(name, { converted_type: 'LIST', logical_type: { type: 'LIST' }, num_children: 1 }),
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      textElement('element'),
    ],
    stored: (cell) =>
      Array.isArray(cell)
        ? cell.map((entry) => (entry === null ? null : entryText(entry, wire)))
        : misfit(name, cell, 'a list'),
  }),
};

function textElement(name: string) {
  return optional(name, { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } });
}

function entryText(entry: Cell, wire: (record: Row) => Row): string {
  return isRecord(entry) ? JSON.stringify(wire(entry)) : textOf(entry);
}

function isRecord(entry: Cell): entry is Row {
  return typeof entry === 'object' && entry !== null && !Array.isArray(entry);
}

function textOf(cell: Cell | undefined): string {
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
}

/** Tells whether a cell is a whole number; one that JavaScript would round is a text. */
function isInteger(cell: Cell | undefined): cell is number | string {
  if (typeof cell === 'number') return Number.isSafeInteger(cell);
  return (
    typeof cell === 'string' && /^-?\d{1,19}$/.test(cell) && BigInt.asIntN(64, BigInt(cell)) === BigInt(cell)
  );
}

const timestamp = {
  type: 'INT64',
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' },
} as const;

/** Parses a time as microseconds since 1970; throws a Problem for more decimals. */
function microseconds(name: string, cell: Cell | undefined): bigint {
  const [, day = '', time = '00:00:00', decimals = ''] =
    /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?)?$/.exec(String(cell)) ?? [];
  if (day === '') return misfit(name, cell, 'a time in microseconds');
  return BigInt(Date.parse(`${day}T${time}Z`)) * 1000n + BigInt(decimals.padEnd(6, '0'));
}

function isDay(cell: Cell | undefined): cell is string {
  return typeof cell === 'string' && /^\d{4}-\d\d-\d\d$/.test(cell);
}

function misfit(name: string, cell: Cell | undefined, type: string): never {
  const shown = shortened(JSON.stringify(cell ?? null));
  throw new Problem('bad-input', `column '${name}' has ${shown}, and Parquet would hold ${type}`, {
    hints: ['-f csv writes it as it is; --columns leaves it out'],
  });
}

type StoredCell = string | number | bigint | boolean | null | readonly (string | null)[];

type ParquetColumn = {
  readonly elements: readonly SchemaElement[];
  /** Converts a cell to the schema's storage type; throws a Problem if that is inexact. */
  stored(cell: Cell | undefined): StoredCell;
};

/** Makes an optional element of the schema: another service may lack our additional fields. */
function optional(name: string, element: Omit<SchemaElement, 'name'>): SchemaElement {
  return { name, repetition_type: 'OPTIONAL', ...element };
}

/** The type of all numbers, as readers of several files take the type from one of them. */
const [precision, scale] = [38, 18];

function decimalColumn(name: string): ParquetColumn {
  const type = {
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: 16,
    converted_type: 'DECIMAL',
    logical_type: { type: 'DECIMAL', precision, scale },
    precision,
    scale,
  } as const;
  return { elements: [optional(name, type)], stored: (cell) => unscaled(name, cell) };
}

function doubleColumn(name: string): ParquetColumn {
  return {
    elements: [optional(name, { type: 'DOUBLE' })],
    stored(cell) {
      const nearest = parseDecimal(String(cell)) === undefined ? Number.NaN : Number(cell);
      return Number.isFinite(nearest) ? nearest : misfit(name, cell, 'a double');
    },
  };
}

function unscaled(name: string, cell: Cell | undefined): bigint {
  const text = parseDecimal(String(cell));
  if (text === undefined)
    throw refused(`column '${name}' has '${shortened(String(cell))}', which is not a number`);
  const [digits = '', decimals = ''] = text.replace('-', '').split('.');
  const whole = digits.replace(/^0+/, '');
  const fraction = decimals.replace(/0+$/, '');
  if (whole.length > precision - scale || fraction.length > scale)
    throw refused(
      `column '${name}' has '${shortened(text)}', and numbers in Parquet have at most ${precision - scale} digits before the point and ${scale} after it`,
    );
  const units = BigInt(whole + fraction.padEnd(scale, '0'));
  return text.startsWith('-') ? -units : units;
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function refused(detail: string): Problem {
  return new Problem('bad-input', detail, { hints: ['-f csv writes every digit; --columns leaves it out'] });
}
