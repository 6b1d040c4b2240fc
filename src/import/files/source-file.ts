import type { Readable } from 'node:stream';
import { Problem } from '../../errors/problem.ts';

/** Receives the number of bytes just read from a file, counted as the file is stored. */
export type ByteCounter = (bytes: number) => void;

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
  open(counter?: ByteCounter): Promise<Readable>;
  /** The first 64 KiB of the content. */
  head(): Promise<Buffer>;
  /** The whole content; a file of more than 1 GiB is refused. */
  bytes(counter?: ByteCounter): Promise<Buffer>;
  /** SHA-256 in hex of the file as stored; of an archive member, of its content. */
  sha256(): Promise<string>;
  /** The other files of the same folder or archive. */
  siblings(): Promise<readonly SourceFile[]>;
};

/** A place in a file; rows and lines count from 1, as in an editor. */
export type FilePlace = { readonly row?: number; readonly column?: string; readonly value?: string };

/**
 * The Problem that refuses a file: its path, the place, the value there, and the reason. A name or a parser's message
 * may be long because the file is broken, so only its beginning is shown.
 */
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

/** Characters that show that a file is not UTF-8 text: NUL, and the replacement of undecodable bytes. */
export const foreign = /[\0\uFFFD]/;

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

/** A path or name that is safe to show: control and formatting characters, which could fool a terminal, are escaped. */
export function printablePath(name: string): string {
  if (name === '') return '""';
  return name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}

const mebibyte = 2 ** 20;

/**
 * The limits on one file of an import, in bytes unless named otherwise. They keep a small file from filling memory or
 * disk.
 */
export const limits = {
  /** Members of an archive. */
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
  /** The unpacked parts of a workbook. */
  workbook: 256 * mebibyte,
  /** The rows of a sheet times its columns. */
  cells: 10_000_000,
  /** Columns of a text table. */
  columns: 100_000,
  /** Rows of one row group of Parquet. */
  rowGroup: 20_000_000,
} as const;

/** Refuses packed content of more than 4 GiB, or of more than 10 MiB and 1000 times its packed size. */
export function refuseBomb(path: string, contentSize: number, packedSize: number): void {
  if (contentSize > limits.content)
    throw refusal({ path }, {}, 'it unpacks to more than 4 GiB; unpack it and split it');
  if (contentSize > limits.smallContent && contentSize > packedSize * limits.ratio) {
    throw refusal({ path }, {}, 'it unpacks to more than 1000 times its size, which no data file does', [
      'if the file is genuine, unpack it and import the result',
    ]);
  }
}

/**
 * A copy of a text, for a text that is kept after its file is read. A cell is a slice of the file's text, so each kept
 * cell would otherwise hold thousands of lines in memory.
 */
export function copyOf(text: string): string {
  return [...text].join('');
}
