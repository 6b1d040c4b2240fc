import { constants, type Stats } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Problem } from '../../errors/problem.ts';
import { systemProblem } from '../../errors/system-errors.ts';
import { signatureOf, withoutGzip, zipMembers } from './packed.ts';
import {
  allBytes,
  counted,
  type FileContent,
  printablePath,
  refusal,
  type SourceFile,
} from './source-file.ts';

/**
 * The files at the typed paths, in the order typed: folders by name, archives by member, `-` as standard input. A path
 * that cannot be read or gives no file is a Problem that names it.
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

/** Standard input as a file, whose content is kept in memory because an import reads a file more than once. */
async function inputFile(stdin: AsyncIterable<Uint8Array>): Promise<SourceFile> {
  const path = 'standard input';
  const bytes = await allBytes({ path, size: 0, read: () => asBuffers(stdin) });
  if ((await signatureOf(asBuffers([bytes]))) === 'zip')
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

/** Finds files; remembers the folders that it has entered and the plain files beside each file. */
class Walk {
  /** By real path. */
  readonly #entered = new Set<string>();
  readonly #plainFiles = new Map<string, Promise<readonly NamedFile[]>>();

  async filesAt(path: string): Promise<readonly SourceFile[]> {
    const stats = await statsOf(path);
    if (stats.isFile()) return this.#filesIn(path);
    if (stats.isDirectory()) return this.#typedFolder(path);
    const hints = ['save its content to a file, and import that'];
    throw new Problem('local-io', `${printablePath(path)}: neither a file nor a folder`, { hints });
  }

  async #typedFolder(path: string): Promise<readonly SourceFile[]> {
    const before = this.#entered.size;
    const files = await this.#folderFiles(path, []);
    // A folder whose files were all given by an earlier path adds none, but is not empty.
    if (files.length === 0 && this.#entered.size > before) {
      const reason = 'the folder has no file to import (hidden files are ignored)';
      throw refusal({ path: printablePath(path) }, {}, reason);
    }
    return files;
  }

  /** `above` are the real paths of the folders that lead here. */
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
      const stats = await statsOf(inner);
      if (stats.isFile()) files.push(...(await this.#filesIn(inner)));
      if (stats.isDirectory()) files.push(...(await this.#folderFiles(inner, [...above, real])));
    }
    return files;
  }

  async #filesIn(location: string): Promise<readonly SourceFile[]> {
    const content = await this.#contentAt(location);
    if ((await signatureOf(content.read())) !== 'zip') return [await withoutGzip(content)];
    const members = await zipMembers(location, content.path);
    if (members.length === 0) throw refusal(content, {}, 'the archive has no file to import');
    return members;
  }

  async #contentAt(location: string): Promise<FileContent> {
    const path = printablePath(location);
    return {
      name: printablePath(basename(location)),
      path,
      size: (await statsOf(location)).size,
      read: (counter) => counted(fileBytes(location, path), counter),
      siblings: async () => {
        const files = await this.#plainFilesOf(dirname(location));
        return files.filter(([name]) => name !== basename(location)).map(([, file]) => file);
      },
    };
  }

  #plainFilesOf(folder: string): Promise<readonly NamedFile[]> {
    const files = this.#plainFiles.get(folder) ?? this.#findPlainFiles(folder);
    this.#plainFiles.set(folder, files);
    return files;
  }

  /** The plain files of a folder by name; archives and unreadable files are left out. */
  async #findPlainFiles(folder: string): Promise<readonly NamedFile[]> {
    const [, names] = await listing(folder);
    const files: NamedFile[] = [];
    for (const name of names) {
      const location = within(folder, name);
      try {
        if ((await statsOf(location)).isFile())
          files.push([name, await withoutGzip(await this.#contentAt(location))]);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
      }
    }
    return files;
  }
}

/** The number of bytes read at once: with fewer reads, the process waits less for other programs. */
const chunkSize = 256 * 1024;

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

async function statsOf(path: string): Promise<Stats> {
  try {
    return await stat(path);
  } catch (error) {
    throw systemProblem('read', printablePath(path), error);
  }
}

/** The real path of a folder and the names in it, sorted, without hidden ones. */
async function listing(path: string): Promise<readonly [string, readonly string[]]> {
  try {
    const names = await readdir(path);
    return [await realpath(path), names.filter((name) => !name.startsWith('.')).sort()];
  } catch (error) {
    throw systemProblem('read', printablePath(path), error);
  }
}

function within(folder: string, name: string): string {
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}
