import { type Day, dayNumber } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import type { Row } from '../operations/envelope.ts';
import { type Field, showing } from '../operations/field.ts';
import type { QueryAnswer, QueryContext, WrittenRows } from './answer.ts';
import { composed } from './composed.ts';
import { laggedName } from './layouts.ts';
import type { PanelColumn, PanelPoint } from './panel.ts';
import type { JoinQuery, RealTimePanelQuery } from './query.ts';
import { columnsOf, estimateRealTimePanel, panelSeries } from './real-time-panel.ts';
import {
  columnOf,
  daysIn,
  dayTextOf,
  type TableBatch,
  type TableFiles,
  tableChanged,
  type UserTable,
} from './table.ts';

/** An open table, the place of the column with its days, and these days by the texts of their cells. */
type DatedTable = {
  readonly table: UserTable;
  readonly on: number;
  readonly days: ReadonlyMap<string, Day>;
};

/** The rows of a table, each with what was known of series on its day, as in the real-time panel on these days. */
export async function answerJoin(query: JoinQuery, context: QueryContext): Promise<QueryAnswer> {
  const files = tablesOf(context);
  const dated = await datedTable(query, files);
  const { table } = dated;
  let joined: readonly JoinedColumn[] = [];
  const answer = await composed<Row>(context, async (counting) => {
    const panel = panelOf(query, dated.days, files);
    const columns = await columnsOf(await panelSeries(panel, counting), panel, counting);
    joined = columns.flatMap((column) => joinedColumns(column, query));
    refuseTwice([...table.fields, ...joined.map(({ field }) => field)], table);
    const layout = showing([...table.fields, ...joined.map(({ field }) => field)]);
    return { object: 'join', ...layout, rows: rowsOf(dated, joined) };
  });
  const written = writtenRows(dated, joined);
  return { ...answer, ...(written && { written }) };
}

/** The number of requests that a join takes, in words. */
export async function estimateJoin(query: JoinQuery, context: QueryContext): Promise<string> {
  const files = tablesOf(context);
  const { days } = await datedTable(query, files);
  const text = await estimateRealTimePanel(panelOf(query, days, files), context);
  return text.replace(/^this panel/, 'this join');
}

/** The tables that a query may name. */
export function tablesOf({ tables }: QueryContext): TableFiles {
  if (tables === undefined) throw new Error('there are no tables here');
  return tables;
}

async function datedTable({ table: name, on, strict }: JoinQuery, files: TableFiles): Promise<DatedTable> {
  const table = await files.open(name);
  const column = columnOf(table, on);
  return { table, on: column, days: await daysIn(table, column, files, { strict }) };
}

/** The panel of what was known on the days of a table; if it has no rows, on the last possible day. */
function panelOf(
  { ids, skipMissing, strict, lag, beyond, transformation }: JoinQuery,
  days: ReadonlyMap<string, Day>,
  { latest }: TableFiles,
): RealTimePanelQuery {
  return {
    kind: 'real-time-panel',
    ids,
    each: days.size === 0 ? [latest] : [...new Set(days.values())],
    wide: true,
    sort: 'asc',
    withDates: false,
    // No row can be after the coverage of the data.
    beyond: days.size === 0 ? 'repeat' : beyond,
    ...(skipMissing && { skipMissing }),
    ...(strict && { knownBefore: true }),
    ...(lag !== undefined && { lag }),
    ...(transformation && { transformation }),
  };
}

/** A column that a join adds, and the text of its cell on each day; empty if there is no value. */
type JoinedColumn = { readonly field: Field; readonly textOn: (day: Day) => string };

function joinedColumns(
  { series: { id, typed = id }, points, lag }: PanelColumn,
  { withDates, withAges }: JoinQuery,
): readonly JoinedColumn[] {
  const name = laggedName(typed, lag);
  const column = (
    suffix: string,
    type: Field['type'],
    description: string,
    text: (point: PanelPoint, day: Day) => string | undefined,
  ): JoinedColumn => ({
    field: { name: `${name}${suffix}`, type, description, nullable: true },
    textOn(day) {
      const point = points.get(day);
      return (point && text(point, day)) ?? '';
    },
  });
  return [
    column('', 'decimal', `Values of ${name} that were known on the day of the row.`, ({ value }) => value),
    ...(withDates
      ? [column('_date', 'day', `The period that the value of ${name} belongs to.`, ({ date }) => date)]
      : []),
    ...(withAges
      ? [
          column('_age', 'integer', `Days since the value of ${name} was published.`, ({ asOfDate }, day) =>
            asOfDate === undefined ? undefined : String(dayNumber(day) - dayNumber(asOfDate)),
          ),
        ]
      : []),
  ];
}

function refuseTwice(fields: readonly Field[], { name: table }: UserTable): void {
  const twice = fields.find(({ name }, i) => fields.findIndex((other) => other.name === name) < i);
  if (twice === undefined) return;
  throw new Problem('bad-input', `${table} has a column ${twice.name} already`, {
    hints: [`rename it, or type the id of the series in another letter case`],
  });
}

async function* rowsOf(dated: DatedTable, joined: readonly JoinedColumn[]): AsyncGenerator<readonly Row[]> {
  const { table } = dated;
  const names = table.fields.map(({ name }) => name);
  const cells = perDay(dated, (day) =>
    joined.map(({ field: { name, type }, textOn }) => {
      const text = textOn(day);
      return [name, text === '' ? null : type === 'integer' ? Number(text) : text] as const;
    }),
  );
  let isEmpty = true;
  for await (const batch of table.batches()) {
    const rows: Row[] = [];
    for (let index = 0; index < batch.size; index += 1) {
      const row: { [name: string]: Row[string] } = {};
      for (const [column, name] of names.entries()) row[name] = batch.cellAt(index, column);
      for (const [name, cell] of cells(batch, index)) row[name] = cell;
      rows.push(row);
    }
    isEmpty = false;
    yield rows;
  }
  if (isEmpty) yield [];
}

/** The same rows as a text: each row as it is written, followed by the cells of its day. */
function writtenRows(dated: DatedTable, joined: readonly JoinedColumn[]): WrittenRows | undefined {
  const { table } = dated;
  const { text } = table;
  if (text === undefined) return undefined;
  const { separator } = text;
  const added = perDay(dated, (day) =>
    Buffer.from(`${joined.map(({ textOn }) => separator + textOn(day)).join('')}\n`),
  );
  return {
    separator,
    header: [text.header, ...joined.map(({ field }) => field.name)].join(separator),
    async *pages() {
      let space = Buffer.alloc(0);
      for await (const batch of table.batches()) {
        const ends: Buffer[] = [];
        let size = batch.byteLength;
        for (let index = 0; index < batch.size; index += 1) {
          const end = added(batch, index);
          ends.push(end);
          size += end.length;
        }
        if (space.length < size) space = Buffer.allocUnsafe(size);
        let at = 0;
        for (let index = 0; index < batch.size; index += 1) {
          at = batch.copyRow(index, space, at);
          at += ends[index]?.copy(space, at) ?? 0;
        }
        yield { bytes: space.subarray(0, at), rows: batch.size };
      }
    },
  };
}

/** The result of `make` for the day of a row, made once for each day. */
function perDay<T>(
  { table, on, days }: DatedTable,
  make: (day: Day) => T,
): (batch: TableBatch, index: number) => T {
  const made = new Map<Day, T>();
  let above: T | undefined;
  return (batch, index) => {
    if (above !== undefined && batch.repeats(index, on)) return above;
    const day = days.get(dayTextOf(batch.cellAt(index, on)));
    if (day === undefined) throw tableChanged(table);
    above = made.get(day) ?? make(day);
    made.set(day, above);
    return above;
  };
}
