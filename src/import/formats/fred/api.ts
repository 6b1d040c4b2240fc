import { parseFrequency, type SeriesMetadata } from '../../../domain/series/series.ts';
import type { Day } from '../../../domain/values/date.ts';
import { defined } from '../../../platform/defined.ts';
import { allBytes, limits, refusal, type SourceFile } from '../../files/source-file.ts';
import {
  listField,
  numberField,
  readJsonObject,
  textField,
  type UncheckedObject,
} from '../../readers/json.ts';
import { isNode, listOf, parseXml, resolveEntities } from '../../readers/xml.ts';
import {
  type Batch,
  type ImportFormat,
  type ReadOptions,
  readDay,
  readNumber,
  readSeriesId,
} from '../format.ts';
import {
  historyBatches,
  notAvailable,
  notEnded,
  type RealTimeHistory,
  type RealTimeValue,
  refuseGaps,
} from './history.ts';

/** A FRED response with real-time periods; `--series` or a description beside it names the series. */
export const fredApi: ImportFormat = {
  kind: 'fred-api',
  summary: ['FRED API observations', ' (JSON or XML, with real-time periods)'],
  source: 'FRED',
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
  const { seriesId, metadata } = await seriesOf(file, options);
  yield { metadata };
  yield* historyBatches(seriesId, history);
}

async function seriesOf(
  file: SourceFile,
  options: ReadOptions,
): Promise<{ readonly seriesId: string; readonly metadata: readonly SeriesMetadata[] }> {
  if (options.series !== undefined)
    return { seriesId: readSeriesId(file, { value: options.series }), metadata: [] };
  const candidates = await describedBeside(file);
  const named = candidates.filter(({ seriesId }) => beginsWithId(seriesId, file.name));
  const [only, ...others] = named.length > 0 ? named : candidates;
  if (only !== undefined && others.length === 0 && (named.length > 0 || !beginsWithSomeId(file.name))) {
    return { seriesId: only.seriesId, metadata: [only] };
  }
  const found = candidates.map(({ seriesId }) => seriesId).join(', ');
  const beside =
    found === '' ? 'no series description is beside it' : `the files beside it describe ${found}`;
  throw refusal(file, {}, `the response does not name its series, and ${beside}; pass --series ID`);
}

async function describedBeside(file: SourceFile): Promise<readonly SeriesMetadata[]> {
  const described = new Map<string, SeriesMetadata>();
  for (const sibling of await file.siblings()) {
    if (!/\.json$/i.test(sibling.name)) continue;
    if (!holdsSeries((await sibling.head()).toString('latin1'))) continue;
    const [series, ...others] = await readFredSeries(sibling);
    if (series !== undefined && others.length === 0) described.set(series.seriesId, series);
  }
  return [...described.values()];
}

function beginsWithId(seriesId: string, name: string): boolean {
  const upper = name.toUpperCase();
  return upper.startsWith(seriesId) && !/[A-Z0-9]/.test(upper.charAt(seriesId.length));
}

/** Tells whether a file name begins like an id: the series of another file then does not apply. */
function beginsWithSomeId(name: string): boolean {
  return /^[A-Z][A-Z0-9]+(?![A-Za-z0-9])/.test(name);
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
  source: 'FRED',
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
    source: 'FRED',
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
  const attributes = isNode(element) ? Object.entries(element).filter(([name]) => name.startsWith('@_')) : [];
  return Object.fromEntries(
    attributes.map(([attribute, value]) => {
      const name = attribute.slice(2);
      const isCount = counts.has(name) && typeof value === 'string' && /^\d+$/.test(value);
      if (isCount) return [name, Number(value)];
      return [name, typeof value === 'string' ? (resolveEntities(value) ?? value) : value];
    }),
  );
}
