import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { Statement } from '../../src/domain/series/revision-history.ts';
import type { SeriesMetadata } from '../../src/domain/series/series.ts';
import type { CurvePoint } from '../../src/domain/treasury/curve.ts';
import type { SourceFile } from '../../src/import/files/source-file.ts';
import type { ImportFormat, ReadOptions, SeriesCoverage } from '../../src/import/formats/format.ts';
import { readData } from './repository.ts';

/** The content of a file, read in chunks that may cut characters. */
export type Content = string | Buffer;

/** A file in memory. */
export function sourceFile(
  name: string,
  content: Content,
  around: { readonly siblings?: readonly SourceFile[]; readonly chunkSize?: number } = {},
): SourceFile {
  const bytes = Buffer.from(content);
  const { siblings = [], chunkSize = 65_536 } = around;
  return {
    name,
    path: name,
    size: bytes.length,
    read: () => Readable.from(chunksOf(bytes, chunkSize)),
    head: async () => bytes.subarray(0, 65_536),
    sha256: async () => createHash('sha256').update(bytes).digest('hex'),
    siblings: async () => siblings,
  };
}

function* chunksOf(bytes: Buffer, size: number): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

/** A real file of a data folder, with the other files of its folder around it: `macro/fred-api/GDP-series.json`. */
export function realFile(data: string, path: string): SourceFile {
  const folder = dirname(path);
  const names = readdirSync(join(data, folder)).map((name) => name.replace(/\.gz$/, ''));
  return {
    ...sourceFile(basename(path), readData(data, path)),
    siblings: async () =>
      names
        .filter((name) => name !== basename(path))
        .map((name) => sourceFile(name, readData(data, join(folder, name)))),
  };
}

/** All records of a file. */
export type FileRecords = {
  readonly metadata: readonly SeriesMetadata[];
  readonly implied: readonly SeriesMetadata[];
  readonly coverage: readonly SeriesCoverage[];
  readonly statements: readonly Statement[];
  readonly points: readonly CurvePoint[];
};

/** Reads all records of a file. */
export async function readAll(
  format: ImportFormat,
  file: SourceFile,
  options: ReadOptions = {},
): Promise<FileRecords> {
  const records = {
    metadata: [] as SeriesMetadata[],
    implied: [] as SeriesMetadata[],
    coverage: [] as SeriesCoverage[],
    statements: [] as Statement[],
    points: [] as CurvePoint[],
  };
  for await (const batch of format.read(file, options)) {
    records.metadata.push(...(batch.metadata ?? []));
    records.implied.push(...(batch.implied ?? []));
    records.coverage.push(...(batch.coverage ?? []));
    for (const statement of batch.statements ?? []) records.statements.push(statement);
    records.points.push(...(batch.points ?? []));
  }
  return records;
}

/** The statements as lines of asof's own CSV: `GDP,2014-10-01,2015-01-30,17710.7`. */
export function lines(statements: readonly Statement[]): string[] {
  return statements.map(({ seriesId, date, asOf, value }) => [seriesId, date, asOf, value ?? ''].join(','));
}

/** The refusal of a file, as `Problem: …`. */
export async function refusalOf(
  format: ImportFormat,
  file: SourceFile,
  options: ReadOptions = {},
): Promise<string> {
  const records = await readAll(format, file, options).catch((error: unknown) => error);
  if (records instanceof Error) return `${records.name}: ${records.message}`;
  throw new Error(`${file.name} was read`);
}
