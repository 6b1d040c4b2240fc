import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import type { Statement } from '../../src/domain/series/revision-history.ts';
import type { SourceFile } from '../../src/import/files/source-file.ts';
import { sourceFiles } from '../../src/import/files/walk.ts';
import type { Batch, ImportFormat, ReadOptions, SeriesCoverage } from '../../src/import/formats/format.ts';
import { tempFolder } from './folders.ts';
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

/** The records of a file by kind, each from all of its batches. */
export type FileRecords = Required<Omit<Batch, 'claims' | 'complete' | 'coverage'>> & {
  readonly coverage: readonly SeriesCoverage[];
};

/** Reads all records of a file. */
export async function readAll(
  format: ImportFormat,
  file: SourceFile,
  options: ReadOptions = {},
): Promise<FileRecords> {
  const batches: Batch[] = [];
  for await (const batch of format.read(file, options)) batches.push(batch);
  return {
    metadata: batches.flatMap(({ metadata = [] }) => metadata),
    implied: batches.flatMap(({ implied = [] }) => implied),
    coverage: batches.flatMap(({ coverage = [] }) => coverage),
    statements: batches.flatMap(({ statements = [] }) => statements),
    points: batches.flatMap(({ points = [] }) => points),
    skippedDays: batches.flatMap(({ skippedDays = [] }) => skippedDays),
    filings: batches.flatMap(({ filings = [] }) => filings),
    notes: batches.flatMap(({ notes = [] }) => notes),
  };
}

/** The points that a format reads from a file, as `2024-12-31 PAR 10Y 4.58`. */
export async function pointsIn(format: ImportFormat, file: SourceFile): Promise<string[]> {
  const { points } = await readAll(format, file);
  return points.map(
    ({ tradeDate, curveType, maturity, rate }) => `${tradeDate} ${curveType} ${maturity} ${rate}`,
  );
}

/** The statements as lines of asof's own CSV: `GDP,2014-10-01,2015-01-30,17710.7`. */
export function lines(statements: readonly Statement[]): string[] {
  return statements.map(({ seriesId, date, asOf, value }) => [seriesId, date, asOf, value ?? ''].join(','));
}

/** The statements that a format reads from a file, as such lines. */
export async function linesIn(
  format: ImportFormat,
  file: SourceFile,
  options?: ReadOptions,
): Promise<string[]> {
  return lines((await readAll(format, file, options)).statements);
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

type Refused = Content | SourceFile;

/** Contents that a format refuses, by the reason: the message after the name of the file, in which `…` is any text. */
type Refusals = Readonly<Record<string, Refused | readonly Refused[]>>;

/** Tests that a format refuses contents of a file, each for its reason. */
export function refuses(format: ImportFormat, name: string, refusals: Refusals, options?: ReadOptions): void {
  it.each(pairsOf(refusals))('is refused%s', async (reason, content) => {
    const file = typeof content === 'object' && 'read' in content ? content : sourceFile(name, content);
    expect(await refusalOf(format, file, options)).toMatch(cutText(`Problem: ${file.path}${reason}`));
  });
}

/** The entries of a table, one for each value of a list. */
export function pairsOf<T>(
  table: Readonly<Record<string, T | readonly T[]>>,
): readonly (readonly [key: string, value: T])[] {
  return Object.entries(table).flatMap(([key, values]) => {
    const all = (Array.isArray(values) ? values : [values]) as readonly T[];
    return all.map((value) => [key, value] as const);
  });
}

/** Matches a text in which `…` stands for any text. */
export function cutText(text: string): RegExp {
  const quoted = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${quoted.replaceAll('…', '.*')}$`, 's');
}

/** A file on disk, as an import finds it. */
export async function tempFile(name: string, content: string | Uint8Array): Promise<SourceFile> {
  return onlyFile(join(tempFolder({ [name]: content }), name));
}

/** The only file at a path. */
export async function onlyFile(path: string): Promise<SourceFile> {
  const [file, ...others] = await sourceFiles([path]);
  if (file === undefined || others.length > 0) throw new Error(`${path} gives ${others.length + 1} files`);
  return file;
}

/** The content of a file as text, byte by byte. */
export async function textOf(file: SourceFile): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of file.read()) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
}
