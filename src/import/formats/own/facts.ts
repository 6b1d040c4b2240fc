import { type Statement, Statements } from '../../../domain/series/revision-history.ts';
import {
  parseVintageKind,
  type SeriesMetadata,
  type StoredKind,
  vintageKinds,
} from '../../../domain/series/series.ts';
import { type Day, later } from '../../../domain/values/date.ts';
import { parseDecimal } from '../../../domain/values/decimal.ts';
import { entryOf } from '../../../domain/values/groups.ts';
import { copyOf, refusal, type SourceFile } from '../../files/source-file.ts';
import type { CsvRow, CsvRows } from '../../readers/cells.ts';
import { readCsvBody } from '../../readers/csv.ts';
import { placesOf, type TableRow, tableRow } from '../../readers/rows.ts';
import { type Batch, type ImportFormat, readDay, readNumber, readSeriesId } from '../format.ts';
import { describedSeries, descriptionColumns } from './answers.ts';

const columns = ['series_id', 'date', 'as_of_date', 'value'] as const;

const kindColumn = 'vintage_kind';

/** What describes the series of a statement; the unit is that of its vintage. */
const lasting = descriptionColumns.filter((name) => name !== 'units');

/**
 * asof's own format: one statement per line; an empty value is a withdrawal.
 * A line without a date marks a complete vintage: every date without a line of that day is withdrawn.
 */
export const asofCsv: ImportFormat = {
  kind: 'asof-csv',
  summary: [
    'statements',
    `, one per line (${columns.join(', ')}; also ${[kindColumn, ...descriptionColumns].join(', ')}), as asof facts writes them`,
  ],
  statesAsOf: 'by hand',
  // Observations, which lack vintages, have such columns beside others.
  recognise: ({ header }) =>
    columns.every((name) => header.includes(name)) && !header.includes('unit') && !header.includes('as_of'),
  async *read(file) {
    const coveredTo = new Map<string, Day>();
    const cover = (seriesId: string, day: Day) =>
      coveredTo.set(seriesId, later(coveredTo.get(seriesId) ?? '', day));
    const batchOf = batchReader(file);
    for await (const { header, rows, notes } of readCsvBody(file, (cells) => readHeader(file, cells))) {
      const batch = batchOf(rows, header);
      for (const { seriesId, asOf } of batch.statements) cover(seriesId, asOf.reduce(later, ''));
      for (const { seriesId, asOf } of batch.complete) cover(seriesId, asOf);
      yield { ...batch, notes };
    }
    yield { coverage: Array.from(coveredTo, ([seriesId, day]) => ({ seriesId, coveredTo: day })) };
  },
};

function batchReader(file: SourceFile) {
  const read = cellReader(file);
  const described = descriptionReader(file);
  return (rows: CsvRows, header: FactHeader) => {
    const ids = converted(rows, header.series_id, read.id);
    const found = {
      asOf: converted(rows, header.as_of_date, (text, row) => read.day(text, row, 'as_of_date')),
      dates: converted(rows, header.date, (text, row) => (text === '' ? '' : read.day(text, row, 'date'))),
      values: converted(rows, header.value, read.number),
      kinds: header.vintage_kind < 0 ? [] : converted(rows, header.vintage_kind, read.kind),
    };
    if (header.places !== undefined)
      for (const [index, seriesId] of ids.entries()) {
        const row = tableRow(file, rows.at(index), header.places);
        described.take(row, { seriesId, asOf: found.asOf[index] ?? '' });
      }
    // A value needs a date.
    const refuse = (index: number) => read.day('', rows.rows[index] ?? 0, 'date');
    const { statements, complete } = grouped(ids, found, refuse);
    return { ...described.taken(), statements, complete };
  };
}

/** Groups statements by series; those without a date are complete vintages, or refused if they have a value. */
function grouped(
  ids: readonly string[],
  found: Parameters<Statements['addAll']>[0],
  refuse: (index: number) => void,
) {
  const statements = new Map<string, Statements>();
  const complete: Required<Batch>['complete'][number][] = [];
  for (let from = 0; from < ids.length; ) {
    const seriesId = ids[from] ?? '';
    const to = endOfRun(ids, found.dates, from);
    if (to > from) entryOf(statements, seriesId, () => new Statements(seriesId)).addAll(found, from, to);
    else if (found.values[from] === null)
      complete.push({ seriesId, asOf: found.asOf[from] ?? '', kind: found.kinds[from] });
    else refuse(from);
    from = Math.max(to, from + 1);
  }
  return { statements: [...statements.values()], complete };
}

/** Finds the end of the statements about one series that follow each other; all have dates. */
function endOfRun(ids: readonly string[], dates: readonly Day[], from: number): number {
  let to = from;
  while (to < ids.length && ids[to] === ids[from] && dates[to] !== '') to += 1;
  return to;
}

/** Converts the cells of a column, and repeated ones once. */
function converted<T>(
  { rows, columns }: CsvRows,
  column: number,
  read: (text: string, row: number) => T,
): readonly T[] {
  const cells = columns[column] ?? [];
  const found = new Array<T>(cells.length);
  let [last, value]: [string | undefined, T | undefined] = [undefined, undefined];
  for (let index = 0; index < cells.length; index += 1) {
    const cell = cells[index] ?? '';
    found[index] = cell === last && value !== undefined ? value : read(cell, rows[index] ?? 0);
    last = cell;
    value = found[index];
  }
  return found;
}

type FactHeader = Readonly<Record<(typeof columns)[number] | typeof kindColumn, number>> & {
  /** The places of all columns, if some describe series. */
  readonly places: ReadonlyMap<string, number> | undefined;
};

function readHeader(file: SourceFile, header: CsvRow): FactHeader {
  const places = placesOf(file, header, { required: columns, optional: [kindColumn, ...descriptionColumns] });
  const at = (name: string) => places.get(name) ?? -1;
  return {
    series_id: at('series_id'),
    date: at('date'),
    as_of_date: at('as_of_date'),
    value: at('value'),
    vintage_kind: at(kindColumn),
    places: descriptionColumns.some((name) => places.has(name)) ? places : undefined,
  };
}

/** Makes a reader of cells that parses each distinct id and day once, because files have few of them. */
function cellReader(file: SourceFile) {
  const ids = new Map<string, string>();
  const days = new Map<string, Day>();

  const idOf = (text: string, row: number): string => {
    const known = ids.get(text);
    if (known !== undefined) return known;
    const own = copyOf(text);
    const id = readSeriesId(file, { row, column: 'series_id', value: own });
    ids.set(own, id);
    return id;
  };
  const dayOf = (text: string, row: number, column: string): Day => {
    const known = days.get(text);
    if (known !== undefined) return known;
    const day = readDay(file, { row, column, value: text });
    days.set(text, day);
    return day;
  };
  const numberOf = (text: string, row: number): string | null =>
    parseDecimal(text) ??
    readNumber(file, { row, column: 'value', value: text }, [''], 'empty, as a withdrawal is');
  const kindIn = (text: string, row: number): StoredKind => {
    const kind = text === '' ? '' : parseVintageKind(text);
    if (kind !== undefined) return kind;
    throw refusal(file, { row, column: kindColumn, value: text }, `not one of ${vintageKinds.join(', ')}`);
  };
  return { id: idOf, day: dayOf, number: numberOf, kind: kindIn };
}

/** Makes a reader of what rows say of their series: all rows of one say the same, but for the unit of their vintage. */
function descriptionReader(file: SourceFile) {
  const known = new Map<string, TableRow>();
  const units = new Map<string, TableRow>();
  type Found = { readonly metadata: SeriesMetadata[]; readonly units: Required<Batch>['units'][number][] };
  const begin = (): Found => ({ metadata: [], units: [] });
  let found = begin();
  const checkSame = (before: TableRow, row: TableRow, columns: readonly string[], subject: string) => {
    const column = columns.find((name) => row.cell(name) !== before.cell(name));
    if (column === undefined) return;
    const said = JSON.stringify(before.cell(column));
    throw row.refusal(column, `row ${before.row} says ${said} of ${subject}`);
  };
  return {
    take(row: TableRow, { seriesId, asOf }: Pick<Statement, 'asOf' | 'seriesId'>): void {
      const before = known.get(seriesId);
      if (before === undefined) {
        // The kind is that of a vintage, and the unit too.
        const { units: _, vintageKind: __, ...metadata } = describedSeries(file, row, 'series_id');
        if (Object.keys(metadata).length > 1) found.metadata.push(metadata);
        known.set(seriesId, row);
      } else checkSame(before, row, lasting, seriesId);
      const vintage = `${seriesId} as of ${asOf}`;
      const other = units.get(vintage);
      if (other !== undefined) checkSame(other, row, ['units'], vintage);
      else {
        units.set(vintage, row);
        const own = row.cell('units');
        if (own !== '') found.units.push({ seriesId, asOf, units: own });
      }
    },
    /** Returns what rows said since the last call. */
    taken(): Pick<Batch, 'metadata' | 'units'> {
      const taken = found;
      found = begin();
      return taken;
    },
  };
}
