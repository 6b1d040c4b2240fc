import type { Problem } from '../../errors/problem.ts';
import { counted } from '../../errors/wording.ts';
import { refusal, type SourceFile } from '../files/source-file.ts';

/** Longer records are refused, so that a file of another kind cannot fill memory. */
const longestRecord = 16 * 1024 * 1024;

const [quote, lineFeed, carriageReturn] = [0x22, 0x0a, 0x0d];

/** The byte-order mark of UTF-8, one character for each byte. */
const mark = '\u00EF\u00BB\u00BF';

/** Consecutive records of a delimited text, as places in its bytes. */
export type Records = {
  readonly bytes: Buffer;
  /** Each record's row, number of cells, place before it, and the end of each cell. */
  readonly places: Int32Array;
};

/** The number of places of a record before those of its cells. */
export const recordHead = 3;

/** How the cells of a text are written. */
export type CellForm = {
  /** Default: none; a line is then one cell. */
  readonly separator?: string;
  /**
   * `strict`: a quote opens a cell at its beginning and is refused elsewhere.
   * `loose`: elsewhere it is a character, also if text follows the closing quote. `none`: always a character.
   */
  readonly quotes?: 'strict' | 'loose' | 'none';
  /** The number of cells that every record must have. */
  readonly width?: number;
  /** True if a text whose last line has no end is cut short. */
  readonly endsLines?: true;
  /** Called before the last record of a text that ends without a line end or a closing quote. */
  readonly onOpenEnd?: () => void;
};

/**
 * Yields the records of a delimited text in batches (RFC 4180, LF or CRLF), each valid until the next.
 * Rows count as in an editor: empty lines are skipped, but count. Throws with the row of a fault.
 */
export async function* recordsIn(file: SourceFile, form: CellForm): AsyncGenerator<Records> {
  const scanner = new Scanner(file, form);
  let held = Buffer.alloc(256 * 1024);
  let [size, enough] = [0, mark.length];
  const add = (chunk: Buffer) => {
    if (size + chunk.length > held.length)
      held = Buffer.concat([held.subarray(0, size)], 2 * (size + chunk.length));
    size += chunk.copy(held, size);
  };
  const whole = function* () {
    const { end, ...found } = scanner.scan(held.subarray(0, size), false);
    if (found.places.length > 0) yield found;
    held.copyWithin(0, end, size);
    size -= end;
  };
  for await (const chunk of file.read()) {
    add(chunk);
    if (size < enough && size <= longestRecord) continue;
    yield* whole();
    // A record of many chunks is scanned again only when its bytes have doubled.
    enough = 2 * size;
  }
  if (form.endsLines === true) {
    yield* whole();
    if (size > 0)
      throw refusal(file, {}, 'the last line has no end, so the file is probably cut short', [
        'download it again',
      ]);
  }
  const last = size > 0 ? held[size - 1] : lineFeed;
  if (last !== lineFeed && last !== quote) form.onOpenEnd?.();
  add(Buffer.of(lineFeed));
  const found = scanner.scan(held.subarray(0, size), true);
  if (found.places.length > 0) yield found;
}

class Scanner {
  readonly #file: SourceFile;
  readonly #form: CellForm;
  #places = new Int32Array(64 * 1024);
  #row = 1;
  #isStart = true;

  constructor(file: SourceFile, form: CellForm) {
    this.#file = file;
    this.#form = form;
  }

  /** Finds the records in bytes that begin with one; an incomplete record may begin at `end`. */
  scan(bytes: Buffer, isLast: boolean): Records & { readonly end: number } {
    const first = this.#isStart && bytes.toString('latin1', 0, mark.length) === mark ? mark.length : 0;
    this.#isStart = false;
    const { separator, quotes = 'strict', width } = this.#form;
    const comma = separator?.charCodeAt(0) ?? -1;
    const greatest = Math.max(comma, quote);
    const { length } = bytes;
    let places = this.#places;
    let room = places.length - recordHead;
    let lines = 1;
    /** The beginnings of the record and the cell, and the places of the record and of its next cell in `places`. */
    let [start, cell, from, used] = [first, first, 0, recordHead];
    for (let at = first; at < length; at += 1) {
      const code = bytes[at] ?? 0;
      if (code > greatest) continue;
      if (used >= room) {
        places = this.#grown();
        room = places.length - recordHead;
      }
      if (code === comma) {
        places[used] = at;
        used += 1;
        cell = at + 1;
        continue;
      }
      if (code === quote) {
        if (quotes === 'none' || (quotes === 'loose' && at !== cell)) continue;
        if (at !== cell) throw this.#broken('a quote inside an unquoted cell');
        const end = quotedEnd(bytes, at);
        if (end === -1 && isLast) throw this.#broken('a quote opens here and is never closed');
        // The text after the quote may be in the next chunk of the file.
        if (end === -1 || (end >= length - 1 && !isLast)) break;
        const [next, after] = [bytes[end] ?? lineFeed, bytes[end + 1] ?? lineFeed];
        if (next !== comma && next !== lineFeed && !(next === carriageReturn && after === lineFeed)) {
          if (quotes === 'loose') continue;
          throw this.#broken('text after a closing quote');
        }
        lines += linesBetween(bytes, at, end);
        at = end - 1;
        continue;
      }
      if (code !== lineFeed) continue;
      const isReturn = at > cell && bytes[at - 1] === carriageReturn;
      places[used] = isReturn ? at - 1 : at;
      used += 1;
      cell = at + 1;
      const isBlank = places[used - 1] === start;
      if (!isBlank) {
        const found = used - from - recordHead;
        if (width !== undefined && found !== width)
          throw otherWidth(this.#file, this.#row, found, this.#form);
        places[from] = this.#row;
        places[from + 1] = found;
        places[from + 2] = start - 1;
        from = used;
      }
      used = from + recordHead;
      this.#row += lines;
      lines = 1;
      start = cell;
    }
    if (length - start > longestRecord)
      throw this.#broken('a record of more than 16 MiB; this is not a CSV file');
    return { bytes, places: places.subarray(0, from), end: start };
  }

  #grown(): Int32Array<ArrayBuffer> {
    const places = new Int32Array(2 * this.#places.length);
    places.set(this.#places);
    this.#places = places;
    return places;
  }

  #broken(reason: string): Problem {
    return refusal(this.#file, { row: this.#row }, reason);
  }
}

function linesBetween(bytes: Buffer, from: number, to: number): number {
  let lines = 0;
  for (let at = bytes.indexOf(lineFeed, from); at !== -1 && at < to; at = bytes.indexOf(lineFeed, at + 1))
    lines += 1;
  return lines;
}

/** Returns the place after the closing quote for an opening one; -1 if it is missing. */
function quotedEnd(bytes: Buffer, at: number): number {
  for (let close = bytes.indexOf(quote, at + 1); close !== -1; close = bytes.indexOf(quote, close + 2))
    if (bytes[close + 1] !== quote) return close + 1;
  return -1;
}

/** Makes the refusal of a record that has more or fewer cells than the header. */
export function otherWidth(
  file: SourceFile,
  row: number,
  found: number,
  { width, separator = ',' }: Pick<CellForm, 'width' | 'separator'>,
): Problem {
  const name = separator === '\t' ? 'tab' : separator === ';' ? 'semicolon' : 'comma';
  const cause =
    found > (width ?? 0)
      ? `is a ${name} part of a number or text that is not quoted?`
      : 'is the file truncated, or is this a footer?';
  return refusal(file, { row }, `${counted(found, 'cell')}, but the header has ${width}; ${cause}`);
}

/** Decodes a cell from its written form, which has one character for each byte. */
export function cellText(written: string, quotes: CellForm['quotes'] = 'strict'): string {
  const isQuoted =
    quotes === 'strict' ? written.startsWith('"') : quotes === 'loose' && isWhollyQuoted(written);
  const text = isQuoted ? written.slice(1, -1).replaceAll('""', '"') : written;
  return /[\x80-\xff]/.test(text) ? Buffer.from(text, 'latin1').toString('utf8') : text;
}

function isWhollyQuoted(written: string): boolean {
  return /^".*"$/s.test(written) && !written.slice(1, -1).replaceAll('""', '').includes('"');
}
