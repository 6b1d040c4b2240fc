import { lstat, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { SubjectBasis } from '../answering/basis.ts';
import { type Client, readConsistently } from '../client/client.ts';
import { Problem } from '../errors/problem.ts';
import { systemProblem } from '../errors/system-errors.ts';
import {
  type BoundLine,
  boundLine,
  inOneLine,
  type ParseLine,
  type WrittenLine,
  writeLines,
} from './line.ts';
import { type FileRecord, type Manifest, parseManifest } from './manifest.ts';
import { manifestName, wordsOf } from './plan.ts';
import { sumOfFile } from './snapshot.ts';

/** A snapshot as it was when it was opened, even if another one replaces it. */
export type OpenedSnapshot = { readonly folder: string; readonly manifest: Manifest };

/** Opens the snapshot that a path shows; a Finding if its manifest is damaged. */
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
  /** Calls `compare` with a client of the data to compare with; resolves to undefined if there are none. */
  readonly withData: (
    compare: (client: Client) => Promise<readonly Finding[]>,
  ) => Promise<readonly Finding[] | undefined>;
};

/** Every difference from the manifest: first in the files, then in what their commands give now. */
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
  // A manifest is a file like any other, so asof runs only what could be a line of a plan.
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
    const written = await readConsistently(client, () => writeLines(lines, writing));
    const differing = await compareOutputs(folder, manifest, other);
    const names = new Set(differing.map(({ name }) => name));
    return [...differing, ...misstated(manifest, lines, written).filter(({ name }) => !names.has(name))];
  } finally {
    await rm(other, { recursive: true, force: true });
  }
}

/** What the manifest says about its files, apart from their bytes, that differs from what their commands give. */
function misstated(
  { files }: Manifest,
  lines: readonly BoundLine[],
  written: readonly WrittenLine[],
): readonly Finding[] {
  return lines.flatMap(({ name, asOf }, i) => {
    const recorded = files[i];
    const { rows = 0, coverage = [] } = written[i] ?? {};
    return [
      ...(recorded?.as_of === asOf
        ? []
        : [{ name, what: `is as of ${asOf} by its command, not ${recorded?.as_of}` }]),
      ...(recorded?.rows === rows
        ? []
        : [{ name, what: `has ${rows} rows by its command, not ${recorded?.rows}` }]),
      ...overstated(recorded?.coverage ?? [], coverage).map((what) => ({ name, what })),
    ];
  });
}

/** Series for which a manifest claims a longer coverage, or that their vintages came about in another way. */
function overstated(recorded: readonly SubjectBasis[], given: readonly SubjectBasis[]): readonly string[] {
  return recorded.flatMap(({ subject, covered_to = '', vintage_kind = '' }) => {
    const now = given.find((one) => one.subject === subject);
    const { covered_to: to = '', vintage_kind: kind = '' } = now ?? {};
    return [
      ...(covered_to <= to
        ? []
        : [`covers ${subject} to ${to || 'no day'} by its command, not to ${covered_to}`]),
      ...(kind === vintage_kind
        ? []
        : [`has ${subject} as ${kind || 'unknown'} by its command, not ${vintage_kind}`]),
    ];
  });
}

/** A difference from the manifest: a file, and what is different about it. */
export type Finding = { readonly name: string; readonly what: string };

async function readManifest(folder: string): Promise<Manifest | Finding> {
  const path = join(folder, manifestName);
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new Problem('local-io', `${folder} is not a snapshot: it has no ${manifestName}`, { cause: error });
  });
  if (!found.isFile()) return { name: manifestName, what: 'is not a regular file' };
  const manifest = parseManifest(await readFile(path, 'utf8'), path);
  return manifest ?? { name: manifestName, what: 'is damaged' };
}

async function compareFiles(folder: string, { files }: Manifest): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const file of files) {
    const what = await faultOf(join(folder, file.name), file);
    if (what !== undefined) findings.push({ name: file.name, what });
  }
  const known = new Set([manifestName, ...files.map(({ name }) => name)]);
  const extra = (await readdir(folder)).filter((name) => !known.has(name)).sort();
  return [...findings, ...extra.map((name) => ({ name, what: 'is not in the manifest' }))];
}

async function faultOf(path: string, { bytes, sha256 }: FileRecord): Promise<string | undefined> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
  if (found === undefined) return 'is missing';
  if (!found.isFile()) return 'is not a regular file';
  if (found.size !== bytes) return `is changed: ${found.size} bytes, not ${bytes}`;
  return (await sumOfFile(path)).sha256 === sha256 ? undefined : 'is changed: its SHA-256 is another';
}

/**
 * Compares what the commands give now, in files of the same names, with the manifest and with the files of the
 * snapshot.
 */
async function compareOutputs(
  folder: string,
  { files }: Manifest,
  other: string,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { name, sha256 } of files) {
    const [own, given] = [join(folder, name), join(other, name)];
    const same = (await sumOfFile(given)).sha256 === sha256;
    const where = await firstDifference(own, given);
    if (!same) findings.push({ name, what: `is not what its command gives now${where ?? ''}` });
    else if (where !== undefined)
      findings.push({ name, what: `differs from what its command gives${where}` });
  }
  return findings;
}

/** The first line in which two texts differ, in words; undefined if they are equal or one is not a text. */
async function firstDifference(path: string, other: string): Promise<string | undefined> {
  const [own, others] = await Promise.all([path, other].map(linesOf));
  if (own === undefined || others === undefined) return undefined;
  const length = Math.max(own.length, others.length);
  for (let line = 0; line < length; line += 1)
    if (own[line] !== others[line])
      return `, from line ${line + 1} on: ${shown(own[line])} here, ${shown(others[line])} there`;
  return undefined;
}

/** A larger file is not compared line by line, so that a damaged one cannot fill memory. */
const mostUnpacked = 2 ** 29;

/** The lines of a text, unpacked if its name ends in .gz; undefined for bytes, and for a missing file. */
async function linesOf(path: string): Promise<readonly string[] | undefined> {
  try {
    // Reading a pipe or a device would never end.
    if (!(await lstat(path)).isFile()) return undefined;
    const stored = await readFile(path);
    const content = path.endsWith('.gz') ? gunzipSync(stored, { maxOutputLength: mostUnpacked }) : stored;
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content);
    return text.includes('\0') ? undefined : text.split('\n');
  } catch {
    return undefined;
  }
}

const longest = 100;

function shown(line: string | undefined): string {
  if (line === undefined) return 'nothing';
  return JSON.stringify(line.length > longest ? `${line.slice(0, longest)}…` : line);
}
