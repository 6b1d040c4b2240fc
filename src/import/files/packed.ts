import { pipeline, Readable } from 'node:stream';
import { crc32, createGunzip, createInflateRaw } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { Problem } from '../../errors/problem.ts';
import { isSystemError, systemProblem } from '../../errors/system-errors.ts';
import {
  counted,
  type FileContent,
  firstBytes,
  limits,
  printablePath,
  refusal,
  type SourceFile,
  sourceFile,
} from './source-file.ts';

const stored = 0;

const deflated = 8;

/** An archive: the place of its file, or its content. */
type Archive = string | Buffer;

/** The files in a zip archive by name, without folders and hidden files. Refused: damage, nested archives, too much. */
export async function zipMembers(archive: Archive, path: string): Promise<readonly SourceFile[]> {
  const entries = await membersOf(archive, path);
  const files: SourceFile[] = [];
  for (const [name, entry] of [...entries].sort(([a], [b]) => (a < b ? -1 : Number(a > b)))) {
    const memberPath = `${path}/${printablePath(name)}`;
    const content = await withoutGzip({
      name: printablePath(name.slice(name.lastIndexOf('/') + 1)),
      path: memberPath,
      size: entry.uncompressedSize,
      read: (counter) => counted(memberBytes(archive, memberPath, entry), counter),
      siblings: async () => files.filter((other) => other !== file),
    });
    const file: SourceFile = { ...content, inArchive: true };
    files.push(file);
  }
  return files;
}

async function membersOf(archive: Archive, path: string): Promise<readonly (readonly [string, Entry])[]> {
  const { default: yauzl } = await import('yauzl');
  const members: (readonly [string, Entry])[] = [];
  const zip = await openZip(archive, path);
  try {
    if (zip.entryCount > limits.members)
      throw refusal({ path }, {}, `more than ${limits.members} members; unpack it and import parts of it`);
    for await (const entry of zip.eachEntry()) {
      const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
      const name = yauzl.getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
      if (name.endsWith('/') || isHidden(name)) continue;
      refuseUnreadable(`${path}/${printablePath(name)}`, entry);
      members.push([name, entry]);
    }
  } catch (error) {
    throw asProblem(path, error);
  } finally {
    zip.close();
  }
  return members;
}

function isHidden(name: string): boolean {
  return name.startsWith('__MACOSX/') || name.split('/').some((part) => /^\.(?!\.?$)/.test(part));
}

function refuseUnreadable(path: string, entry: Entry): void {
  if (entry.isEncrypted()) throw refusal({ path }, {}, 'encrypted; unpack the archive first');
  if (entry.compressionMethod !== stored && entry.compressionMethod !== deflated) {
    const reason = `compression method ${entry.compressionMethod} is not supported; unpack the archive first`;
    throw refusal({ path }, {}, reason);
  }
  refuseBomb(path, entry.uncompressedSize, entry.compressedSize);
}

/** The content of a member, checked against the size and the checksum in the directory of the archive. */
async function* memberBytes(archive: Archive, path: string, entry: Entry): AsyncGenerator<Buffer> {
  const zip = await openZip(archive, path);
  try {
    const content = await unpackedStream(zip, entry);
    let size = 0;
    let checksum = 0;
    for await (const chunk of content) {
      size += chunk.length;
      if (size > entry.uncompressedSize) break;
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
    if (size !== entry.uncompressedSize) throw damaged(path, 'its size differs from the one in the archive');
    if (checksum !== entry.crc32) throw damaged(path, 'its checksum differs from the one in the archive');
  } catch (error) {
    throw asProblem(path, error);
  } finally {
    zip.close();
  }
}

/** The unpacked bytes of a member, unchecked; a failure reaches only who reads them. */
export async function unpackedStream(zip: ZipFile, entry: Entry): Promise<Readable> {
  const raw = await zip.openReadStreamPromise(entry, { decodeFileData: false });
  // An error in the pipeline destroys its last stream, and so reaches its reader.
  const content: Readable =
    entry.compressionMethod === deflated ? pipeline(raw, createInflateRaw(), () => undefined) : raw;
  // Without a listener, the failure of a member that nobody reads to its end would end the process.
  return content.on('error', () => undefined);
}

async function openZip(archive: Archive, path: string): Promise<ZipFile> {
  const { default: yauzl } = await import('yauzl');
  try {
    const options = { autoClose: false, decodeStrings: false };
    const zip = await (typeof archive === 'string'
      ? yauzl.openPromise(archive, options)
      : yauzl.fromBufferPromise(archive, options));
    // Callers get read errors directly; only a failure to close arrives here, which loses nothing.
    zip.on('error', () => undefined);
    return zip;
  } catch (error) {
    throw asProblem(path, error);
  }
}

function asProblem(path: string, error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (isSystemError(error)) return systemProblem('read', path, error);
  return damaged(path, error instanceof Error ? error.message : String(error), error);
}

function damaged(path: string, reason: string, cause?: unknown): Problem {
  return refusal({ path }, {}, `the zip archive is damaged or cut short: ${reason}`).with({ cause });
}

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

const signatureSize = 512;

const zipSignatures = ['PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08'];

/** Names of the first member of an Office document, which is a zip archive. */
const officeParts = /^(?:\[Content_Types\]\.xml|_rels\/|docProps\/|xl\/|customXml\/)/;

/** Whether bytes are a zip archive or gzip data. Office documents count as neither. */
export async function signatureOf(bytes: AsyncIterable<Buffer>): Promise<'zip' | 'gzip' | undefined> {
  const head = await firstBytes(bytes, signatureSize);
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  const text = head.toString('latin1');
  if (!zipSignatures.includes(text.slice(0, 4))) return undefined;
  if (head.length < 30) return 'zip';
  // The first member of the archive: a header of 30 bytes, then its name.
  return officeParts.test(text.slice(30, 30 + head.readUInt16LE(26))) ? undefined : 'zip';
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
  const signature = await signatureOf(read());
  if (signature === 'zip') throw nestedZip(path);
  if (signature !== 'gzip') return sourceFile(content);
  const unpacked: FileContent['read'] = (counter) => gunzipped(path, read(counter));
  if ((await signatureOf(unpacked())) === 'zip') throw nestedZip(path);
  const inside = name.replace(/\.gz$/i, '');
  return sourceFile({ path, name: inside, size, read: unpacked, stored: read, siblings });
}

function nestedZip(path: string): Problem {
  const hints = ['unpack the outer archive, and import the archives in it'];
  return refusal({ path }, {}, 'a zip archive inside another archive is not opened', hints);
}
