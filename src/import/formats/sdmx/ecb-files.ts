import { publishers } from '../../../domain/series/publishers.ts';
import type { SeriesMetadata } from '../../../domain/series/series.ts';
import {
  type Day,
  dayOf,
  type KnownFrequency,
  monthEnd,
  monthNumber,
  monthsOfPeriod,
} from '../../../domain/values/date.ts';
import { parsePeriod } from '../../../domain/values/period.ts';
import { allBytes, refusal, type SourceFile } from '../../files/source-file.ts';
import { delimitedRows } from '../../readers/csv.ts';
import { otherWidth } from '../../readers/delimited.ts';
import { type ImportFormat, readSeriesId } from '../format.ts';
import { type VintageColumn, type VintageTable, vintageBatches, vintageOf } from '../vintage-table.ts';
import { ecbId } from './ecb.ts';

const source = publishers.ecbFiles.name;

/**
 * A monthly file of the ECB's database: row 1 has blocks, then come rows of labels (`Name:`), then periods.
 * The month in its name is that of the Bulletin; its figures were frozen in it, or in the last days of the one before.
 */
export const ecbVintage: ImportFormat = {
  kind: 'ecb-vintage',
  summary: [
    'monthly file of the ECB Real-Time Database',
    ' (rows Name:, Description:), one vintage per file, named quarterly_200101.csv',
  ],
  source,
  vintageKind: 'sampled',
  whole: true,
  takesAsOf: true,
  recognise: ({ text }) => /^[^\n]*\n *Name:,/.test(text),
  async *read(file, options) {
    const [, year, month] = /^(?:annual|monthly|quarterly)_(\d{4})(\d\d)\.csv$/i.exec(file.name) ?? [];
    const first = dayOf(Number(year), Number(month), 1);
    const reason = 'the file name is not the month of its vintage, such as quarterly_200101.csv';
    const vintage = vintageOf(file, options, first && monthEnd(first), reason);
    const { frequency, rows, labels } = await readRows(file);
    const last = rows.at(-1);
    if (options.asOf === undefined && last !== undefined && isFarBefore(last.date, vintage, frequency)) {
      const told = `the last period is long before ${vintage}, so the file is probably cut short`;
      throw refusal(file, { row: last.row, value: last.cells[0] ?? last.date }, told, ['download it again']);
    }
    const all = columnsByKey(file, labels, rows, vintage);
    const columns = all.filter(({ place }) => !isWithoutFigure(rows, place));
    yield { metadata: columns.flatMap(({ metadata }) => metadata), describedOn: vintage };
    const rules = { withdrawals: [notAvailable], frequency };
    if (columns.length > 0) yield* vintageBatches(file, tableOf(columns, rows), rules);
    for (const one of all.filter((column) => !columns.includes(column))) {
      const batches = [...vintageBatches(file, tableOf([one], rows), rules)];
      yield { unfigured: { seriesId: one.column.seriesId, asOf: vintage, batches } };
    }
  },
};

function tableOf(columns: readonly PlacedColumn[], rows: readonly PeriodRow[]): VintageTable {
  const cells = rows.map((row) => ({ ...row, cells: columns.map(({ place }) => row.cells[place] ?? '') }));
  return { columns: columns.map(({ column }) => column), rows: cells };
}

function isWithoutFigure(rows: readonly PeriodRow[], place: number): boolean {
  return rows.every(({ cells }) => [notAvailable, ''].includes(cells[place] ?? ''));
}

const notAvailable = 'NA';

/** A row of figures, with its label as the first cell. */
type PeriodRow = { readonly row: number; readonly date: Day; readonly cells: readonly string[] };

/** The texts above the figures, by place. */
type ColumnLabels = {
  /** The row of the keys. */
  readonly row: number;
  readonly keys: readonly string[];
  readonly descriptions: readonly string[];
};

/** Reads the labels and the figures of a file; throws a refusal for a cut file and for periods in disorder. */
async function readRows(file: SourceFile) {
  const form = { separator: ',', endsLines: true } as const;
  const rows: PeriodRow[] = [];
  let labels: ColumnLabels = { row: 1, keys: [], descriptions: [] };
  let frequency: KnownFrequency | undefined;
  for await (const batch of delimitedRows(await inUtf8(file), form))
    for (const { row, cells: written } of batch) {
      const cells = written.map((cell) => cell.trim());
      if (row === 1 || cells.every((cell) => cell === '')) continue;
      const [label = ''] = cells;
      if (label === 'Name:') labels = { ...labels, row, keys: cells };
      const { length: width } = labels.keys;
      const hasMore = cells.slice(width).some((cell) => cell !== '');
      if (cells.length < width || hasMore) throw otherWidth(file, row, cells.length, width);
      if (label === 'Description:') labels = { ...labels, descriptions: cells };
      // Such as `comments:`.
      if (rows.length === 0 && label.endsWith(':')) continue;
      const period = periodOfLabel(label);
      frequency ??= period?.frequency;
      const forms = 'not a period, such as Q1-1999, JAN-1970 or 1991, in one form throughout';
      if (period === undefined || period.frequency !== frequency)
        throw refusal(file, { row, value: label }, forms);
      const before = rows.at(-1)?.date ?? '';
      if (period.start <= before) throw refusal(file, { row, value: label }, 'the periods do not ascend');
      rows.push({ row, date: period.start, cells });
    }
  if (frequency === undefined) throw refusal(file, {}, 'the file has names and no rows of figures');
  return { frequency, rows, labels };
}

/** Decodes a file that is not UTF-8 as Latin-1; only descriptions have other characters than ASCII. */
async function inUtf8(file: SourceFile): Promise<SourceFile> {
  const bytes = await allBytes(file);
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return file;
  } catch {
    const decoded = Buffer.from(bytes.toString('latin1'));
    return {
      ...file,
      async *read() {
        yield decoded;
      },
    };
  }
}

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** Parses `Q1-1999`, `1991`, `JAN-1970`, or `Jan-70` of the early files, whose years are 1950 to 2049. */
function periodOfLabel(label: string): ReturnType<typeof parsePeriod> {
  const [, name = '', year = ''] = /^([A-Z]{3})[- ](\d{4}|\d\d)$/i.exec(label) ?? [];
  const month = months.indexOf(name.toUpperCase()) + 1;
  if (month === 0) return parsePeriod(label);
  const century = Number(year) >= 50 ? 1900 : 2000;
  const start = dayOf(year.length === 4 ? Number(year) : century + Number(year), month, 1);
  return start === undefined ? undefined : { start, frequency: 'M' };
}

/** Tells whether a file must go on after its last period: in the known files it is at most two periods old. */
function isFarBefore(last: Day, vintage: Day, frequency: KnownFrequency): boolean {
  const length = monthsOfPeriod[frequency] ?? 1;
  const periods = (day: Day) => Math.floor(monthNumber(day) / length);
  return periods(vintage) - periods(last) > 2;
}

/** A column, its place in the file, and its description if there is one. */
type PlacedColumn = {
  readonly place: number;
  readonly column: VintageColumn;
  readonly metadata: readonly SeriesMetadata[];
};

/** Finds the columns by key; throws a refusal for a key whose columns have different figures. */
function columnsByKey(
  file: SourceFile,
  { row, keys, descriptions }: ColumnLabels,
  rows: readonly PeriodRow[],
  vintage: Day,
): readonly PlacedColumn[] {
  const found = new Map<string, PlacedColumn>();
  for (const [place, name] of keys.entries()) {
    if (place === 0) continue;
    // The ECB writes DUMMY where it did not find the series.
    if ((name === 'DUMMY' || name === '') && isWithoutFigure(rows, place)) continue;
    const seriesId = readSeriesId(file, { row, column: String(place + 1), value: ecbId(name) });
    const same = found.get(seriesId);
    if (same !== undefined) {
      if (rows.every(({ cells }) => cells[place] === cells[same.place])) continue;
      const reason = `columns ${same.place + 1} and ${place + 1} have this name, and other figures`;
      throw refusal(file, { row, value: name }, reason, ['rename one of them in a copy of the file']);
    }
    const title = descriptions[place] ?? '';
    const isDescribed = title !== '' && title !== notAvailable;
    const metadata = isDescribed ? [{ seriesId, title, source }] : [];
    found.set(seriesId, { place, column: { name, seriesId, vintage }, metadata });
  }
  return [...found.values()];
}
