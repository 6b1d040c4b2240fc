import { type Ask, type Difference, failureOf } from '../../answering/answer.ts';
import { composed } from '../../answering/composed.ts';
import { question, transformationIn } from '../../answering/question.ts';
import { foundOf, isUnknown, type ResolvedSeries } from '../../answering/series-ids.ts';
import {
  columnOf,
  dayTextOf,
  refusedCell,
  tableChanged,
  textOfCell,
  type UserTable,
} from '../../answering/table.ts';
import { PublishedValues } from '../../domain/series/look-ahead.ts';
import { knownValue } from '../../domain/series/newest-values.ts';
import { namedSeries, nameOfSeries, transformationOf } from '../../domain/series/transformation.ts';
import { Exact } from '../../domain/values/arithmetic.ts';
import { addDays, type Day, parseDay } from '../../domain/values/date.ts';
import { decimalsOf, parseDecimal, sameNumber } from '../../domain/values/decimal.ts';
import { groupBy } from '../../domain/values/groups.ts';
import { missingTexts } from '../../domain/values/missing-value.ts';
import { inVoice, Problem, refused } from '../../errors/problem.ts';
import { listed } from '../../errors/wording.ts';
import { field, nullable, type RowFrom, showing } from '../../operations/field.ts';
import { type Param, type ParamValues, param } from '../../operations/param.ts';
import { seriesShow } from '../../operations/series/series.ts';
import { readFor, type TypedLine } from '../../operations/typed-line.ts';
import { flag, record, type Value } from '../../operations/value.ts';
import { defined } from '../../platform/defined.ts';
import { beyondParam, pointsOf } from '../series/panel-rows.ts';
import type { HistoryOnDays } from '../series/real-time-panel.ts';
import { skipMissing, unitsParams } from '../series/shared.ts';
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

const fields = [
  field(
    'row',
    'integer',
    'Where the row is: its line in a file, from 1 as in an editor; its place in rows in memory, from 0.',
  ),
  field('day', 'day', 'The day of the row.'),
  field('column', 'text', 'The column of the table.'),
  field('series_id', 'text', 'Identifier of the series.'),
  field('value', 'decimal', 'The value in the table.'),
  nullable('known', 'decimal', 'The value that was known on the day; empty if none was.'),
  nullable('known_date', 'day', 'The period of the known value, as its first day.'),
  nullable(
    'first_known',
    'day',
    'The first day on which the value of the table was known; empty if it never was.',
  ),
  nullable('value_date', 'day', 'The period whose value the table has, as its first day.'),
  field(
    'kind',
    'text',
    'ahead: known only later; never: in no vintage; newer: newer than the lag allows; with all rows also old: known, and older than the newest; known; before: before the first vintage; beyond: after the coverage.',
  ),
] as const;

/** A value of a table, compared with what was known on its day. */
export type CheckRow = RowFrom<(typeof fields)[number]>;

const layout = showing(fields);

type NamedColumns = Readonly<Record<string, string>>;

const columnsValue: Value<NamedColumns> = {
  ...record,
  parse: (given) => Object.fromEntries([namedColumn(given)]),
  schema: { type: 'object', additionalProperties: { type: 'string' } },
};

function namedColumn(text: string): readonly [column: string, id: string] {
  const at = text.lastIndexOf('=');
  const [column = '', id = column] = at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
  if (column === '' || id === '') throw refused({ reason: 'use NAME, or NAME=ID' });
  return [column, id];
}

function typedColumns(line: TypedLine): NamedColumns | undefined {
  const named = line.texts('column').map((text) => readFor('--column', text, namedColumn));
  const names = named.map(([name]) => name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined)
    throw new Problem('bad-input', `the column ${JSON.stringify(twice)} is named twice`, { field: 'column' });
  return named.length === 0 ? undefined : Object.fromEntries(named);
}

const columns: Param<NamedColumns | undefined, false> = {
  ...param(
    columnsValue,
    'The columns to check, with the id of the series of each; by default every column with the name of a series.',
    undefined,
    { flag: 'column' },
  ),
  typed: {
    flags: [
      {
        name: 'column',
        value: 'name=id',
        about: 'column to check, and the id of its series',
        repeatable: true,
      },
    ],
    read: typedColumns,
  },
};

const { strict, lag } = knownParams;

const params = {
  on: param(columnName, 'Column of the days (default the first).', undefined),
  date_format: dateFormat,
  columns,
  strict,
  lag,
  all_rows: param(flag, 'Include the values that were known.', undefined),
  beyond: beyondParam('what to compare values with after a series ends'),
  skip_missing: skipMissing,
  ...unitsParams,
};

type CheckValues = ParamValues<typeof params> & { readonly table: GivenTable };

// The labels are the names that editors show.
const args: readonly [table: typeof tableArgument] = [tableArgument];

/** The values of a table that were not known on the day of their row. */
export const check = question({
  name: 'check',
  command: {
    words: 'check',
    heading: 'Files',
    summary: 'Find values in a table that were not yet known on the day of their row',
    about: `Compares each value with the value known on the day of its row, and lists the values that were not
yet known: the row, the value, the known value, and the day on which the listed value became known.
Checks columns named like series. A column NAME_date gives the period of each value in the column NAME.`,
    surplus:
      'the columns of the table name the series; --column NAME=ID gives the series of one with another name',
    examples: `
# whether a file looks ahead: exit code 1 if it does (needs the file)
asof check features.csv --on day
# a column whose name is not the id, with values usable from the day after publication (needs the file)
asof check features.csv --on day --column unemployment=UNRATE --strict
`,
    exitsWithDifferences: true,
  },
  args,
  params,
  layout: () => layout,
  ...aboutTable('check'),
  async reading(values, ask) {
    const dated = await datedTable(values, ask);
    const checked = await checkedColumns(dated, values, ask);
    const series = new Map(checked.map((one) => [one.series.id, one.series]));
    return { series: [...series.values()], reads: 'histories' };
  },
  async answer(values, ask) {
    const dated = await datedTable(values, ask);
    const { table, days } = dated;
    // A check without rows would look like a table without faults.
    if (days.size === 0) throw new Problem('bad-input', `${table.name} has no rows to check`);
    return composed<CheckRow>(ask, async (counting) => {
      const checked = await checkedColumns(dated, values, counting);
      const known = await knownColumns(checked, values, [...new Set(days.values())], counting);
      return { object: 'check', ...layout, rows: rowsOf(dated, known, values.all_rows === true, ask) };
    });
  },
});

type CheckedColumn = {
  readonly place: number;
  readonly name: string;
  readonly series: ResolvedSeries;
  readonly lag: number;
  readonly dates: number | undefined;
};

type CheckKind = 'ahead' | 'before' | 'beyond' | 'known' | 'never' | 'newer' | 'old';

type CheckedValue = Pick<CheckRow, 'first_known' | 'known' | 'known_date' | 'value_date'> & {
  readonly kind: CheckKind;
};

type KnownColumn = CheckedColumn & {
  /** Whether every vintage that it is compared with is a publication. */
  readonly isExact: boolean;
  readonly classify: (value: string, day: Day, date: Day | undefined) => CheckedValue;
};

const faults: ReadonlySet<CheckKind> = new Set(['ahead', 'never', 'newer']);

const blanks: ReadonlySet<string> = new Set(missingTexts.anyTable);

/** Yields the checked rows in batches; notes the outcome, and returns whether there are faults. */
async function* rowsOf(
  { table, on, days }: DatedTable,
  columns: readonly KnownColumn[],
  allRows: boolean,
  context: Ask,
): AsyncGenerator<readonly CheckRow[], Difference> {
  const counts = { ahead: 0, before: 0, beyond: 0, known: 0, never: 0, newer: 0, old: 0 };
  for await (const batch of table.batches()) {
    const rows: CheckRow[] = [];
    for (let index = 0; index < batch.size; index += 1) {
      const day = days.get(dayTextOf(batch.cellAt(index, on)));
      if (day === undefined) throw tableChanged(table);
      for (const column of columns) {
        const text = textOfCell(batch.cellAt(index, column.place)).trim();
        if (blanks.has(text)) continue;
        const refuse = (value: string, name: string, reason: string) =>
          refusedCell(table, { row: batch.rowAt(index), column: name, value }, reason);
        const value = parseDecimal(text.replace(/^\+/, ''));
        if (value === undefined) throw refuse(text, column.name, 'is not a number');
        const beside = column.dates === undefined ? '' : textOfCell(batch.cellAt(index, column.dates));
        const date = parseDay(beside.slice(0, 10));
        if (date === undefined && beside !== '')
          throw refuse(beside, `${column.name}_date`, 'is not a date: use YYYY-MM-DD');
        const found = column.classify(value, day, date);
        counts[found.kind] += 1;
        if (!allRows && !faults.has(found.kind)) continue;
        const { name, series } = column;
        rows.push({
          ...{ row: batch.rowAt(index), day, column: name },
          ...{ series_id: nameOfSeries(series), value, ...found },
        });
      }
    }
    if (rows.length > 0) yield rows;
  }
  noteOutcome(table, columns, counts, context);
  return { differs: [...faults].some((kind) => counts[kind] > 0) };
}

/** Adds a note on what a check found; throws a Problem if nothing could be checked. */
function noteOutcome(
  { name }: UserTable,
  columns: readonly KnownColumn[],
  { ahead, before, beyond, known, never, newer, old }: Record<CheckKind, number>,
  { note, naming }: Ask,
): void {
  const texts = (...counts: readonly (readonly [count: number, what: string])[]) =>
    counts.flatMap(([count, what]) => (count > 0 ? `${count} ${what}` : []));
  const all = ahead + known + never + newer + old;
  const left = texts([before, 'before the first vintage'], [beyond, 'after the coverage']);
  if (all === 0)
    throw new Problem(
      'bad-input',
      [`${name} has no value that can be checked`, left.join(', ')].filter(Boolean).join(': '),
    );
  const rest = [
    ...texts([newer, 'newer than the lag allows'], [old, 'older than the newest known']),
    ...left.map((text) => `${text} not checked`),
  ].join(', ');
  const late = ahead + never;
  const [values, day] = all === 1 ? ['value was', 'its day'] : ['values were', 'their day'];
  const reasons = texts([ahead, 'became known later'], [never, 'in no vintage']).join(', ');
  const said =
    late === 0
      ? `${all === 1 ? 'the only' : `all ${all}`} ${values} known on ${day}`
      : `${late} of ${all} ${values} not known on ${day}: ${reasons}`;
  const kind = late === 0 && rest === '' ? 'passed' : 'check';
  note?.({ kind, text: `${name}: ${said}${rest === '' ? '' : `; ${rest}`}` });
  const ids = [...new Set(columns.filter(({ isExact }) => !isExact).map(({ series }) => series.id))];
  if (late === 0 || ids.length === 0) return;
  const are = `${listed(ids, 'and')} ${ids.length === 1 ? 'is' : 'are'} not exact`;
  const text = `${are}: a value may have been published before the first vintage here that has it; ${naming.param('exact')} refuses such series`;
  note?.({ kind: 'check', text });
}

async function checkedColumns(
  { table, on }: DatedTable,
  { columns, lag = 0, skip_missing }: CheckValues,
  context: Ask,
): Promise<readonly CheckedColumn[]> {
  const places = new Map(table.fields.map(({ name }, place) => [name, place]));
  const checkedAs = (name: string, text: string): Omit<CheckedColumn, 'series'> & { readonly id: string } => {
    // `join` and a panel with lags name their columns so.
    const [, id = text, own] = /^(.+)_lag(\d{1,3})$/.exec(text) ?? [];
    const [place, dates] = [columnOf(table, name), places.get(`${name}_date`)];
    return { id: id.toUpperCase(), place, name, lag: own === undefined ? lag : Number(own), dates };
  };
  const named = columns && Object.entries(columns).map(([name, id]) => checkedAs(name, id));
  const others = table.fields.filter(({ name }, place) => place !== on && !isBeside(name, places));
  const candidates = named ?? others.map(({ name }) => checkedAs(name, name));
  const outcomes = await Promise.all(
    candidates.map(async ({ id: typed, ...one }) => {
      const { id: text, ...units } = namedSeries(typed);
      const id = context.basis.idOf(text);
      try {
        const [row] = (await context.client.ask(seriesShow, [['id', id]])).results;
        return { ...one, series: { id, ...units, typed: one.name, ...defined({ row }) } };
      } catch (error) {
        return { id, name: one.name, error: failureOf(id, error) };
      }
    }),
  );
  if (named !== undefined) return foundOf<CheckedColumn>(outcomes, skip_missing === true, context);
  const isLeft = (one: (typeof outcomes)[number]) => 'error' in one && isUnknown(one.error);
  const checked = foundOf<CheckedColumn>(
    outcomes.filter((one) => !isLeft(one)),
    false,
    context,
  );
  if (checked.length === 0)
    throw new Problem('bad-input', `${table.name} has no column with the name of a series`, {
      hints: [`${context.naming.question(check, { columns: { NAME: 'ID' } })} names a column and its series`],
    });
  const left = outcomes.filter(isLeft).map(({ name }) => name);
  const text = `not checked, as no series has the name: ${listed(left, 'and')}`;
  if (left.length > 0) context.note?.({ kind: 'check', text });
  return checked;
}

function isBeside(name: string, places: ReadonlyMap<string, number>): boolean {
  const [, value] = /^(.+)_(?:date|age)$/.exec(name) ?? [];
  return value !== undefined && places.has(value);
}

async function knownColumns(
  checked: readonly CheckedColumn[],
  values: CheckValues,
  days: readonly Day[],
  counting: Ask,
): Promise<readonly KnownColumn[]> {
  // Loaded here: most questions are about no table.
  const { historiesOnDays } = await import('../series/real-time-panel.ts');
  const { strict, beyond, digits } = values;
  const isComputed = ({ series }: CheckedColumn) => transformationIn(values, series) !== undefined;
  // Throws for digits that no column has.
  if (digits !== undefined && !checked.some(isComputed))
    inVoice(counting.naming, () => transformationOf({ digits }));
  const asked = [...(strict ? days.map((day) => addDays(day, -1)) : days)].sort();
  const bySeries = [...groupBy(checked, ({ series }) => nameOfSeries(series)).values()];
  const wanted = bySeries.flatMap((columns) => {
    const last = Math.max(...columns.map(({ lag }) => lag)) + 1;
    return columns.slice(0, 1).map(({ series }) => ({ series, last }));
  });
  const histories = await historiesOnDays(wanted, asked, { ...values, beyond, lag: 0 }, counting);
  return histories
    .flatMap((history, i) => (bySeries[i] ?? []).map((one) => knownColumn(one, history, values)))
    .sort((a, b) => a.place - b.place);
}

/** A day after all others, which finds values that only a later vintage has. */
const latest: Day = '~';

function knownColumn(one: CheckedColumn, history: HistoryOnDays, values: CheckValues): KnownColumn {
  const { vintages, transformers, columns, placed } = history;
  const column = columns[one.lag];
  const pointOn = column === undefined ? () => undefined : pointsOf(column);
  const beyond = new Set(placed.beyondCoverage);
  const isTransformed = transformationIn(values, one.series) !== undefined;
  const isLagged = one.lag > 0;
  /** Every value ever published; read if the first value is not the known one. */
  let all: PublishedValues | undefined;
  const classify = (given: string, day: Day, date: Day | undefined): CheckedValue => {
    const asOf = values.strict ? addDays(day, -1) : day;
    if (beyond.has(asOf))
      return { known: null, known_date: null, first_known: null, value_date: null, kind: 'beyond' };
    const newest = pointOn(asOf);
    const transformer = transformers?.on(asOf);
    const isComputable = transformers === undefined || transformer !== undefined;
    const dated =
      date === undefined || !isComputable ? undefined : knownValue(vintages.on(asOf), date, transformer);
    const known = date === undefined ? newest : dated && { ...dated, asOfDate: dated.asOf };
    const beside = { known: known?.value ?? null, known_date: known?.date ?? null };
    // A computed growth rate may have more digits than the published one.
    const value = isTransformed && known?.value !== undefined ? roundedText(given, known.value) : given;
    if (known?.value !== undefined && sameNumber(value, known.value)) {
      const kind = isLagged && (known.date ?? '') > (newest?.date ?? '') ? 'newer' : 'known';
      return { ...beside, first_known: known.asOfDate ?? null, value_date: beside.known_date, kind };
    }
    all ??= new PublishedValues(vintages, transformers?.on(latest));
    const about = { day: asOf, newest: newest?.date, isLagged, date };
    const { kind, published } = all.placed(value, about);
    return { ...beside, first_known: published?.asOf ?? null, value_date: published?.date ?? null, kind };
  };
  return { ...one, isExact: placed.kinds.every((kind) => kind === undefined || kind === 'exact'), classify };
}

/** Rounds a number half to even to the decimals of another, if it has more of them. */
function roundedText(text: string, like: string): string {
  const decimals = decimalsOf(like);
  return decimalsOf(text) <= decimals ? text : new Exact(text).toFixed(decimals, Exact.ROUND_HALF_EVEN);
}
