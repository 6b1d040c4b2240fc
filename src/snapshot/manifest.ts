import { createHash } from 'node:crypto';
import type { SubjectBasis } from '../answering/basis.ts';
import { type Day, parseDay } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import { formatCsvRecord } from '../render/delimited.ts';
import type { ImportRecord } from '../store/store.ts';
import { faultOfName } from './plan.ts';

/** A file of a snapshot: the command whose output it is, and its size and checksum. */
export type FileRecord = {
  readonly name: string;
  readonly command: string;
  readonly as_of: Day;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  /**
   * What the rows are based on: the day, at most `as_of`, to which each series is covered, and how its vintages came
   * about.
   */
  readonly coverage?: readonly SubjectBasis[];
};

/**
 * Where a snapshot's data came from: a service, or a store with the log of its imports (as `asof import --log` prints
 * it).
 */
type Source =
  | { readonly service: string }
  | ((Sample | { readonly store: string }) & { readonly imports: number; readonly imports_sha256: string });

type Sample = { readonly sample: true };

/** The description of a snapshot; nothing in it depends on when or where it was made. */
export type Manifest = {
  readonly asof: string;
  readonly as_of: Day;
  readonly plan_sha256: string;
  readonly source: Source;
  readonly files: readonly FileRecord[];
};

const format = 1;

/** The manifest as text, with a checksum of the manifest itself. */
export function manifestText({ asof, as_of, plan_sha256, source, files }: Manifest): string {
  const body = { format, asof, as_of, plan_sha256, source, files };
  return `${JSON.stringify({ ...body, manifest_sha256: sumOf(body) }, null, 2)}\n`;
}

function sumOf(body: object): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('hex');
}

/** Reads a manifest; undefined if it is damaged. */
export function parseManifest(text: string, path: string): Manifest | undefined {
  const value = parsed(text);
  if (!isObject(value)) return undefined;
  if (Number.isSafeInteger(value.format) && Number(value.format) > format)
    throw new Problem('local-io', `${path} was made by a newer asof`, { hints: ['update asof'] });
  const { manifest_sha256, ...body } = value;
  if (manifest_sha256 !== sumOf(body) || body.format !== format) return undefined;
  const { asof, as_of, plan_sha256, source, files } = body;
  if (!isText(asof) || !isDay(as_of) || !isText(plan_sha256) || !isSource(source)) return undefined;
  if (!Array.isArray(files) || !files.every(isFileRecord)) return undefined;
  const manifest = { asof, as_of, plan_sha256, source, files };
  // If a key is repeated, other readers may use the value that the checksum does not cover.
  return manifestText(manifest) === text ? manifest : undefined;
}

type Fields = Readonly<Record<string, unknown>>;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isDay(value: unknown): value is Day {
  return isText(value) && parseDay(value) !== undefined;
}

function isSource(value: unknown): value is Source {
  if (!isObject(value)) return false;
  if (isText(value.service)) return true;
  return value.sample === true || isText(value.store);
}

function isFileRecord(value: unknown): value is FileRecord {
  if (!isObject(value)) return false;
  const { name, command, as_of, rows, bytes, sha256, coverage = [] } = value;
  // A name with a path would make asof read other files.
  if (!isText(name) || faultOfName(name) !== undefined) return false;
  if (!Array.isArray(coverage) || !coverage.every(isSubjectBasis)) return false;
  return isText(command) && isDay(as_of) && isText(sha256) && [rows, bytes].every(Number.isSafeInteger);
}

function isSubjectBasis(value: unknown): value is SubjectBasis {
  if (!isObject(value)) return false;
  const { subject, covered_to, vintage_kind } = value;
  return (
    isText(subject) &&
    (covered_to === undefined || isDay(covered_to)) &&
    (vintage_kind === undefined || isText(vintage_kind))
  );
}

const header = ['imported_at', 'kind', 'statements_new', 'statements_known', 'withdrawn', 'sha256', 'file'];

/** A log of imports as CSV, in the order given: what `asof import --log` prints and a manifest has the SHA-256 of. */
export function importLogText(imports: readonly ImportRecord[]): string {
  const rows = imports.map((made) =>
    [
      made.importedAt,
      made.kind,
      made.statementsNew,
      made.statementsKnown,
      made.withdrawn,
      made.sha256,
      made.file,
    ].map(String),
  );
  return [header, ...rows].map(formatCsvRecord).join('');
}
