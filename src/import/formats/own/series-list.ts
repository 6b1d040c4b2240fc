import { parseFrequency, parseSeriesId, type SeriesMetadata } from '../../../domain/series/series.ts';
import { yieldSeries } from '../../../domain/treasury/curve.ts';
import type { SourceFile } from '../../files/source-file.ts';
import { cellReader } from '../../readers/tsv.ts';
import { type ImportFormat, notAnId } from '../format.ts';
import { type AnswerRow, answerDay, answerHead, answerRows } from './answer.ts';

/** Columns that follow from the statements of the series; one of them shows that a table is a list of series. */
const derived = [
  'observation_count',
  'last_updated',
  'first_vintage',
  'last_vintage',
  'covered_to',
  'vintage_kind',
] as const;

const columns: ReadonlySet<string> = new Set([
  ...['id', 'title', 'units', 'frequency', 'seasonal_adjustment', 'source', ...derived],
  ...['matched', 'description_changes'],
]);

/**
 * A list of series as asof writes it: their descriptions and coverage. Their values are in what `asof facts` writes.
 * Rows of series that the curves answer state nothing.
 */
export const asofSeries: ImportFormat = {
  kind: 'asof-series',
  summary: 'list of series as asof series search writes it (CSV, TSV, JSON, ndjson, Parquet)',
  vintageKind: undefined,
  whole: false,
  takesAsOf: false,
  recognise(head) {
    const { object, columns: names } = answerHead(head);
    if (object !== undefined) return object === 'series_list' || object === 'series';
    return (
      names.includes('id') &&
      derived.some((name) => names.includes(name)) &&
      names.every((name) => columns.has(name))
    );
  },
  async *read(file) {
    for await (const rows of answerRows(file, ['id']))
      yield {
        metadata: rows
          .map((row) => readSeries(file, row))
          .filter(({ seriesId }) => !yieldSeries.some(({ id }) => id === seriesId)),
      };
  },
};

function readSeries(file: SourceFile, row: AnswerRow): SeriesMetadata {
  const cells = cellReader(file, row);
  const seriesId = parseSeriesId(row.cell('id'));
  if (seriesId === undefined) throw notAnId(file, { row: row.row, column: 'id', value: row.cell('id') });
  const frequency = cells.maybe('frequency', parseFrequency, 'a frequency: D, W, BW, M, Q, SA or A');
  const coveredTo = cells.maybe('covered_to', answerDay, 'a date of the form YYYY-MM-DD');
  const [title, units, seasonalAdjustment, source] = [
    row.cell('title'),
    row.cell('units'),
    row.cell('seasonal_adjustment'),
    row.cell('source'),
  ];
  return {
    seriesId,
    ...(title !== '' && { title }),
    ...(units !== '' && { units }),
    ...(frequency !== null && { frequency }),
    ...(seasonalAdjustment !== '' && { seasonalAdjustment }),
    ...(source !== '' && { source }),
    ...(coveredTo !== null && { coveredTo }),
  };
}
