import { randomBytes } from 'node:crypto';
import { lstat, readdir, readlink, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Day } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import { manifestName } from './plan.ts';

/** The place of a snapshot: a link at `path`, and the folders of runs beside it. */
export type Place = {
  readonly path: string;
  readonly folder: string;
  readonly name: string;
  /** The folder of the run that the link shows, if there is one. */
  readonly current: string | undefined;
  /** Whether an empty folder is at `path`, which the link replaces. */
  readonly isEmptyFolder: boolean;
};

/**
 * The place that `--out` names; a Problem if a snapshot would replace anything but an empty folder or another
 * snapshot.
 */
export async function placeOf(out: string): Promise<Place> {
  const path = resolve(out);
  const place = {
    path,
    folder: dirname(path),
    name: basename(path),
    current: undefined,
    isEmptyFolder: false,
  };
  if (out === '' || place.name === '') throw refused(out, 'it is not the name of a folder');
  await refuseMissing(place.folder, out);
  const found = await lstat(path).catch(absent);
  if (found === undefined) return place;
  if (found.isSymbolicLink()) return { ...place, current: await runShown(place, out) };
  if (!found.isDirectory()) throw refused(out, 'it is a file');
  if ((await readdir(path)).length > 0) throw refused(out, 'it is a folder with something in it');
  return { ...place, isEmptyFolder: true };
}

async function refuseMissing(folder: string, out: string): Promise<void> {
  const found = await lstat(`${folder}/`).catch(absent);
  if (found === undefined) throw new Problem('local-io', `cannot write ${out}: there is no folder ${folder}`);
}

async function runShown(place: Place, out: string): Promise<string | undefined> {
  const target = await readlink(place.path);
  if (!isRunOf(place, target)) throw refused(out, `it is a link to ${target}, which is not a snapshot`);
  const run = join(place.folder, target);
  return (await lstat(run).catch(absent))?.isDirectory() === true ? run : undefined;
}

function refused(out: string, reason: string): Problem {
  return new Problem('local-io', `cannot write a snapshot to ${JSON.stringify(out)}: ${reason}`, {
    hints: ['name a new folder, or the snapshot of an earlier run'],
  });
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}

/** A unique name for the folder of a new run. */
export function newRunName({ name }: Place, day: Day): string {
  return `.${name}.${day}-${randomBytes(6).toString('hex')}`;
}

function isRunOf({ name }: Place, entry: string): boolean {
  const prefix = `.${name}.`;
  return entry.startsWith(prefix) && /^\d{4}-\d\d-\d\d-[0-9a-f]{12}$/.test(entry.slice(prefix.length));
}

/** The lock file of the runs; it is never removed, because then two runs could hold it. */
export function lockPath({ folder, name }: Place): string {
  return join(folder, `.${name}.lock`);
}

/** The new link, before it is renamed. */
export function draftLink({ folder, name }: Place): string {
  return join(folder, `.${name}.link`);
}

/** Removes the incomplete folders of runs that were killed. */
export async function sweepHalfDone(place: Place): Promise<void> {
  await rm(draftLink(place), { force: true });
  for (const run of await runsAt(place)) {
    const complete = await lstat(join(run, manifestName)).catch(absent);
    if (complete === undefined && run !== place.current) await rm(run, { recursive: true, force: true });
  }
}

/** Removes all runs except those in `kept`. */
export async function sweepOld(place: Place, kept: readonly (string | undefined)[]): Promise<void> {
  for (const run of await runsAt(place))
    if (!kept.includes(run)) await rm(run, { recursive: true, force: true });
}

async function runsAt(place: Place): Promise<readonly string[]> {
  const entries = await readdir(place.folder);
  return entries.filter((entry) => isRunOf(place, entry)).map((entry) => join(place.folder, entry));
}
