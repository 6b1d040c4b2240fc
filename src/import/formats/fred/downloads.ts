import { publishers } from '../../../domain/series/publishers.ts';
import type { SeriesMetadata } from '../../../domain/series/series.ts';
import { parseDay } from '../../../domain/values/date.ts';
import { missingTexts } from '../../../domain/values/missing-value.ts';
import { defined } from '../../../platform/defined.ts';
import { allBytes, refusal, type SourceFile } from '../../files/source-file.ts';
import { type CsvRow, type FileHead, isDateColumn, readCsvBody } from '../../readers/csv.ts';
import { readSheets } from '../../readers/xlsx.ts';
import {
  type Batch,
  type ImportFormat,
  type ReadOptions,
  readDay,
  readNumber,
  readSeriesId,
} from '../format.ts';
import { h15Csv, isCurveColumn } from '../treasury.ts';
import {
  isRealTimeColumn,
  isVintageColumn,
  readFredTable,
  seriesOf,
  splitVintageColumn,
  vintageOf,
} from '../vintage-table.ts';
import { historyBatches, notAvailable, notEnded, type RealTimeValue, refuseGaps } from './api.ts';

/** FRED's CSV download: the figures of one day, not stated in the file. */
const fredCsv: ImportFormat = {
  kind: 'fred-csv',
  summary: ['FRED download', ' (observation_date,GDP), one vintage per file; its date is --as-of'],
  source: publishers.fred.name,
  vintageKind: 'fetched',
  whole: true,
  takesAsOf: true,
  takesSeries: true,
  recognise({ header: [date, ...columns] }) {
    if (!isFredDate(date) || columns.length === 0 || columns.some(isRealTimeColumn)) return false;
    // A column named by a vintage date alone does not state its series.
    if (columns.some((name) => parseDay(name) !== undefined)) return false;
    // The Real-Time Data Set has a column for each vintage of its variable, such as ROUTPUT65Q4.
    if (columns.every((name) => /\d\d(?:Q[1-4]|M\d\d?)$/i.test(name))) return false;
    return !columns.some(isVintageColumn) && !columns.every(isCurveColumn);
  },
  async *read(file, options) {
    const reason = 'the file does not state when its figures were known';
    const vintage = vintageOf(file, options, undefined, reason);
    // For some years FRED named the only column VALUE, for any series.
    yield* readFredTable(file, (name) => ({ seriesId: seriesOf(file, name, options), vintage }));
  },
};

/** ALFRED's CSV download of several vintages; a column's name is its series and vintage date. */
const alfredWide: ImportFormat = {
  kind: 'alfred-wide',
  summary: ['ALFRED download', ' (observation_date,GDPC1_20150130,…), one vintage per column'],
  source: publishers.fred.name,
  vintageKind: 'exact',
  whole: true,
  recognise: ({ header: [date = '', ...columns] }) => isDateColumn(date) && columns.some(isVintageColumn),
  read: (file) =>
    readFredTable(file, (name) => {
      const parts = splitVintageColumn(name);
      if (parts !== undefined)
        return { seriesId: readSeriesId(file, { row: 1, column: parts.series }), vintage: parts.vintage };
      const reason = 'not a series and its vintage date, such as GDPC1_20150130';
      throw refusal(file, { row: 1, column: name }, reason);
    }),
};

function isFredDate(name = ''): boolean {
  return /^observation_date$/i.test(name) || name === 'DATE';
}

/**
 * Rows with real-time periods, from ALFRED, fredapi or pyfredapi.
 * A row states its value on the first day of its period; without a number, there is no value from then on.
 */
const alfredPeriods: ImportFormat = {
  kind: 'alfred-periods',
  summary: [
    'ALFRED download by real-time period',
    ', and CSV of fredapi and pyfredapi (realtime_start, date, value)',
  ],
  source: publishers.fred.name,
  vintageKind: 'exact',
  takesSeries: true,
  recognise: ({ header }) => isFirstReleases(placesIn(header)) === false,
  read: readPeriods,
};

/** ALFRED's first releases only, which are samples without revisions. */
const alfredFirstReleases: ImportFormat = {
  kind: 'alfred-first-releases',
  summary: ['ALFRED download of first releases only', ' (period_start_date,ICSA,realtime_start_date)'],
  source: publishers.fred.name,
  vintageKind: 'sampled',
  recognise: ({ header }) => isFirstReleases(placesIn(header)) === true,
  async *read(file, options) {
    yield { notes: ['first releases only: later revisions are not in this file'] };
    yield* readPeriods(file, options);
  },
};

type PeriodPlaces = {
  readonly date: number;
  readonly start: number;
  /** -1 if the file has no ends. */
  readonly end: number;
  readonly value: number;
  readonly names: readonly string[];
};

function placesIn(header: readonly string[]): PeriodPlaces | undefined {
  const names = header.map((name) => name.trim());
  const date = names.findIndex(isDateColumn);
  const start = names.findIndex((name) => /^realtime_start(?:_date)?$/i.test(name));
  const end = names.findIndex((name) => /^realtime_end(?:_date)?$/i.test(name));
  if (date < 0 || start < 0) return undefined;
  const others = [...names.keys()].filter((index) => ![date, start, end].includes(index));
  const [value, ...more] = others;
  return value === undefined || more.length > 0 ? undefined : { date, start, end, value, names };
}

/** Tells whether the columns are those of first releases: without ends, but, unlike fredapi, with a series. */
function isFirstReleases(places: PeriodPlaces | undefined): boolean | undefined {
  return places && places.end < 0 && places.names[places.value]?.toLowerCase() !== 'value';
}

async function* readPeriods(file: SourceFile, options: Parameters<ImportFormat['read']>[1]) {
  const rows: RealTimeValue[] = [];
  let places: PeriodPlaces | undefined;
  for await (const { header, rows: batch } of readCsvBody(file, ({ cells }) => placesIn(cells))) {
    places = header;
    if (header === undefined)
      throw refusal(
        file,
        { row: 1 },
        'the columns of real-time periods are a date, realtime_start, realtime_end and one of values',
      );
    for (const row of batch) rows.push(readRow(file, row, header));
  }
  if (places === undefined) return;
  const { names, value, start, end: endColumn } = places;
  const seriesId = seriesOf(file, names[value] ?? '', options);
  const [end = notEnded] = rows
    .map((row) => row.end)
    .sort()
    .reverse();
  // The file does not state where its window began: that may be the first day on which a period begins.
  const first = isFirstReleases(places) ? undefined : rows.map((row) => row.start).sort()[0];
  const history = { end, rows, ...defined({ start: first }) };
  if (endColumn >= 0) refuseGaps(file, history, { start: names[start] ?? '', end: names[endColumn] ?? '' });
  yield* historyBatches(seriesId, history);
}

function readRow(file: SourceFile, { row, cells }: CsvRow, places: PeriodPlaces): RealTimeValue {
  const at = (place: number) => ({
    row,
    column: places.names[place] ?? '',
    value: (cells[place] ?? '').trim().replace(/[T ]00:00:00(?:\.0+)?$/, ''),
  });
  // ALFRED leaves the end of a current period blank, or writes a dot.
  const isOpen = places.end < 0 || /^(?:|\.|current|NaT|9999-12-31)$/i.test(at(places.end).value);
  return {
    row,
    date: readDay(file, at(places.date)),
    start: readDay(file, at(places.start)),
    end: isOpen ? notEnded : readDay(file, at(places.end)),
    value: readNumber(file, at(places.value), ['', ...missingTexts.fred], notAvailable),
  };
}

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
  const { statements } = batch;
  if (statements === undefined) return batch;
  return { ...batch, statements: statements.map((statement) => ({ ...statement, kind: 'sampled' })) };
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
