import { roundedText } from '../domain/series/arithmetic.ts';
import { addDays, type Day, parseDay } from '../domain/series/date.ts';
import { parseDecimal, sameNumber } from '../domain/series/decimal.ts';
import { PublishedValues } from '../domain/series/look-ahead.ts';
import { Problem } from '../errors/problem.ts';
import type { QueryAnswer, QueryContext } from './answer.ts';
import { type Checked, checkedColumns } from './checked-columns.ts';
import { type ComposedContext, composed, eachOf, estimated, pagesExpected } from './composed.ts';
import { columnsOfHistory, type HistoryColumns } from './history.ts';
import { tablesOf } from './join.ts';
import { type CheckRow, checkLayout } from './layouts.ts';
import type { PanelPoint } from './panel.ts';
import type { CheckQuery, RealTimePanelQuery } from './query.ts';
import { noteAll, notedDays } from './real-time-panel.ts';
import { listed } from './series-ids.ts';
import { columnOf, daysIn, refusedCell, tableChanged, textOfCell, type UserTable } from './table.ts';

type CheckKind = 'ahead' | 'beyond' | 'known' | 'never' | 'old';

/** Which values of a table were not known on the day of their row. */
export async function answerCheck(query: CheckQuery, context: QueryContext): Promise<QueryAnswer<CheckRow>> {
  const files = tablesOf(context);
  const table = await files.open(query.table);
  const on = query.on === undefined ? 0 : columnOf(table, query.on);
  const days = await daysIn(table, on, files, query.strict).catch((error) => {
    throw query.on === undefined && error instanceof Problem ? firstColumnTaken(error) : error;
  });
  // A check that compares nothing would look like a table without fault.
  if (days.size === 0) throw new Problem('bad-input', `${table.name} has no rows to check`);
  const counts = { ahead: 0, beyond: 0, known: 0, never: 0, old: 0 };
  const answer = await composed<CheckRow>(context, async (counting) => {
    const checked = await checkedColumns(table, on, query, counting);
    const { columns, failures } = await knownColumns(checked, query, [...new Set(days.values())], counting);
    const rows = failures.length > 0 ? [] : rowsOf({ table, on, days, columns, query }, counts, context.note);
    return { object: 'check', ...checkLayout, rows, failures };
  });
  // What differs is known after the last row.
  return Object.defineProperty({ ...answer }, 'differs', {
    get: () => counts.ahead + counts.never > 0,
    enumerable: true,
  });
}

function firstColumnTaken(problem: Problem): Problem {
  return problem.with({
    hints: [...problem.hints, 'the days are taken from the first column, unless --on names another'],
  });
}

/** How many requests a check takes, in words. */
export async function estimateCheck(query: CheckQuery, context: QueryContext): Promise<string> {
  const table = await tablesOf(context).open(query.table);
  const on = query.on === undefined ? 0 : columnOf(table, query.on);
  return estimated(context, async (counting) => {
    const checked = await checkedColumns(table, on, query, counting);
    const series = new Map(checked.map((one) => [one.series.id, one.series]));
    const pages = await Promise.all([...series.values()].map((one) => pagesExpected(one, counting)));
    return `this check takes about ${pages.reduce((sum, count) => sum + count + 1, 0) + counting.checks()} requests`;
  });
}

/** A column of a table, with what was known of its series on each day. */
type KnownColumn = Checked & {
  readonly points: ReadonlyMap<Day, PanelPoint>;
  readonly beyond: ReadonlySet<Day>;
  readonly history: HistoryColumns;
  /** What was found of a value and a date on a day. */
  readonly found: Map<string, Judgement>;
  /** Every value that was ever published, found when the first value is not what was known. */
  values?: PublishedValues;
};

type Judgement = Pick<CheckRow, 'first_known' | 'known' | 'known_date' | 'value_date'> & {
  readonly kind: CheckKind;
};

async function knownColumns(
  checked: readonly Checked[],
  { strict, beyond, transformation }: CheckQuery,
  days: readonly Day[],
  counting: ComposedContext,
) {
  const asked = [...(strict ? days.map((day) => addDays(day, -1)) : days)].sort();
  const bySeries = new Map<string, Checked[]>();
  for (const one of checked) bySeries.set(one.series.id, [...(bySeries.get(one.series.id) ?? []), one]);
  const { done, failures } = await eachOf([...bySeries.values()], async (columns) => {
    const [{ series } = { series: { id: '' } }] = columns;
    const last = Math.max(...columns.map(({ lag }) => lag)) + 1;
    const query = { last, beyond, ...(transformation && { transformation }) };
    const history = await columnsOfHistory(series, asked, query as RealTimePanelQuery, counting);
    return { history, columns };
  });
  const placed = done.map(({ history }) => history.placed);
  await noteAll(
    placed.map(({ series }) => series),
    placed,
    notedDays(asked, counting),
    counting,
  );
  const columns = done.flatMap(({ history, columns: own }) =>
    own.map((one): KnownColumn => {
      const { points } = history.columns[one.lag] ?? { points: new Map() };
      const beyond = new Set(history.placed.beyondCoverage);
      return { ...one, history, points, beyond, found: new Map() };
    }),
  );
  return {
    columns: columns.sort((a, b) => a.place - b.place),
    failures: failures.map(({ of: [first], error }) => ({ id: first?.series.id ?? '', error })),
  };
}

type Checking = {
  readonly table: UserTable;
  readonly on: number;
  readonly days: ReadonlyMap<string, Day>;
  readonly columns: readonly KnownColumn[];
  readonly query: CheckQuery;
};

async function* rowsOf(
  { table, on, days, columns, query }: Checking,
  counts: Record<CheckKind, number>,
  note: QueryContext['note'],
): AsyncGenerator<readonly CheckRow[]> {
  let isEmpty = true;
  for await (const batch of table.batches()) {
    const rows: CheckRow[] = [];
    for (let index = 0; index < batch.size; index += 1) {
      const day = days.get(textOfCell(batch.cellAt(index, on)));
      if (day === undefined) throw tableChanged(table);
      for (const column of columns) {
        const text = textOfCell(batch.cellAt(index, column.place)).trim();
        if (missing.has(text)) continue;
        const refuse = (value: string, name: string, reason: string) =>
          refusedCell(table, { row: batch.rowAt(index), column: name, value }, reason);
        const value = parseDecimal(text.replace(/^\+/, ''));
        if (value === undefined) throw refuse(text, column.name, 'is not a number');
        const date = dateBeside(column, textOfCell(batch.cellAt(index, column.dates ?? on)), refuse);
        const key = `${day} ${value} ${date ?? ''}`;
        const found = column.found.get(key) ?? judged(column, value, day, date, query);
        // A file with another value on each row fills no memory.
        if (column.found.size > mostFound) column.found.clear();
        column.found.set(key, found);
        counts[found.kind] += 1;
        if (!query.allRows && found.kind !== 'ahead' && found.kind !== 'never') continue;
        const { name, series } = column;
        rows.push({ row: batch.rowAt(index), day, column: name, series_id: series.id, value, ...found });
      }
    }
    if (isEmpty || rows.length > 0) yield rows;
    isEmpty = false;
  }
  if (isEmpty) yield [];
  const { ahead, beyond, known, never, old } = counts;
  if (ahead + known + never + old === 0)
    throw new Problem(
      'bad-input',
      `${table.name} has no value that can be checked${beyond > 0 ? `: ${beyond} are after the coverage` : ''}`,
    );
  note?.({ kind: 'check', text: summaryOf(counts, table) });
  const ids = [...new Set(columns.filter(isInexact).map(({ series }) => series.id))];
  if (ahead + never > 0 && ids.length > 0)
    note?.({
      kind: 'check',
      text: `${listed(ids, 'and')} ${ids.length === 1 ? 'is' : 'are'} not exact: a value may have been published before the first vintage here that has it; --exact refuses such series`,
    });
}

/** Whether any of the vintages that a column is compared with is not a publication. */
function isInexact({ history: { placed } }: KnownColumn): boolean {
  return [...placed.kinds.values()].some((kind) => kind !== 'exact');
}

/** How many findings of a column are kept for the rows after them. */
const mostFound = 100_000;

/** How files write that there is no value. */
const missing: ReadonlySet<string> = new Set(['', 'NaN', 'nan', 'NA', '#N/A', 'null', '.']);

/** The date of a value that the file has in a column beside it. */
function dateBeside(
  { name, dates }: Checked,
  text: string,
  refuse: (value: string, name: string, reason: string) => Problem,
): Day | undefined {
  if (dates === undefined || text === '') return undefined;
  const date = parseDay(text.slice(0, 10));
  if (date === undefined) throw refuse(text, `${name}_date`, 'is not a date: use YYYY-MM-DD');
  return date;
}

/** What a value is, beside what was known on its day. */
function judged(
  column: KnownColumn,
  given: string,
  day: Day,
  date: Day | undefined,
  { strict, transformation }: CheckQuery,
): Judgement {
  const asOf = strict ? addDays(day, -1) : day;
  const nothing = { known: null, known_date: null, first_known: null, value_date: null };
  if (column.beyond.has(asOf)) return { ...nothing, kind: 'beyond' };
  const { vintages, transformer } = column.history;
  const newest = column.points.get(asOf);
  const known = date === undefined ? newest : valueOn(column.history, asOf, date);
  const beside = { known: known?.value ?? null, known_date: (known && (date ?? newest?.date)) ?? null };
  // A growth rate of one's own has more digits than a published one.
  const value =
    transformation === undefined || known?.value === undefined ? given : roundedText(given, known.value);
  if (known?.value !== undefined && sameNumber(value, known.value))
    return { ...beside, first_known: known.asOfDate ?? null, value_date: beside.known_date, kind: 'known' };
  column.values ??= new PublishedValues(vintages, transformer);
  const { kind, published } = column.values.placed(value, { day: asOf, newest: newest?.date, date });
  return { ...beside, first_known: published?.asOf ?? null, value_date: published?.date ?? null, kind };
}

function valueOn(
  { vintages, transformer }: HistoryColumns,
  asOf: Day,
  date: Day,
): { readonly value: string; readonly asOfDate: Day } | undefined {
  const vintage = vintages.on(asOf);
  const computed = transformer?.valueIn(vintage, date);
  if (transformer !== undefined) return computed && { value: computed.value, asOfDate: computed.since };
  const found = vintage.valueOf(date);
  return found && { value: found.value, asOfDate: found.asOf };
}

/** What a check found, in words. */
function summaryOf(
  { ahead, beyond, known, never, old }: Record<CheckKind, number>,
  { name }: UserTable,
): string {
  const all = ahead + known + never + old;
  const others = [
    ...(old > 0 ? [`${old} older than the newest known`] : []),
    ...(beyond > 0 ? [`${beyond} after the coverage not checked`] : []),
  ];
  const rest = others.length === 0 ? '' : `; ${others.join(', ')}`;
  if (ahead + never === 0) return `${name}: all ${all} values were known on their day${rest}`;
  const parts = [
    ...(ahead > 0 ? [`${ahead} became known later`] : []),
    ...(never > 0 ? [`${never} in no vintage`] : []),
  ];
  return `${name}: ${ahead + never} of ${all} values were not known on their day: ${parts.join(', ')}${rest}`;
}
