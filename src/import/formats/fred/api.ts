import { publishers } from '../../../domain/series/publishers.ts';
import { parseFrequency, type SeriesMetadata } from '../../../domain/series/series.ts';
import { Statements } from '../../../domain/series/statements.ts';
import { provenFrequency } from '../../../domain/series/table-columns.ts';
import { addDays, type Day } from '../../../domain/values/date.ts';
import { missingTexts } from '../../../domain/values/missing-value.ts';
import { defined } from '../../../platform/defined.ts';
import { allBytes, type FilePlace, limits, refusal, type SourceFile } from '../../files/source-file.ts';
import type { CsvRow } from '../../readers/cells.ts';
import { isDateColumn, readCsvBody } from '../../readers/csv.ts';
import {
  listField,
  numberField,
  readJsonObject,
  textField,
  type UncheckedObject,
} from '../../readers/json.ts';
import { isNode, listOf, parseXml } from '../../readers/xml.ts';
import {
  type Batch,
  type ImportFormat,
  type ReadOptions,
  readDay,
  readNumber,
  readSeriesId,
  seriesOf,
} from '../format.ts';

/** A FRED response with real-time periods; `--series` or a description beside it names the series. */
export const fredApi: ImportFormat = {
  kind: 'fred-api',
  summary: ['FRED API observations', ' (JSON or XML, with real-time periods)'],
  source: publishers.fred.name,
  vintageKind: 'exact',
  takesSeries: true,
  recognise: ({ text }) =>
    isXmlResponse(text, 'observations') ||
    (/^\s*\{/.test(text) && /(?<!\\)"observations"\s*:\s*\[/.test(text) && /"realtime_start"\s*:/.test(text)),
  async *read(file, options) {
    const response = await readFredResponse(file);
    const observations = listField(file, response, 'observations');
    if (observations.length === 0)
      throw refusal(file, { column: 'observations' }, 'the response has no observations');
    yield* ofSeries(file, options, readHistory(file, response));
  },
};

/** Makes a format that reads only a part of an answer with real-time periods, as the given history. */
export function partOfAnswer(history: RealTimeHistory): ImportFormat {
  return { ...fredApi, read: (file, options) => ofSeries(file, options, history) };
}

async function* ofSeries(
  file: SourceFile,
  options: ReadOptions,
  history: RealTimeHistory,
): AsyncGenerator<Batch> {
  const { seriesId, metadata } = await seriesBeside(file, options);
  yield { metadata };
  yield* historyBatches(seriesId, history);
}

async function seriesBeside(
  file: SourceFile,
  options: ReadOptions,
): Promise<{ readonly seriesId: string; readonly metadata: readonly SeriesMetadata[] }> {
  if (options.series !== undefined)
    return { seriesId: readSeriesId(file, { value: options.series }), metadata: [] };
  const described = new Map<string, SeriesMetadata>();
  for (const sibling of await file.siblings()) {
    if (!/\.json$/i.test(sibling.name) || !holdsSeries((await sibling.head()).toString('latin1'))) continue;
    const [series, ...others] = await readFredSeries(sibling);
    if (series !== undefined && others.length === 0) described.set(series.seriesId, series);
  }
  // A file name that begins like an id, such as GDPC1-obs.json, names its series.
  const [, name] = /^([A-Z][A-Z0-9]+)(?![A-Za-z0-9])/.exec(file.name) ?? [];
  const named = described.get(name ?? /^[A-Z0-9]*/.exec(file.name.toUpperCase())?.[0] ?? '');
  const only = name === undefined && described.size === 1 ? [...described.values()][0] : named;
  if (only !== undefined) return { seriesId: only.seriesId, metadata: [only] };
  const beside =
    described.size === 0
      ? 'no series description is beside it'
      : `the files beside it describe ${[...described.keys()].join(', ')}`;
  throw refusal(file, {}, `the response does not name its series, and ${beside}; pass --series ID`);
}

/** Reads the history in a FRED response; throws for changes instead of values, cut rows, gaps and overlaps. */
export function readHistory(
  file: SourceFile,
  response: UncheckedObject,
): RealTimeHistory & { readonly start: Day } {
  const observations = listField(file, response, 'observations');
  const units = textField(file, response, 'units');
  if (units !== 'lin') {
    const reason = 'these are changes, not the published values; request them again with units=lin';
    throw refusal(file, { column: 'units', value: units }, reason);
  }
  const outputType = numberField(file, response, 'output_type');
  if (outputType !== 1) {
    const reason = 'only output_type=1 has every real-time period; request it again with that';
    throw refusal(file, { column: 'output_type', value: String(outputType) }, reason);
  }
  const count = numberField(file, response, 'count');
  if (count > observations.length) {
    const reason = `the response has ${observations.length} of ${count} observations; request it again with limit=100000&offset=0`;
    throw refusal(file, { column: 'count', value: String(count) }, reason);
  }
  const start = dayField(file, response, 'realtime_start');
  const end = endField(file, response);
  const rows = observations.map((observation, index) => readObservation(file, observation, index + 1));
  const outside = rows.find(({ start: from, end: to }) => from < start || to > end);
  if (outside !== undefined) {
    const reason = `${outside.start} to ${outside.end} is outside the response's real-time period, ${start} to ${end}`;
    throw refusal(file, { row: outside.row, column: 'realtime_end', value: outside.end }, reason);
  }
  const history = { start, end, rows };
  refuseGaps(file, history, { start: 'realtime_start', end: 'realtime_end' });
  return history;
}

function readObservation(file: SourceFile, observation: UncheckedObject, row: number): RealTimeValue {
  const date = dayField(file, observation, 'date', row);
  const start = dayField(file, observation, 'realtime_start', row);
  const end = endField(file, observation, row);
  const place = { row, column: 'value', value: textField(file, observation, 'value', row) };
  return { row, date, start, end, value: readNumber(file, place, ['.'], notAvailable) };
}

function dayField(file: SourceFile, object: UncheckedObject, column: string, row?: number): Day {
  return readDay(file, defined({ column, value: textField(file, object, column, row), row }));
}

function endField(file: SourceFile, object: UncheckedObject, row?: number): Day | typeof notEnded {
  return object.realtime_end === notEnded ? notEnded : dayField(file, object, 'realtime_end', row);
}

/** FRED's descriptions of series, with its short code for the seasonal adjustment. */
export const fredSeries: ImportFormat = {
  kind: 'fred-series',
  summary: ['FRED API series descriptions', ' (JSON or XML with "seriess")'],
  source: publishers.fred.name,
  recognise: ({ text }) => isXmlResponse(text, 'seriess') || (/^\s*\{/.test(text) && holdsSeries(text)),
  async *read(file) {
    yield { metadata: await readFredSeries(file) };
  },
};

function holdsSeries(head: string): boolean {
  return /(?<!\\)"seriess"\s*:\s*\[/.test(head) && !/(?<!\\)"observations"\s*:\s*\[/.test(head);
}

/** Reads the series that a FRED response describes, each once, as of its latest real-time period. */
async function readFredSeries(file: SourceFile): Promise<readonly SeriesMetadata[]> {
  const latest = new Map<string, { readonly end: string; readonly metadata: SeriesMetadata }>();
  const entries = listField(file, await readFredResponse(file), 'seriess');
  for (const [index, entry] of entries.entries()) {
    const metadata = readEntry(file, entry, index + 1);
    const end = textOf(entry, 'realtime_end') ?? '';
    const known = latest.get(metadata.seriesId);
    if (known === undefined || known.end <= end) latest.set(metadata.seriesId, { end, metadata });
  }
  return Array.from(latest.values(), ({ metadata }) => metadata);
}

function readEntry(file: SourceFile, entry: UncheckedObject, row: number): SeriesMetadata {
  return {
    seriesId: readSeriesId(file, { row, column: 'id', value: textOf(entry, 'id') ?? '' }),
    ...defined({
      title: textOf(entry, 'title'),
      units: textOf(entry, 'units'),
      frequency: parseFrequency(textOf(entry, 'frequency_short') ?? ''),
      seasonalAdjustment: textOf(entry, 'seasonal_adjustment_short') ?? textOf(entry, 'seasonal_adjustment'),
    }),
    source: publishers.fred.name,
  };
}

/** Returns the text of a field; undefined if it is absent or empty, which mean the same to FRED. */
function textOf(entry: UncheckedObject, name: string): string | undefined {
  const value = entry[name];
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}

function isXmlResponse(head: string, root: 'observations' | 'seriess'): boolean {
  return new RegExp(`^\\s*(?:<\\?xml[^>]*>\\s*)?<${root}\\b[^>]*\\brealtime_start=`).test(head);
}

/** Reads an answer of the FRED API as a JSON object; XML has the same fields as attributes. */
async function readFredResponse(file: SourceFile): Promise<UncheckedObject> {
  const head = (await file.head()).toString('latin1').replace(/^\u00EF\u00BB\u00BF/, '');
  if (!/^\s*</.test(head)) return readJsonObject(file);
  const { root } = await parseXml(file, await allBytes(file, limits.xml), ['observation', 'series']);
  for (const [name, child] of [
    ['observations', 'observation'],
    ['seriess', 'series'],
  ] as const) {
    const element = root[name];
    if (isNode(element))
      return { ...attributesOf(element), [name]: listOf(element[child]).map(attributesOf) };
  }
  throw refusal(file, {}, 'neither observations nor descriptions of series of the FRED API');
}

const counts = new Set(['count', 'offset', 'limit', 'output_type']);

function attributesOf(element: unknown): UncheckedObject {
  const attributes = Object.entries(isNode(element) ? element : {}).filter(([name]) => name.startsWith('@_'));
  return Object.fromEntries(
    attributes.map(([attribute, value]) => {
      const name = attribute.slice(2);
      return [name, counts.has(name) && /^\d+$/.test(String(value)) ? Number(value) : value];
    }),
  );
}

/** FRED's end date of a current real-time period. */
const notEnded = '9999-12-31';

/** How FRED writes a value that is not available. */
const notAvailable = '. (not available)';

/** A value with its real-time period, first and last day included. */
export type RealTimeValue = {
  /** Position in the file, from 1. */
  readonly row: number;
  readonly date: Day;
  readonly start: Day;
  readonly end: Day | typeof notEnded;
  readonly value: string | null;
};

/** One series; periods of each date are adjacent up to `end`. */
export type RealTimeHistory = {
  /** The first day of the requested real-time period, if the file states it. */
  readonly start?: Day;
  readonly end: Day | typeof notEnded;
  readonly rows: readonly RealTimeValue[];
  /** The dates with a figure in the newest vintage, if the rows are only changes. */
  readonly figures?: ReadonlySet<Day>;
};

/**
 * Yields the records of a history after its metadata.
 * A row on the history's own start may be older; only the newest vintage, which is whole, implies a frequency.
 */
function* historyBatches(seriesId: string, history: RealTimeHistory): Generator<Batch> {
  const { rows, figures = newestFigures(rows) } = history;
  const frequency = provenFrequency(figures);
  const statements = new Statements(seriesId);
  for (const { date, start, value } of rows)
    statements.add(date, start, value, start === history.start ? 'clipped' : undefined);
  yield {
    implied: frequency === '' ? [] : [{ seriesId, frequency }],
    coverage: [{ seriesId, coveredTo: coveredTo(history) }],
    statements: [statements],
  };
}

/** Returns the dates that have a figure in the newest vintage, by the last row of each date. */
export function newestFigures(rows: readonly RealTimeValue[]): ReadonlySet<Day> {
  const last = new Map<Day, RealTimeValue>();
  for (const row of rows) if ((last.get(row.date)?.start ?? '') <= row.start) last.set(row.date, row);
  return new Set([...last.values()].flatMap(({ date, value }) => (value === null ? [] : [date])));
}

/** Returns the last covered day: the end, or else the last change, as the time of the request is unknown. */
function coveredTo({ end, rows }: RealTimeHistory): Day {
  if (end !== notEnded) return end;
  let last = '';
  for (const { start } of rows) if (start > last) last = start;
  return last;
}

/** Throws for periods that end before they start, overlap those of the same date, or do not reach `end`. */
function refuseGaps(
  file: SourceFile,
  { end, rows }: RealTimeHistory,
  columns: { readonly start: string; readonly end: string },
): void {
  const at = ({ row, end: value }: RealTimeValue): FilePlace => ({ row, column: columns.end, value });
  const ordered = [...rows].sort((a, b) => compare(a.date, b.date) || compare(a.start, b.start));
  for (const [index, period] of ordered.entries()) {
    if (period.end < period.start)
      throw refusal(file, at(period), `the period ends before it starts, ${period.start}`);
    const successor = ordered[index + 1];
    const next = successor?.date === period.date ? successor : undefined;
    if (next !== undefined && next.start <= period.end) {
      const reason = `the period of ${next.date} from ${next.start} overlaps the one in row ${period.row}`;
      throw refusal(file, { row: next.row, column: columns.start, value: next.start }, reason);
    }
    if (period.end === end) continue;
    if (next?.start === addDays(period.end, 1)) continue;
    const following =
      next === undefined ? 'nothing follows' : `the next, row ${next.row}, begins on ${next.start}`;
    const reason = `the period of ${period.date} ends before the response does (${end}), and ${following}`;
    throw refusal(file, at(period), reason);
  }
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * Rows with real-time periods, from ALFRED, fredapi or pyfredapi.
 * A row states its value on the first day of its period; without a number, there is no value from then on.
 */
export const alfredPeriods: ImportFormat = {
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
export const alfredFirstReleases: ImportFormat = {
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
  for await (const { header, rows: batch, notes } of readCsvBody(file, ({ cells }) => placesIn(cells))) {
    yield { notes };
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
