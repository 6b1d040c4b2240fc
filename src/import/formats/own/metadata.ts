import { faultOfDay, parseDay } from '../../../domain/series/date.ts';
import {
  parseFrequency,
  parseSeriesId,
  parseVintageKind,
  type SeriesMetadata,
  vintageKinds,
} from '../../../domain/series/series.ts';
import { refusal, type SourceFile } from '../../files/source-file.ts';
import { type CsvRow, headerOf, placesOf, readCsvBody } from '../../readers/csv.ts';
import { type ImportFormat, notAnId } from '../format.ts';

const columns = {
  required: ['series_id'],
  optional: ['title', 'units', 'frequency', 'seasonal_adjustment', 'source', 'covered_to', 'vintage_kind'],
} as const;

type MetadataColumn = (typeof columns.required)[number] | (typeof columns.optional)[number];

/** Metadata of series, one per line; an empty cell states nothing. */
export const metadataCsv: ImportFormat = {
  kind: 'metadata-csv',
  summary:
    'series metadata (series_id,title,units,frequency,seasonal_adjustment,source[,covered_to,vintage_kind])',
  vintageKind: undefined,
  whole: false,
  takesAsOf: false,
  recognise(head) {
    const header = headerOf(head);
    if (!header.includes('series_id') || header.includes('date') || header.includes('value')) return false;
    return columns.optional.some((name) => header.includes(name));
  },
  async *read(file) {
    const rowOf = new Map<string, number>();
    for await (const { header, rows } of readCsvBody(file, (cells) =>
      placesOf<MetadataColumn>(file, cells, columns),
    )) {
      yield { metadata: rows.map((row) => readMetadata(file, row, header, rowOf)) };
    }
  },
};

/** The columns of a metadata file, in the order in which asof writes them. */
export const metadataColumns: readonly string[] = [...columns.required, ...columns.optional];

/**
 * What is stated about a series and implied by its files, and the day to which they cover it; empty if they cover
 * none.
 */
type Described = {
  readonly stated: SeriesMetadata;
  readonly implied: SeriesMetadata;
  readonly coveredTo: string;
};

/** The cells of a series' metadata, in the order of `metadataColumns`. */
export function metadataCells({ stated, implied, coveredTo }: Described): readonly string[] {
  return [
    stated.seriesId,
    stated.title ?? '',
    stated.units ?? '',
    stated.frequency ?? implied.frequency ?? '',
    stated.seasonalAdjustment ?? '',
    implied.source ?? stated.source ?? '',
    coveredTo,
    stated.vintageKind ?? '',
  ];
}

function readMetadata(
  file: SourceFile,
  { row, cells }: CsvRow,
  places: ReadonlyMap<MetadataColumn, number>,
  rowOf: Map<string, number>,
): SeriesMetadata {
  const text = (column: MetadataColumn): string => (cells[places.get(column) ?? -1] ?? '').trim();
  const parsed = <T>(
    column: MetadataColumn,
    parse: (text: string) => T | undefined,
    form: string,
  ): T | undefined => {
    if (text(column) === '') return undefined;
    const value = parse(text(column));
    if (value !== undefined) return value;
    throw refusal(file, { row, column, value: text(column) }, form);
  };
  const seriesId = parseSeriesId(text('series_id'));
  if (seriesId === undefined) {
    throw notAnId(file, { row, column: 'series_id', value: text('series_id') });
  }
  const before = rowOf.get(seriesId);
  if (before !== undefined) {
    throw refusal(
      file,
      { row, column: 'series_id', value: seriesId },
      `row ${before} already describes this series`,
    );
  }
  rowOf.set(seriesId, row);
  const frequency = parsed('frequency', parseFrequency, 'not a frequency: D, W, BW, M, Q, SA or A');
  const coveredTo = parsed(
    'covered_to',
    parseDay,
    faultOfDay(text('covered_to')) ?? 'not a date: use YYYY-MM-DD',
  );
  const vintageKind = parsed('vintage_kind', parseVintageKind, `not one of ${vintageKinds.join(', ')}`);
  return {
    seriesId,
    ...(text('title') !== '' && { title: text('title') }),
    ...(text('units') !== '' && { units: text('units') }),
    ...(frequency !== undefined && { frequency }),
    ...(text('seasonal_adjustment') !== '' && { seasonalAdjustment: text('seasonal_adjustment') }),
    ...(text('source') !== '' && { source: text('source') }),
    ...(vintageKind !== undefined && { vintageKind }),
    ...(coveredTo !== undefined && { coveredTo }),
  };
}
