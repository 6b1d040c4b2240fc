import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import { createGunzip } from 'node:zlib';

import { Problem } from '../../errors/problem.ts';
import { systemProblem } from '../../errors/system-errors.ts';
import { type ByteCounter, limits, refusal, refuseBomb, type SourceFile } from './source-file.ts';

/**
 * Reads bytes in order; each call starts from the beginning, opens the file at the first byte and closes it at the
 * end.
 */
type ReadBytes = (counter?: ByteCounter) => AsyncIterable<Buffer>;

/** The parts of a SourceFile. */
export type FileContent = {
  readonly name: string;
  readonly path: string;
  /** Size in bytes as stored. */
  readonly size: number;
  /** Whether `read` gives unpacked bytes, whose size is unknown. */
  readonly packed?: true;
  readonly read: ReadBytes;
  /** The bytes to hash, if they are not those of `read`. */
  readonly stored?: ReadBytes;
  readonly siblings: () => Promise<readonly SourceFile[]>;
};

const headSize = 64 * 1024;

/** The number of bytes read at once: with fewer reads, the process waits less for other programs. */
const chunkSize = 256 * 1024;

/** A SourceFile over some content. It opens nothing until it is read, and leaves nothing open. */
export function sourceFile(content: FileContent): SourceFile {
  const { name, path, size, packed = false, stored = content.read, siblings } = content;
  const read: ReadBytes = (counter) => asUtf8(content.read(counter));
  return {
    name,
    path,
    size,
    siblings,
    open: async (counter) => Readable.from(read(counter), { objectMode: false }),
    head: () => firstBytes(read(), headSize),
    bytes: async (counter) => {
      if (!packed && size > limits.inMemory) throw tooLarge(path, limits.inMemory);
      return allBytes(path, read(counter), limits.inMemory);
    },
    sha256: () => digest(stored()),
  };
}

/** Windows has no such flag. */
const withoutWaiting = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * The bytes of the file at `location`; `path` names it in a Problem. What has no bytes yet, such as /proc/kmsg or a
 * pipe, is a Problem at once: a read that waits would keep the process from ending, even after a signal.
 */
export async function* fileBytes(location: string, path: string): AsyncGenerator<Buffer> {
  try {
    const file = await open(location, withoutWaiting);
    for await (const chunk of file.createReadStream({ highWaterMark: chunkSize })) yield chunk;
  } catch (error) {
    throw systemProblem('read', path, error);
  }
}

/** The same bytes, each chunk reported to the counter if there is one. */
export function counted(
  bytes: AsyncIterable<Buffer>,
  counter: ByteCounter | undefined,
): AsyncIterable<Buffer> {
  return counter === undefined ? bytes : countChunks(bytes, counter);
}

async function* countChunks(bytes: AsyncIterable<Buffer>, counter: ByteCounter): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    counter(chunk.length);
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

/** All bytes; refused as soon as there are more than `limit`. */
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
  return refusal({ path }, {}, `larger than ${size}, the limit for a file of this kind`);
}

async function digest(bytes: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of bytes) hash.update(chunk);
  return hash.digest('hex');
}

/** The number of bytes that `signatureOf` needs. */
export const signatureSize = 512;

const zipSignatures = ['PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08'];

/** Names of the first member of an Office document, which is a zip archive. */
const officeParts = /^(?:\[Content_Types\]\.xml|_rels\/|docProps\/|xl\/|customXml\/)/;

/** Whether a file that begins with `head` is a zip archive or gzip data. Office documents count as neither. */
export function signatureOf(head: Buffer): 'zip' | 'gzip' | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  const text = head.toString('latin1');
  if (!zipSignatures.includes(text.slice(0, 4))) return undefined;
  return isOfficeDocument(head, text) ? undefined : 'zip';
}

function isOfficeDocument(head: Buffer, text: string): boolean {
  if (head.length < 30) return false;
  // The first member of the archive: a header of 30 bytes, then its name.
  return officeParts.test(text.slice(30, 30 + head.readUInt16LE(26)));
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

/** The unpacked bytes of gzip data, checked against their checksum and length; damaged data is refused. */
async function* gunzipped(path: string, packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let packedSize = 0;
  let contentSize = 0;
  const source = Readable.from(
    (async function* () {
      for await (const chunk of packed) {
        packedSize += chunk.length;
        yield chunk;
      }
    })(),
    { objectMode: false },
  );
  // The callback is empty: an error in the pipeline destroys its last stream, and so reaches the loop below.
  const content = pipeline(source, createGunzip(), () => undefined);
  try {
    for await (const chunk of content) {
      contentSize += chunk.length;
      refuseBomb(path, contentSize, packedSize);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof Problem) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw refusal({ path }, {}, `the gzip data is damaged or cut short: ${reason}`).with({ cause: error });
  }
}

/** The file with its gzip layer removed, if it has one. A zip archive inside it, or in its place, is refused. */
export async function withoutGzip(content: FileContent): Promise<SourceFile> {
  const { path, name, size, read, siblings } = content;
  const signature = signatureOf(await firstBytes(read(), signatureSize));
  if (signature === 'zip') throw nestedZip(path);
  if (signature !== 'gzip') return sourceFile(content);
  const unpacked = (counter?: ByteCounter) => gunzipped(path, read(counter));
  if (signatureOf(await firstBytes(unpacked(), signatureSize)) === 'zip') throw nestedZip(path);
  const stored = content.stored ?? read;
  const inside = name.replace(/\.gz$/i, '');
  return sourceFile({ path, name: inside, size, packed: true, read: unpacked, stored, siblings });
}

function nestedZip(path: string): Problem {
  const hints = ['unpack the outer archive, and import the archives in it'];
  return refusal({ path }, {}, 'a zip archive inside another archive is not opened', hints);
}
