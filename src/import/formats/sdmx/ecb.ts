import { publishers } from '../../../domain/series/publishers.ts';
import type { SeriesMetadata } from '../../../domain/series/series.ts';
import { Statements } from '../../../domain/series/statements.ts';
import {
  type Day,
  dayOf,
  type KnownFrequency,
  monthNamed,
  monthNumber,
  monthsOfPeriod,
  parseDay,
} from '../../../domain/values/date.ts';
import { sameNumber } from '../../../domain/values/decimal.ts';
import { entryOf } from '../../../domain/values/groups.ts';
import { parsePeriod } from '../../../domain/values/period.ts';
import type { Problem } from '../../../errors/problem.ts';
import { defined } from '../../../platform/defined.ts';
import { allBytes, refusal, type SourceFile } from '../../files/source-file.ts';
import { type CsvRow, delimitedRows } from '../../readers/cells.ts';
import { readCsvBody } from '../../readers/csv.ts';
import { otherWidth } from '../../readers/delimited.ts';
import { type TableRow, tableRow } from '../../readers/rows.ts';
import { type Batch, type ImportFormat, readNumber, readSeriesId, vintageOfMonth } from '../format.ts';
import { type VintageColumn, type VintageTable, vintageBatches } from '../panels.ts';
import { periodIn } from './sdmx.ts';

const source = publishers.ecb.name;

/** The flow of the Real-Time Database. */
export const realTimeFlow = 'RTD';

/** Why asof takes no other flow: the log of `EXR`, for example, dates a value by the time of its publication. */
export const notRealTime = `not of the Real-Time Database (${realTimeFlow}): other flows of the ECB have no vintages, or date them in another way`;

/** Returns the id of a series of the ECB by its key. */
export function ecbId(key: string): string {
  return `ECB:${key}`;
}

/** The value of a date from a day on (null: deleted). */
type LoggedValue = { readonly date: Day; readonly asOf: Day; readonly value: string | null };

/** What the change log of a series says. */
export type ChangeLog = {
  /** The id of the series; the key of the ECB with a prefix. */
  readonly seriesId: string;
  readonly frequency: KnownFrequency;
  /** At most one entry for each date and day, by day. */
  readonly values: readonly LoggedValue[];
  /** The refusal of the first deletion of a period that no earlier row states: the log is an excerpt. */
  readonly excerpt: Problem | undefined;
  /** True if the log has deletions; an answer to a key with wildcards lacks them. */
  readonly hasDeletions: boolean;
  readonly metadata: SeriesMetadata;
};

/**
 * The change log of the Real-Time Database (`includeHistory=true`): a row replaces a value from VALID_FROM on, or
 * deletes it from VALID_TO on. Time stamps order the rows; the last one of a day counts for the day.
 */
export const ecbLog: ImportFormat = {
  kind: 'ecb-log',
  summary: [
    'change log of the ECB Real-Time Database',
    ' (CSV of the ECB Data Portal with includeHistory=true: KEY … ACTION,VALID_FROM,VALID_TO)',
  ],
  source,
  vintageKind: 'sampled',
  recognise: ({ header }) => header[0] === 'KEY' && logColumns.every((name) => header.includes(name)),
  async *read(file) {
    const logs = await readChangeLogs(file);
    for (const { excerpt } of logs) if (excerpt !== undefined) throw excerpt;
    if (!logs.some(({ hasDeletions }) => hasDeletions)) {
      if (logs.length > 1) {
        const reason = `a log of ${logs.length} series without deletions: the ECB leaves them out if a key has wildcards`;
        throw refusal(file, {}, reason, ['download the log of each series by its full key']);
      }
      yield { notes: ['the log has no deletions; the ECB leaves them out if the key has wildcards'] };
    }
    for (const log of logs) yield logBatch(log);
  },
};

/** Makes the statements and the description of a log. */
export function logBatch({ seriesId, frequency, values, metadata }: ChangeLog): Batch {
  return {
    metadata: [metadata],
    implied: [{ seriesId, frequency }],
    coverage: [{ seriesId, coveredTo: values.at(-1)?.asOf ?? '' }],
    statements: [new Statements(seriesId, values)],
  };
}

const dataColumns = ['KEY', 'FREQ', 'TIME_PERIOD', 'OBS_VALUE'];
const logColumns = [...dataColumns, 'ACTION', 'VALID_FROM', 'VALID_TO'];

type SeriesEvents = {
  readonly frequency: KnownFrequency;
  readonly events: LoggedEvent[];
  /** A row with the attributes of the series, which are the same in all of them. */
  described?: TableRow;
  hasDeletions: boolean;
};

type LoggedEvent = LoggedValue & {
  readonly row: number;
  readonly instant: number;
  readonly isDeletion: boolean;
};

/** Reads the change logs in a file; throws a refusal for a cut file and for rows that contradict each other. */
export async function readChangeLogs(file: SourceFile): Promise<readonly ChangeLog[]> {
  const found = new Map<string, SeriesEvents>();
  for await (const row of dataRows(file, logColumns)) {
    const { start, frequency } = periodIn(row);
    const series = entryOf(found, seriesOf(file, row), () => ({
      frequency,
      events: [],
      hasDeletions: false,
    }));
    if (frequency !== series.frequency)
      throw row.refusal('FREQ', `the frequency of the series was ${series.frequency}`);
    series.events.push(eventIn(file, row, start));
    if (row.cell('ACTION') === 'Delete') series.hasDeletions = true;
    else series.described ??= row;
  }
  return Array.from(found, ([seriesId, { frequency, events, described, hasDeletions }]) => ({
    seriesId,
    frequency,
    values: valuesByDay(file, events),
    excerpt: excerptIn(file, events),
    hasDeletions,
    metadata: metadataIn(seriesId, frequency, described),
  }));
}

/** Reads the values of one series from an answer without history; throws a refusal for anything else. */
export async function readCurrentData(file: SourceFile, seriesId: string): Promise<ReadonlyMap<Day, string>> {
  const values = new Map<Day, string>();
  for await (const row of dataRows(file, dataColumns)) {
    const id = seriesOf(file, row);
    if (id !== seriesId) throw refusal(file, { row: row.row, value: id }, `expected only ${seriesId}`);
    const { start } = periodIn(row);
    if (values.has(start)) throw row.refusal('TIME_PERIOD', 'this period has two values');
    const value = numberIn(file, row);
    if (value !== null) values.set(start, value);
  }
  return values;
}

/** Yields the rows of an answer; throws a refusal unless it has these columns and ends with a whole line. */
async function* dataRows(file: SourceFile, columns: readonly string[]): AsyncGenerator<TableRow> {
  const placesIn = ({ cells, row }: CsvRow) => {
    const places = new Map(cells.map((name, place) => [name.trim(), place]));
    const missing = columns.filter((name) => !places.has(name));
    if (missing.length === 0) return places;
    const why = missing.includes('ACTION') ? ': the ECB keeps the history of few flows, such as RTD' : '';
    throw refusal(file, { row }, `it has no column ${missing.join(', ')}${why}`);
  };
  for await (const { header, rows } of readCsvBody(file, placesIn, { endsLines: true }))
    for (const record of rows) yield tableRow(file, record, header);
}

function seriesOf(file: SourceFile, row: TableRow): string {
  const key = row.cell('KEY');
  if (!key.startsWith(`${realTimeFlow}.`)) throw row.refusal('KEY', notRealTime);
  return readSeriesId(file, { row: row.row, column: 'KEY', value: ecbId(key) });
}

function numberIn(file: SourceFile, row: TableRow): string | null {
  const place = { row: row.row, column: 'OBS_VALUE', value: row.cell('OBS_VALUE') };
  return readNumber(file, place, [''], 'empty');
}

/** Reads a row: a value holds from VALID_FROM on, a deletion from VALID_TO on. */
function eventIn(file: SourceFile, row: TableRow, date: Day): LoggedEvent {
  const action = row.cell('ACTION');
  const [stamp, other] = ({ Replace: validity, Delete: [...validity].reverse() } as const)[action] ?? [];
  if (stamp === undefined || other === undefined) throw row.refusal('ACTION', 'neither Replace nor Delete');
  if (row.cell(other) !== '') throw row.refusal(other, `a row with ${action} has a time in ${stamp} alone`);
  const value = numberIn(file, row);
  if (action === 'Delete' && value !== null) throw row.refusal('OBS_VALUE', 'a row with Delete has no value');
  const text = row.cell(stamp);
  const asOf = /^\d{4}-\d\d-\d\d(?=T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$)/.exec(text)?.[0] ?? '';
  const instant = Date.parse(text);
  if (parseDay(asOf) === undefined || Number.isNaN(instant))
    throw row.refusal(stamp, 'not a time with its offset, such as 2001-01-03T15:30:00.000+01:00');
  return { row: row.row, date, asOf, instant, value, isDeletion: action === 'Delete' };
}

const validity = ['VALID_FROM', 'VALID_TO'] as const;

/** Returns the last value of each date and day; throws a refusal for two values of one instant. */
function valuesByDay(file: SourceFile, events: readonly LoggedEvent[]): readonly LoggedValue[] {
  const ofDays = new Map<string, LoggedEvent>();
  const sorted = [...events].sort((a, b) => a.instant - b.instant);
  for (const event of sorted) {
    const key = `${event.date} ${event.asOf}`;
    const before = ofDays.get(key);
    if (before?.instant === event.instant && !sameNumber(before.value, event.value)) {
      const reason = `row ${before.row} states something else of the same period at the same time`;
      throw refusal(file, { row: event.row, value: event.date }, reason);
    }
    ofDays.set(key, event);
  }
  return [...ofDays.values()]
    .sort((a, b) => (a.asOf < b.asOf ? -1 : Number(a.asOf > b.asOf)))
    .map(({ date, asOf, value }) => ({ date, asOf, value }));
}

/** Returns the refusal of the first row that deletes a period before any row has stated it. */
function excerptIn(file: SourceFile, events: readonly LoggedEvent[]): Problem | undefined {
  const stated = new Map<Day, number>();
  for (const { date, instant, isDeletion } of events)
    if (!isDeletion) stated.set(date, Math.min(instant, stated.get(date) ?? instant));
  const unstated = events.find(
    ({ date, instant, isDeletion }) => isDeletion && !((stated.get(date) ?? instant) < instant),
  );
  if (unstated === undefined) return undefined;
  const reason = 'this row deletes a period that no earlier row states, so the log is an excerpt';
  const place = { row: unstated.row, column: 'TIME_PERIOD', value: unstated.date };
  return refusal(file, place, reason, [
    'ask for the whole log, with one series a request and without limits of time',
  ]);
}

const adjustments: Readonly<Record<string, string>> = { N: 'NSA', S: 'SA', W: 'CA', Y: 'SCA' };

const multiples: Readonly<Record<string, string>> = { '3': 'Thousands', '6': 'Millions', '9': 'Billions' };

/** Describes a series by the attributes of a row, which an answer with `detail=dataonly` lacks. */
function metadataIn(seriesId: string, frequency: KnownFrequency, row: TableRow | undefined): SeriesMetadata {
  const at = (column: string) => row?.cell(column) || undefined;
  const [unit, base] = [at('UNIT'), at('UNIT_INDEX_BASE')];
  const multiple = multiples[at('UNIT_MULT') ?? ''];
  const counted = unit && multiple ? `${multiple} of ${unit}` : unit;
  const adjustment = at('ADJUSTMENT');
  return {
    seriesId,
    frequency,
    ...defined({
      title: at('TITLE_COMPL') ?? at('TITLE'),
      units: counted && base ? `${counted}, ${base}` : counted,
      seasonalAdjustment: adjustment && (adjustments[adjustment] ?? adjustment),
    }),
    source,
  };
}

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
  source: publishers.ecbFiles.name,
  vintageKind: 'sampled',
  whole: true,
  takesAsOf: true,
  recognise: ({ text }) => /^[^\n]*\n *Name:,/.test(text),
  async *read(file, options) {
    const name = /^(?:annual|monthly|quarterly)_(\d{4})(\d\d)\.csv$/i;
    const vintage = vintageOfMonth(file, options, name, 'quarterly_200101.csv');
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

type ColumnLabels = {
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
      if (cells.length < width || hasMore) throw otherWidth(file, row, cells.length, { ...form, width });
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

/** Parses `Q1-1999`, `1991`, `JAN-1970`, or `Jan-70` of the early files, whose years are 1950 to 2049. */
function periodOfLabel(label: string): ReturnType<typeof parsePeriod> {
  const [, name = '', year = ''] = /^([A-Z]{3})[- ](\d{4}|\d\d)$/i.exec(label) ?? [];
  const month = monthNamed(name);
  if (month === undefined) return parsePeriod(label);
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
    const metadata = isDescribed ? [{ seriesId, title, source: publishers.ecbFiles.name }] : [];
    found.set(seriesId, { place, column: { name, seriesId, vintage }, metadata });
  }
  return [...found.values()];
}
