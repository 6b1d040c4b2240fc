import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, lstat, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { flush } from '../platform/files.ts';

/** The size and the SHA-256 of a file. */
export type FileSum = { readonly bytes: number; readonly sha256: string };

/** Reads a whole file. */
export async function sumOfFile(path: string): Promise<FileSum> {
  const hash = createHash('sha256');
  let bytes = 0;
  await pipeline(createReadStream(path), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      hash.update(chunk);
    }
  });
  return { bytes, sha256: hash.digest('hex') };
}

/**
 * Syncs a new file to the disk, or replaces it by a hard link to the old one if that has the same content, owner and mode;
 * resolves to whether the content is unchanged. Reads the old file, so that damage to it is not carried on.
 */
export async function syncOrLink(path: string, sum: FileSum, old: string | undefined): Promise<boolean> {
  const same = old !== undefined && (await holds(old, sum));
  const linked = same && (await isOpenToTheSame(old, path)) && (await linkedInPlace(old, path));
  if (!linked) await flush(path);
  return same;
}

async function holds(path: string, { bytes, sha256 }: FileSum): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isFile() === true && found.size === bytes && (await sumOrNothing(path)) === sha256;
}

/** Whether two files have the same owner and mode: a link would keep those of the old file. */
async function isOpenToTheSame(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([lstat(one), lstat(other)]);
  return a.uid === b.uid && a.gid === b.gid && a.mode === b.mode;
}

/** The SHA-256 of a file, or undefined if it cannot be read. */
async function sumOrNothing(path: string): Promise<string | undefined> {
  return (await sumOfFile(path).catch(() => undefined))?.sha256;
}

/** Replaces the new file by a hard link to the old one; false where the file system has no links, so that a copy stays. */
async function linkedInPlace(old: string, path: string): Promise<boolean> {
  const name = `${path}.link`;
  try {
    await link(old, name);
    await rename(name, path);
    return true;
  } catch {
    await rm(name, { force: true });
    return false;
  }
}
