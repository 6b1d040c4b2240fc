// Why: docs/decisions/joins-are-panels.md
import type { WrittenPage, WrittenRows } from '../../answering/answer.ts';
import { composed } from '../../answering/composed.ts';
import { question } from '../../answering/question.ts';
import { type TableBatch, tableChanged, type UserTable } from '../../answering/table.ts';
import { lastDayOver } from '../../domain/calendar/zones.ts';
import { nameOfSeries } from '../../domain/series/transformation.ts';
import { type Day, dayNumber } from '../../domain/values/date.ts';
import { contradiction, Problem } from '../../errors/problem.ts';
import type { Cell, ColumnPage, Row } from '../../operations/envelope.ts';
import { type Field, nullable, showing } from '../../operations/field.ts';
import { type Param, type ParamValues, param } from '../../operations/param.ts';
import { flag } from '../../operations/value.ts';
import { panel } from '../series/panel.ts';
import {
  beyondParam,
  laggedName,
  type PanelColumn,
  type PanelPoint,
  pointsOf,
  type RealTimePanelQuery,
} from '../series/panel-rows.ts';
import { type SeriesArgument, severalSeries, skipMissing, unitsParams } from '../series/shared.ts';
import {
  aboutTable,
  columnName,
  type DatedTable,
  datedTable,
  dateFormat,
  type GivenTable,
  knownParams,
  tableArgument,
} from './shared.ts';

const on: Param<string, true> = {
  ...param(columnName, 'Column of the days.', ''),
  required: true,
};

const params = {
  on,
  date_format: dateFormat,
  ...knownParams,
  known_at: param(
    flag,
    'The column has times with their offsets from UTC: use what was known at each, to the minute where calendars give the times of releases.',
    undefined,
    { help: { about: 'the column has times, such as 2009-01-30T08:29-05:00: use what was known at each' } },
  ),
  with_dates: param(flag, 'Add the observation date of each value.', undefined),
  with_age: param(flag, 'Add the days since each value was published.', undefined),
  beyond: beyondParam('cells of days after a series ends'),
  skip_missing: skipMissing,
  ...unitsParams,
};

type JoinValues = ParamValues<typeof params> & {
  readonly table: GivenTable;
  readonly ids: readonly string[];
};

// The labels are the names that editors show.
const args: readonly [table: typeof tableArgument, ids: SeriesArgument] = [
  tableArgument,
  severalSeries((line) => line.args.slice(1)),
];

/** Each row of a table beside the values of series known on its day. */
export const join = question({
  name: 'join',
  command: {
    words: 'join',
    heading: 'Files',
    summary: 'Add to each row of a table what was known on its day',
    about: `Writes the rows of the table in their order, with a column for each series: the newest value known on
the day of the row. From CSV to CSV, or TSV to TSV, its cells are copied byte by byte.`,
    examples: `
# what was known on the day of each trade (needs the file)
asof join trades.csv --on day GDP UNRATE -o joined.csv
# growth as known before the day, with the period and the age of each value (needs the file)
asof join trades.csv --on day GDP --strict --units pca --with-dates --with-age
# what was known at the minute of each trade (needs the file)
asof join trades.csv --on time GDP --known-at
`,
  },
  args,
  params,
  check({ strict, known_at, date_format }) {
    if (date_format !== undefined && known_at === true)
      throw contradiction(
        'known_at',
        ({ param }) => `use either ${param('date_format')} or ${param('known_at')}`,
      );
    if (strict === true && known_at === true)
      throw contradiction('known_at', ({ param }) => `use either ${param('strict')} or ${param('known_at')}`);
  },
  layout: () => undefined,
  ...aboutTable('join'),
  async reading(values, ask) {
    const { readingOfRealTimePanel } = await import('../series/real-time-panel.ts');
    return readingOfRealTimePanel(panelOf(values, await datedTable(values, ask)), ask);
  },
  async answer(values, ask) {
    // Loaded here: most questions are about no table.
    const { panelColumns } = await import('../series/real-time-panel.ts');
    const dated = await datedTable(values, ask);
    const { table } = dated;
    let joined: readonly JoinedColumn[] = [];
    const answer = await composed<Row>(ask, async (counting) => {
      const columns = await panelColumns(panelOf(values, dated), counting);
      const nearest = table.fields.some(({ type }) => type === 'double');
      joined = columns.flatMap((column) => joinedColumns(column, values, nearest));
      const fields = [...table.fields, ...joined.map(({ field }) => field)];
      refuseTwice(fields, table);
      const byColumn = () => columnsOf(dated, joined);
      return { object: 'join', ...showing(fields), rows: rowsOf(dated, joined), byColumn };
    });
    const written = writtenRows(dated, joined);
    return { ...answer, ...(written && { written }) };
  },
});

/** Returns the panel on the days of a table; of a table without rows, on the last possible day. */
function panelOf(
  { strict, beyond, known_at, ...values }: JoinValues,
  { days, latest }: DatedTable,
): RealTimePanelQuery {
  const instants = known_at === true && days.size > 0 ? [...new Set(days.values())].sort() : undefined;
  return {
    ...values,
    ...(instants && { instants }),
    as_of_each: days.size === 0 ? [latest] : [...new Set(instants?.map(lastDayOver) ?? days.values())],
    known_before_each: strict,
    // No row can be after the coverage of the data.
    beyond: days.size === 0 ? 'repeat' : beyond,
    panel,
  };
}

/** A column that a join adds, and the text of its cell on each day; empty if there is no value. */
type JoinedColumn = { readonly field: Field; readonly textOn: (day: Day) => string };

function joinedColumns(
  panelColumn: PanelColumn,
  { with_dates, with_age }: JoinValues,
  nearest: boolean,
): readonly JoinedColumn[] {
  const { series, lag } = panelColumn;
  const pointOn = pointsOf(panelColumn);
  const name = laggedName(series.typed ?? nameOfSeries(series), lag);
  const column = (
    suffix: string,
    type: Field['type'],
    description: string,
    text: (point: PanelPoint, day: Day) => string | undefined,
  ): JoinedColumn => ({
    field: { ...nullable(`${name}${suffix}`, type, description), nearest },
    textOn(day) {
      const point = pointOn(day);
      return (point && text(point, day)) ?? '';
    },
  });
  return [
    column('', 'decimal', `Values of ${name} that were known on the day of the row.`, ({ value }) => value),
    ...(with_dates
      ? [column('_date', 'day', `The period of the value of ${name}, as its first day.`, ({ date }) => date)]
      : []),
    ...(with_age
      ? [
          column('_age', 'integer', `Days since the value of ${name} was published.`, ({ asOfDate }, day) =>
            asOfDate === undefined ? undefined : String(dayNumber(day) - dayNumber(asOfDate)),
          ),
        ]
      : []),
  ];
}

function refuseTwice(fields: readonly Field[], { name: table, fields: own }: UserTable): void {
  const twice = fields.find(({ name }, i) => fields.findIndex((other) => other.name === name) < i);
  if (twice === undefined) return;
  const { name } = twice;
  const isOfTable = own.some((field) => field.name === name);
  const [detail, hint] = isOfTable
    ? [`${table} has a column ${name} already`, 'rename it']
    : [`two columns have the name ${name}`, 'leave out the dates and ages'];
  throw new Problem('bad-input', detail, {
    hints: [`${hint}, or type the id of the series in another letter case`],
  });
}

function cellOn({ field: { type }, textOn }: JoinedColumn, day: Day): string | number | null {
  const text = textOn(day);
  return text === '' ? null : type === 'integer' ? Number(text) : text;
}

async function* rowsOf(dated: DatedTable, joined: readonly JoinedColumn[]): AsyncGenerator<readonly Row[]> {
  const { table } = dated;
  const names = table.fields.map(({ name }) => name);
  const cells = perDay(dated, (day) =>
    joined.map((column) => [column.field.name, cellOn(column, day)] as const),
  );
  for await (const batch of table.batches()) {
    const rows: Row[] = [];
    for (let index = 0; index < batch.size; index += 1) {
      const row: { [name: string]: Row[string] } = {};
      for (const [column, name] of names.entries()) row[name] = batch.cellAt(index, column);
      for (const [name, cell] of cells(batch, index)) row[name] = cell;
      rows.push(row);
    }
    yield rows;
  }
}

/** Yields the joined rows by column; equal days share their cells. */
async function* columnsOf(
  dated: DatedTable,
  joined: readonly JoinedColumn[],
): AsyncGenerator<ColumnPage, undefined> {
  const { table } = dated;
  const places = new Map(table.fields.map(({ name }, place) => [name, place]));
  const added = new Map(joined.map(({ field }, place) => [field.name, place]));
  const cellsOn = perDay(dated, (day) => joined.map((column) => cellOn(column, day)));
  for await (const batch of table.batches()) {
    const { size } = batch;
    const known: (readonly Cell[])[] = [];
    for (let index = 0; index < size; index += 1) known.push(cellsOn(batch, index));
    const cellsOf = (field: string): readonly (Cell | undefined)[] => {
      const place = places.get(field);
      const of = added.get(field) ?? 0;
      if (place === undefined) return known.map((cells) => cells[of]);
      const cells: Cell[] = [];
      for (let index = 0, above: Cell = null; index < size; index += 1) {
        if (!batch.repeats(index, place)) above = batch.cellAt(index, place);
        cells.push(above);
      }
      return cells;
    };
    yield { rows: batch.size, cellsOf };
  }
  return undefined;
}

/** Returns the joined rows as text, with the user's rows as written; undefined if the table is not text. */
function writtenRows(dated: DatedTable, joined: readonly JoinedColumn[]): WrittenRows<undefined> | undefined {
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
    async *pages(): AsyncGenerator<WrittenPage, undefined> {
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
      return undefined;
    },
  };
}

function perDay<T>(
  { table, on, days, keyOf }: DatedTable,
  make: (day: Day) => T,
): (batch: TableBatch, index: number) => T {
  const made = new Map<Day, T>();
  let above: T | undefined;
  return (batch, index) => {
    if (above !== undefined && batch.repeats(index, on)) return above;
    const day = days.get(keyOf(batch.cellAt(index, on)));
    if (day === undefined) throw tableChanged(table);
    above = made.get(day) ?? make(day);
    made.set(day, above);
    return above;
  };
}
