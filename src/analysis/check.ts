import { roundedText } from '../domain/series/arithmetic.ts';
import { addDays, type Day, parseDay } from '../domain/series/date.ts';
import { parseDecimal, sameNumber } from '../domain/series/decimal.ts';
import { PublishedValues } from '../domain/series/look-ahead.ts';
import { knownValue } from '../domain/series/newest-values.ts';
import { Problem } from '../errors/problem.ts';
import { counted, listed } from '../errors/wording.ts';
import { commandNaming } from '../operations/operation.ts';
import type { QueryAnswer, QueryContext } from './answer.ts';
import { type Checked, checkedColumns } from './checked-columns.ts';
import { type ComposedContext, composed, eachOf, estimated, pagesExpected } from './composed.ts';
import { columnsOfHistory, type HistoryColumns } from './history.ts';
import { tablesOf } from './join.ts';
import { type CheckRow, checkLayout } from './layouts.ts';
import type { PanelPoint } from './panel.ts';
import type { CheckQuery } from './query.ts';
import { noteAll, notedDays } from './real-time-panel.ts';
import {
  columnOf,
  daysIn,
  dayTextOf,
  refusedCell,
  tableChanged,
  textOfCell,
  type UserTable,
} from './table.ts';

type CheckKind = 'ahead' | 'before' | 'beyond' | 'known' | 'never' | 'newer' | 'old';

/** The kinds of values that must not be in a row. */
const faults: ReadonlySet<CheckKind> = new Set(['ahead', 'never', 'newer']);

/** The values of a table that were not known on the day of their row. */
export async function answerCheck(query: CheckQuery, context: QueryContext): Promise<QueryAnswer<CheckRow>> {
  const files = tablesOf(context);
  const { naming = commandNaming } = context;
  const table = await files.open(query.table);
  const on = query.on === undefined ? 0 : columnOf(table, query.on);
  const hints =
    query.on === undefined
      ? [`the days are taken from the first column, unless ${naming.param('on')} names another`]
      : [];
  const days = await daysIn(table, on, files, { strict: query.strict, hints });
  // A check that compares nothing would look like a table without faults.
  if (days.size === 0) throw new Problem('bad-input', `${table.name} has no rows to check`);
  const counts = { ahead: 0, before: 0, beyond: 0, known: 0, never: 0, newer: 0, old: 0 };
  const answer = await composed<CheckRow>(context, async (counting) => {
    const checked = await checkedColumns(table, on, query, counting);
    const columns = await knownColumns(checked, query, [...new Set(days.values())], counting);
    const rows = rowsOf({ table, on, days, columns, query }, counts, context);
    return { object: 'check', ...checkLayout, rows };
  });
  // Whether anything differs is known after the last row.
  return Object.defineProperty({ ...answer }, 'differs', {
    get: () => [...faults].some((kind) => counts[kind] > 0),
    enumerable: true,
  });
}

/** The number of requests that a check takes, in words. */
export async function estimateCheck(query: CheckQuery, context: QueryContext): Promise<string> {
  const table = await tablesOf(context).open(query.table);
  const on = query.on === undefined ? 0 : columnOf(table, query.on);
  return estimated(context, async (counting) => {
    const checked = await checkedColumns(table, on, query, counting);
    const series = new Map(checked.map((one) => [one.series.id, one.series]));
    const pages = await Promise.all([...series.values()].map((one) => pagesExpected(one, counting)));
    return `this check takes about ${counted(pages.reduce((sum, count) => sum + count + 1, 0) + counting.checks(), 'request')}`;
  });
}

/** A column of a table, with what was known of its series on each day. */
type KnownColumn = Checked & {
  readonly points: ReadonlyMap<Day, PanelPoint>;
  readonly beyond: ReadonlySet<Day>;
  readonly history: HistoryColumns;
  /** The findings so far, by value, date and day. */
  readonly found: Map<string, Judgement>;
  /** Every value ever published, read when the first value is not what was known. */
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
  const all = Array.from(bySeries, ([id, columns]) => ({ id, columns }));
  const done = await eachOf(all, counting, async ({ id, columns }) => {
    const [{ series } = { series: { id } }] = columns;
    const last = Math.max(...columns.map(({ lag }) => lag)) + 1;
    const query = { last, beyond, ...(transformation && { transformation }) };
    const history = await columnsOfHistory(series, asked, query, counting);
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
  return columns.sort((a, b) => a.place - b.place);
}

type Checking = {
  readonly table: UserTable;
  readonly on: number;
  readonly days: ReadonlyMap<string, Day>;
  readonly columns: readonly KnownColumn[];
  readonly query: CheckQuery;
};

/** The findings of each batch of rows, counted by kind; notes the outcome at the end. */
async function* rowsOf(
  checking: Checking,
  counts: Record<CheckKind, number>,
  context: QueryContext,
): AsyncGenerator<readonly CheckRow[]> {
  const { table, on, days, columns, query } = checking;
  let isFirst = true;
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
        const date = dateBeside(column, textOfCell(batch.cellAt(index, column.dates ?? on)), refuse);
        const key = `${day} ${value} ${date ?? ''}`;
        const found = column.found.get(key) ?? judged(column, value, day, date, query);
        // The number is bounded, so that a file with another value in each row does not fill memory.
        if (column.found.size > mostFound) column.found.clear();
        column.found.set(key, found);
        counts[found.kind] += 1;
        if (!query.allRows && !faults.has(found.kind)) continue;
        const { name, series } = column;
        rows.push({ row: batch.rowAt(index), day, column: name, series_id: series.id, value, ...found });
      }
    }
    if (isFirst || rows.length > 0) yield rows;
    isFirst = false;
  }
  noteOutcome(checking, counts, context);
}

/** Notes what a check found; a Problem if it could check nothing, which would look like a table without faults. */
function noteOutcome(
  { table, columns }: Checking,
  counts: Record<CheckKind, number>,
  { note, naming = commandNaming }: QueryContext,
): void {
  const left = uncheckedIn(counts).join(', ');
  if (checkedIn(counts) === 0)
    throw new Problem(
      'bad-input',
      `${table.name} has no value that can be checked${left === '' ? '' : `: ${left}`}`,
    );
  note?.({ kind: 'check', text: summaryOf(counts, table) });
  const ids = [...new Set(columns.filter(isInexact).map(({ series }) => series.id))];
  if (counts.ahead + counts.never > 0 && ids.length > 0)
    note?.({
      kind: 'check',
      text: `${listed(ids, 'and')} ${ids.length === 1 ? 'is' : 'are'} not exact: a value may have been published before the first vintage here that has it; ${naming.param('exact')} refuses such series`,
    });
}

/** Whether any vintage that a column is compared with is not a publication. */
function isInexact({ history: { placed } }: KnownColumn): boolean {
  return [...placed.kinds.values()].some((kind) => kind !== 'exact');
}

/** How many findings of a column are kept for later rows. */
const mostFound = 100_000;

/** How files write a missing value: what pandas reads as missing, and the point of FRED. */
const blanks: ReadonlySet<string> = new Set([
  '',
  '#N/A',
  '#N/A N/A',
  '#NA',
  '-1.#IND',
  '-1.#QNAN',
  '-NaN',
  '-nan',
  '.',
  '1.#IND',
  '1.#QNAN',
  '<NA>',
  'N/A',
  'NA',
  'NULL',
  'NaN',
  'None',
  'n/a',
  'nan',
  'null',
]);

/** The date of a value, if the file has it in a column beside the value. */
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

/** After every day: a value that only a later vintage has is one that was known too early. */
const latest: Day = '~';

/** What kind of value this is, compared with what was known on its day. */
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
  const { vintages, transformers } = column.history;
  const newest = column.points.get(asOf);
  const isComputable = transformers === undefined || transformers.on(asOf) !== undefined;
  const dated =
    date === undefined || !isComputable
      ? undefined
      : knownValue(vintages.on(asOf), date, transformers?.on(asOf));
  const known = date === undefined ? newest : dated && { ...dated, asOfDate: dated.asOf };
  const beside = { known: known?.value ?? null, known_date: known?.date ?? null };
  // A computed growth rate may have more digits than the published one.
  const value =
    transformation === undefined || known?.value === undefined ? given : roundedText(given, known.value);
  const isLagged = column.lag > 0;
  if (known?.value !== undefined && sameNumber(value, known.value)) {
    const kind = isLagged && (known.date ?? '') > (newest?.date ?? '') ? 'newer' : 'known';
    return { ...beside, first_known: known.asOfDate ?? null, value_date: beside.known_date, kind };
  }
  column.values ??= new PublishedValues(vintages, transformers?.on(latest));
  const { kind, published } = column.values.placed(value, {
    day: asOf,
    newest: newest?.date,
    isLagged,
    date,
  });
  return { ...beside, first_known: published?.asOf ?? null, value_date: published?.date ?? null, kind };
}

/** The number of values that were compared with what was known. */
function checkedIn({ ahead, known, never, newer, old }: Record<CheckKind, number>): number {
  return ahead + known + never + newer + old;
}

/** The number of values that could not be checked, in words. */
function uncheckedIn({ before, beyond }: Record<CheckKind, number>): readonly string[] {
  return [
    ...(before > 0 ? [`${before} before the first vintage`] : []),
    ...(beyond > 0 ? [`${beyond} after the coverage`] : []),
  ];
}

/** What a check found, in words. */
function summaryOf(counts: Record<CheckKind, number>, { name }: UserTable): string {
  const { ahead, never, newer, old } = counts;
  const all = checkedIn(counts);
  const others = [
    ...(newer > 0 ? [`${newer} newer than the lag allows`] : []),
    ...(old > 0 ? [`${old} older than the newest known`] : []),
    ...uncheckedIn(counts).map((text) => `${text} not checked`),
  ];
  const rest = others.length === 0 ? '' : `; ${others.join(', ')}`;
  const known = all === 1 ? 'known on its day' : 'known on their day';
  if (ahead + never === 0)
    return `${name}: ${all === 1 ? 'the only value was' : `all ${all} values were`} ${known}${rest}`;
  const parts = [
    ...(ahead > 0 ? [`${ahead} became known later`] : []),
    ...(never > 0 ? [`${never} in no vintage`] : []),
  ];
  const are = all === 1 ? 'value was' : 'values were';
  return `${name}: ${ahead + never} of ${all} ${are} not ${known}: ${parts.join(', ')}${rest}`;
}
