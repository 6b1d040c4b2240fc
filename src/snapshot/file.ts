import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, lstat, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { flush } from '../platform/files.ts';

/** The size and the SHA-256 of what a file holds. */
export type Sum = { readonly bytes: number; readonly sha256: string };

/** Reads a file from its beginning to its end. */
export async function sumOfFile(path: string): Promise<Sum> {
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
 * Makes a new file last: it becomes a second name of the old one (if there is one) where that still holds the same
 * and is open to the same people, else it is written to the disk for good. The old one is read for this, so that damage is not carried on. Tells whether it was
 * unchanged.
 */
export async function settle(path: string, sum: Sum, old: string | undefined): Promise<boolean> {
  const same = old !== undefined && (await holds(old, sum));
  const linked = same && (await isOpenToTheSame(old, path)) && (await linkedInPlace(old, path));
  if (!linked) await flush(path);
  return same;
}

async function holds(path: string, { bytes, sha256 }: Sum): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isFile() === true && found.size === bytes && (await sumOrNothing(path)) === sha256;
}

/** Whether two files have one owner and one mode: a link would carry on who may read the old one, or write to it. */
async function isOpenToTheSame(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([lstat(one), lstat(other)]);
  return a.uid === b.uid && a.gid === b.gid && a.mode === b.mode;
}

/** An old file that cannot be read is as good as none. */
async function sumOrNothing(path: string): Promise<string | undefined> {
  return (await sumOfFile(path).catch(() => undefined))?.sha256;
}

/** Whether the old file could take the place of the new one; where links are impossible, the new one stays, a copy. */
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
