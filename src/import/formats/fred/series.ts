import { parseFrequency, parseSeriesId, type SeriesMetadata } from '../../../domain/series/series.ts';
import { allBytes } from '../../files/content.ts';
import { limits, refusal, type SourceFile } from '../../files/source-file.ts';
import { listField, readJsonObject, type UncheckedObject } from '../../readers/json.ts';
import { isNode, listOf, parseXml } from '../../readers/xml.ts';
import { type ImportFormat, notAnId } from '../format.ts';

/**
 * FRED's descriptions of series: responses of `series`, `category/series`, `tags/series` and the like. A frequency
 * without a code in the contract (five-yearly, not applicable) is left out; the seasonal adjustment is FRED's short
 * code, such as `SAAR`.
 */
export const fredSeries: ImportFormat = {
  kind: 'fred-series',
  summary: 'FRED API series descriptions (JSON or XML with "seriess")',
  source: 'FRED',
  vintageKind: undefined,
  whole: false,
  takesAsOf: false,
  recognise: (head) => isXmlResponse(head, 'seriess') || (/^\s*\{/.test(head) && holdsSeries(head)),
  async *read(file) {
    yield { metadata: await readFredSeries(file) };
  },
};

/** Whether a file begins as FRED's descriptions of series. */
export function holdsSeries(head: string): boolean {
  return /(?<!\\)"seriess"\s*:\s*\[/.test(head) && !/(?<!\\)"observations"\s*:\s*\[/.test(head);
}

/** The series that a FRED response describes, each once, as of its latest real-time period. */
export async function readFredSeries(file: SourceFile): Promise<readonly SeriesMetadata[]> {
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
  const id = textOf(entry, 'id') ?? '';
  const seriesId = parseSeriesId(id);
  if (seriesId === undefined) throw notAnId(file, { row, column: 'id', value: id });
  const title = textOf(entry, 'title');
  const units = textOf(entry, 'units');
  const frequency = parseFrequency(textOf(entry, 'frequency_short') ?? '');
  const adjustment = textOf(entry, 'seasonal_adjustment_short') ?? textOf(entry, 'seasonal_adjustment');
  return {
    seriesId,
    ...(title !== undefined && { title }),
    ...(units !== undefined && { units }),
    ...(frequency !== undefined && { frequency }),
    ...(adjustment !== undefined && { seasonalAdjustment: adjustment }),
    source: 'FRED',
  };
}

/** The text of a field; undefined if it is absent or empty, which mean the same to FRED. */
function textOf(entry: UncheckedObject, name: string): string | undefined {
  const value = entry[name];
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}

/** Whether a file begins as an XML answer of the FRED API with this root element. */
export function isXmlResponse(head: string, root: 'observations' | 'seriess'): boolean {
  return new RegExp(`^\\s*(?:<\\?xml[^>]*>\\s*)?<${root}\\b[^>]*\\brealtime_start=`).test(head);
}

/** An answer of the FRED API as the object that its JSON is; the XML has the same fields as attributes. */
export async function readFredResponse(file: SourceFile): Promise<UncheckedObject> {
  const head = (await file.head()).toString('latin1').replace(/^\u00EF\u00BB\u00BF/, '');
  if (!/^\s*</.test(head)) return readJsonObject(file);
  const { root } = await parseXml(file, await allBytes(file.path, await file.open(), limits.xml), [
    'observation',
    'series',
  ]);
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

/** Attributes that are numbers in the JSON. */
const counts = new Set(['count', 'offset', 'limit', 'output_type']);

function attributesOf(element: unknown): UncheckedObject {
  const attributes = isNode(element) ? Object.entries(element).filter(([name]) => name.startsWith('@_')) : [];
  return Object.fromEntries(
    attributes.map(([attribute, value]) => {
      const name = attribute.slice(2);
      const isCount = counts.has(name) && typeof value === 'string' && /^\d+$/.test(value);
      return [name, isCount ? Number(value) : plain(value)];
    }),
  );
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The text of an attribute with XML's five entities resolved. */
function plain(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return value.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => entities[name] ?? '');
}
