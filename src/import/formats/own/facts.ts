import { type Day, parseDay } from '../../../domain/series/date.ts';
import { parseDecimal } from '../../../domain/series/decimal.ts';
import type { Statement } from '../../../domain/series/revision-history.ts';
import {
  type KeptKind,
  parseFrequency,
  parseSeriesId,
  parseVintageKind,
  type SeriesMetadata,
  vintageKinds,
} from '../../../domain/series/series.ts';
import { defined } from '../../../platform/defined.ts';
import { copyOf, refusal, type SourceFile } from '../../files/source-file.ts';
import { type CsvRow, readCsvBody } from '../../readers/csv.ts';
import { cellReader, placesOf, type TableRow } from '../../readers/rows.ts';
import { type ImportFormat, notADay, notANumber, notAnId } from '../format.ts';

const columns = ['series_id', 'date', 'as_of_date', 'value'] as const;

const kindColumn = 'vintage_kind';

/** Other columns of asof's output. */
const answerColumns = new Set([
  ...['as_of', 'unit', 'frequency', 'source', 'change', 'percent', 'days'],
  ...['vs_value', 'vs_as_of_date'],
]);

/**
 * asof's own format: one statement per line, in which an empty value is a withdrawal. A line without a date marks a
 * complete vintage: every date without a line of that day is withdrawn.
 */
const asofCsv: ImportFormat = {
  kind: 'asof-csv',
  summary: [
    'statements',
    ', one per line (series_id,date,as_of_date,value[,vintage_kind]), as asof facts writes them',
  ],
  statesAsOf: 'by hand',
  recognise: ({ header }) => columns.every((name) => header.includes(name)),
  async *read(file) {
    const coveredTo = new Map<string, Day>();
    const statement = statementReader(file);
    for await (const { header, rows } of readCsvBody(file, (cells) => readHeader(file, cells))) {
      const statements: Statement[] = [];
      const complete: Statement[] = [];
      for (const row of rows) {
        const made = statement(row, header);
        if (made.date === '') complete.push(made);
        else statements.push(made);
        const known = coveredTo.get(made.seriesId);
        if (known === undefined || known < made.asOf) coveredTo.set(made.seriesId, made.asOf);
      }
      yield { statements, complete };
    }
    yield { coverage: Array.from(coveredTo, ([seriesId, day]) => ({ seriesId, coveredTo: day })) };
  },
};

type StatementColumns = Readonly<Record<(typeof columns)[number] | typeof kindColumn, number>>;

function readHeader(file: SourceFile, header: CsvRow): StatementColumns {
  const others = header.cells.filter(
    (name) => !columns.some((known) => known === name) && name !== kindColumn,
  );
  if (others.length > 0 && others.every((name) => answerColumns.has(name))) {
    const reason = 'this is the answer to a query, which lacks statements; import what asof facts writes';
    throw refusal(file, { row: header.row, column: others[0] ?? '' }, reason, [
      'asof facts ID writes every statement',
      'asof observations ID --as-of D --columns date,value writes one vintage: import it with --series ID --as-of D',
    ]);
  }
  const places = placesOf(file, header, { required: columns, optional: [kindColumn] });
  const at = (name: string) => places.get(name) ?? -1;
  return {
    series_id: at('series_id'),
    date: at('date'),
    as_of_date: at('as_of_date'),
    value: at('value'),
    vintage_kind: at(kindColumn),
  };
}

/** Makes a reader of rows that parses each distinct id and day once: a file of millions of lines has few of them. */
function statementReader(file: SourceFile): (row: CsvRow, at: StatementColumns) => Statement {
  const ids = new Map<string, string>();
  const days = new Map<string, Day>();

  const idOf = (text: string, row: number): string => {
    const known = ids.get(text);
    if (known !== undefined) return known;
    const own = copyOf(text);
    const id = parseSeriesId(own);
    if (id === undefined) throw notAnId(file, { row, column: 'series_id', value: text });
    ids.set(own, id);
    return id;
  };
  const dayOf = (text: string, row: number, column: string): Day => {
    const day = days.get(text) ?? parseDay(text);
    if (day === undefined) throw notADay(file, { row, column, value: text });
    days.set(text, day);
    return day;
  };
  const decimalOf = (text: string, row: number): string | null => {
    if (text === '') return null;
    const value = parseDecimal(text);
    if (value !== undefined) return value;
    throw notANumber(file, { row, column: 'value', value: text }, 'empty, as a withdrawal is');
  };
  const kindIn = (text: string, row: number): KeptKind => {
    const kind = text === '' ? '' : parseVintageKind(text);
    if (kind !== undefined) return kind;
    throw refusal(file, { row, column: kindColumn, value: text }, `not one of ${vintageKinds.join(', ')}`);
  };
  return ({ row, cells }, at) => {
    const [date = '', value = ''] = [cells[at.date], cells[at.value]];
    return {
      seriesId: idOf(cells[at.series_id] ?? '', row),
      date: date === '' && value === '' ? '' : dayOf(date, row, 'date'),
      asOf: dayOf(cells[at.as_of_date] ?? '', row, 'as_of_date'),
      value: decimalOf(value, row),
      ...(at.vintage_kind >= 0 && { kind: kindIn(cells[at.vintage_kind] ?? '', row) }),
    };
  };
}

const metadataNames = {
  required: ['series_id'],
  optional: ['title', 'units', 'frequency', 'seasonal_adjustment', 'source', 'covered_to', 'vintage_kind'],
};

/** Metadata of series, one per line; an empty cell states nothing. */
const metadataCsv: ImportFormat = {
  kind: 'metadata-csv',
  summary: [
    'series metadata',
    ' (series_id,title,units,frequency,seasonal_adjustment,source[,covered_to,vintage_kind])',
  ],
  recognise({ header }) {
    if (!header.includes('series_id') || header.includes('date') || header.includes('value')) return false;
    return metadataNames.optional.some((name) => header.includes(name));
  },
  async *read(file) {
    const rowOf = new Map<string, number>();
    const body = readCsvBody(file, (cells) => placesOf(file, cells, metadataNames));
    for await (const { header, rows } of body)
      yield {
        metadata: rows.map(({ row, cells }) => {
          const cell = (column: string) => (cells[header.get(column) ?? -1] ?? '').trim();
          const stated = describedSeries(file, { row, cell }, 'series_id');
          const before = rowOf.get(stated.seriesId);
          rowOf.set(stated.seriesId, row);
          if (before === undefined) return stated;
          const place = { row, column: 'series_id', value: stated.seriesId };
          throw refusal(file, place, `row ${before} already describes this series`);
        }),
      };
  },
};

/** The formats of what `asof facts` writes. */
export const factsFormats: readonly ImportFormat[] = [asofCsv, metadataCsv];

/** The description of a series in a row, whose id is in a column of that name. */
export function describedSeries(
  file: SourceFile,
  row: TableRow,
  idColumn: 'id' | 'series_id',
): SeriesMetadata {
  const cells = cellReader(file, row);
  const at = (column: string) => ({ row: row.row, column, value: row.cell(column) });
  const text = (column: string) => row.cell(column) || undefined;
  const seriesId = parseSeriesId(row.cell(idColumn));
  if (seriesId === undefined) throw notAnId(file, at(idColumn));
  const frequency = cells.maybe('frequency', parseFrequency, 'a frequency: D, W, BW, M, Q, SA or A');
  const coveredTo = answerDay(row.cell('covered_to'));
  if (coveredTo === undefined && row.cell('covered_to') !== '') throw notADay(file, at('covered_to'));
  // What an answer of asof says of the kind is of all vintages together, and states nothing.
  const isStated = idColumn === 'series_id';
  const kind = isStated
    ? cells.maybe('vintage_kind', parseVintageKind, `one of ${vintageKinds.join(', ')}`)
    : undefined;
  return defined({
    seriesId,
    title: text('title'),
    units: text('units'),
    frequency: frequency ?? undefined,
    seasonalAdjustment: text('seasonal_adjustment'),
    source: text('source'),
    vintageKind: kind ?? undefined,
    coveredTo,
  });
}

/** A day of an answer: `2015-01-30`, or `2015-01-30T00:00:00Z` in JSON. */
export function answerDay(text: string): Day | undefined {
  return parseDay(withoutMidnight(text));
}

/** A text without the time of day that JSON adds to a day. */
export function withoutMidnight(text: string): string {
  return text.replace(/T00:00:00(?:\.0+)?Z$/, '');
}
