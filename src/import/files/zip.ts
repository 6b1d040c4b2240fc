import { pipeline, type Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { Problem } from '../../errors/problem.ts';
import { isSystemError, systemProblem } from '../../errors/system-errors.ts';
import {
  counted,
  limits,
  printablePath,
  refusal,
  refuseBomb,
  type SourceFile,
  withoutGzip,
} from './source-file.ts';

const stored = 0;
const deflated = 8;

/** An archive: the place of its file, or its content. */
type Archive = string | Buffer;

/**
 * The files in a zip archive, sorted by name, without folders, hidden files and `__MACOSX`.
 * Refused: a damaged or encrypted archive, an archive inside it, and one beyond the limits.
 */
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
    if (zip.entryCount > limits.members) throw tooMany(path);
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

function tooMany(path: string): Problem {
  return refusal({ path }, {}, `more than ${limits.members} members; unpack it and import parts of it`);
}
