import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import { crc32, createGunzip, createInflateRaw } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { Problem } from '../../errors/problem.ts';
import { isSystemError, systemProblem } from '../../errors/system-errors.ts';
import { allBytes, limits, refusal, type SourceFile } from './source-file.ts';

/**
 * Finds the files at the paths, in their order: folders by name, archives by member, `-` as standard input.
 * Throws a Problem that names a path without readable files.
 */
export async function sourceFiles(
  paths: readonly string[],
  stdin?: AsyncIterable<Uint8Array>,
): Promise<readonly SourceFile[]> {
  const walk = new Walk();
  const files: SourceFile[] = [];
  if (paths.filter((path) => path === '-').length > 1)
    throw new Problem('bad-input', 'standard input (-) can be read only once');
  for (const path of paths) {
    if (path === '-' && stdin !== undefined) files.push(await inputFile(stdin));
    else files.push(...(await walk.filesAt(path)));
  }
  return files;
}

/** Reads standard input into memory as a file, because an import reads a file more than once. */
async function inputFile(stdin: AsyncIterable<Uint8Array>): Promise<SourceFile> {
  const path = 'standard input';
  const bytes = await allBytes({ path, size: 0, read: () => asBuffers(stdin) });
  if (packingOf(bytes.subarray(0, headSize)) === 'zip')
    throw refusal({ path }, {}, 'a zip archive cannot be read from standard input', [
      'save it to a file, and import that',
    ]);
  return withoutGzip({
    name: 'stdin',
    path,
    size: bytes.length,
    read: (counter) => counted(asBuffers([bytes]), counter),
    siblings: async () => [],
  });
}

async function* asBuffers(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}

type NamedFile = readonly [name: string, file: SourceFile];

class Walk {
  /** By real path. */
  readonly #entered = new Set<string>();
  readonly #plainFiles = new Map<string, Promise<readonly NamedFile[]>>();

  async filesAt(path: string): Promise<readonly SourceFile[]> {
    const stats = await reading(path, stat(path));
    if (stats.isFile()) return this.#filesIn(path);
    if (!stats.isDirectory())
      throw new Problem('local-io', `${printablePath(path)}: neither a file nor a folder`, {
        hints: ['save its content to a file, and import that'],
      });
    const before = this.#entered.size;
    const files = await this.#folderFiles(path, []);
    // A folder whose files an earlier path named adds none, but is not empty.
    if (files.length > 0 || this.#entered.size === before) return files;
    const reason = 'the folder has no file to import (hidden files are ignored)';
    throw refusal({ path: printablePath(path) }, {}, reason);
  }

  /** Lists the files in a folder; `above` are the real paths of its parents. */
  async #folderFiles(path: string, above: readonly string[]): Promise<readonly SourceFile[]> {
    const [real, names] = await listing(path);
    if (above.includes(real)) {
      const reason = 'the folder contains itself, through a symbolic link';
      throw new Problem('local-io', `${printablePath(path)}: ${reason}`);
    }
    if (this.#entered.has(real)) return [];
    this.#entered.add(real);
    const files: SourceFile[] = [];
    for (const name of names) {
      const inner = within(path, name);
      const stats = await reading(inner, stat(inner));
      if (stats.isFile()) files.push(...(await this.#filesIn(inner)));
      if (stats.isDirectory()) files.push(...(await this.#folderFiles(inner, [...above, real])));
    }
    return files;
  }

  async #filesIn(location: string): Promise<readonly SourceFile[]> {
    const content = await this.#contentAt(location);
    const head = await firstBytes(content.read(), headSize);
    if (packingOf(head) !== 'zip') return [await withoutGzip(content, head)];
    const members = await zipMembers(location, content.path);
    if (members.length === 0) throw refusal(content, {}, 'the archive has no file to import');
    return members;
  }

  async #contentAt(location: string): Promise<FileContent> {
    const path = printablePath(location);
    return {
      name: printablePath(basename(location)),
      path,
      size: (await reading(location, stat(location))).size,
      read: (counter) => counted(fileBytes(location, path), counter),
      state: () => stateOf(location),
      siblings: async () => {
        const folder = dirname(location);
        const found = this.#plainFiles.get(folder) ?? this.#findPlainFiles(folder);
        this.#plainFiles.set(folder, found);
        const files = await found;
        return files.filter(([name]) => name !== basename(location)).map(([, file]) => file);
      },
    };
  }

  async #findPlainFiles(folder: string): Promise<readonly NamedFile[]> {
    const [, names] = await listing(folder);
    const files: NamedFile[] = [];
    for (const name of names) {
      const location = within(folder, name);
      try {
        if ((await reading(location, stat(location))).isFile())
          files.push([name, await withoutGzip(await this.#contentAt(location))]);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
      }
    }
    return files;
  }
}

/** Bytes that tell the kind of a file. */
const headSize = 512;

/** Bytes read at once: with fewer reads, the process waits less for other programs. */
const chunkSize = 256 * 1024;

/** Windows has no such flag. */
const withoutWaiting = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Reads the bytes of the file at `location`, named `path` in a Problem.
 * Throws at once for a pipe or a file without bytes yet, such as /proc/kmsg: a waiting read blocks the exit.
 */
export async function* fileBytes(location: string, path: string): AsyncGenerator<Buffer> {
  const file = await open(location, withoutWaiting).catch((error) => {
    throw systemProblem('read', path, error);
  });
  try {
    // A stream that is left early makes an error with its stack, which takes 3 ms.
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkSize), 0, chunkSize);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } catch (error) {
    throw systemProblem('read', path, error);
  } finally {
    await file.close();
  }
}

async function reading<T>(path: string, result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    throw systemProblem('read', printablePath(path), error);
  }
}

async function listing(path: string): Promise<readonly [string, readonly string[]]> {
  const names = await reading(path, readdir(path));
  return [await reading(path, realpath(path)), names.filter((name) => !name.startsWith('.')).sort()];
}

/** Names the state of a file: another file there, or a change of its content, has another name. */
async function stateOf(location: string): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await reading(location, stat(location, { bigint: true }));
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

function within(folder: string, name: string): string {
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}

/** Escapes control and formatting characters in a path or name, which could fool a terminal. */
export function printablePath(name: string): string {
  if (name === '') return '""';
  return name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}

async function* counted(
  bytes: AsyncIterable<Buffer>,
  counter: ((bytes: number) => void) | undefined,
): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    counter?.(chunk.length);
    yield chunk;
  }
}

const stored = 0;

const deflated = 8;

type Archive = string | Buffer;

/** Lists the files in a zip archive by name; throws for damage, nested archives, or too much content. */
export async function zipMembers(archive: Archive, path: string): Promise<readonly SourceFile[]> {
  const entries = (await membersOf(archive, path)).filter(([name]) => !isHidden(name));
  const files: SourceFile[] = [];
  for (const [name, entry] of entries.sort(([a], [b]) => (a < b ? -1 : Number(a > b)))) {
    const memberPath = `${path}/${printablePath(name)}`;
    const content = await withoutGzip({
      name: printablePath(name.slice(name.lastIndexOf('/') + 1)),
      path: memberPath,
      size: entry.uncompressedSize,
      read: (counter) => counted(memberBytes(archive, memberPath, entry), counter),
      siblings: async () => files.filter((other) => other !== file),
      ...(typeof archive === 'string' && { state: () => stateOf(archive) }),
    });
    const file: SourceFile = { ...content, inArchive: true };
    files.push(file);
  }
  return files;
}

/** Lists the members of a zip archive, without folders; throws for damage, or members that cannot be read. */
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
      if (name.endsWith('/')) continue;
      const member = { path: `${path}/${printablePath(name)}` };
      if (entry.isEncrypted()) throw refusal(member, {}, 'encrypted; unpack the archive first');
      const { compressionMethod: method } = entry;
      if (method !== stored && method !== deflated)
        throw refusal(member, {}, `compression method ${method} is not supported; unpack the archive first`);
      refuseBomb(member.path, entry.uncompressedSize, entry.compressedSize);
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

/** Reads a member and checks it against the size and the checksum in the archive's directory. */
async function* memberBytes(archive: Archive, path: string, entry: Entry): AsyncGenerator<Buffer> {
  const zip = await openZip(archive, path);
  try {
    const raw = await zip.openReadStreamPromise(entry, { decodeFileData: false });
    // An error in the pipeline destroys its last stream, and so reaches the loop below.
    const content: Readable =
      entry.compressionMethod === deflated ? pipeline(raw, createInflateRaw(), () => undefined) : raw;
    // Without a listener, a failure in a member that is not read to its end would end the process.
    content.on('error', () => undefined);
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

/** Reads all members of a zip archive in memory, as far as `most` bytes; returns false for more than that. */
export async function unpacksTo(most: number, archive: Buffer, path: string): Promise<boolean> {
  let size = 0;
  for (const [name, entry] of await membersOf(archive, path))
    for await (const chunk of memberBytes(archive, `${path}/${name}`, entry)) {
      size += chunk.length;
      if (size > most) return false;
    }
  return true;
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

/** Throws for packed content of more than 4 GiB, or of more than 10 MiB and 1000 times its packed size. */
export function refuseBomb(path: string, contentSize: number, packedSize: number): void {
  if (contentSize > limits.content)
    throw refusal({ path }, {}, 'it unpacks to more than 4 GiB; unpack it and split it');
  if (contentSize > limits.smallContent && contentSize > packedSize * limits.ratio) {
    throw refusal({ path }, {}, 'it unpacks to more than 1000 times its size, which no data file does', [
      'if the file is genuine, unpack it and import the result',
    ]);
  }
}

/** Names of the first member of an Office document, which is a zip archive. */
const officeParts = /^(?:\[Content_Types\]\.xml|_rels\/|docProps\/|xl\/|customXml\/)/;

/** Tells zip archives and gzip data from other bytes; Office documents count as neither. */
function packingOf(head: Buffer): 'zip' | 'gzip' | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  const text = head.toString('latin1');
  if (!['PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08'].includes(text.slice(0, 4))) return undefined;
  // The first member of the archive: a header of 30 bytes, then its name.
  if (head.length < 30) return 'zip';
  return officeParts.test(text.slice(30, 30 + head.readUInt16LE(26))) ? undefined : 'zip';
}

async function* gunzipped(path: string, packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let packedSize = 0;
  let contentSize = 0;
  const source = Readable.from(
    counted(packed, (bytes) => {
      packedSize += bytes;
    }),
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

/** Removes the gzip layer of a file, if any; throws for a zip archive inside or instead of it. */
async function withoutGzip(content: FileContent, known?: Buffer): Promise<SourceFile> {
  const { path, name, read } = content;
  const head = known ?? (await firstBytes(read(), headSize));
  if (packingOf(head) === undefined) return sourceFile({ ...content, beginning: head });
  const unpacked: FileContent['read'] = (counter) => gunzipped(path, read(counter));
  const inside = packingOf(head) === 'gzip' ? await firstBytes(unpacked(), headSize) : head;
  if (packingOf(inside) === 'zip')
    throw refusal({ path }, {}, 'a zip archive inside another archive is not opened', [
      'unpack the outer archive, and import the archives in it',
    ]);
  return sourceFile({
    ...content,
    name: name.replace(/\.gz$/i, ''),
    read: unpacked,
    beginning: inside,
    stored: read,
  });
}

/** The parts of a SourceFile. */
type FileContent = Pick<SourceFile, 'name' | 'path' | 'size' | 'read' | 'siblings' | 'state'> & {
  /** The beginning, which tells UTF-16, the "Unicode text" of spreadsheets. */
  readonly beginning?: Buffer;
  /** Reads the bytes as stored, if `read` unpacks them. */
  readonly stored?: SourceFile['read'];
};

/** Makes a SourceFile over some content; it opens nothing before it is read, and leaves nothing open. */
export function sourceFile(content: FileContent): SourceFile {
  const { name, path, size, beginning, stored, siblings, state } = content;
  const encoding = beginning && encodingOf(beginning);
  const read: SourceFile['read'] =
    encoding === undefined ? content.read : (counter) => asUtf8(content.read(counter), encoding);
  let sha256: Promise<string> | undefined;
  return {
    name,
    path,
    size,
    siblings,
    state,
    read,
    head: () => firstBytes(read(), 64 * 1024),
    sha256() {
      sha256 ??= digest((stored ?? content.read)());
      return sha256;
    },
  };
}

/** Reads at most the first `count` bytes. */
async function firstBytes(bytes: AsyncIterable<Buffer>, count: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= count) break;
  }
  return Buffer.concat(chunks).subarray(0, count);
}

async function digest(bytes: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of bytes) hash.update(chunk);
  return hash.digest('hex');
}

/** Returns the encoding of UTF-16 text, by its byte-order mark or zeros in every other byte. */
function encodingOf(head: Buffer): string | undefined {
  const text = head.toString('latin1', 0, 8);
  if (/^(?:\xff\xfe|(?:[\t-~]\0){4})/.test(text)) return 'utf-16le';
  return /^(?:\xfe\xff|(?:\0[\t-~]){4})/.test(text) ? 'utf-16be' : undefined;
}

async function* asUtf8(bytes: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of bytes) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}
