import { lstat, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Asker } from '../answering/answer.ts';
import { readConsistently } from '../client/client.ts';
import { Problem } from '../errors/problem.ts';
import { isSystemError, systemProblem } from '../errors/system-errors.ts';
import {
  type FileRecord,
  foundAt,
  type Manifest,
  manifestName,
  parseManifest,
  sumOfFile,
} from './manifest.ts';
import { bindRecords, type ParseLine, writeLines } from './plan.ts';

/** A snapshot as it was opened, even if replaced since. */
export type OpenedSnapshot = { readonly folder: string; readonly manifest: Manifest };

/** Opens the snapshot at a path; returns a Finding if its manifest is damaged. */
export function openSnapshot(path: string): Promise<OpenedSnapshot | Finding> {
  return reading(async () => {
    const folder = await realpath(path);
    const file = join(folder, manifestName);
    const found = await foundAt(file);
    if (found === undefined)
      throw new Problem('local-io', `${folder} is not a snapshot: it has no ${manifestName}`);
    if (!found.isFile()) return { name: manifestName, what: 'is not a regular file' };
    const manifest = parseManifest(await readFile(file, 'utf8'), file);
    return manifest === undefined ? { name: manifestName, what: 'is damaged' } : { folder, manifest };
  });
}

async function reading<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isSystemError(error) ? systemProblem('read', error.path ?? 'the snapshot', error) : error;
  }
}

/** Lists the differences between the files of a snapshot and its manifest. */
export function compareFiles({ folder, manifest: { files } }: OpenedSnapshot): Promise<readonly Finding[]> {
  return reading(async () => {
    const findings: Finding[] = [];
    for (const file of files) {
      const what = await faultOf(join(folder, file.name), file);
      if (what !== undefined) findings.push({ name: file.name, what });
    }
    const known = new Set([manifestName, ...files.map(({ name }) => name)]);
    const extra = (await readdir(folder)).filter((name) => !known.has(name)).sort();
    return [...findings, ...extra.map((name) => ({ name, what: 'is not in the manifest' }))];
  });
}

/** Lists the differences between a snapshot and the current output of its commands. */
export async function compareCommands(
  { folder, manifest }: OpenedSnapshot,
  { client, parseLine, signal }: Pick<Asker, 'client' | 'signal'> & { readonly parseLine: ParseLine },
): Promise<readonly Finding[]> {
  const asOf = manifest.as_of;
  const lines = bindRecords(manifest.files, asOf, parseLine);
  const other = await mkdtemp(join(tmpdir(), 'asof-verify-'));
  try {
    const writing = { client, asOf, folder: other, signal };
    const written = await readConsistently(client, () => writeLines(lines, writing));
    const differing: Finding[] = [];
    const misstating: Finding[] = [];
    for (const [i, recorded] of manifest.files.entries()) {
      const given = written[i]?.record;
      if (given === undefined) continue;
      const { name, sha256 } = recorded;
      const where = await firstDifference(join(folder, name), join(other, name));
      const how =
        given.sha256 === sha256 ? 'differs from what its command gives' : 'is not what its command gives now';
      if (given.sha256 !== sha256 || where !== '') differing.push({ name, what: how + where });
      else misstating.push(...misstated(recorded, given).map((what) => ({ name, what })));
    }
    return [...differing, ...misstating];
  } finally {
    await rm(other, { recursive: true, force: true });
  }
}

/** Lists the statements of a manifest about a file that its command contradicts, apart from the bytes. */
function misstated({ as_of, rows, coverage = [] }: FileRecord, given: FileRecord): readonly string[] {
  const now = new Map(given.coverage?.map((one) => [one.subject, one]));
  const covered = coverage.filter(({ subject, covered_to = '', vintage_kind = '' }) => {
    const { covered_to: to = '', vintage_kind: kind = '' } = now.get(subject) ?? {};
    return covered_to > to || kind !== vintage_kind;
  });
  return [
    ...(as_of === given.as_of
      ? []
      : [`is recorded as of ${as_of}, and its command answers as of ${given.as_of}`]),
    ...(rows === given.rows ? [] : [`is recorded with ${rows} rows, and its command gives ${given.rows}`]),
    ...covered.map(
      ({ subject }) =>
        `is recorded with another coverage or kind of vintages of ${subject} than its command gives`,
    ),
  ];
}

/** A file with its difference from the manifest. */
export type Finding = { readonly name: string; readonly what: string };

async function faultOf(path: string, { bytes, sha256 }: FileRecord): Promise<string | undefined> {
  const found = await foundAt(path);
  if (found === undefined) return 'is missing';
  if (!found.isFile()) return 'is not a regular file';
  if (found.size !== bytes) return `has changed: ${found.size} bytes, not ${bytes}`;
  return (await sumOfFile(path)).sha256 === sha256 ? undefined : 'has changed: its SHA-256 differs';
}

/** Describes the first line in which two texts differ; empty if they are equal or one is not a text. */
async function firstDifference(path: string, other: string): Promise<string> {
  const [own, others] = await Promise.all([path, other].map(linesOf));
  if (own === undefined || others === undefined) return '';
  const found = own.findIndex((text, line) => text !== others[line]);
  const line = found < 0 ? own.length : found;
  if (line === own.length && line === others.length) return '';
  return `, from line ${line + 1} on: ${shown(own[line])} here, ${shown(others[line])} there`;
}

/** Bytes; a larger file is not compared by line, so that a damaged one cannot fill memory. */
const mostUnpacked = 2 ** 29;

/** Reads the lines of a text, unpacking `.gz`; undefined for bytes, and for a missing file. */
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
