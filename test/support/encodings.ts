import fc from 'fast-check';
import { agreeing, onePerKey, seriesIds } from './arbitrary.ts';
import type { ModelStatement } from './knowledge.ts';
import { type Files, type ImportFlags, importFiles } from './scratch-store.ts';
import { documentOf, trade } from './sec-documents.ts';

/** Files that contain statements, and the flags that their import needs. */
export type Encoded = { readonly files: Files; readonly flags: ImportFlags };

/** A format to write statements in, at most one for each series, date and vintage. */
export type Encoding = (said: readonly ModelStatement[]) => readonly Encoded[];

/** asof's own CSV, which can hold all statements in any order. */
export const asAsofCsv: Encoding = (said) => {
  const rows = said.map(({ series, date, asOf, value }) => `${series},${date},${asOf},${value ?? ''}\n`);
  return [{ files: { 'facts.csv': `series_id,date,as_of_date,value\n${rows.join('')}` }, flags: {} }];
};

/** ALFRED's columns of vintages, in as few files as blank cells allow. */
export const asAlfredWide: Encoding = (said) => {
  const tables = tablesOf(said, ({ series, asOf }) => `${series}_${asOf.replaceAll('-', '')}`);
  return [{ files: named(tables, (i) => `vintages-${i}.csv`, 'observation_date'), flags: {} }];
};

/** FRED's plain downloads, each imported separately with --as-of. */
export const asFredCsv: Encoding = (said) =>
  vintagesOf(said).flatMap((asOf) =>
    tablesOf(onDay(said, asOf), ({ series }) => series).map((table) => ({
      files: { 'download.csv': csv(table, 'observation_date') },
      flags: { asOf },
    })),
  );

/** Panels whose file names are their vintages. */
export const asDatedPanel: Encoding = (said) =>
  vintagesOf(said).map((asOf) => {
    const tables = tablesOf(onDay(said, asOf), ({ series }) => series);
    return { files: named(tables, (i) => `${i}/${asOf}.csv`, 'date'), flags: {} };
  });

/** Answers of FRED's API with open real-time periods, each beside the description of its series. */
export const asFredApi: Encoding = (said) =>
  seriesOf(said).map((series) => ({
    files: {
      [`${series}-observations.json`]: answer(said, series, '9999-12-31'),
      [`${series}-series.json`]: JSON.stringify({ seriess: [{ id: series }] }),
    },
    flags: {},
  }));

/** Answers of FRED's API that end at the last vintage, so that their last real-time periods are clipped. */
export const asClippedFredApi: Encoding = (said) =>
  seriesOf(said).map((series) => {
    const last = vintagesOf(said.filter((item) => item.series === series)).at(-1) ?? '';
    return { files: { 'answer.json': answer(said, series, last) }, flags: { series } };
  });

function answer(said: readonly ModelStatement[], series: string, end: string): string {
  const own = said.filter((item) => item.series === series);
  const observations = own.map(({ date, asOf, value }) => {
    const later = vintagesOf(own.filter((item) => item.date === date && item.asOf > asOf))[0];
    const until = later === undefined ? end : dayBefore(later);
    return { realtime_start: asOf, realtime_end: until, date, value: value ?? '.' };
  });
  return JSON.stringify({
    realtime_start: vintagesOf(own)[0],
    realtime_end: end,
    units: 'lin',
    output_type: 1,
    count: observations.length,
    observations,
  });
}

function dayBefore(day: string): string {
  return new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
}

/** Columns by name; each maps dates to cells. */
type Table = Map<string, Map<string, string | null>>;

/** Puts statements into columns, and columns into tables in which every cell says what the statements say. */
function tablesOf(
  said: readonly ModelStatement[],
  columnOf: (said: ModelStatement) => string,
): readonly Table[] {
  const columns: Table = new Map();
  for (const item of said) {
    const column = columns.get(columnOf(item)) ?? new Map<string, string | null>();
    columns.set(columnOf(item), column.set(item.date, item.value));
  }
  const tables: Table[] = [];
  for (const [name, column] of columns) {
    const open = tables.find((table) => isExact(new Map([...table, [name, column]])));
    if (open === undefined) tables.push(new Map([[name, column]]));
    else open.set(name, column);
  }
  return tables;
}

/**
 * Whether a table of several columns has a statement for every cell, and is plainly monthly: a blank cell says that
 * there is no figure, except where the series of a table seem to differ in frequency.
 */
function isExact(table: Table): boolean {
  const dates = datesOf(table);
  const series = new Map<string, string[]>();
  for (const [name, column] of table) {
    if (dates.some((date) => !column.has(date))) return false;
    const numbers = [...column].flatMap(([date, value]) => (value === null ? [] : [date]));
    const id = name.replace(/_\d{8}$/, '');
    series.set(id, [...(series.get(id) ?? []), ...numbers]);
  }
  return series.size < 2 || [...series.values()].every(showsMonths);
}

/** Whether some of these first days of months of one year are of neighbouring months. */
function showsMonths(dates: readonly string[]): boolean {
  const months = dates.map((date) => Number(date.slice(5, 7)));
  return months.some((month) => months.includes(month + 1));
}

const withdrawn = ['.', '#N/A', 'NA', ''];

function csv(table: Table, dateColumn: string): string {
  const rows = datesOf(table).map((date, row) => {
    const cells = [...table.values()].map((column, place) => {
      return column.get(date) ?? withdrawn[(row + place) % withdrawn.length] ?? '';
    });
    return `${date},${cells.join(',')}\n`;
  });
  return `${dateColumn},${[...table.keys()].join(',')}\n${rows.join('')}`;
}

function named(tables: readonly Table[], name: (index: number) => string, dateColumn: string): Files {
  return Object.fromEntries(tables.map((table, index) => [name(index), csv(table, dateColumn)]));
}

function datesOf(table: Table): readonly string[] {
  return [...new Set([...table.values()].flatMap((column) => [...column.keys()]))].sort();
}

function vintagesOf(said: readonly ModelStatement[]): readonly string[] {
  return [...new Set(said.map(({ asOf }) => asOf))].sort();
}

function seriesOf(said: readonly ModelStatement[]): readonly string[] {
  return [...new Set(said.map(({ series }) => series))].sort();
}

function onDay(said: readonly ModelStatement[], day: string): readonly ModelStatement[] {
  return said.filter(({ asOf }) => asOf === day);
}

const encodings = [asAsofCsv, asAlfredWide, asFredCsv, asDatedPanel, asFredApi, asClippedFredApi];

/** Metadata of some fields of some series; two files never contradict each other. */
const metadata: fc.Arbitrary<Encoded> = fc
  .record({
    ids: fc.subarray([...seriesIds, 'ONLY'], { minLength: 1 }),
    fields: fc.subarray(['title', 'units', 'seasonal_adjustment', 'covered_to', 'vintage_kind'], {
      minLength: 1,
    }),
  })
  .map(({ ids, fields }) => {
    const rows = ids.map((id) => [id, ...fields.map((field) => said(id, field))].join(','));
    return { files: { 'metadata.csv': `series_id,${fields.join(',')}\n${rows.join('\n')}\n` }, flags: {} };
  });

function said(id: string, field: string): string {
  if (field === 'covered_to') return '2026-01-02';
  return field === 'vintage_kind' ? 'sampled' : `${field} of ${id}`;
}

/** Rates of some days, with the same numbers in every file and texts of their own. */
const rates: fc.Arbitrary<Encoded> = fc
  .record({
    days: fc.subarray(['2015-01-02', '2015-01-05', '2015-01-06', '2015-01-07'], { minLength: 2 }),
    digits: fc.constantFrom(1, 2, 3),
  })
  .map(({ days, digits }) => {
    const rows = days.map((day) => `${day},${(2).toFixed(digits)},${(1.5).toFixed(digits)}`);
    return { files: { 'par.csv': `Date,"1 Mo","10 Yr"\n${rows.join('\n')}\n` }, flags: {} };
  });

/** Filings of purchases; the documents of one filing state the same, or one states less. */
const filings: fc.Arbitrary<Encoded> = fc
  .record({ number: fc.constantFrom(1, 2, 3), hasTicker: fc.boolean() })
  .map(({ number, hasTicker }) => {
    const symbol = hasTicker ? '<issuerTradingSymbol>HEAR</issuerTradingSymbol>' : '';
    const issuer = `<issuerCik>1493761</issuerCik><issuerName>Turtle Beach Corp</issuerName>${symbol}`;
    const tables = trade({ transactionShares: `<value>${number}00</value>` });
    return {
      files: { [`0000000001-26-00000${number}.xml`]: documentOf({ issuer, tables }) },
      flags: { filedOn: '2026-01-05' },
    };
  });

/** Looks at a calendar, whose events depend on the day, and days of a release that happened. */
const calendars: fc.Arbitrary<Encoded> = fc
  .record({ day: fc.constantFrom('01', '02', '03'), isText: fc.boolean() })
  .map(({ day, isText }) => {
    const text = `Release Dates:\n----------\n2025-09-05\n2025-10-${day}\n`;
    if (isText) return { files: { 'release_dates_50.txt': text }, flags: {} };
    const events = ['04', '05', '06']
      .filter((other) => Number(other) % Number(day) > 0 || day === '01')
      .map((other) => `BEGIN:VEVENT\nDTSTART:202510${other}T080000Z\nSUMMARY:Jobs\nEND:VEVENT\n`);
    const lines = ['BEGIN:VCALENDAR', 'PRODID:-//Office//EN', `${events.join('')}END:VCALENDAR`];
    return { files: { [`office-2025-10-${day}.ics`]: lines.join('\n') }, flags: {} };
  });

/** Imports of every kind, which agree with each other in any order. */
export const mixedImports: fc.Arbitrary<readonly Encoded[]> = fc
  .record({
    statements: agreeing,
    formats: fc.array(fc.constantFrom(...encodings), { minLength: 1, maxLength: 4 }),
    others: fc.array(fc.oneof(metadata, rates, filings, calendars), { maxLength: 5 }),
    order: fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
  })
  .map(({ statements, formats, others, order }) => {
    const pieces = formats.flatMap((encode, piece) => {
      const own = statements.filter((item) => item.piece % formats.length === piece);
      return own.length === 0 ? [] : encode(onePerKey(own.map((item) => item.said)));
    });
    return [...pieces, ...others]
      .map((item, i) => ({ item, at: order[i] ?? i }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
  });

/** Imports into a store as the generated imports need it. */
export function importMixed(address: string, { files, flags }: Encoded, more: ImportFlags = {}) {
  return importFiles(address, files, { merge: true, projections: true, ...flags, ...more });
}
