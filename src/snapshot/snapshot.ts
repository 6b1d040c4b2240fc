import { createHash, randomBytes } from 'node:crypto';
import {
  link,
  lstat,
  mkdir,
  readdir,
  readlink,
  rename,
  rm,
  rmdir,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type Client, readConsistently } from '../client/client.ts';
import type { Day } from '../domain/values/date.ts';
import { Problem } from '../errors/problem.ts';
import { due } from '../operations/calendar/due.ts';
import { flush, naming } from '../platform/files.ts';
import { version } from '../platform/installation.ts';
import { absoluteAddress } from '../store/address.ts';
import { openLock } from '../store/open.ts';
import {
  type FileSum,
  foundAt,
  importLogText,
  type Manifest,
  manifestName,
  manifestText,
  sumOfFile,
} from './manifest.ts';
import { type BoundPlan, writeLines } from './plan.ts';

type SnapshotOptions = {
  /** The link that leads to the newest complete snapshot. */
  readonly out: string;
  readonly client: Client;
  readonly signal: AbortSignal;
  /** Called before each line with its file and the number of finished lines. */
  readonly onLine?: (name: string, done: number) => void;
  /** Called with each note on the data of the files, once the snapshot is in place. */
  readonly note?: (text: string) => void;
  /** Called with a sentence about a step that failed after the snapshot was in place. */
  readonly warn?: (text: string) => void;
};

/** The counts of a snapshot. */
export type SnapshotSummary = { readonly files: number; readonly rows: number; readonly unchanged: number };

/**
 * Answers the lines of a plan from one state of the data, and publishes their files in one step.
 * After a failure the previous snapshot stays; waits a few seconds for another run with the same `out`.
 */
export async function snapshot(plan: BoundPlan, options: SnapshotOptions): Promise<SnapshotSummary> {
  const { out, client, signal, onLine, note, warn } = options;
  const { asOf } = plan;
  const { folder, name } = await placeOf(out);
  // The file is never removed, because two runs could then lock it.
  const lock = await openLock(join(folder, `.${name}.lock`), lockWait, signal);
  if (lock === undefined)
    throw new Problem('local-io', `another asof snapshot is writing ${out}`, {
      hints: ['try again when it is done'],
    });
  try {
    // Another run may have changed the place in the meantime.
    const place = await placeOf(out);
    await rm(place.draft, { force: true });
    await sweep(place, async (run) => (await foundAt(join(run, manifestName))) !== undefined);
    const run = await beginRun(place, asOf);
    try {
      const writing = { client, asOf, folder: run.folder, signal, plan: plan.name, onLine };
      const { written, source, overdue } = await readConsistently(client, async () => ({
        written: await writeLines(plan.lines, writing),
        source: await sourceOf(client),
        overdue: note === undefined ? [] : await overdueNotes(client, asOf),
      }));
      const files = written.map(({ record }) => record);
      let unchanged = 0;
      for (const file of files) {
        signal.throwIfAborted();
        if (await keepFile(run, file)) unchanged += 1;
      }
      signal.throwIfAborted();
      await publish(run, { asof: version(), as_of: asOf, plan_sha256: plan.sha256, source, files });
      for (const text of new Set(written.flatMap(({ notes }) => notes))) note?.(text);
      const series = new Set(files.flatMap(({ coverage = [] }) => coverage.map(({ subject }) => subject)));
      for (const { name, text } of overdue) if (series.has(name)) note?.(text);
      await sweepAfter(run).catch(({ message }: Error) => warn?.(`an old run was not removed: ${message}`));
      return { files: files.length, rows: files.reduce((sum, { rows }) => sum + rows, 0), unchanged };
    } catch (error) {
      await giveUp(run).catch(() => undefined);
      throw error;
    }
  } finally {
    await lock.close();
  }
}

/** Says of each followed series which release up to a day is overdue; a service does not publish what it follows. */
async function overdueNotes(client: Client, asOf: Day) {
  if (client.followed === undefined || (await client.followed()).length === 0) return [];
  const { results } = await client.ask(due, [['every', 'true']]);
  return results.flatMap(({ name, release, overdue }) => {
    if (overdue === null || overdue > asOf) return [];
    return [
      { name, text: `${name} is overdue: ${release} of ${overdue} has passed, and it has no vintage since` },
    ];
  });
}

/** Milliseconds that a run waits for another one, in total and between two attempts. */
const lockWait = { total: 5000, step: 100 };

async function sourceOf(client: Client): Promise<Manifest['source']> {
  const { mode, where, sample, imports = [] } = await client.origin();
  if (mode === 'remote') return { service: where };
  const log = createHash('sha256').update(importLogText(imports)).digest('hex');
  // The path of the sample on this machine does not identify the sample.
  const store = sample ? ({ sample: true } as const) : { store: absoluteAddress(where) };
  return { ...store, imports: imports.length, imports_sha256: log };
}

/** A snapshot's link at `path`, and the folders of runs beside it. */
type Place = {
  readonly path: string;
  readonly folder: string;
  readonly name: string;
  readonly current: string | undefined;
  readonly isEmptyFolder: boolean;
  readonly draft: string;
};

/** Resolves `--out`; throws a Problem if it is neither new, an empty folder nor a snapshot. */
export async function placeOf(out: string): Promise<Place> {
  const refused = (reason: string) =>
    new Problem('local-io', `cannot write a snapshot to ${JSON.stringify(out)}: ${reason}`, {
      hints: ['name a new folder, or the snapshot of an earlier run'],
    });
  const path = resolve(out);
  const [folder, name] = [dirname(path), basename(path)];
  const draft = join(folder, `.${name}.link`);
  const place = { path, folder, name, current: undefined, isEmptyFolder: false, draft };
  if (out === '' || name === '') throw refused('it is not the name of a folder');
  if ((await foundAt(`${folder}/`)) === undefined)
    throw new Problem('local-io', `cannot write ${out}: there is no folder ${folder}`);
  const found = await foundAt(path);
  if (found === undefined) return place;
  if (found.isSymbolicLink()) {
    const target = await readlink(path);
    if (!isRunOf(place, target)) throw refused(`it is a link to ${target}, which is not a snapshot`);
    const run = join(folder, target);
    return { ...place, current: (await foundAt(run))?.isDirectory() === true ? run : undefined };
  }
  if (!found.isDirectory()) throw refused('it is a file');
  if ((await readdir(path)).length > 0) throw refused('it is a folder with something in it');
  return { ...place, isEmptyFolder: true };
}

function isRunOf({ name }: Pick<Place, 'name'>, entry: string): boolean {
  const prefix = `.${name}.`;
  return entry.startsWith(prefix) && /^\d{4}-\d\d-\d\d-[0-9a-f]{12}$/.test(entry.slice(prefix.length));
}

/** Removes all runs except the published one and those that `keeps` names. */
async function sweep(place: Place, keeps: (run: string) => Promise<boolean> | boolean): Promise<void> {
  for (const entry of await readdir(place.folder)) {
    const run = join(place.folder, entry);
    if (isRunOf(place, entry) && run !== place.current && !(await keeps(run)))
      await rm(run, { recursive: true, force: true });
  }
}

/** A snapshot in the making, in a folder without a link. */
type Run = { readonly place: Place; readonly folder: string };

/** Makes a new empty run. */
export async function beginRun(place: Place, day: Day): Promise<Run> {
  const folder = join(place.folder, `.${place.name}.${day}-${randomBytes(6).toString('hex')}`);
  await mkdir(folder);
  return { place, folder };
}

/** Syncs a file of a run to the disk, or links it to that of the current snapshot if the content is equal. */
export function keepFile(
  { place, folder }: Run,
  { name, ...sum }: FileSum & { readonly name: string },
): Promise<boolean> {
  return syncOrLink(join(folder, name), sum, place.current && join(place.current, name));
}

/** Completes a run and publishes it in one step, by renaming a new link. */
export async function publish({ place, folder }: Run, manifest: Manifest): Promise<void> {
  const path = join(folder, manifestName);
  await writeFile(path, manifestText(manifest), { flag: 'wx' }).catch(naming(path));
  await keepFile({ place, folder }, { name: manifestName, ...(await sumOfFile(path)) });
  await flush(folder);
  await symlink(basename(folder), place.draft);
  if (place.isEmptyFolder) await rmdir(place.path);
  await rename(place.draft, place.path);
  await flush(place.folder);
}

/** Removes all other runs except the previously published one, which may have readers. */
export function sweepAfter({ place, folder }: Run): Promise<void> {
  return sweep(place, (run) => run === folder);
}

/** Removes a run, unless the link leads to it; the snapshot does not change. */
export async function giveUp({ place, folder }: Run): Promise<void> {
  const shown = await readlink(place.path).catch(() => undefined);
  if (shown === basename(folder)) return;
  await rm(place.draft, { force: true });
  await rm(folder, { recursive: true, force: true });
}

/**
 * Syncs a new file to the disk, or links it to an old one of equal content, owner and mode.
 * Returns true for equal content; reads the old file, so that damage to it does not persist.
 */
export async function syncOrLink(path: string, { bytes, sha256 }: FileSum, old = ''): Promise<boolean> {
  const before = await lstat(old).catch(() => undefined);
  const isCandidate = before?.isFile() === true && before.size === bytes;
  const isSame = isCandidate && (await sumOfFile(old).catch(() => undefined))?.sha256 === sha256;
  const { uid, gid, mode } = await lstat(path);
  // A link takes the owner and the mode from the old file.
  const isOpenToTheSame = before?.uid === uid && before.gid === gid && before.mode === mode;
  const isLinked = isSame && isOpenToTheSame && (await linkedInPlace(old, path));
  if (!isLinked) await flush(path);
  return isSame;
}

/** Replaces the new file by a hard link to the old one; false, with the file kept, without links. */
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
