import type { Stats } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Problem } from '../../errors/problem.ts';
import { systemProblem } from '../../errors/system-errors.ts';
import type { SourceFile } from '../formats/source.ts';
import { type Content, firstBytes, tapped } from './content.ts';
import { withoutGzip } from './gzip.ts';
import { fileBytes, visible } from './local-io.ts';
import { signatureOf, signatureSize } from './signature.ts';
import { zipMembers } from './zip.ts';

/** What one walk remembers: the folders entered (by their real paths), and the companions of files by folder. */
type Walk = {
  readonly entered: Set<string>;
  readonly companions: Map<string, Promise<readonly (readonly [string, SourceFile])[]>>;
};

/**
 * The files that the typed paths mean, in the order typed, folders recursively by name and zip archives by member.
 * Hidden files in folders are passed over; a path that gives nothing, or cannot be read, is a Problem that names it.
 */
export async function sourceFiles(typed: readonly string[]): Promise<readonly SourceFile[]> {
  const walk: Walk = { entered: new Set(), companions: new Map() };
  const files: SourceFile[] = [];
  for (const path of typed) {
    const found = await statsOf(path);
    if (!found.isFile() && !found.isDirectory()) throw notAFile(path);
    files.push(...(found.isFile() ? await filesAt(path, walk) : await typedFolder(path, walk)));
  }
  return files;
}

/** What lies at `path`, symbolic links followed. */
async function statsOf(path: string): Promise<Stats> {
  try {
    return await stat(path);
  } catch (error) {
    throw systemProblem('read', visible(path), error);
  }
}

async function typedFolder(path: string, walk: Walk): Promise<readonly SourceFile[]> {
  const before = walk.entered.size;
  const files = await folderFiles(path, [], walk);
  // A folder that an earlier path has already given in full has nothing to add, but is not empty.
  if (files.length === 0 && walk.entered.size > before) {
    throw new Problem(
      'bad-input',
      `${visible(path)}: the folder holds no file to import (hidden files do not count)`,
    );
  }
  return files;
}

/** `above` are the real paths of the folders that lead here. */
async function folderFiles(
  path: string,
  above: readonly string[],
  walk: Walk,
): Promise<readonly SourceFile[]> {
  const [real, names] = await listing(path);
  if (above.includes(real)) {
    throw new Problem('local-io', `${visible(path)}: the folder contains itself, by a symbolic link`);
  }
  if (walk.entered.has(real)) return [];
  walk.entered.add(real);
  const files: SourceFile[] = [];
  for (const name of names) {
    const inner = within(path, name);
    const found = await statsOf(inner);
    if (found.isFile()) files.push(...(await filesAt(inner, walk)));
    if (found.isDirectory()) files.push(...(await folderFiles(inner, [...above, real], walk)));
  }
  return files;
}

/** The real path of a folder and the names in it, sorted, without the hidden ones. */
async function listing(path: string): Promise<readonly [string, readonly string[]]> {
  try {
    const names = await readdir(path);
    return [await realpath(path), names.filter((name) => !name.startsWith('.')).sort()];
  } catch (error) {
    throw systemProblem('read', visible(path), error);
  }
}

function within(folder: string, name: string): string {
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}

async function filesAt(location: string, walk: Walk): Promise<readonly SourceFile[]> {
  const content = await contentAt(location, walk);
  if (signatureOf(await firstBytes(content.read(), signatureSize)) !== 'zip')
    return [await withoutGzip(content)];
  const members = await zipMembers(location, content.path);
  if (members.length === 0)
    throw new Problem('bad-input', `${content.path}: the archive holds no file to import`);
  return members;
}

async function contentAt(location: string, walk: Walk): Promise<Content> {
  const path = visible(location);
  return {
    name: visible(basename(location)),
    path,
    size: (await statsOf(location)).size,
    read: (tap) => tapped(fileBytes(location, path), tap),
    siblings: async () => {
      const companions = await companionsIn(dirname(location), walk);
      return companions.filter(([name]) => name !== basename(location)).map(([, file]) => file);
    },
  };
}

/** The plain files of a folder, by name; archives and what cannot be read are no companions of anything. */
function companionsIn(folder: string, walk: Walk): Promise<readonly (readonly [string, SourceFile])[]> {
  const known = walk.companions.get(folder);
  if (known !== undefined) return known;
  const companions = findCompanions(folder, walk);
  walk.companions.set(folder, companions);
  return companions;
}

async function findCompanions(
  folder: string,
  walk: Walk,
): Promise<readonly (readonly [string, SourceFile])[]> {
  const [, names] = await listing(folder);
  const companions: (readonly [string, SourceFile])[] = [];
  for (const name of names) {
    const location = within(folder, name);
    try {
      if ((await statsOf(location)).isFile())
        companions.push([name, await withoutGzip(await contentAt(location, walk))]);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }
  return companions;
}

function notAFile(path: string): Problem {
  const hints = ['save what it gives into a file, and import that'];
  return new Problem('local-io', `${visible(path)}: neither a file nor a folder`, { hints });
}
