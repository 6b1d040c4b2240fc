import { Readable } from 'node:stream';
import { parseDecimal } from '../../../domain/series/decimal.ts';
import { refusal, type SourceFile } from '../../files/source-file.ts';
import {
  isDateColumn,
  type NamedSheet,
  readSheets,
  sheetHeadersIn,
  sheetNamesIn,
} from '../../readers/xlsx.ts';
import type { Batch, ImportFormat, ReadOptions } from '../format.ts';
import { h15Csv } from '../treasury/csv.ts';
import { alfredWide, fredCsv } from './csv.ts';
import { alfredFirstReleases, alfredPeriods } from './periods.ts';
import { readReadme } from './readme.ts';

/** The names that ALFRED gives to its sheets, by layout. */
const alfredSheet = /^(?:vintages?\b|obs\b|.*real-?time|.*initial)/i;

/** ALFRED's download as a workbook: a README and sheets in one of the layouts of its CSV files. */
export const alfredWorkbook: ImportFormat = {
  kind: 'alfred-xlsx',
  summary: 'ALFRED download as a workbook, in any of its layouts',
  source: 'FRED',
  vintageKind: 'exact',
  whole: false,
  takesAsOf: false,
  takesSeries: true,
  recognise: (head) =>
    sheetNamesIn(head).some((name) => alfredSheet.test(name)) || hasSheetOf(head, alfredLayouts()),
  read: (file, options) => readWorkbook(file, options, alfredLayouts()),
};

/** A function, because the modules of formats import one another. */
const alfredLayouts = () => [alfredWide, alfredPeriods, alfredFirstReleases];
const fredLayouts = () => [fredCsv, h15Csv];

/** Whether the header of any sheet is that of one of these CSV formats. */
function hasSheetOf(head: string, layouts: readonly ImportFormat[]): boolean {
  return sheetHeadersIn(head).some((header) => layouts.some((layout) => layout.recognise(`${header}\n`, '')));
}

/** FRED's download of a graph as a workbook: the figures of one day, which the file does not name. */
export const fredWorkbook: ImportFormat = {
  kind: 'fred-xlsx',
  summary: 'FRED download as a workbook (fredgraph.xlsx), one vintage per file; its date is --as-of',
  source: 'FRED',
  vintageKind: 'fetched',
  whole: true,
  takesAsOf: true,
  recognise: (head) => {
    const names = sheetNamesIn(head);
    const isNamed = names.some((name) => /^(?:README|FRED Graph)$/i.test(name));
    return (isNamed || hasSheetOf(head, fredLayouts())) && !alfredWorkbook.recognise(head, '');
  },
  read: (file, options) => readWorkbook(file, options, fredLayouts()),
};

async function* readWorkbook(
  file: SourceFile,
  options: ReadOptions,
  layouts: readonly ImportFormat[],
): AsyncGenerator<Batch> {
  let figures = 0;
  for (const sheet of await readSheets(file)) {
    if (/^README/i.test(sheet.name)) {
      const text = sheet.rows.map((row) => row.map((cell) => String(cell ?? '')).join('  ')).join('\n');
      if (/^Series ID: ?\S/m.test(text)) yield { metadata: [readReadme(file, text)] };
      continue;
    }
    const csv = textOf(file, sheet);
    const found = layouts.find((layout) => layout.recognise(csv.head, file.name));
    if (found === undefined)
      throw refusal(
        { path: `${file.path}/${sheet.name}` },
        {},
        'not a sheet of FRED or ALFRED: no column observation_date or period_start_date',
      );
    const isSampled = found.vintageKind === 'sampled';
    for await (const batch of found.read(csv.file, options)) yield isSampled ? sampled(batch) : batch;
    figures += 1;
  }
  if (figures === 0) throw refusal(file, {}, 'the workbook has no sheet of figures');
}

/** The same records, whose vintages are samples: first releases do not show what was published between two of them. */
function sampled(batch: Batch): Batch {
  const { statements } = batch;
  if (statements === undefined) return batch;
  return { ...batch, statements: statements.map((statement) => ({ ...statement, kind: 'sampled' })) };
}

/** A sheet as the CSV file that FRED gives for it, with its rows at their places. */
function textOf(
  file: SourceFile,
  { name, rows }: NamedSheet,
): { readonly file: SourceFile; readonly head: string } {
  const start = rows.findIndex((row) => isDateColumn(String(row[0] ?? '')));
  const lines = rows.map((row, index) =>
    index < start || row.every((cell) => cell === null) ? '' : row.map(cellText).join(','),
  );
  const bytes = Buffer.from(`${lines.join('\n')}\n`);
  return {
    head: lines
      .slice(Math.max(start, 0))
      .join('\n')
      .slice(0, 64 * 1024),
    file: {
      ...file,
      path: `${file.path}/${name}`,
      size: bytes.length,
      open: async () => Readable.from([bytes]),
      head: async () => bytes.subarray(0, 64 * 1024),
      bytes: async () => bytes,
    },
  };
}

/** Days as FRED writes them, and numbers as the shortest text of the stored double, because a workbook has no other. */
function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  if (cell instanceof Date) return cell.toISOString().slice(0, 10);
  const text = String(cell).trim();
  const number = parseDecimal(text) === undefined ? undefined : parseDecimal(String(Number(text)));
  return number ?? (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
}
