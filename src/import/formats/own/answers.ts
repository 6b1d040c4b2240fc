import { type Filing, mostTrades, type ReportingOwner } from '../../../domain/insider/filing.ts';
import {
  parseFrequency,
  parseVintageKind,
  type SeriesMetadata,
  vintageKinds,
} from '../../../domain/series/series.ts';
import { type CurvePoint, curveTypes, maturitiesOf, yieldSeries } from '../../../domain/treasury/curve.ts';
import { parseDay } from '../../../domain/values/date.ts';
import { parseDecimal } from '../../../domain/values/decimal.ts';
import { defined } from '../../../platform/defined.ts';
import { refusal, type SourceFile } from '../../files/source-file.ts';
import { type CsvRow, delimitedRows } from '../../readers/cells.ts';
import { type FileHead, readCsvBody, textHead } from '../../readers/csv.ts';
import {
  isJsonObject,
  jsonIn,
  jsonText,
  listField,
  readJsonObject,
  type UncheckedObject,
} from '../../readers/json.ts';
import { placesOf, TableRow, tableRow } from '../../readers/rows.ts';
import { type Batch, type ImportFormat, type ReadOptions, readSeriesId } from '../format.ts';
import {
  parseInstant,
  parseStatedDate,
  readOwner,
  readTrade,
  secForms,
  type TradeNames,
} from '../sec/values.ts';
import { CurveChecks } from '../treasury.ts';

const day = [(text: string) => parseDay(withoutMidnight(text)), secForms.date[1]] as const;

type AnswerShape = Pick<ImportFormat, 'kind' | 'summary' | 'read'> & {
  readonly objects: readonly string[];
  readonly isTable: (names: readonly string[]) => boolean;
};

/** Columns derived from statements; one of them shows that a table is a list of series. */
const derived = [
  'observation_count',
  'last_updated',
  'first_vintage',
  'last_vintage',
  'covered_to',
  'vintage_kind',
  'vintage_meaning',
] as const;

/** The columns that describe a series, in all tables of asof. */
export const descriptionColumns = 'title units frequency seasonal_adjustment source covered_to'.split(' ');

const seriesColumns: ReadonlySet<string> = new Set([
  ...['id', ...descriptionColumns, ...derived, 'matched', 'description_changes'],
]);

/** The columns that make a trade; the others follow from these, or add detail. */
const filingColumns = [
  ...['filing_date', 'transaction_date', 'accession_number', 'ticker', 'issuer_name', 'owner_name'],
  ...['officer_title', 'transaction_code', 'acquired_disposed', 'shares', 'price_per_share'],
  ...['is_director', 'is_officer', 'is_ten_percent', 'form_type', 'issuer_cik', 'owner_cik'],
  ...['other_owners', 'security_title', 'is_derivative', 'shares_owned_after', 'ownership'],
  ...['is_10b5_1', 'accepted_at', 'row'],
];

const answers: readonly AnswerShape[] = [
  // Descriptions and coverage of series. `asof facts` writes their values; those of curves state nothing.
  {
    kind: 'asof-series',
    summary: ['list of series as asof series search writes it', ' (CSV, TSV, JSON, ndjson, Parquet)'],
    objects: ['series_list', 'series'],
    isTable: (names) =>
      names.includes('id') &&
      derived.some((name) => names.includes(name)) &&
      names.every((name) => seriesColumns.has(name)),
    async *read(file) {
      for await (const rows of answerRows(file, ['id'])) {
        const all = rows.map((row) => describedSeries(file, row, 'id'));
        yield { metadata: all.filter(({ seriesId }) => !yieldSeries.some(({ id }) => id === seriesId)) };
      }
    },
  },
  {
    kind: 'asof-rates',
    summary: ['rates as asof curve and asof yields write them', ' (CSV, TSV, JSON, ndjson, Parquet)'],
    objects: ['yield_curve', 'yield_series'],
    isTable: (names) =>
      ['trade_date', 'maturity', 'rate'].every((name) => names.includes(name)) && !names.includes('vs_rate'),
    read: readRates,
  },
  // Trades of insiders. A row without all facts of its filing is refused: in CSV, TSV and Parquet, joint filers
  // need the column `owners`, which `--columns all` adds.
  {
    kind: 'asof-filings',
    summary: [
      'trades as asof insider filings writes them',
      ' (JSON, ndjson; CSV, TSV, Parquet: joint filers by --columns all)',
    ],
    objects: ['insider_filings'],
    isTable: (names) =>
      ['filing_date', 'accession_number', 'transaction_code'].every((name) => names.includes(name)),
    async *read(file) {
      for await (const rows of answerRows(file, filingColumns))
        yield { filings: rows.map((row) => readFiling(file, row)) };
    },
  },
];

/** The formats of asof's own answers: JSON, lines of JSON, tables and Parquet. */
export const answerFormats: readonly ImportFormat[] = answers.map(({ objects, isTable, ...format }) => ({
  ...format,
  recognise(head) {
    const { object, columns } = answerHead(head);
    return object === undefined ? isTable(columns) : objects.includes(object);
  },
}));

/** Returns the object of an answer's JSON envelope, or the columns of a table, by the beginning of a file. */
export function answerHead({ text, header, columns }: FileHead): {
  readonly object?: string;
  readonly columns: readonly string[];
} {
  if (columns !== undefined) return { columns };
  if (!/^\s*\{/.test(text)) return { columns: header };
  const [, object] =
    /^\s*\{\s*"object"\s*:\s*"([a-z_]+)"/.exec(text) ??
    (/"request_id"\s*:\s*"req_/.test(text) ? /"object"\s*:\s*"([a-z_]+)"/.exec(text) : null) ??
    [];
  if (object !== undefined) return { object, columns: [] };
  // Lines of JSON.
  const [line = '', ...others] = text.trimStart().split('\n', 2);
  return { columns: Object.keys((others.length > 0 && objectIn(line)) || {}) };
}

const metadataNames = { required: ['series_id'], optional: [...descriptionColumns, 'vintage_kind'] };

/** Metadata of series, one per line; an empty cell states nothing. */
export const metadataCsv: ImportFormat = {
  kind: 'metadata-csv',
  summary: ['series metadata', ` (series_id; also ${metadataNames.optional.join(', ')})`],
  recognise({ header }) {
    if (!header.includes('series_id') || header.includes('date') || header.includes('value')) return false;
    return metadataNames.optional.some((name) => header.includes(name));
  },
  async *read(file) {
    const rowOf = new Map<string, number>();
    const body = readCsvBody(file, (cells) => placesOf(file, cells, metadataNames));
    for await (const { header, rows } of body)
      yield {
        metadata: Array.from(rows, (record) => {
          const { row } = record;
          const stated = describedSeries(file, tableRow(file, record, header), 'series_id');
          const before = rowOf.get(stated.seriesId);
          rowOf.set(stated.seriesId, row);
          if (before === undefined) return stated;
          const place = { row, column: 'series_id', value: stated.seriesId };
          throw refusal(file, place, `row ${before} already describes this series`);
        }),
      };
  },
};

/** Yields the rows of an answer in batches; throws for a row that lacks one of the `required` columns. */
async function* answerRows(
  file: SourceFile,
  required: readonly string[],
): AsyncGenerator<readonly TableRow[]> {
  let isEmpty = true;
  for await (const rows of rowsIn(file)) {
    for (const row of rows) {
      isEmpty = false;
      const lacking = required.find((column) => !row.has(column));
      if (lacking !== undefined)
        throw row.missing(lacking, 'this column is missing', ['export it without --columns']);
    }
    yield rows;
  }
  if (isEmpty) throw refusal(file, {}, 'the answer has no rows');
}

async function* rowsIn(file: SourceFile): AsyncGenerator<readonly TableRow[]> {
  const head = (await file.head()).toString();
  if (head.startsWith('PAR1')) yield* parquetRows(file);
  else if (/^\s*\{/.test(head)) yield* jsonRows(file, answerHead(textHead(head)).object === undefined);
  else {
    const isTsv = head.split('\n', 1)[0]?.includes('\t') === true;
    const textOf = (cell: string) => cell.replace(/\\[\\tnr]/g, (text) => escapes[text] ?? text);
    for await (const { header, rows } of readCsvBody(file, placesIn, isTsv ? { quotes: 'none' } : {}))
      yield Array.from(rows, ({ row, cells }) =>
        tableRow(file, { row, cells: isTsv ? cells.map(textOf) : cells }, header),
      );
  }
}

function placesIn({ cells }: CsvRow): ReadonlyMap<string, number> {
  return new Map(cells.map((name, place) => [name.trim(), place]));
}

/** How TSV writes characters in its cells, which have no quotes. */
const escapes: Readonly<Record<string, string>> = { '\\\\': '\\', '\\t': '\t', '\\n': '\n', '\\r': '\r' };

async function* parquetRows(file: SourceFile): AsyncGenerator<readonly TableRow[]> {
  const { readParquet } = await import('../../readers/parquet.ts');
  const { columns, groups } = await readParquet(file);
  const places = placesIn({ row: 1, cells: columns.map(({ name }) => name) });
  for await (const { first, size, cellAt } of groups())
    yield Array.from({ length: size }, (_, index) => {
      const cells = columns.map((_, column) => String(cellAt(index, column) ?? ''));
      return tableRow(file, { row: first + index, cells }, places);
    });
}

async function* jsonRows(file: SourceFile, isLines: boolean): AsyncGenerator<readonly TableRow[]> {
  if (!isLines) {
    const results = listField(file, await readJsonObject(file), 'results');
    yield results.map((cells, index) => jsonRow(file, cells, index + 1));
    return;
  }
  for await (const lines of delimitedRows(file, { quotes: 'none' }))
    yield lines.map(({ row, cells: [line = ''] }) => {
      const value = objectIn(line);
      if (value === undefined) throw refusal(file, { row }, 'this line is not an object of JSON');
      return jsonRow(file, value, row);
    });
}

function objectIn(line: string): UncheckedObject | undefined {
  const value = jsonIn(line);
  return isJsonObject(value) ? value : undefined;
}

function jsonRow(file: SourceFile, cells: UncheckedObject, row: number): TableRow {
  return new TableRow(file, row, (column) => {
    if (!Object.hasOwn(cells, column)) return undefined;
    const value = cells[column] ?? '';
    return typeof value === 'object' ? jsonText(value) : String(value);
  });
}

/** Reads the description of a series from a row; an empty cell states nothing. */
export function describedSeries(
  file: SourceFile,
  row: TableRow,
  idColumn: 'id' | 'series_id',
): SeriesMetadata {
  const text = (column: string) => row.cell(column) || undefined;
  // The kind in an answer of asof is that of all vintages together, and states nothing.
  const kind = idColumn === 'series_id' ? row.maybe('vintage_kind', kindForm) : null;
  return defined({
    seriesId: readSeriesId(file, { row: row.row, column: idColumn, value: row.cell(idColumn) }),
    title: text('title'),
    units: text('units'),
    frequency: row.maybe('frequency', frequencyForm) ?? undefined,
    seasonalAdjustment: text('seasonal_adjustment'),
    source: text('source'),
    vintageKind: kind ?? undefined,
    coveredTo: row.maybe('covered_to', day) ?? undefined,
  });
}

const frequencyForm = [parseFrequency, 'a frequency: D, W, BW, M, Q, SA or A'] as const;

const kindForm = [parseVintageKind, `one of ${vintageKinds.join(', ')}`] as const;

function withoutMidnight(text: string): string {
  return text.replace(/T00:00:00(?:\.0+)?Z$/, '');
}

async function* readRates(file: SourceFile, options: ReadOptions): AsyncGenerator<Batch> {
  const checks = new CurveChecks(file, options);
  const all: CurvePoint[] = [];
  for await (const rows of answerRows(file, ['trade_date', 'maturity', 'rate', 'curve_type', 'source'])) {
    const points = rows
      .map((row) => ({ row: row.row, point: readRate(row) }))
      .filter(({ point }) => !checks.skips(point.tradeDate))
      .map(({ row, point }) => {
        checks.checkPoint(point, () => ({ row, column: 'rate', value: point.rate }));
        return point;
      });
    for (const point of points) all.push(point);
    yield { points };
  }
  checks.checkRates(all);
  checks.checkDates(new Set(all.map(({ tradeDate }) => tradeDate)));
  if (checks.skippedDays.length > 0) yield { skippedDays: checks.skippedDays };
}

function readRate(row: TableRow): CurvePoint {
  const curveType = row.required('curve_type', wordOf(curveTypes, 'PAR or TIPS'));
  const known = maturitiesOf(curveType);
  return {
    curveType,
    tradeDate: row.required('trade_date', day),
    maturity: row.required(
      'maturity',
      wordOf(known, `a maturity of the ${curveType} curve: ${known.join(', ')}`),
    ),
    rate: row.required('rate', [parseDecimal, 'a decimal number']),
    source: row.required('source', [(text) => text, 'the source of the rate']),
  };
}

function wordOf<T extends string>(known: readonly T[], what: string) {
  return [(text: string) => known.find((one) => one === text), what] as const;
}

function readFiling(file: SourceFile, row: TableRow): Filing {
  const lacks = (column: string, what: string) =>
    row.missing(column, what, ['export it with -f ndjson, or as CSV, TSV or Parquet with --columns all']);
  const accessionNumber = row.maybe('accession_number', secForms.accession);
  const filingId = accessionNumber ?? row.text('filing_id');
  if (filingId === null)
    throw lacks('accession_number', 'the filing has no accession number, and no column filing_id names it');
  const formType = row.required('form_type', secForms.form);
  if (formType.endsWith('/A') && !row.has('original_filing_date'))
    throw lacks('original_filing_date', 'the column is missing, and the row is of an amendment');
  if (!['', '[]'].includes(row.cell('other_owners')) && row.cell('owners') === '')
    throw lacks('other_owners', 'the filing has joint filers, whose roles are in the column owners');
  const isDerivative = row.maybe('is_derivative', secForms.flag) === true;
  return {
    filingId,
    accessionNumber,
    formType,
    filedOn: row.required('filing_date', day),
    acceptedAt: row.maybe('accepted_at', [parseInstant, 'a time such as 2022-11-09T01:18:10Z']),
    originalFiledOn: row.maybe('original_filing_date', statedDate),
    periodOfReport: null,
    issuerCik: row.required('issuer_cik', secForms.cik),
    issuerName: row.text('issuer_name'),
    ticker: row.text('ticker'),
    owners: ownersOf(file, row),
    is10b51: row.maybe('is_10b5_1', secForms.flag),
    ...readTrade(row, tradeNames, {
      row: row.required('row', [
        (place) => placeIn(place, isDerivative),
        'the position of the trade in its filing',
      ]),
      isDerivative,
      transactionDate: row.maybe('transaction_date', statedDate),
    }),
  };
}

const statedDate = [(text: string) => parseStatedDate(withoutMidnight(text)), secForms.date[1]] as const;

const tradeNames: TradeNames = {
  securityTitle: 'security_title',
  transactionCode: 'transaction_code',
  acquiredDisposed: 'acquired_disposed',
  shares: 'shares',
  pricePerShare: 'price_per_share',
  sharesOwnedAfter: 'shares_owned_after',
  ownership: 'ownership',
};

/** Parses the row of a trade: those of Table I count from 1, those of Table II from 1001. */
function placeIn(text: string, isDerivative: boolean): number | undefined {
  const place = /^\d{1,4}$/.test(text) ? Number(text) - (isDerivative ? mostTrades : 0) : 0;
  return place >= 1 && place <= mostTrades ? Number(text) : undefined;
}

function ownersOf(file: SourceFile, row: TableRow): readonly ReportingOwner[] {
  const value = row.cell('owners');
  if (value === '') return row.cell('owner_name') === '' ? [] : [exactOwner(row, 'owner_')];
  const list = jsonIn(value);
  if (!Array.isArray(list)) throw row.refusal('owners', 'not a list of owners');
  return list.map((entry: unknown) => {
    // Parquet has objects as texts.
    const owner = typeof entry === 'string' ? jsonIn(entry) : entry;
    return exactOwner(jsonRow(file, isJsonObject(owner) ? owner : {}, row.row), '');
  });
}

function exactOwner(fields: TableRow, prefix: '' | 'owner_'): ReportingOwner {
  const names = {
    cik: `${prefix}cik`,
    name: `${prefix}name`,
    isDirector: 'is_director',
    isOfficer: 'is_officer',
    isTenPercent: 'is_ten_percent',
    officerTitle: 'officer_title',
  };
  // asof wrote the name as it is stored.
  return readOwner(fields, names, [(text) => text, secForms.ownerName[1]]);
}
