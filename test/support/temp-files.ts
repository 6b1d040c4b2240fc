import { join } from 'node:path';
import type { SourceFile } from '../../src/import/files/source-file.ts';
import { sourceFiles } from '../../src/import/files/walk.ts';
import type { Batch, ImportFormat, ReadOptions } from '../../src/import/formats/format.ts';
import { tempFolder } from './folders.ts';

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

/** All batches that a format reads from a file. */
export async function readAll(
  format: ImportFormat,
  file: SourceFile,
  options: ReadOptions = {},
): Promise<Batch[]> {
  const batches: Batch[] = [];
  for await (const batch of format.read(file, options)) batches.push(batch);
  return batches;
}

/** The points that a format reads from a file, as `2024-12-31 PAR 10Y 4.58`. */
export async function pointsIn(format: ImportFormat, file: SourceFile): Promise<string[]> {
  const batches = await readAll(format, file);
  return batches.flatMap(({ points = [] }) =>
    points.map(({ tradeDate, curveType, maturity, rate }) => `${tradeDate} ${curveType} ${maturity} ${rate}`),
  );
}

/** The content of a file as text, byte by byte. */
export async function textOf(file: SourceFile): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of file.read()) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
}
