import { TextDecoder } from 'node:util';
import type { DateOrder } from '../../domain/values/date.ts';
import { Problem } from '../../errors/problem.ts';
import { clip } from '../../errors/wording.ts';

/** A file to import, or one member of an archive. */
export type SourceFile = {
  /** Base name without `.gz`: `2015-01.csv`. */
  readonly name: string;
  /** The path to show: as typed or found; for members of archives `vintages.zip/2015-01.csv`. */
  readonly path: string;
  /** Bytes as stored, for a member of an archive unpacked; one reading counts this many bytes. */
  readonly size: number;
  /** True for a member of an archive, whose README the user did not name. */
  readonly inArchive?: true;
  /** The order of month and day, if the user states it; dates that begin with the year need none. */
  readonly dateOrder?: DateOrder;
  /** Reads the unpacked content, from the beginning at every call; UTF-16 text becomes UTF-8. */
  readonly read: (counter?: (bytes: number) => void) => AsyncIterable<Buffer>;
  head(): Promise<Buffer>;
  /** Returns the SHA-256 in hex of the file as stored, or of the content of an archive member. */
  sha256(): Promise<string>;
  siblings(): Promise<readonly SourceFile[]>;
  /** Names the state of the file on the disk, or of its archive; absent for content in memory. */
  readonly state?: (() => Promise<string>) | undefined;
};

/** A place in a file; rows count from 1. */
export type FilePlace = { readonly row?: number; readonly column?: string; readonly value?: string };

/** Makes the Problem that refuses a file, with its path, the place, the beginning of the value and a reason. */
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

/** Makes the refusal of a file that is not UTF-8 text. */
export function notUtf8(file: SourceFile, place: FilePlace = {}): Problem {
  const hint = 'save the file as UTF-8, or download it again if it is damaged';
  return refusal(file, place, 'this is not UTF-8 text', [hint]);
}

/** The reasons that asof itself writes are shorter, including their lists. */
const longestReason = 2000;

const mebibyte = 2 ** 20;

/** Limits on one file (default unit: bytes), which keep a small file from filling memory or disk. */
export const limits = {
  members: 10_000,
  /** Unpacked content. */
  content: 4096 * mebibyte,
  /** Unpacked size divided by packed size. */
  ratio: 1000,
  /** Unpacked content up to this size may have any ratio. */
  smallContent: 10 * mebibyte,
  /** Standard input and Parquet, which are read into memory as a whole. */
  inMemory: 1024 * mebibyte,
  /** JSON; a parser needs several times its size in memory. */
  json: 128 * mebibyte,
  /** XML; the longest answers and feeds have a tenth of this. */
  xml: 32 * mebibyte,
  /** A calendar; the longest has a hundredth of this. */
  calendar: 8 * mebibyte,
  /** One element of XML with its text. */
  element: mebibyte,
  workbook: 256 * mebibyte,
  /** The rows times the columns of a sheet. */
  cells: 10_000_000,
  columns: 100_000,
  /** Rows of one row group of Parquet. */
  rowGroup: 20_000_000,
} as const;

/** Copies a text that outlives the reading of its file; a slice would hold thousands of lines in memory. */
export function copyOf(text: string): string {
  return [...text].join('');
}

/** Decodes the bytes of a file as UTF-8, with its line ends; throws the refusal of a file that is not UTF-8. */
export function utf8Text(file: SourceFile, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw notUtf8(file);
  }
}

/** Reads all bytes of a file; throws as soon as there are more than `limit`. */
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

/** Caches what `read` makes of an object, such as a file, for the lifetime of that object. */
export function once<Key extends object, T extends object>(read: (key: Key) => T): (key: Key) => T {
  const known = new WeakMap<Key, T>();
  return (key) => {
    const held = known.get(key) ?? read(key);
    known.set(key, held);
    return held;
  };
}
