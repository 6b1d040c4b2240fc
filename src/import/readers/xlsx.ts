import { Problem } from '../../errors/problem.ts';
import { refusal, type SourceFile } from '../files/source-file.ts';

/** The cells of a sheet by row; numbers are the texts stored in the workbook, empty cells null. */
export type Sheet = readonly (readonly unknown[])[];

/** The only sheet of a workbook; a file that is not a workbook or has another number of sheets is refused. */
export async function readOnlySheet(file: SourceFile): Promise<Sheet> {
  const { default: readWorkbook } = await import('read-excel-file/node');
  const content = await file.bytes();
  const sheets = await readWorkbook(content, { parseNumber: (text) => text }).catch((error: unknown) => {
    if (error instanceof Problem || !(error instanceof Error)) throw error;
    throw refusal(file, {}, `not a readable workbook: ${error.message}`);
  });
  const [sheet, ...others] = sheets;
  if (sheet === undefined || others.length > 0)
    throw refusal(file, {}, `the workbook has ${sheets.length} sheets; expected one`);
  return sheet.data;
}
