import { Problem } from '../../errors/problem.ts';
import { refusal, type SourceFile } from '../files/source-file.ts';

/** The cells of a sheet by row; numbers are the texts stored in the workbook, empty cells null. */
export type Sheet = readonly (readonly unknown[])[];

/** A sheet and its name. */
export type NamedSheet = { readonly name: string; readonly rows: Sheet };

/** The sheets of a workbook, in order; a file that is not a workbook is refused. */
export async function readSheets(file: SourceFile): Promise<readonly NamedSheet[]> {
  const { default: readWorkbook } = await import('read-excel-file/node');
  const content = await file.bytes();
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

/** Marks the head of a workbook that lists its sheets, one a line. */
const sheetsMark = 'PK\u0003\u0004 sheets:\n';

/** The head of a workbook for recognising it: the names of its sheets. A file that is no workbook has none. */
export async function workbookHead(file: SourceFile): Promise<string | undefined> {
  const { default: yauzl } = await import('yauzl');
  try {
    const zip = await yauzl.fromBufferPromise(await file.bytes());
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName !== 'xl/workbook.xml') continue;
      const chunks: Buffer[] = [];
      for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk);
      const xml = Buffer.concat(chunks).toString('utf8');
      const names = Array.from(
        xml.matchAll(/<(?:\w+:)?sheet\b[^>]*\bname="([^"]*)"/g),
        ([, name]) => name ?? '',
      );
      return sheetsMark + names.join('\n');
    }
  } catch (error) {
    if (error instanceof Problem) throw error;
  }
  return undefined;
}

/** The names of the sheets in the head of a workbook; empty for any other head. */
export function sheetNamesIn(head: string): readonly string[] {
  return head.startsWith(sheetsMark) ? head.slice(sheetsMark.length).split('\n') : [];
}
