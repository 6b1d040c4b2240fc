import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, lstat, mkdir, readlink, rename, rm, rmdir, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Day } from '../domain/series/date.ts';
import { flush, naming } from '../platform/files.ts';
import { type FileRecord, type Manifest, manifestText } from './manifest.ts';
import { draftLink, newRunName, type Place, sweepOld } from './place.ts';
import { manifestName } from './plan.ts';

/** A snapshot in the making: a folder that the link does not show before it is complete. */
export type Run = { readonly place: Place; readonly folder: string };

/** The record of a file that a run made, and whether the current snapshot holds the same. */
export type WrittenFile = { readonly record: FileRecord; readonly isUnchanged: boolean };

/** A new empty run. */
export async function beginRun(place: Place, day: Day): Promise<Run> {
  const folder = join(place.folder, newRunName(place, day));
  await mkdir(folder);
  return { place, folder };
}

/** Syncs a file of a run to the disk, as a hard link to the old file if that is the same, and records it. */
export async function recordFile(
  { place, folder }: Run,
  made: Omit<FileRecord, 'bytes' | 'sha256'>,
): Promise<WrittenFile> {
  const path = join(folder, made.name);
  const sum = await sumOfFile(path);
  const isUnchanged = await syncOrLink(path, sum, shownBefore(place, made.name));
  return { record: { ...made, ...sum }, isUnchanged };
}

/** Completes a run and shows it in one step, by renaming a new link. */
export async function publish({ place, folder }: Run, manifest: Manifest): Promise<void> {
  const path = join(folder, manifestName);
  await writeFile(path, manifestText(manifest), { flag: 'wx' }).catch(naming(path));
  await syncOrLink(path, await sumOfFile(path), shownBefore(place, manifestName));
  await flush(folder);
  const link = draftLink(place);
  await symlink(basename(folder), link);
  if (place.isEmptyFolder) await rmdir(place.path);
  await rename(link, place.path);
  await flush(place.folder);
}

function shownBefore({ current }: Place, name: string): string | undefined {
  return current && join(current, name);
}

/** Removes all other runs except the one that was shown before, which somebody may still read. */
export function sweepAfter({ place, folder }: Run): Promise<void> {
  return sweepOld(place, [folder, place.current]);
}

/** Removes a run, unless the link shows it; the snapshot is as it was. */
export async function giveUp({ place, folder }: Run): Promise<void> {
  const shown = await readlink(place.path).catch(() => undefined);
  if (shown === basename(folder)) return;
  await rm(draftLink(place), { force: true });
  await rm(folder, { recursive: true, force: true });
}

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
 * Syncs a new file to the disk, or replaces it by a hard link to the old one if that has the same content, owner and
 * mode; resolves to whether the content is unchanged. Reads the old file, so that damage to it is not carried on.
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

/**
 * Replaces the new file by a hard link to the old one; false where the file system has no links, so that a copy
 * stays.
 */
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
