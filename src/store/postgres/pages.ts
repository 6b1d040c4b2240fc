// Why: docs/decisions/postgres-tables-and-statements.md
import type { PageQuery, SeriesColumns, SeriesRow, StoredPage, StoredVintageDate } from '../sql/engine.ts';
import { impliedBy } from '../sql/series.ts';
import { endOfTime, startOfTime } from '../sql/session.ts';
import type { Transaction } from './connection.ts';

/** What is known of a series in one of its states: further pages of that state read their rows alone. */
export type SeriesInState = Required<Pick<StoredPage, 'frequencies' | 'series' | 'units'>> & {
  readonly state: string;
};

const mostKnown = 2000;

/** Returns the conditions of a page, without bounds that leave out nothing: Citus plans them on two servers each time. */
function withinPage({ from, to, before }: Pick<PageQuery, 'before' | 'from' | 'to'>): string {
  const isWhole = from === startOfTime && to === endOfTime && before === endOfTime;
  const bounds = isWhole ? '' : ' and date >= @from and date <= @to and date < @before';
  return `series = @id${bounds} and as_of_date <= @asOf`;
}

// The rows keep the order of the inner query. For an outer order, PostgreSQL would sort the whole series.
const newestFirst = (within: string) => `(
    select distinct on (date) date, as_of_date, value from asof.fact
    where ${within} order by date desc, as_of_date desc
  ) as newest
  where value is not null limit @limit`;

const firstReleases = (within: string) => `(
    select distinct on (date) date, as_of_date, value from asof.fact
    where ${within} and value is not null
      and date > coalesce((select max(date) from asof.fact
        where series = @id and value is not null
          and as_of_date <= (select min(as_of_date) from asof.vintage where series = @id)), '-infinity')
    order by date desc, as_of_date limit @limit
  ) as first`;

/** Texts that begin with dates, one a line: they are read in half of the time of rows. */
type PageCells = { readonly isoDates: boolean; readonly newest: string | null; readonly lines: string };

/**
 * Reads a page, the newest vintage and columns of the series together: for short statements, a server spends more time
 * on their plans than on their rows.
 */
const pageOf = (rows: string, columns: string) => `select ${columns},
    current_setting('DateStyle') like 'ISO%' as "isoDates",
    (select as_of_date::text || kind from asof.vintage where series = @id and as_of_date <= @asOf
      order by as_of_date desc limit 1) as newest,
    array_to_string(array(select date::text || as_of_date::text || value from ${rows}), chr(10)) as lines
  from asof.series where id = @id and first_vintage is not null`;

/** What makes a series known, besides its columns. */
type HistoryCells = {
  readonly state: string;
  readonly unitsBefore: readonly string[];
  readonly datesSince: string | null;
};

const history = `state,
    array(select changed_on::text || before from asof.description_change
      where series = @id and field = 'units' order by changed_on) as "unitsBefore",
    case when coalesce(frequency, implied_frequency) is not null then ''
      when last_vintage > @asOf then
        array_to_string(array(select min(as_of_date)::text || dates from asof.vintage
          where series = @id group by dates order by min(as_of_date)), chr(10))
    end as "datesSince"`;

const linesOf = (text: string) => (text === '' ? [] : text.split('\n'));

/**
 * Reads a page with its series; undefined if there is none. A page as of a day makes its series `known`; while that has
 * the same state, the next page reads a third less.
 */
export async function readPage(
  transaction: Transaction,
  known: Map<string, SeriesInState> | undefined,
  { seriesId: id, firstRelease, ...bounds }: PageQuery,
  { newest }: SeriesColumns,
): Promise<StoredPage | undefined> {
  const rows = (firstRelease === true ? firstReleases : newestFirst)(withinPage(bounds));
  const read = async <Cells extends object>(columns: string) => {
    const sql = pageOf(rows, columns);
    const row = await transaction.rowAlone<Cells & PageCells>(sql, { id, ...bounds });
    if (row === undefined || row.isoDates) return row;
    // In a transaction, they are.
    transaction.database.readsAlone = false;
    throw new Error('the server writes dates in another way');
  };
  const before = known?.get(id);
  if (before !== undefined) {
    const row = await read<{ readonly state: string }>('state');
    const { state, ...series } = before;
    if (row !== undefined && row.state === state) return { ...series, ...rowsIn(row) };
    known?.delete(id);
  }
  if (bounds.asOf === endOfTime) {
    const row = await read<SeriesRow>(newest);
    return row && { series: seriesIn(row), ...rowsIn(row) };
  }
  const row = await read<SeriesRow & HistoryCells>(`${newest}, ${history}`);
  if (row === undefined) return undefined;
  const { state, unitsBefore, datesSince, ...cells } = row;
  const units = unitsBefore.map((text) => {
    return { field: 'units', changedOn: text.slice(0, 10), before: text.slice(10) };
  });
  const series = { series: seriesIn(cells), units };
  if (datesSince === null) return { ...series, ...rowsIn(row) };
  const frequencies = impliedBy(linesOf(datesSince).map((line) => [line.slice(10), line.slice(0, 10)]));
  if ((known?.size ?? 0) >= mostKnown) known?.clear();
  known?.set(id, { state, ...series, frequencies });
  return { ...series, frequencies, ...rowsIn(row) };
}

function seriesIn({
  isoDates: _iso,
  newest: _newest,
  lines: _lines,
  ...series
}: SeriesRow & PageCells): SeriesRow {
  return series;
}

function rowsIn({ newest, lines }: PageCells): Pick<StoredPage, 'newest' | 'rows'> {
  return {
    newest:
      newest === null
        ? undefined
        : { asOf: newest.slice(0, 10), kind: newest.slice(10) as StoredVintageDate['kind'] },
    rows: linesOf(lines).map((line) => {
      return { date: line.slice(0, 10), asOfDate: line.slice(10, 20), value: line.slice(20) };
    }),
  };
}
