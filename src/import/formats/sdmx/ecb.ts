import { publishers } from '../../../domain/series/publishers.ts';
import type { Statement } from '../../../domain/series/revision-history.ts';
import type { SeriesMetadata } from '../../../domain/series/series.ts';
import { type Day, type KnownFrequency, parseDay } from '../../../domain/values/date.ts';
import { sameNumber } from '../../../domain/values/decimal.ts';
import { entryOf } from '../../../domain/values/groups.ts';
import type { Problem } from '../../../errors/problem.ts';
import { defined } from '../../../platform/defined.ts';
import { refusal, type SourceFile } from '../../files/source-file.ts';
import { type CsvRow, readCsvBody } from '../../readers/csv.ts';
import { type TableRow, tableRow } from '../../readers/rows.ts';
import { type Batch, type ImportFormat, readNumber, readSeriesId } from '../format.ts';
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
    statements: values.map((value): Statement => ({ seriesId, ...value })),
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
