import { createHash } from 'node:crypto';
import { TextDecoder } from 'node:util';
import { Problem } from '../../errors/problem.ts';

/** Receives the number of bytes just read from a file, counted as the file is stored. */
type ByteCounter = (bytes: number) => void;

/** Whether the month or the day comes first in the dates of a file, as in 1/30/2015 and 30/1/2015. */
export type DateOrder = 'M/D/YYYY' | 'D/M/YYYY';

/** A file to import, or one member of an archive. */
export type SourceFile = {
  /** Base name without `.gz`: `2015-01.csv`. */
  readonly name: string;
  /** The path to show: as typed or found, members of archives as `vintages.zip/2015-01.csv`. */
  readonly path: string;
  /** Size in bytes as stored; of an archive member, its unpacked size. One reading counts this many bytes. */
  readonly size: number;
  /** Whether it came in an archive, whose README the user did not name. */
  readonly inArchive?: true;
  /** The order of its dates, if the user states it; dates that begin with the year need none. */
  readonly dateOrder?: DateOrder;
  /** The unpacked content, from the beginning at every call; UTF-16 text becomes UTF-8. */
  readonly read: ReadBytes;
  head(): Promise<Buffer>;
  /** SHA-256 in hex of the file as stored; of an archive member, of its content. */
  sha256(): Promise<string>;
  siblings(): Promise<readonly SourceFile[]>;
};

/** A place in a file; rows and lines count from 1, as in an editor. */
export type FilePlace = { readonly row?: number; readonly column?: string; readonly value?: string };

/** The Problem that refuses a file, with its path, the place, the beginning of the value there, and the reason. */
export function refusal(
  file: Pick<SourceFile, 'path'>,
  place: FilePlace,
  reason: string,
  hints: readonly string[] = [],
): Problem {
  const where = [
    ...(place.row === undefined ? [] : [`row ${place.row}`]),
    ...(place.column === undefined ? [] : [`column ${JSON.stringify(clip(place.column))}`]),
  ].join(', ');
  const value = place.value === undefined ? [] : [JSON.stringify(clip(place.value))];
  const inFile = [...value, clip(reason, longestReason)].join(': ');
  const path = where === '' ? file.path : `${file.path}, ${where}`;
  return new Problem('bad-input', `${path}: ${inFile}`, {
    hints,
    refusal: { reason: where === '' ? inFile : `${where}: ${inFile}` },
  });
}

/** The refusal of a file that is not UTF-8 text. */
export function notUtf8(file: SourceFile, place: FilePlace = {}): Problem {
  const hint = 'save the file as UTF-8, or download it again if it is damaged';
  return refusal(file, place, 'this is not UTF-8 text', [hint]);
}

/** The reasons that asof itself states are shorter, including the lists in them. */
const longestReason = 2000;

function clip(value: string, longest = 80): string {
  return value.length > longest ? `${value.slice(0, longest - 3)}...` : value;
}

const mebibyte = 2 ** 20;

/** The limits on one file, in bytes unless named otherwise, which keep a small file from filling memory or disk. */
export const limits = {
  members: 10_000,
  /** Unpacked content. */
  content: 4096 * mebibyte,
  /** Unpacked size divided by packed size. */
  ratio: 1000,
  /** Unpacked content up to this size may have any ratio. */
  smallContent: 10 * mebibyte,
  /** Standard input, and Parquet, which are read into memory as a whole. */
  inMemory: 1024 * mebibyte,
  /** JSON, of which a parser keeps several times its size in memory. */
  json: 128 * mebibyte,
  /** XML; the longest answers and feeds have a tenth of it. */
  xml: 32 * mebibyte,
  /** One element of XML with its text. */
  element: mebibyte,
  workbook: 256 * mebibyte,
  /** The rows of a sheet times its columns. */
  cells: 10_000_000,
  columns: 100_000,
  /** Rows of one row group of Parquet. */
  rowGroup: 20_000_000,
} as const;

/** A copy of a text that outlives the reading of its file: a cell, as a slice, would hold thousands of lines. */
export function copyOf(text: string): string {
  return [...text].join('');
}

/** Reads bytes from the beginning at each call; opens the file at the first byte and closes it at the end. */
type ReadBytes = (counter?: ByteCounter) => AsyncIterable<Buffer>;

/** The parts of a SourceFile. */
export type FileContent = {
  readonly name: string;
  readonly path: string;
  readonly size: number;
  readonly read: ReadBytes;
  /** The bytes as stored, if `read` gives unpacked ones, whose size is unknown. */
  readonly stored?: ReadBytes;
  readonly siblings: () => Promise<readonly SourceFile[]>;
};

const headSize = 64 * 1024;

/** A SourceFile over some content. It opens nothing until it is read, and leaves nothing open. */
export function sourceFile(content: FileContent): SourceFile {
  const { name, path, size, stored, siblings } = content;
  const read: ReadBytes = (counter) => asUtf8(content.read(counter));
  return {
    name,
    path,
    size,
    siblings,
    read,
    head: () => firstBytes(read(), headSize),
    sha256: () => digest((stored ?? content.read)()),
  };
}

/** At most the first `count` bytes. */
export async function firstBytes(bytes: AsyncIterable<Buffer>, count: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= count) break;
  }
  return Buffer.concat(chunks).subarray(0, count);
}

/** All bytes of a file; refused as soon as there are more than `limit`. */
export async function allBytes(
  file: Pick<SourceFile, 'path' | 'size' | 'read'>,
  limit: number = limits.inMemory,
): Promise<Buffer> {
  const tooLarge = (): Problem => {
    const most = limit >= 2 ** 30 ? `${limit / 2 ** 30} GiB` : `${limit / 2 ** 20} MiB`;
    return refusal(file, {}, `larger than ${most}, the limit for a file of this kind`);
  };
  if (file.size > limits.inMemory) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of file.read()) {
    size += chunk.length;
    if (size > limit) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

async function digest(bytes: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of bytes) hash.update(chunk);
  return hash.digest('hex');
}

/** The bytes of a file; those of UTF-16 text, which spreadsheets write as "Unicode text", become UTF-8. */
async function* asUtf8(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let decoder: TextDecoder | undefined;
  let start = Buffer.alloc(0);
  let isKnown = false;
  for await (const chunk of bytes) {
    let content = chunk;
    if (!isKnown) {
      content = start = Buffer.concat([start, chunk]);
      if (start.length < probe) continue;
      isKnown = true;
      decoder = decoderOf(start);
    }
    yield decoder === undefined ? content : Buffer.from(decoder.decode(content, { stream: true }));
  }
  if (!isKnown) {
    decoder = decoderOf(start);
    if (start.length > 0)
      yield decoder === undefined ? start : Buffer.from(decoder.decode(start, { stream: true }));
  }
  const rest = decoder?.decode() ?? '';
  if (rest !== '') yield Buffer.from(rest);
}

/** The number of bytes that distinguish UTF-16 from other content. */
const probe = 8;

/** A decoder if the text is UTF-16: it has a byte-order mark, or zeros in every other of its first bytes. */
function decoderOf(start: Buffer): TextDecoder | undefined {
  const text = start.subarray(0, probe).toString('latin1');
  if (/^(?:\xff\xfe|(?:[\t-~]\0){4})/.test(text)) return new TextDecoder('utf-16le');
  if (/^(?:\xfe\xff|(?:\0[\t-~]){4})/.test(text)) return new TextDecoder('utf-16be');
  return undefined;
}

/** Reads what is made of an object, such as a file, once for as long as the import holds the object. */
export function once<Key extends object, T extends object>(read: (key: Key) => T): (key: Key) => T {
  const known = new WeakMap<Key, T>();
  return (key) => {
    const held = known.get(key) ?? read(key);
    known.set(key, held);
    return held;
  };
}
