import { publishers } from '../../../domain/series/publishers.ts';
import type { SeriesMetadata } from '../../../domain/series/series.ts';
import { defined } from '../../../platform/defined.ts';
import { allBytes, refusal, type SourceFile } from '../../files/source-file.ts';
import type { FileHead } from '../../readers/csv.ts';
import { readSheets } from '../../readers/xlsx.ts';
import { type Batch, type ImportFormat, type ReadOptions, readSeriesId } from '../format.ts';
import { alfredWide, fredCsv } from '../panels.ts';
import { h15Csv } from '../treasury.ts';
import { alfredFirstReleases, alfredPeriods } from './api.ts';

const alfredSheet = /^(?:vintages?\b|obs\b|.*real-?time|.*initial)/i;

/** ALFRED's download as a workbook: a README, and sheets laid out like its CSV files. */
const alfredWorkbook: ImportFormat = {
  kind: 'alfred-xlsx',
  summary: ['ALFRED download as a workbook', ', in any of its layouts'],
  source: publishers.fred.name,
  vintageKind: 'exact',
  takesSeries: true,
  recognise: (head) =>
    head.sheets?.some(({ name }) => alfredSheet.test(name)) === true || hasSheetOf(head, alfredLayouts),
  read: (file, options) => readWorkbook(file, options, alfredLayouts),
};

const alfredLayouts = [alfredWide, alfredPeriods, alfredFirstReleases];
const fredLayouts = [fredCsv, h15Csv];

function hasSheetOf({ sheets = [] }: FileHead, layouts: readonly ImportFormat[]): boolean {
  return sheets.some(({ head }) => layouts.some((layout) => layout.recognise(head)));
}

/** FRED's download of a graph as a workbook: the figures of one day, not stated in the file. */
const fredWorkbook: ImportFormat = {
  kind: 'fred-xlsx',
  summary: ['FRED download as a workbook', ' (fredgraph.xlsx), one vintage per file; its date is --as-of'],
  source: publishers.fred.name,
  vintageKind: 'fetched',
  whole: true,
  takesAsOf: true,
  recognise: (head) => {
    const isNamed = head.sheets?.some(({ name }) => /^(?:README|FRED Graph)$/i.test(name)) === true;
    return (isNamed || hasSheetOf(head, fredLayouts)) && !alfredWorkbook.recognise(head);
  },
  read: (file, options) => readWorkbook(file, options, fredLayouts),
};

async function* readWorkbook(
  file: SourceFile,
  options: ReadOptions,
  layouts: readonly ImportFormat[],
): AsyncGenerator<Batch> {
  let figures = 0;
  for (const { name, rows, head, csv } of await readSheets(file)) {
    if (/^README/i.test(name)) {
      const text = rows.map((row) => row.join('  ')).join('\n');
      if (/^Series ID: ?\S/m.test(text)) yield { metadata: [readReadme(file, text)] };
      continue;
    }
    const found = layouts.find((layout) => layout.recognise(head));
    if (found === undefined)
      throw refusal(
        csv,
        {},
        'not a sheet of FRED or ALFRED: no column observation_date or period_start_date',
      );
    const isSampled = found.vintageKind === 'sampled';
    for await (const batch of found.read(csv, options)) yield isSampled ? sampled(batch) : batch;
    figures += 1;
  }
  if (figures === 0) throw refusal(file, {}, 'the workbook has no sheet of figures');
}

/** Marks vintages as samples: first releases do not show what was published between two of them. */
function sampled(batch: Batch): Batch {
  for (const { kinds, length } of batch.statements ?? [])
    for (let i = 0; i < length; i += 1) kinds[i] = 'sampled';
  return batch;
}

/** The README of an ALFRED download; attributes that changed have their current text. */
const alfredReadme: ImportFormat = {
  kind: 'alfred-readme',
  summary: [
    'README of an ALFRED download',
    ' (title, units, frequency and seasonal adjustment of its series)',
  ],
  source: publishers.fred.name,
  recognise: ({ text }) => isReadme(text),
  async *read(file) {
    const bytes = await allBytes(file, longestReadme);
    const text = new TextDecoder('utf-8').decode(bytes);
    yield { metadata: [readReadme(file, text)] };
  },
};

const longestReadme = 2 ** 20;

function isReadme(text: string): boolean {
  return (
    /^Series ID: *\S/m.test(text) && /^Title\b/m.test(text) && /alfred|archival federal reserve/i.test(text)
  );
}

function readReadme(file: SourceFile, text: string): SeriesMetadata {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const id =
    lines.map((line) => /^Series ID: *(\S+)/.exec(line)?.[1]).find((found) => found !== undefined) ?? '';
  const adjustment = currentOf(lines, 'Seasonal Adjustment');
  return {
    seriesId: readSeriesId(file, { column: 'Series ID', value: id }),
    ...defined({
      title: currentOf(lines, 'Title'),
      units: currentOf(lines, 'Units'),
      frequency: frequencies[/^[\w-]+/.exec(currentOf(lines, 'Frequency') ?? '')?.[0] ?? ''],
      seasonalAdjustment: adjustment && (adjustments[adjustment] ?? adjustment),
    }),
    source: publishers.fred.name,
  };
}

const headings =
  /^(?:Title|Source|Release|Units|Frequency|Seasonal Adjustment|Notes|Vintage Dates Specified:|-{5}.*)(?:\s{2,}Real-Time.*)?$/;

/**
 * The real-time period of an attribute: two dates at the end of a line.
 * A match may only begin at the first of several blanks, because a damaged file may have a million.
 */
const period = /(?<!\s)\s+(\d{4}-\d\d-\d\d)\s+(\d{4}-\d\d-\d\d|Current)$/;

/** Returns the text beside a heading, or the current text of its section: the last, with its continuation. */
function currentOf(lines: readonly string[], heading: string): string | undefined {
  const beside = lines
    .find((line) => line.startsWith(`${heading}: `))
    ?.slice(heading.length + 1)
    .trim();
  if (beside !== undefined) return beside;
  const start = lines.findIndex((line) => line.replace(/(?<!\s)\s{2,}Real-Time.*$/, '') === heading);
  if (start < 0) return undefined;
  const end = lines.findIndex((line, i) => i > start && headings.test(line));
  const section = lines.slice(start + 1, end < 0 ? undefined : end).filter((line) => line !== '');
  const entries: string[] = [];
  for (const line of section) {
    const text = line.replace(period, '');
    // Only the first line of an entry has a period; without periods, the section is one entry.
    if (entries.length === 0 || text !== line) entries.push(text);
    else entries.push(`${entries.pop()} ${text}`);
  }
  return entries.at(-1);
}

const frequencies: Readonly<Record<string, NonNullable<SeriesMetadata['frequency']>>> = {
  Daily: 'D',
  Weekly: 'W',
  Biweekly: 'BW',
  Monthly: 'M',
  Quarterly: 'Q',
  Semiannual: 'SA',
  Annual: 'A',
};

const adjustments: Readonly<Record<string, string>> = {
  'Seasonally Adjusted': 'SA',
  'Not Seasonally Adjusted': 'NSA',
  'Seasonally Adjusted Annual Rate': 'SAAR',
  'Smoothed Seasonally Adjusted': 'SSA',
  'Not Applicable': 'NA',
};

/** The formats of downloads from FRED and ALFRED, in the order of the help. */
export const fredDownloads: readonly ImportFormat[] = [
  alfredWide,
  alfredPeriods,
  alfredFirstReleases,
  alfredReadme,
  alfredWorkbook,
  fredCsv,
  fredWorkbook,
];
