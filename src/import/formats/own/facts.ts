import {
  parseVintageKind,
  type SeriesMetadata,
  type StoredKind,
  vintageKinds,
} from '../../../domain/series/series.ts';
import { type Statement, Statements } from '../../../domain/series/statements.ts';
import { type Day, later } from '../../../domain/values/date.ts';
import { parseDecimal } from '../../../domain/values/decimal.ts';
import { DayColumn, DistinctDays } from '../../../domain/values/distinct-days.ts';
import { entryOf } from '../../../domain/values/groups.ts';
import { copyOf, refusal, type SourceFile } from '../../files/source-file.ts';
import type { CsvColumn, CsvRow, CsvRows } from '../../readers/cells.ts';
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
      for (const { seriesId, asOf } of batch.statements) cover(seriesId, asOf.distinct().reduce(later, ''));
      for (const { seriesId, asOf } of batch.complete) cover(seriesId, asOf);
      yield { ...batch, notes };
    }
    yield { coverage: Array.from(coveredTo, ([seriesId, day]) => ({ seriesId, coveredTo: day })) };
  },
};

function batchReader(file: SourceFile) {
  const read = cellReader(file);
  const described = descriptionReader(file);
  const days = new DistinctDays();
  const readDates = dayReader(days, (text, row) => (text === '' ? '' : read.day(text, row, 'date')));
  const readAsOf = dayReader(days, (text, row) => read.day(text, row, 'as_of_date'));
  return (rows: CsvRows, header: FactHeader) => {
    const column = (name: ColumnName) => rows.columns[header[name]] ?? noColumn;
    const ids = converted(column('series_id'), read.id);
    const asOf = readAsOf(column('as_of_date'));
    const dates = readDates(column('date'));
    const values = converted(column('value'), read.number);
    const kinds = header.vintage_kind < 0 ? [] : converted(column('vintage_kind'), read.kind);
    if (header.places !== undefined)
      for (const [index, seriesId] of ids.entries()) {
        const row = tableRow(file, rows.at(index), header.places);
        described.take(row, { seriesId, asOf: asOf.at(index) });
      }
    // A value needs a date.
    const refuse = (index: number) => read.day('', rows.rows[index] ?? 0, 'date');
    const { statements, complete } = grouped(ids, { asOf, dates, values, kinds }, refuse);
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
  const { dates, asOf } = found;
  for (let from = 0; from < ids.length; ) {
    const seriesId = ids[from] ?? '';
    const to = endOfRun(ids, dates, from);
    const make = () => new Statements(seriesId, [], dates.all);
    if (to > from) entryOf(statements, seriesId, make).addAll(found, from, to);
    else if (found.values[from] === null)
      complete.push({ seriesId, asOf: asOf.at(from), kind: found.kinds[from] });
    else refuse(from);
    from = Math.max(to, from + 1);
  }
  return { statements: [...statements.values()], complete };
}

/** Finds the end of the statements about one series that follow each other; all have dates. */
function endOfRun(ids: readonly string[], dates: DayColumn, from: number): number {
  let to = from;
  while (to < ids.length && ids[to] === ids[from] && dates.at(to) !== '') to += 1;
  return to;
}

const noColumn: CsvColumn = { texts: [], rows: [], places: new Uint32Array(0) };

/** Converts each text of a column once, and returns the result for each record. */
function converted<T>({ texts, rows, places }: CsvColumn, read: (text: string, row: number) => T): T[] {
  const found = texts.map((text, place) => read(text, rows[place] ?? 0));
  return found.length === places.length ? found : each(places, found);
}

/** Lists the cell at each place. */
function each<T>(places: Uint32Array, cells: readonly T[]): T[] {
  const all = new Array<T>(places.length);
  for (let index = 0; index < all.length; index += 1) all[index] = cells[places[index] ?? 0] as T;
  return all;
}

/** Makes a reader of a column of days, which converts each of its texts once. */
function dayReader(days: DistinctDays, read: (text: string, row: number) => Day) {
  let [texts, known]: [readonly string[], number[]] = [[], []];
  return (column: CsvColumn): DayColumn => {
    if (column.texts !== texts) [texts, known] = [column.texts, []];
    for (let place = known.length; place < texts.length; place += 1)
      known.push(days.placeOf(read(texts[place] ?? '', column.rows[place] ?? 0)));
    return new DayColumn(days, each(column.places, known));
  };
}

type ColumnName = (typeof columns)[number] | typeof kindColumn;

type FactHeader = Readonly<Record<ColumnName, number>> & {
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

/** Makes a reader of cells that parses each distinct id once, because files have few of them. */
function cellReader(file: SourceFile) {
  const ids = new Map<string, string>();

  const idOf = (text: string, row: number): string => {
    const known = ids.get(text);
    if (known !== undefined) return known;
    const own = copyOf(text);
    const id = readSeriesId(file, { row, column: 'series_id', value: own });
    ids.set(own, id);
    return id;
  };
  const dayOf = (value: string, row: number, column: string): Day => readDay(file, { row, column, value });
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
