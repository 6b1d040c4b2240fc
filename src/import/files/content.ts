import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Problem } from '../../errors/problem.ts';
import type { SourceFile, Tap } from '../formats/format.ts';
import { bounds } from './limits.ts';

/** Bytes in order; each call starts from the beginning, opens what it needs on first use, and closes it. */
type Read = (tap?: Tap) => AsyncIterable<Buffer>;

/** What a SourceFile is made of. */
export type Content = {
  readonly name: string;
  readonly path: string;
  /** Size of the file as it lies. */
  readonly size: number;
  /** Whether what `read` gives is of another size. */
  readonly packed?: true;
  readonly read: Read;
  /** The bytes that the SHA-256 is of, when they are not those of `read`. */
  readonly stored?: Read;
  readonly siblings: () => Promise<readonly SourceFile[]>;
};

const headSize = 64 * 1024;

/** A SourceFile over `content`; nothing is opened before it is asked for, and nothing stays open. */
export function sourceFile(content: Content): SourceFile {
  const { name, path, read, size, packed = false, stored = read, siblings } = content;
  return {
    name,
    path,
    size,
    siblings,
    open: async (tap) => Readable.from(read(tap), { objectMode: false }),
    head: () => firstBytes(read(), headSize),
    bytes: async (tap) => {
      if (!packed && size > bounds.inMemory) throw tooLarge(path, bounds.inMemory);
      return allBytes(path, read(tap), bounds.inMemory);
    },
    sha256: () => digest(stored()),
  };
}

/** The same bytes, of which a tap hears where there is one. */
export function tapped(bytes: AsyncIterable<Buffer>, tap: Tap | undefined): AsyncIterable<Buffer> {
  return tap === undefined ? bytes : heard(bytes, tap);
}

async function* heard(bytes: AsyncIterable<Buffer>, tap: Tap): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    tap(chunk.length);
    yield chunk;
  }
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

/** All the bytes; more than `limit` are refused without being kept. */
export async function allBytes(path: string, bytes: AsyncIterable<Buffer>, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > limit) throw tooLarge(path, limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function tooLarge(path: string, limit: number): Problem {
  const size = limit >= 2 ** 30 ? `${limit / 2 ** 30} GiB` : `${limit / 2 ** 20} MiB`;
  return new Problem(
    'bad-input',
    `${path}: larger than ${size}, the most that is read of such a file at once`,
  );
}

async function digest(bytes: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of bytes) hash.update(chunk);
  return hash.digest('hex');
}
