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
import { type CsvRow, readCsvBody } from '../../readers/csv.ts';
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
  const cell = statementReader(file);
  const described = descriptionReader(file);
  return (rows: readonly CsvRow[], header: StatementColumns) => {
    const statements = new Map<string, Statements>();
    const complete: Required<Batch>['complete'][number][] = [];
    let own: Statements | undefined;
    for (const row of rows) {
      const seriesId = cell.seriesId(row, header);
      const asOf = cell.asOf(row, header);
      const date = cell.date(row, header);
      const kind = cell.kind(row, header);
      if (header.places !== undefined) described.take(tableRow(file, row, header.places), { seriesId, asOf });
      if (own?.seriesId !== seriesId) own = entryOf(statements, seriesId, () => new Statements(seriesId));
      if (date === '') complete.push({ seriesId, asOf, kind });
      else own.add(date, asOf, cell.value(row, header), kind);
    }
    return { ...described.taken(), statements: [...statements.values()], complete };
  };
}

type StatementColumns = Readonly<Record<(typeof columns)[number] | typeof kindColumn, number>> & {
  /** The places of all columns, if some describe series. */
  readonly places: ReadonlyMap<string, number> | undefined;
};

function readHeader(file: SourceFile, header: CsvRow): StatementColumns {
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

/** Makes a reader of the cells of rows that parses each distinct id and day once, because files have few of them. */
function statementReader(file: SourceFile) {
  const ids = new Map<string, string>();
  const days = new Map<string, Day>();
  let [lastText, lastNumber]: [string | undefined, string | null] = [undefined, null];

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
  /** Parses a text once for all rows below that repeat it. */
  const numberOf = (text: string, row: number): string | null => {
    if (text === lastText) return lastNumber;
    lastNumber =
      parseDecimal(text) ??
      readNumber(file, { row, column: 'value', value: text }, [''], 'empty, as a withdrawal is');
    lastText = text;
    return lastNumber;
  };
  const kindIn = (text: string, row: number): StoredKind => {
    const kind = text === '' ? '' : parseVintageKind(text);
    if (kind !== undefined) return kind;
    throw refusal(file, { row, column: kindColumn, value: text }, `not one of ${vintageKinds.join(', ')}`);
  };
  return {
    seriesId: ({ row, cells }: CsvRow, at: StatementColumns) => idOf(cells[at.series_id] ?? '', row),
    asOf: ({ row, cells }: CsvRow, at: StatementColumns) =>
      dayOf(cells[at.as_of_date] ?? '', row, 'as_of_date'),
    /** Empty if the row states no value either. */
    date({ row, cells }: CsvRow, at: StatementColumns) {
      const text = cells[at.date] ?? '';
      return text === '' && cells[at.value] === '' ? '' : dayOf(text, row, 'date');
    },
    value: ({ row, cells }: CsvRow, at: StatementColumns) => numberOf(cells[at.value] ?? '', row),
    kind: ({ row, cells }: CsvRow, at: StatementColumns) =>
      at.vintage_kind < 0 ? undefined : kindIn(cells[at.vintage_kind] ?? '', row),
  };
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
