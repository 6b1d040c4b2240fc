import { pipeline } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { Problem } from '../../errors/problem.ts';
import { isSystemError, systemProblem } from '../../errors/system-errors.ts';
import type { SourceFile } from '../formats/source.ts';
import { bounds, refuseBomb } from './bounds.ts';
import { tapped } from './content.ts';
import { crc32 } from './crc32.ts';
import { withoutGzip } from './gzip.ts';
import { visible } from './local-io.ts';

const stored = 0;
const deflated = 8;

/**
 * The files in the zip archive at `location`, in the order of their names; folders, hidden files and `__MACOSX` are passed over.
 * A damaged or encrypted archive, one inside another, and one that grows beyond the bounds are refused.
 */
export async function zipMembers(location: string, path: string): Promise<readonly SourceFile[]> {
  const entries = await membersOf(location, path);
  const files: SourceFile[] = [];
  for (const [name, entry] of [...entries].sort(([a], [b]) => (a < b ? -1 : Number(a > b)))) {
    const shown = `${path}/${visible(name)}`;
    const file = await withoutGzip({
      name: visible(name.slice(name.lastIndexOf('/') + 1)),
      path: shown,
      size: entry.uncompressedSize,
      read: (tap) => tapped(memberBytes(location, shown, entry), tap),
      siblings: async () => files.filter((other) => other !== file),
    });
    files.push(file);
  }
  return files;
}

async function membersOf(location: string, path: string): Promise<readonly (readonly [string, Entry])[]> {
  const { default: yauzl } = await import('yauzl');
  const members: (readonly [string, Entry])[] = [];
  const zip = await openZip(location, path);
  try {
    if (zip.entryCount > bounds.members) throw tooMany(path);
    for await (const entry of zip.eachEntry()) {
      const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
      const name = yauzl.getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
      if (name.endsWith('/') || isHidden(name)) continue;
      refuseUnreadable(`${path}/${visible(name)}`, entry);
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
  if (entry.isEncrypted()) throw new Problem('bad-input', `${path}: encrypted; unpack the archive first`);
  if (entry.compressionMethod !== stored && entry.compressionMethod !== deflated) {
    const reason = `compressed in a way that is not supported (method ${entry.compressionMethod})`;
    throw new Problem('bad-input', `${path}: ${reason}; unpack the archive first`);
  }
  refuseBomb(path, entry.uncompressedSize, entry.compressedSize);
}

/** The content of a member, checked against the size and the checksum that the archive's directory states. */
async function* memberBytes(location: string, path: string, entry: Entry): AsyncGenerator<Buffer> {
  const zip = await openZip(location, path);
  try {
    const raw = await zip.openReadStreamPromise(entry, { decodeFileData: false });
    // An error on the way destroys the last stream with it, and so reaches the loop.
    const content =
      entry.compressionMethod === deflated ? pipeline(raw, createInflateRaw(), () => undefined) : raw;
    let size = 0;
    let sum = 0;
    for await (const chunk of content) {
      size += chunk.length;
      if (size > entry.uncompressedSize) break;
      sum = crc32(chunk, sum);
      yield chunk;
    }
    if (size !== entry.uncompressedSize) throw damaged(path, 'its size is not the one stated in the archive');
    if (sum !== entry.crc32) throw damaged(path, 'its checksum is not the one stated in the archive');
  } catch (error) {
    throw asProblem(path, error);
  } finally {
    zip.close();
  }
}

async function openZip(location: string, path: string): Promise<ZipFile> {
  const { default: yauzl } = await import('yauzl');
  try {
    const zip = await yauzl.openPromise(location, { autoClose: false, decodeStrings: false });
    // Errors of reading reach their callers; what remains is a failure to close, which loses nothing.
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
  return new Problem('bad-input', `${path}: the zip archive is damaged or cut short: ${reason}`, { cause });
}

function tooMany(path: string): Problem {
  const reason = `more than ${bounds.members} members`;
  return new Problem('bad-input', `${path}: ${reason}; unpack it and import parts of it`);
}
