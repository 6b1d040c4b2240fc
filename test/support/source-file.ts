import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { SeriesMetadata } from '../../src/domain/series/series.ts';
import type { Statement } from '../../src/domain/series/statement.ts';
import type { CurvePoint } from '../../src/domain/treasury/curve.ts';
import type { SourceFile } from '../../src/import/files/source-file.ts';
import type { ImportFormat, ReadOptions, SeriesCoverage } from '../../src/import/formats/format.ts';
import { readData } from './repository.ts';

/** Content to read in chunks of some bytes, whatever characters they cut. */
export type Content = string | Buffer;

/** A file that is nowhere on disk. */
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
    open: async () => Readable.from(chunksOf(bytes, chunkSize), { objectMode: false }),
    head: async () => bytes.subarray(0, 65_536),
    bytes: async () => bytes,
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

/** Everything that a file said. */
export type Told = {
  readonly metadata: readonly SeriesMetadata[];
  readonly implied: readonly SeriesMetadata[];
  readonly coverage: readonly SeriesCoverage[];
  readonly statements: readonly Statement[];
  readonly points: readonly CurvePoint[];
};

/** Reads a file to its end. */
export async function readAll(
  format: ImportFormat,
  file: SourceFile,
  options: ReadOptions = {},
): Promise<Told> {
  const told = {
    metadata: [] as SeriesMetadata[],
    implied: [] as SeriesMetadata[],
    coverage: [] as SeriesCoverage[],
    statements: [] as Statement[],
    points: [] as CurvePoint[],
  };
  for await (const batch of format.read(file, options)) {
    told.metadata.push(...(batch.metadata ?? []));
    told.implied.push(...(batch.implied ?? []));
    told.coverage.push(...(batch.coverage ?? []));
    for (const statement of batch.statements ?? []) told.statements.push(statement);
    told.points.push(...(batch.points ?? []));
  }
  return told;
}

/** The statements in one line each, as asof's own CSV has them: `GDP,2014-10-01,2015-01-30,17710.7`. */
export function lines(statements: readonly Statement[]): string[] {
  return statements.map(({ seriesId, date, asOf, value }) => [seriesId, date, asOf, value ?? ''].join(','));
}

/** The detail of the refusal that reading ends in. */
export async function refusalOf(
  format: ImportFormat,
  file: SourceFile,
  options: ReadOptions = {},
): Promise<string> {
  const told = await readAll(format, file, options).catch((error: unknown) => error);
  if (told instanceof Error) return `${told.name}: ${told.message}`;
  throw new Error(`${file.name} was read`);
}
