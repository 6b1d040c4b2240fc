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
export type SettledFile = { readonly record: FileRecord; readonly isUnchanged: boolean };

/** A new empty run. */
export async function beginRun(place: Place, day: Day): Promise<Run> {
  const folder = join(place.folder, newRunName(place, day));
  await mkdir(folder);
  return { place, folder };
}

/** Syncs a file of a run to the disk, as a hard link to the old file if that is the same, and records it. */
export async function settleFile(
  { place, folder }: Run,
  made: Omit<FileRecord, 'bytes' | 'sha256'>,
): Promise<SettledFile> {
  const path = join(folder, made.name);
  const sum = await sumOfFile(path);
  const isUnchanged = await settle(path, sum, shownBefore(place, made.name));
  return { record: { ...made, ...sum }, isUnchanged };
}

/** Completes a run and shows it in one step, by renaming a new link. */
export async function publish({ place, folder }: Run, manifest: Manifest): Promise<void> {
  const path = join(folder, manifestName);
  await writeFile(path, manifestText(manifest), { flag: 'wx' }).catch(naming(path));
  await settle(path, await sumOfFile(path), shownBefore(place, manifestName));
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
