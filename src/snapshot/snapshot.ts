import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Demands } from '../analysis/basis.ts';
import { type Client, readConsistently } from '../client/client.ts';
import type { Day } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import { version } from '../platform/installation.ts';
import type { Lock } from '../store/access-store.ts';
import { absoluteAddress } from '../store/address.ts';
import { openLock } from '../store/open.ts';
import { type BoundLine, boundLine, inOneLine, type ParseLine, writeLines } from './line.ts';
import { importLogText, type Manifest, type Source } from './manifest.ts';
import { lockPath, type Place, placeOf, sweepHalfDone } from './place.ts';
import { lineOf, readPlan } from './plan.ts';
import { beginRun, giveUp, publish, type Run, recordFile, sweepAfter, type WrittenFile } from './run.ts';

/** A plan whose lines are bound to a day. */
export type BoundPlan = {
  /** The name of the plan in messages. */
  readonly name: string;
  readonly asOf: Day;
  readonly lines: readonly BoundLine[];
  readonly sha256: string;
};

/**
 * The plan in `bytes` bound to a day, with demands on the data of each line; a Problem names the line that cannot be.
 * Asks for no data and writes nothing.
 */
export function bindPlan(
  name: string,
  bytes: Uint8Array,
  { asOf, demands = {} }: { readonly asOf: Day; readonly demands?: Demands },
  parseLine: ParseLine,
): BoundPlan {
  const lines = readPlan(bytes, name).map((line) => {
    try {
      return boundLine(line, asOf, parseLine, demands);
    } catch (error) {
      throw inOneLine(error, { before: `${name} line ${line.number}: ` });
    }
  });
  return { name, asOf, lines, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Where a snapshot goes, where its data comes from, and what receives its messages. */
export type SnapshotOptions = {
  /** The link that shows the newest complete snapshot. */
  readonly out: string;
  readonly client: Client;
  readonly signal: AbortSignal;
  /** Called before each line with its file and the number of lines done. */
  readonly onLine?: (name: string, done: number) => void;
  /** Called once the snapshot is in place, with each remark on the data of its files. */
  readonly note?: (text: string) => void;
  /** Called with a sentence about something that could not be done after the snapshot was in place. */
  readonly warn?: (text: string) => void;
};

/** What a snapshot that is in place holds. */
export type SnapshotSummary = { readonly files: number; readonly rows: number; readonly unchanged: number };

/**
 * Answers the lines of a plan out of one state of the data, and puts their files in place in one step; after any
 * failure the snapshot is as it was. Waits a few seconds for another run with the same `out`.
 */
export async function snapshot(plan: BoundPlan, options: SnapshotOptions): Promise<SnapshotSummary> {
  const { out, signal, note, warn } = options;
  const lock = await lockOf(await placeOf(out), out, signal);
  try {
    // Another run may have changed it in the meantime.
    const place = await placeOf(out);
    await sweepHalfDone(place);
    const run = await beginRun(place, plan.asOf);
    try {
      const { files, manifest, notes } = await fill(run, plan, options);
      signal.throwIfAborted();
      await publish(run, manifest);
      for (const text of notes) note?.(text);
      await sweepAfter(run).catch(({ message }: Error) => warn?.(`an old run was not removed: ${message}`));
      const rows = files.reduce((sum, { record }) => sum + record.rows, 0);
      const unchanged = files.filter((file) => file.isUnchanged).length;
      return { files: files.length, rows, unchanged };
    } catch (error) {
      await giveUp(run).catch(() => undefined);
      throw error;
    }
  } finally {
    await lock.close();
  }
}

/** How long a run waits for another one to end, and how often it looks, in milliseconds. */
const lockWait = { total: 5000, step: 100 } as const;

async function lockOf(place: Place, out: string, signal: AbortSignal): Promise<Lock> {
  for (let waited = 0; ; waited += lockWait.step) {
    const lock = await openLock(lockPath(place));
    if (lock !== undefined) return lock;
    if (waited >= lockWait.total)
      throw new Problem('local-io', `another asof snapshot is writing ${out}`, {
        hints: ['try again when it is done'],
      });
    await delay(lockWait.step, undefined, { signal });
  }
}

/** Writes the files of a run and makes its manifest. */
async function fill(run: Run, plan: BoundPlan, { client, signal, onLine }: SnapshotOptions) {
  const { name, asOf, lines, sha256 } = plan;
  const explain = (error: unknown, line: BoundLine) =>
    inOneLine(error, { before: `${name} line ${line.number} (${line.name}): ` });
  const writing = {
    client,
    asOf,
    folder: run.folder,
    signal,
    explain,
    ...(onLine !== undefined && { onLine }),
  };
  const { written, source } = await readConsistently(client, async () => {
    const written = await writeLines(lines, writing);
    return { written, source: await sourceOf(client) };
  });
  const files: WrittenFile[] = [];
  for (const [i, { name, words, asOf }] of lines.entries()) {
    signal.throwIfAborted();
    const { rows = 0, coverage = [] } = written[i] ?? {};
    const about = coverage.length === 0 ? {} : { coverage };
    files.push(await recordFile(run, { name, command: lineOf(words), as_of: asOf, rows, ...about }));
  }
  const manifest: Manifest = {
    asof: version(),
    as_of: asOf,
    plan_sha256: sha256,
    source,
    files: files.map(({ record }) => record),
  };
  return { files, manifest, notes: new Set(written.flatMap(({ notes }) => notes)) };
}

async function sourceOf(client: Client): Promise<Source> {
  const { mode, where, sample, imports = [] } = await client.origin();
  if (mode === 'remote') return { service: where };
  const log = createHash('sha256').update(importLogText(imports)).digest('hex');
  // The path of the sample on this machine says nothing about it.
  const store = sample ? ({ sample: true } as const) : { store: absoluteAddress(where) };
  return { ...store, imports: imports.length, imports_sha256: log };
}
