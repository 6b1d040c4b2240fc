import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '../client/client.ts';
import { readConsistently } from '../client/consistency.ts';
import { Problem } from '../errors/problem.ts';
import { systemProblem } from '../errors/system-errors.ts';
import { compareFiles, compareOutputs, type Finding, readManifest } from './comparison.ts';
import { type BoundLine, boundLine, inOneLine, type ParseLine } from './line.ts';
import type { Manifest } from './manifest.ts';
import { wordsOf } from './plan.ts';
import { writeLines } from './write-lines.ts';

/** A snapshot as it was when it was opened, also if another one takes its place. */
export type OpenedSnapshot = { readonly folder: string; readonly manifest: Manifest };

/** Opens the snapshot that a path shows; a Finding where its manifest is damaged. */
export async function openSnapshot(path: string): Promise<OpenedSnapshot | Finding> {
  const folder = await realpath(path).catch(unreadable);
  const manifest = await readManifest(folder).catch(unreadable);
  return 'what' in manifest ? manifest : { folder, manifest };
}

function unreadable(cause: NodeJS.ErrnoException): never {
  if (cause instanceof Problem) throw cause;
  throw systemProblem('read', cause.path ?? 'the snapshot', cause);
}

/** How a snapshot is verified. */
export type VerifyOptions = {
  readonly parseLine: ParseLine;
  readonly signal: AbortSignal;
  /** Calls `compare` with a client of the data to compare with; resolves to undefined where there is none. */
  readonly withData: (
    compare: (client: Client) => Promise<readonly Finding[]>,
  ) => Promise<readonly Finding[] | undefined>;
};

/** Everything that is not as the manifest says: first of the files, then of what their commands give now. */
export async function* verify(
  snapshot: OpenedSnapshot,
  { withData, ...options }: VerifyOptions,
): AsyncGenerator<Finding> {
  yield* await compareFiles(snapshot.folder, snapshot.manifest).catch(unreadable);
  yield* (await withData((client) => compareCommands(snapshot, client, options))) ?? [];
}

async function compareCommands(
  { folder, manifest }: OpenedSnapshot,
  client: Client,
  { parseLine, signal }: Omit<VerifyOptions, 'withData'>,
): Promise<readonly Finding[]> {
  const explain = (error: unknown, { name }: { readonly name: string }) =>
    inOneLine(error, { before: `${name}: ` });
  // A manifest is a file like any other: asof runs only what could be a line of a plan.
  const lines = manifest.files.map(({ name, command }, i) => {
    try {
      return boundLine({ number: i + 1, name, words: wordsOf(command) }, manifest.as_of, parseLine);
    } catch (error) {
      throw explain(error, { name });
    }
  });
  const other = await mkdtemp(join(tmpdir(), 'asof-verify-'));
  try {
    const writing = { client, asOf: manifest.as_of, folder: other, signal, explain };
    const rows = await readConsistently(client, () => writeLines(lines, writing));
    const differing = await compareOutputs(folder, manifest, other);
    const names = new Set(differing.map(({ name }) => name));
    return [...differing, ...misstated(manifest, lines, rows).filter(({ name }) => !names.has(name))];
  } finally {
    await rm(other, { recursive: true, force: true });
  }
}

/** What the manifest says about its files, apart from their bytes, that is not what their commands give. */
function misstated(
  { files }: Manifest,
  lines: readonly BoundLine[],
  rows: readonly number[],
): readonly Finding[] {
  return lines.flatMap(({ name, asOf }, i) => {
    const recorded = files[i];
    return [
      ...(recorded?.as_of === asOf
        ? []
        : [{ name, what: `is as of ${asOf} by its command, not ${recorded?.as_of}` }]),
      ...(recorded?.rows === rows[i]
        ? []
        : [{ name, what: `has ${rows[i]} rows by its command, not ${recorded?.rows}` }]),
    ];
  });
}
