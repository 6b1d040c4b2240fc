import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { crc32, deflateRawSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { Statement } from '../../src/domain/series/statements.ts';
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
export type FileRecords = Required<
  Omit<
    Batch,
    | 'changed'
    | 'claims'
    | 'complete'
    | 'coverage'
    | 'describedOn'
    | 'renamesUnits'
    | 'statements'
    | 'unfigured'
  >
> & {
  readonly statements: readonly Statement[];
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
    units: batches.flatMap(({ units = [] }) => units),
    statements: batches.flatMap(({ statements = [] }) => statements.flatMap((own) => [...own])),
    points: batches.flatMap(({ points = [] }) => points),
    skippedDays: batches.flatMap(({ skippedDays = [] }) => skippedDays),
    filings: batches.flatMap(({ filings = [] }) => filings),
    sightings: batches.flatMap(({ sightings = [] }) => sightings),
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

/** A member of an archive; fields that are left out get correct values. */
export type Member = {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly stored?: boolean;
  readonly flags?: number;
  readonly method?: number;
  readonly crc?: number;
  readonly size?: number;
};

/** A zip archive as PKWARE's APPNOTE describes it, with the errors that members ask for. */
export function zipOf(members: readonly Member[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const member of members) {
    const content = Buffer.from(member.content);
    const packed = member.stored ? content : deflateRawSync(content);
    const name = Buffer.from(member.name);
    const common = commonHeader(member, content, packed, name);
    const local = Buffer.concat([Buffer.from('PK\x03\x04\x14\x00', 'latin1'), common, Buffer.alloc(0), name]);
    const central = Buffer.alloc(14);
    central.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x03\x14\x00', 'latin1'), common, central, name);
    parts.push(local, packed);
    offset += local.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

/** The 24 bytes that local and central headers share: from the flags to the length of the extra field. */
function commonHeader(member: Member, content: Buffer, packed: Buffer, name: Buffer): Buffer {
  const header = Buffer.alloc(24);
  header.writeUInt16LE(member.flags ?? 0x800, 0);
  header.writeUInt16LE(member.method ?? (member.stored ? 0 : 8), 2);
  header.writeUInt32LE(member.crc ?? crc32(content), 8);
  header.writeUInt32LE(packed.length, 12);
  header.writeUInt32LE(member.size ?? content.length, 16);
  header.writeUInt16LE(name.length, 20);
  return header;
}

/** A cell: a number as its XML text, a day (as Excel's count of days), a text, an empty cell, or a boolean. */
type Cell = { readonly number: string } | { readonly day: string } | string | boolean | null;

/** A row of cells, from column A on. */
export type Row = readonly Cell[];

/** The bytes of a minimal workbook with these sheets. */
export function workbook(...sheets: readonly (readonly Row[])[]): Buffer {
  return namedWorkbook(Object.fromEntries(sheets.map((rows, index) => [`S${index + 1}`, rows])));
}

/** The bytes of a minimal workbook with these sheets by name. */
export function namedWorkbook(named: Readonly<Record<string, readonly Row[]>>): Buffer {
  return zipOf(Object.entries(workbookMembers(named)).map(([name, content]) => ({ name, content })));
}

/** The files in the archive of a minimal workbook with these sheets, by path. */
export function workbookMembers(
  named: Readonly<Record<string, readonly Row[]>>,
): Readonly<Record<string, string>> {
  const [names, sheets] = [Object.keys(named), Object.values(named)];
  const ids = sheets.map((_, index) => index + 1);
  const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const packaging = 'http://schemas.openxmlformats.org/package/2006';
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
  return {
    '[Content_Types].xml': `<Types xmlns="${packaging}/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${type}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${type}.styles+xml"/>${ids.map((id) => `<Override PartName="/xl/worksheets/sheet${id}.xml" ContentType="${type}.worksheet+xml"/>`).join('')}</Types>`,
    '_rels/.rels': `<Relationships xmlns="${packaging}/relationships"><Relationship Id="r1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${ids.map((id) => `<sheet name="${names[id - 1]}" sheetId="${id}" r:id="r${id}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packaging}/relationships">${ids.map((id) => `<Relationship Id="r${id}" Type="${relations}/worksheet" Target="worksheets/sheet${id}.xml"/>`).join('')}<Relationship Id="styles" Type="${relations}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${main}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    ...Object.fromEntries(
      sheets.map((rows, index) => [
        `xl/worksheets/sheet${index + 1}.xml`,
        `<worksheet xmlns="${main}"><sheetData>${rows.map(rowXml).join('')}</sheetData></worksheet>`,
      ]),
    ),
  };
}

function rowXml(cells: Row, index: number): string {
  const row = index + 1;
  const xml = cells.map((cell, column) => cellXml(cell, `${String.fromCharCode(65 + column)}${row}`));
  return `<row r="${row}">${xml.join('')}</row>`;
}

function cellXml(cell: Cell, address: string): string {
  if (cell === null) return '';
  if (typeof cell === 'boolean') return `<c r="${address}" t="b"><v>${cell ? 1 : 0}</v></c>`;
  if (typeof cell === 'string') return `<c r="${address}" t="inlineStr"><is><t>${cell}</t></is></c>`;
  if ('day' in cell) {
    const days = (Date.parse(cell.day) - Date.UTC(1899, 11, 30)) / 86_400_000;
    return `<c r="${address}" s="1"><v>${days}</v></c>`;
  }
  return `<c r="${address}"><v>${cell.number}</v></c>`;
}

/** The README that ALFRED puts beside a download, in the layout of its archives. */
export function alfredReadmeText(entries: {
  readonly id: string;
  readonly title: readonly string[];
  readonly units: readonly string[];
  readonly frequency: readonly string[];
  readonly adjustment: readonly string[];
}): string {
  const rule = '-------------------------------------------------------------------';
  const lines = (texts: readonly string[]) =>
    texts.map((text, i) => {
      const from = i === 0 ? '1991-12-04' : `20${String(10 + i)}-01-01`;
      const to = i === texts.length - 1 ? 'Current' : `20${String(10 + i)}-12-31`;
      return `${text.padEnd(69)}  ${from}       ${to}`;
    });
  return [
    rule,
    `Series ID: ${entries.id}`,
    'Archival Federal Reserve Economic Data, Federal Reserve Bank of St.',
    'Louis',
    `Link: https://alfred.stlouisfed.org/series?seid=${entries.id}`,
    'Help: https://alfred.stlouisfed.org/help',
    'Output Format: Observations by Real-Time Period',
    'File Created: 2024-12-20 3:28 PM CST',
    rule,
    '',
    `${'-'.repeat(69)}  ---------------  -------------`,
    `${'Title'.padEnd(69)}  Real-Time Start  Real-Time End`,
    ...lines(entries.title),
    'Source',
    ...lines(['U.S. Bureau of Economic Analysis']),
    'Release',
    ...lines(['Gross Domestic Product']),
    'Units',
    ...lines(entries.units),
    'Frequency',
    ...lines(entries.frequency),
    'Seasonal Adjustment',
    ...lines(entries.adjustment),
    'Notes',
    ...lines(['Gross domestic product is the featured measure of U.S. output.']),
    `${'-'.repeat(69)}  ---------------  -------------`,
    '',
    'Vintage Dates Specified:',
    '----------',
    '2015-01-30',
    '----------',
    '',
  ].join('\r\n');
}
