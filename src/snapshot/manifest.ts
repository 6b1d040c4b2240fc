// Why: docs/decisions/snapshots.md
import { createHash } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { SubjectBasis } from '../answering/basis.ts';
import { type Day, parseDay } from '../domain/values/date.ts';
import { Problem } from '../errors/problem.ts';
import { isPlain } from '../operations/value.ts';
import { formatCsvRecord } from '../render/formats/delimited.ts';
import type { ImportRecord } from '../store/store.ts';

/** The file of a snapshot that describes the others. */
export const manifestName = 'manifest.json';

/** The size and the checksum of a file. */
export type FileSum = { readonly bytes: number; readonly sha256: string };

/** A file of a snapshot, and the command that wrote it. */
export type FileRecord = FileSum & {
  readonly name: string;
  readonly command: string;
  readonly as_of: Day;
  readonly rows: number;
  /** The last covered day of each series, at most `as_of`, and the kinds of its vintages. */
  readonly coverage?: readonly SubjectBasis[];
  /** The ids that the aliases in the command stood for. */
  readonly aliases?: { readonly [alias: string]: string };
};

/** A service, or a store with its import log. */
type Source =
  | { readonly service: string }
  | (({ readonly sample: true } | { readonly store: string }) & {
      readonly imports: number;
      readonly imports_sha256: string;
    });

/** The description of a snapshot, independent of its time and place. */
export type Manifest = {
  readonly asof: string;
  readonly as_of: Day;
  readonly plan_sha256: string;
  readonly source: Source;
  readonly files: readonly FileRecord[];
};

const format = 1;

/** Writes a manifest as text, with a checksum of the manifest itself. */
export function manifestText({ asof, as_of, plan_sha256, source, files }: Manifest): string {
  const body = { format, asof, as_of, plan_sha256, source, files };
  return `${JSON.stringify({ ...body, manifest_sha256: sumOf(body) }, null, 2)}\n`;
}

function sumOf(body: object): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('hex');
}

/** Parses a manifest; undefined if it is damaged. */
export function parseManifest(text: string, path: string): Manifest | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isPlain(value)) return undefined;
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

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isDay(value: unknown): value is Day {
  return isText(value) && parseDay(value) !== undefined;
}

function isSource(value: unknown): value is Source {
  return isPlain(value) && (isText(value.service) || value.sample === true || isText(value.store));
}

function isFileRecord(value: unknown): value is FileRecord {
  if (!isPlain(value)) return false;
  const { name, command, as_of, rows, bytes, sha256, coverage = [], aliases = {} } = value;
  // A name with a path would make asof read other files.
  if (!isText(name) || faultOfName(name) !== undefined) return false;
  if (!Array.isArray(coverage) || !coverage.every(isPlain)) return false;
  if (!isPlain(aliases) || !Object.values(aliases).every(isText)) return false;
  return isText(command) && isDay(as_of) && isText(sha256) && [rows, bytes].every(Number.isSafeInteger);
}

/** Explains why a text cannot name a file of a snapshot; undefined if it can. */
export function faultOfName(name: string): string | undefined {
  if (name === '') return 'it is empty';
  if (/[/\\]/.test(name)) return 'all files are in one folder';
  if (name.startsWith('.')) return 'it starts with a dot';
  if (name.startsWith('-')) return 'it starts with a dash';
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(name)) return 'it contains an invisible character';
  // Temporary names are a little longer.
  if (Buffer.byteLength(name) > 200) return 'it is longer than 200 bytes';
  return name.toLowerCase() === manifestName ? 'asof writes that file itself' : undefined;
}

/** Reads the state of a file, a folder or a link; undefined if there is none. */
export async function foundAt(path: string): Promise<Stats | undefined> {
  return lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
}

/** Computes the size and the SHA-256 of a file. */
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

const logColumns = {
  imported_at: 'importedAt',
  kind: 'kind',
  statements_new: 'statementsNew',
  statements_known: 'statementsKnown',
  withdrawn: 'withdrawn',
  sha256: 'sha256',
  file: 'file',
} as const satisfies Readonly<Record<string, keyof ImportRecord>>;

/** Writes a log of imports as CSV, in order, as `asof import --log` prints it and a manifest hashes it. */
export function importLogText(imports: readonly ImportRecord[]): string {
  const rows = imports.map((made) => Object.values(logColumns).map((name) => String(made[name])));
  return [Object.keys(logColumns), ...rows].map((cells) => formatCsvRecord(cells)).join('');
}
