import zlib from 'node:zlib';
import {
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  type ParquetParsers,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
  type SchemaElement,
} from 'hyparquet';
import { addDays } from '../../domain/values/date.ts';
import type { HeldNumbers } from '../../domain/values/decimal.ts';
import { Problem } from '../../errors/problem.ts';
import { grouped } from '../../errors/wording.ts';
import { defined } from '../../platform/defined.ts';
import { allBytes, limits, refusal, type SourceFile } from '../files/source-file.ts';

/** Only newer versions of Node have Zstandard. */
const unpackZstandard: unknown = Reflect.get(zlib, 'zstdDecompressSync');

/** Limits the size of a page to the stated one, before it fills memory. */
const compressors: Compressors = {
  GZIP: (packed, size) => zlib.gunzipSync(packed, { maxOutputLength: Math.max(size, 1) }),
  BROTLI: (packed, size) => zlib.brotliDecompressSync(packed, { maxOutputLength: Math.max(size, 1) }),
  ...(typeof unpackZstandard === 'function' && {
    ZSTD: (packed: Uint8Array) => Reflect.apply(unpackZstandard, zlib, [packed]),
  }),
};

/** Days and times as texts, because a JavaScript number would round some. */
const parsers: Partial<ParquetParsers> = {
  dateFromDays: (days) => addDays('1970-01-01', days),
  timestampFromMilliseconds: (count) => timeText(count, 1000n),
  timestampFromMicroseconds: (count) => timeText(count, 1_000_000n),
  timestampFromNanoseconds: (count) => timeText(count, 1_000_000_000n),
};

function unitsPerSecond({ converted_type: converted, logical_type: logical }: SchemaElement): bigint {
  const unit = logical?.type === 'TIME' ? logical.unit : undefined;
  if (unit === 'NANOS') return 1_000_000_000n;
  return unit === 'MILLIS' || converted === 'TIME_MILLIS' ? 1000n : 1_000_000n;
}

/** Writes a time of day: `14:30:00`, with the decimals that the second has. */
function clockText(value: unknown, perSecond: bigint): string {
  const text = timeText(BigInt(String(value)), perSecond);
  return text.slice('1970-01-01T'.length) || '00:00:00';
}

/** Writes a day if the time is midnight; else the time, with the decimals that the second has. */
function timeText(count: bigint, perSecond: bigint): string {
  const rest = ((count % perSecond) + perSecond) % perSecond;
  const text = new Date(Number((count - rest) / perSecond) * 1000).toISOString().slice(0, 19);
  if (rest === 0n) return text.replace('T00:00:00', '');
  const decimals = String(rest + perSecond).slice(1);
  return `${text}.${decimals.replace(/0+$/, '')}`;
}

/** A cell of Parquet; days, decimals and nested values are texts. */
type ParquetCell = string | number | boolean | null;

type ParquetFileColumn = {
  readonly name: string;
  readonly type: 'text' | 'decimal' | 'day' | 'integer' | 'double' | 'moment' | 'timestamp' | 'boolean';
  readonly held?: HeldNumbers;
  readonly cellOf: (value: unknown) => ParquetCell;
};

/** Opens the table in a Parquet file, to be read by row group; its first row is 1. */
export async function readParquet(file: SourceFile) {
  const bytes = await allBytes(file);
  const content: AsyncBuffer = {
    byteLength: bytes.length,
    slice: (start, end) => new Uint8Array(bytes.subarray(start, end)).buffer,
  };
  const metadata = await reading(file, () => parquetMetadataAsync(content, { geoparquet: false }));
  const columns = parquetSchema(metadata).children.map(({ element, children }) =>
    readColumn(element, children.length > 0),
  );
  return {
    columns,
    async *groups() {
      let first = 0;
      for (const { num_rows } of metadata.row_groups) {
        const size = Number(num_rows);
        if (size > limits.rowGroup) {
          const most = grouped(limits.rowGroup);
          throw refusal(file, {}, `a row group of more than ${most} rows`, ['write smaller row groups']);
        }
        const cells = await reading(file, () => cellsOf(content, metadata, first, first + size));
        const values = columns.map(({ name }) => cells.get(name) ?? []);
        yield {
          first: first + 1,
          size,
          cellAt(index: number, column: number): ParquetCell {
            const value = values[column]?.[index] ?? null;
            return value === null ? null : (columns[column]?.cellOf(value) ?? null);
          },
        };
        first += size;
      }
    },
  };
}

async function cellsOf(
  content: AsyncBuffer,
  metadata: FileMetaData,
  rowStart: number,
  rowEnd: number,
): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const found = new Map<string, unknown[]>();
  await parquetRead({
    file: content,
    metadata,
    rowStart,
    rowEnd,
    compressors,
    parsers,
    geoparquet: false,
    onChunk({ columnName, columnData, rowStart: start }) {
      const values = found.get(columnName) ?? new Array<unknown>(rowEnd - rowStart).fill(null);
      found.set(columnName, values);
      for (let index = 0; index < columnData.length; index += 1)
        if (start + index >= rowStart && start + index < rowEnd)
          values[start + index - rowStart] = columnData[index];
    },
  });
  return found;
}

async function reading<T>(file: SourceFile, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Problem) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw refusal(file, {}, `the Parquet data cannot be read: ${reason}`, [
      'write it with snappy or gzip, or as CSV',
    ]).with({ cause: error });
  }
}

/** Decides how to read a column; removes the type of decimals from the schema to get their exact units. */
function readColumn(element: SchemaElement, isNested: boolean): ParquetFileColumn {
  const { name, type, converted_type: converted, logical_type: logical, precision = 38, scale = 0 } = element;
  const column = (
    of: ParquetFileColumn['type'],
    cellOf: ParquetFileColumn['cellOf'],
    held?: HeldNumbers,
  ): ParquetFileColumn => ({ name, type: of, cellOf, ...defined({ held }) });
  if (isNested) return column('text', nestedText);
  if (converted === 'DECIMAL' || logical?.type === 'DECIMAL') {
    delete element.converted_type;
    delete element.logical_type;
    if (type === 'BYTE_ARRAY') element.type = 'FIXED_LEN_BYTE_ARRAY';
    return column('decimal', (value) => decimalText(value, scale), { precision, scale });
  }
  if (converted === 'DATE' || logical?.type === 'DATE') return column('day', String);
  if (logical?.type === 'TIMESTAMP' && logical.isAdjustedToUTC) return column('moment', momentText);
  if (converted?.startsWith('TIMESTAMP') || logical?.type === 'TIMESTAMP' || type === 'INT96')
    return column('timestamp', String);
  if (converted?.startsWith('TIME_') || logical?.type === 'TIME')
    return column('text', (value) => clockText(value, unitsPerSecond(element)));
  if (type === 'BOOLEAN') return column('boolean', Boolean);
  if (type === 'FLOAT')
    return column('double', (value) => numberOrMissing(shortestFloat(Number(value))), 'single');
  if (type === 'DOUBLE' || logical?.type === 'FLOAT16')
    return column('double', (value) => numberOrMissing(Number(value)));
  if (type === 'INT32' || type === 'INT64') {
    const held = integersOf(element);
    return column('integer', (value) => integerOf(value, held), held);
  }
  return column('text', (value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : nestedText(value),
  );
}

const sizes = [8, 16, 32, 64] as const;

function integersOf({ type, converted_type: converted, logical_type: logical }: SchemaElement) {
  const [, unsigned = '', stated = type === 'INT32' ? 32 : 64] =
    /^(U?)INT_(\d+)$/.exec(converted ?? '') ?? [];
  const { bitWidth, isSigned } =
    logical?.type === 'INTEGER' ? logical : { bitWidth: Number(stated), isSigned: unsigned === '' };
  return { bits: sizes.find((bits) => bits === bitWidth) ?? 64, isSigned };
}

/** Returns an integer; as a text if JavaScript would round it. */
function integerOf(value: unknown, { bits, isSigned }: ReturnType<typeof integersOf>): number | string {
  const exact = BigInt(String(value));
  const integer = isSigned ? exact : BigInt.asUintN(bits, exact);
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : String(integer);
}

/** Writes an instant as a time in UTC; midnight too has its time. */
function momentText(value: unknown): string {
  const text = String(value);
  return text.includes('T') ? `${text}Z` : `${text}T00:00:00Z`;
}

function numberOrMissing(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

function nestedText(value: unknown): string {
  if (typeof value === 'string') return value;
  // JSON has no infinite number, and rounds large integers.
  return JSON.stringify(value, (_, one) =>
    typeof one === 'bigint' || Math.abs(one) === Number.POSITIVE_INFINITY ? String(one) : one,
  );
}

/** Writes a decimal exactly, from a number of units of its last place or big-endian bytes. */
function decimalText(value: unknown, scale: number): string {
  const units =
    value instanceof Uint8Array
      ? BigInt.asIntN(value.length * 8, BigInt(`0x${Buffer.from(value).toString('hex') || '0'}`))
      : BigInt(String(value));
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const [whole, fraction] = [digits.slice(0, digits.length - scale), digits.slice(digits.length - scale)];
  const decimals = fraction.replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${decimals === '' ? '' : `.${decimals}`}`;
}

/** Returns the shortest number that has the same single-precision value. */
function shortestFloat(value: number): number {
  for (let digits = 6; digits <= 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}
