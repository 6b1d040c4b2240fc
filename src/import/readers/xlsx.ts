import { Problem } from '../../errors/problem.ts';
import { refusal, type SourceFile } from '../files/source-file.ts';

/** The cells of a sheet by row; numbers are the texts stored in the workbook, empty cells null. */
export type Sheet = readonly (readonly unknown[])[];

/** A sheet and its name. */
export type NamedSheet = { readonly name: string; readonly rows: Sheet };

/** The sheets of a workbook, in order; a file that is not a workbook is refused. */
export async function readSheets(file: SourceFile): Promise<readonly NamedSheet[]> {
  const content = await file.bytes();
  if (isOldWorkbook(content)) return readOldSheets(file, content);
  const { default: readWorkbook } = await import('read-excel-file/node');
  const sheets = await readWorkbook(content, { parseNumber: (text) => text }).catch((error: unknown) => {
    if (error instanceof Problem || !(error instanceof Error)) throw error;
    throw refusal(file, {}, `not a readable workbook: ${error.message}`);
  });
  return sheets.map(({ sheet, data }: { readonly sheet: string; readonly data?: Sheet }) => {
    // The workbook lists the sheet, but its relations do not lead to it.
    if (data === undefined) throw refusal(file, {}, `not a readable workbook: it lacks its sheet ${sheet}`);
    return { name: sheet, rows: data };
  });
}

/** Whether a file begins as an `.xls`, which old Word files do, too. */
export function isOldWorkbook(head: Uint8Array): boolean {
  return Buffer.from(head.subarray(0, 4)).equals(Buffer.from([0xd0, 0xcf, 0x11, 0xe0]));
}

/**
 * The sheets of an `.xls`, which stores binary numbers: a cell has the shortest text of its number, as Excel shows
 * it.
 */
async function readOldSheets(file: SourceFile, content: Uint8Array): Promise<readonly NamedSheet[]> {
  const { read, utils } = await import('@e965/xlsx');
  try {
    const { SheetNames: names, Sheets: sheets } = read(content, {
      type: 'array',
      cellDates: true,
      UTC: true,
    });
    return names.map((name) => {
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
    if (!(error instanceof Error)) throw error;
    throw refusal(file, {}, `not a readable workbook: ${error.message}`);
  }
}

/** The only sheet of a workbook; a file that is not a workbook or has another number of sheets is refused. */
export async function readOnlySheet(file: SourceFile): Promise<Sheet> {
  const [sheet, ...others] = await readSheets(file);
  if (sheet === undefined || others.length > 0)
    throw refusal(
      file,
      {},
      `the workbook has ${others.length + (sheet === undefined ? 0 : 1)} sheets; expected one`,
    );
  return sheet.rows;
}

/** Marks the head of a workbook that lists its sheets, one a line, and then their headers, one a line of CSV. */
const sheetsMark = 'PK\u0003\u0004 sheets:\n';

/** The characters of a sheet among which its header is, and the most characters of texts that sheets share. */
const [headLength, textsLength] = [256 * 1024, 16 * 1024 * 1024];

/**
 * The head of a workbook for recognising it: the names of its sheets and their headers. A file that is no workbook
 * has none.
 */
export async function workbookHead(file: SourceFile): Promise<string | undefined> {
  if (isOldWorkbook(await file.head())) {
    const sheets = await readOldSheets(file, await file.bytes());
    const headers = sheets.map(({ rows }) =>
      headerOf(rows.map((row) => row.map((cell) => (typeof cell === 'string' ? cell : '')))),
    );
    return headOf(
      sheets.map(({ name }) => name),
      headers,
    );
  }
  const { default: yauzl } = await import('yauzl');
  const parts = new Map<string, string>();
  try {
    const zip = await yauzl.fromBufferPromise(await file.bytes());
    for await (const entry of zip.eachEntry()) {
      const isSheet = /^xl\/worksheets\/[^/]+\.xml$/.test(entry.fileName);
      if (!isSheet && !/^xl\/(?:workbook|sharedStrings)\.xml$/.test(entry.fileName)) continue;
      const most = isSheet ? headLength : textsLength;
      const chunks: Buffer[] = [];
      let length = 0;
      for await (const chunk of await zip.openReadStreamPromise(entry)) {
        chunks.push(chunk);
        length += chunk.length;
        if (length > most) break;
      }
      parts.set(entry.fileName, Buffer.concat(chunks).toString('utf8'));
    }
  } catch (error) {
    if (error instanceof Problem) throw error;
  }
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
  const headers = sheets.map(([, xml]) => headerIn(xml, texts));
  return headOf(names, headers);
}

function headOf(names: readonly string[], headers: readonly (readonly string[])[]): string {
  const lines = headers.map((header) => header.map(csvCell).join(','));
  return `${sheetsMark}${names.join('\n')}\n\n${lines.join('\n')}`;
}

/** The names of the sheets in the head of a workbook; empty for any other head. */
export function sheetNamesIn(head: string): readonly string[] {
  return listIn(head, 0);
}

/** The headers of the sheets in the head of a workbook, as lines of CSV; empty for any other head. */
export function sheetHeadersIn(head: string): readonly string[] {
  return listIn(head, 1);
}

function listIn(head: string, part: number): readonly string[] {
  if (!head.startsWith(sheetsMark)) return [];
  return (head.slice(sheetsMark.length).split('\n\n')[part] ?? '').split('\n').filter((line) => line !== '');
}

/** The names of columns: the first row that begins with the name of a column of dates, else the first row. */
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

/** Whether FRED and ALFRED name columns of dates so. */
export function isDateColumn(name: string): boolean {
  return /^(?:observation_|period_start_)?date$/i.test(name);
}

type XmlElement = { readonly attributes: string; readonly content: string };

/** The elements of a name in the XML of a workbook, in which none of these contains another one of its name. */
function elementsOf(xml: string, name: string): readonly XmlElement[] {
  const pattern = new RegExp(`<(?:\\w+:)?${name}(\\s[^>]*?)?(?:/>|>(.*?)</(?:\\w+:)?${name}>)`, 'gs');
  return Array.from(xml.matchAll(pattern), ([, attributes = '', content = '']) => ({ attributes, content }));
}

function textIn(xml: string): string {
  const text = elementsOf(xml, 't').map(({ content }) => content);
  return text.join('').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&').trim();
}

function csvCell(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""').replaceAll('\n', ' ')}"` : text;
}
