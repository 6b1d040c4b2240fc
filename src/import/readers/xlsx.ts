import { parseDecimal } from '../../domain/values/decimal.ts';
import { Problem } from '../../errors/problem.ts';
import { grouped } from '../../errors/wording.ts';
import { allBytes, firstBytes, limits, refusal, type SourceFile } from '../files/source-file.ts';
import { unpackedStream } from '../files/walk.ts';
import { type FileHead, isDateColumn } from './csv.ts';

/** A sheet with its rows; numbers are texts, empty cells null. */
export type Sheet = { readonly name: string; readonly rows: readonly (readonly unknown[])[] };

/** Reads the sheets of a workbook, in order; throws if the file is not a workbook. */
export async function readSheets(file: SourceFile): Promise<readonly Sheet[]> {
  const content = await allBytes(file, limits.workbook);
  if (isOldWorkbook(content)) return readOldSheets(file, content);
  await refuseHuge(file, content);
  const { default: readWorkbook } = await import('read-excel-file/node');
  const sheets = await readWorkbook(content, { parseNumber: shortestDecimal }).catch((error: unknown) => {
    if (error instanceof Problem || !(error instanceof Error)) throw error;
    throw refusal(file, {}, `not a readable workbook: ${error.message}`);
  });
  return sheets.map(({ sheet, data }: { readonly sheet: string; readonly data?: Sheet['rows'] }) => {
    // The workbook lists the sheet, but its relations do not lead to it.
    if (data === undefined) throw refusal(file, {}, `not a readable workbook: it lacks its sheet ${sheet}`);
    return { name: sheet, rows: data };
  });
}

/** Returns the shortest text of the stored double; keeps a text that is not a number. */
function shortestDecimal(text: string): string {
  return parseDecimal(text) === undefined ? text : String(Number(text));
}

/** Throws for a workbook whose unpacked parts are too large for memory. */
async function refuseHuge(file: SourceFile, content: Buffer): Promise<void> {
  let size = 0;
  await eachPart(content, async (_name, chunks) => {
    const checkExtent = extentCheck(file);
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > limits.workbook)
        throw refusal(file, {}, 'a workbook that unpacks to more than 256 MiB', ['save the sheet as CSV']);
      checkExtent(chunk);
    }
  });
}

type PartReader = (name: string, chunks: AsyncIterable<Buffer>) => Promise<void>;

/** Reads the parts of a workbook one after the other; ends early at a damaged one. */
async function eachPart(content: Buffer, read: PartReader): Promise<void> {
  const { default: yauzl } = await import('yauzl');
  try {
    const zip = await yauzl.fromBufferPromise(content);
    for await (const entry of zip.eachEntry()) {
      const content = await unpackedStream(zip, entry);
      await read(entry.fileName, content);
      content.destroy();
    }
  } catch (error) {
    if (error instanceof Problem) throw error;
  }
}

/** Makes a check of a sheet's extent by its references: readers make a row of every number up to the last. */
function extentCheck(file: SourceFile): (chunk: Buffer) => void {
  let [rest, rows, columns] = ['', 1, 1];
  return (chunk) => {
    const text = rest + chunk.toString('latin1');
    for (const [, letters = '', digits = ''] of text.matchAll(/\br="([A-Z]{0,7})(\d{1,15})"/g)) {
      rows = Math.max(rows, Number(digits));
      columns = Math.max(columns, columnNumber(letters));
    }
    // A reference may be cut between two chunks.
    rest = text.slice(-40);
    if (rows * columns > limits.cells) throw tooManyCells(file);
  };
}

function tooManyCells(file: SourceFile): Problem {
  const most = grouped(limits.cells);
  return refusal(file, {}, `a sheet that extends over more than ${most} cells`, [
    'delete what is far below or beside the figures, or save the sheet as CSV',
  ]);
}

function columnNumber(letters: string): number {
  let number = 0;
  for (const letter of letters) number = number * 26 + letter.charCodeAt(0) - 64;
  return number;
}

/** Tells whether a file begins as an `.xls`, as old Word files also do. */
function isOldWorkbook(head: Uint8Array): boolean {
  return Buffer.from(head.subarray(0, 4)).equals(Buffer.from([0xd0, 0xcf, 0x11, 0xe0]));
}

/** Reads the sheets of an `.xls`; a cell has the shortest text of its binary number. */
async function readOldSheets(file: SourceFile, content: Uint8Array): Promise<readonly Sheet[]> {
  const { read, utils } = await import('@e965/xlsx');
  try {
    const { SheetNames: names, Sheets: sheets } = read(content, {
      type: 'array',
      cellDates: true,
      UTC: true,
    });
    return names.map((name) => {
      const { e: last } = utils.decode_range(sheets[name]?.['!ref'] ?? 'A1');
      if ((last.r + 1) * (last.c + 1) > limits.cells) throw tooManyCells(file);
      const rows = utils.sheet_to_json<readonly unknown[]>(sheets[name] ?? {}, {
        header: 1,
        defval: null,
        blankrows: true,
        UTC: true,
      });
      return {
        name,
        rows: rows.map((row) => row.map((cell) => (typeof cell === 'number' ? String(cell) : cell))),
      };
    });
  } catch (error) {
    if (error instanceof Problem || !(error instanceof Error)) throw error;
    throw refusal(file, {}, `not a readable workbook: ${error.message}`);
  }
}

/** The characters of a sheet that contain its header, and the most characters of shared texts. */
const [headLength, textsLength] = [256 * 1024, 16 * 1024 * 1024];

/** Reads the heads of a workbook's sheets; undefined if the file is not a workbook or not named as one. */
export async function workbookHeads(file: SourceFile, head: Buffer): Promise<FileHead['sheets']> {
  if (isOldWorkbook(head)) {
    if (!/\.xls$/i.test(file.name)) return undefined;
    const sheets = await readOldSheets(file, await allBytes(file, limits.workbook));
    const headers = sheets.map(({ rows }) =>
      headerOf(rows.map((row) => row.map((cell) => (typeof cell === 'string' ? cell : '')))),
    );
    return { names: sheets.map(({ name }) => name), headers: headers.map(csvLine) };
  }
  if (head.toString('latin1', 0, 4) !== 'PK\u0003\u0004' || !/\.xlsx$/i.test(file.name)) return undefined;
  const parts = new Map<string, string>();
  await eachPart(await allBytes(file, limits.workbook), async (name, chunks) => {
    const isSheet = /^xl\/worksheets\/[^/]+\.xml$/.test(name);
    if (!isSheet && !/^xl\/(?:workbook|sharedStrings)\.xml$/.test(name)) return;
    parts.set(name, (await firstBytes(chunks, isSheet ? headLength : textsLength)).toString('utf8'));
  });
  const workbook = parts.get('xl/workbook.xml');
  if (workbook === undefined) return undefined;
  const names = Array.from(
    workbook.matchAll(/<(?:\w+:)?sheet\b[^>]*\bname="([^"]*)"/g),
    ([, name = '']) => name,
  );
  const texts = elementsOf(parts.get('xl/sharedStrings.xml') ?? '', 'si').map(({ content }) =>
    textIn(content),
  );
  const sheets = [...parts].filter(([name]) => name.startsWith('xl/worksheets/'));
  const headers = sheets.map(([, xml]) => csvLine(headerIn(xml, texts)));
  return { names, headers: headers.filter((header) => header !== '') };
}

/** Returns the column names: the first row that begins with a date column, or else the first row. */
function headerIn(sheet: string, texts: readonly string[]): readonly string[] {
  const rows = elementsOf(sheet, 'row').map(({ content }) =>
    elementsOf(content, 'c').map(({ attributes, content: cell }) => {
      const value = elementsOf(cell, 'v')[0]?.content ?? '';
      if (/\bt="s"/.test(attributes)) return texts[Number(value)] ?? '';
      return value === '' ? textIn(cell) : value;
    }),
  );
  return headerOf(rows);
}

function headerOf(rows: readonly (readonly string[])[]): readonly string[] {
  return rows.find(([first = '']) => isDateColumn(first)) ?? rows.find((row) => row.length > 0) ?? [];
}

type XmlElement = { readonly attributes: string; readonly content: string };

/** Finds elements by name in the XML of a workbook, where none contains another of its name. */
function elementsOf(xml: string, name: string): readonly XmlElement[] {
  const pattern = new RegExp(`<(?:\\w+:)?${name}(\\s[^>]*?)?(?:/>|>(.*?)</(?:\\w+:)?${name}>)`, 'gs');
  return Array.from(xml.matchAll(pattern), ([, attributes = '', content = '']) => ({ attributes, content }));
}

function textIn(xml: string): string {
  const text = elementsOf(xml, 't').map(({ content }) => content);
  return text.join('').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&').trim();
}

/** Writes a text as a cell of CSV. */
export function csvCell(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvLine(header: readonly string[]): string {
  return header.map((name) => csvCell(name.replaceAll('\n', ' '))).join(',');
}
