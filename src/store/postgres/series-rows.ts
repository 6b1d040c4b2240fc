import { randomUUID } from 'node:crypto';
import type { Day, Frequency } from '../../domain/series/date.ts';
import type { HeldVintage, RowPlan } from '../../domain/series/merge-plan.ts';
import type { KeptChange } from '../../domain/series/revision-history.ts';
import type { KeptKind } from '../../domain/series/series.ts';
import { type SearchedSeries, searchableWords } from '../../domain/series/words.ts';
import { changesByDate, type RecordRow, recordCells, recordOf } from '../series-record.ts';
import type { SeriesRows, SeriesStart, WriteTransaction } from '../transaction.ts';
import type { Transaction } from './connection.ts';
import type { ImportLocks } from './locks.ts';

/** The rows of one series; an import gives the locks that it holds. */
export function seriesRows(transaction: Transaction, id: string, locks?: ImportLocks): SeriesRows {
  return {
    async begin() {
      await locks?.lockSeries([id]);
      const found = (await readStarts(transaction, [id])).get(id);
      if (found !== undefined) return found;
      await transaction.write('insert into asof.series (id) values (@id) on conflict (id) do nothing', {
        id,
      });
      await addWords(transaction, { id });
      const record = { stated: { seriesId: id }, implied: { seriesId: id }, hadStatements: false };
      return { record, normalisedBy: '', coveredTo: '', newestVintage: '', version: 0, isNew: true };
    },
    async putRecord(record) {
      await transaction.write(
        `update asof.series set title = @title, units = @units, frequency = @frequency,
      seasonal_adjustment = @seasonalAdjustment, source = @source, stated_vintage_kind = @vintageKind,
      stated_covered_to = @coveredTo, implied_frequency = @impliedFrequency, implied_source = @impliedSource
    where id = @id`,
        { id, ...recordCells(record) },
      );
      await transaction.write('delete from asof.word where series = @id', { id });
      await addWords(transaction, { ...record.stated, id });
    },
    setFrequency: (frequency) =>
      transaction.write('update asof.series set normalised_by = @frequency where id = @id', {
        id,
        frequency,
      }),
    vintages: () =>
      transaction.rows<HeldVintage>(
        `select as_of_date as "asOf", dates, complete, kind, clipped from asof.vintage
         where series = @id order by as_of_date`,
        { id },
      ),
    async changes(from, to) {
      const rows = await transaction.rows<ChangeRow>(
        `select date, as_of_date as "asOf", value from asof.fact where series = @id and date between @from and @to
         union all
         select date, as_of_date, value from asof.respelling where series = @id and date between @from and @to
         order by 1, 2`,
        { id, from, to },
      );
      return changesByDate(rows.map(({ date, asOf, value }) => [date, asOf, value]));
    },
    async latestChanges(from, to) {
      const latest = (table: string) =>
        `(select distinct on (date) date, as_of_date, value from asof.${table}
          where series = @id and date between @from and @to order by date, as_of_date desc)`;
      const rows = await transaction.rows<ChangeRow>(
        `select distinct on (date) date, as_of_date as "asOf", value
         from (${latest('fact')} union all ${latest('respelling')}) as each order by date, as_of_date desc`,
        { id, from, to },
      );
      return changesByDate(rows.map(({ date, asOf, value }) => [date, asOf, value]));
    },
    async dateSets() {
      const rows = await transaction.rows<{ dates: string }>(
        'select distinct dates from asof.vintage where series = @id',
        { id },
      );
      return rows.map(({ dates }) => dates);
    },
    async kinds(asOf = 'infinity') {
      const rows = await transaction.rows<{ kind: KeptKind }>(
        'select distinct kind from asof.vintage where series = @id and as_of_date <= @asOf',
        { id, asOf },
      );
      return rows.map(({ kind }) => kind);
    },
    apply: (plan) => applyPlan(transaction, id, plan),
    summarise: ({ spacing, coveredTo, vintageKind }) =>
      transaction.write(
        `update asof.series set spacing_frequency = @spacing, vintage_kind = @vintageKind,
       observation_count = facts.observed, date_count = facts.dates, fact_count = facts.rows,
       first_vintage = vintages.first, last_vintage = vintages.last,
       covered_to = greatest(@coveredTo::date, vintages.last),
       version = version + 1, state = @state
     from (
       select count(*) as rows, count(distinct date) as dates,
         count(*) filter (where value is not null and is_last) as observed
       from (
         select date, value, lead(as_of_date) over (partition by date order by as_of_date) is null as is_last
         from asof.fact where series = @id
       ) as each
     ) as facts, (
       select min(as_of_date) as first, max(as_of_date) as last from asof.vintage where series = @id
     ) as vintages
     where id = @id`,
        { id, spacing, vintageKind, coveredTo: coveredTo === '' ? null : coveredTo, state: randomUUID() },
      ),
  };
}

/** The series of a store in an import that holds locks. */
export function seriesTables(
  transaction: Transaction,
  locks: ImportLocks,
): Pick<WriteTransaction, 'series' | 'records' | 'withStatements' | 'removeSeries' | 'renameSeries'> {
  return {
    series: (id) => seriesRows(transaction, id, locks),
    async records(seriesIds) {
      await locks.lockSeries(seriesIds);
      const starts = await readStarts(transaction, seriesIds);
      return new Map([...starts].map(([id, { record }]) => [id, record]));
    },
    async withStatements(seriesIds) {
      const starts = await readStarts(transaction, seriesIds);
      return new Set([...starts].flatMap(([id, { record }]) => (record.hadStatements ? [id] : [])));
    },
    async removeSeries(id) {
      await locks.lockSeries([id]);
      return removeSeries(transaction, id);
    },
    async renameSeries(from, to) {
      await locks.lockSeries([from, to]);
      await renameSeries(transaction, from, to);
    },
  };
}

type StartRow = RecordRow & {
  readonly id: string;
  readonly normalisedBy: Frequency;
  readonly coverage: Day | null;
  readonly version: number;
};

/** What an import needs to know about series before it writes, by id; only for series that the store knows. */
async function readStarts(
  transaction: Transaction,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SeriesStart>> {
  const started = transaction.rows<StartRow>(
    `select id, title, units, frequency, seasonal_adjustment as "seasonalAdjustment", source,
       stated_vintage_kind as "vintageKind", stated_covered_to as "coveredTo",
       implied_frequency as "impliedFrequency", implied_source as "impliedSource",
       first_vintage as "firstVintage", normalised_by as "normalisedBy", covered_to as coverage, version
     from asof.series where id = any(@ids::text[])`,
    { ids },
  );
  // During an import, vintages can be newer than the row of the series, which the import updates at its end.
  const vintages = transaction.rows<{ readonly id: string; readonly newest: Day }>(
    `select series as id, max(as_of_date) as newest from asof.vintage
     where series = any(@ids::text[]) group by series`,
    { ids },
  );
  const [rows, newest] = await Promise.all([started, vintages]);
  const newestVintages = new Map(newest.map(({ id, newest }) => [id, newest]));
  return new Map(
    rows.map(({ id, normalisedBy, coverage, version, ...row }) => [
      id,
      {
        record: recordOf(id, row),
        normalisedBy,
        coveredTo: coverage ?? '',
        newestVintage: newestVintages.get(id) ?? '',
        version,
        isNew: false,
      },
    ]),
  );
}

type ChangeRow = { readonly date: Day; readonly asOf: Day; readonly value: string | null };

/** The most rows that one statement writes or deletes. */
const rowsAtOnce = 20_000;

const epoch = '1970-01-01';

function daysSince(day: Day): number {
  return Date.parse(day) / 86_400_000;
}

/**
 * Writes the rows of a plan. A `delete` on Citus cannot join `unnest`, so it finds each row by one number that is made
 * from its two dates.
 */
async function applyPlan(
  transaction: Transaction,
  id: string,
  { removed = [], inserted = [], vintages = [], gone = [] }: Partial<RowPlan>,
): Promise<void> {
  for (const table of ['fact', 'respelling'] as const) {
    for (const part of partsOf(removed.filter(({ kind }) => kind === table)))
      await transaction.write(
        `delete from asof.${table} where series = @id and date = any(@dates::date[])
           and (date - date '${epoch}') * 1000000::bigint + (as_of_date - date '${epoch}') = any(@places::bigint[])`,
        {
          id,
          dates: part.map(({ date }) => date),
          places: part.map(({ date, asOf }) => daysSince(date) * 1_000_000 + daysSince(asOf)),
        },
      );
    for (const part of partsOf(inserted.filter(({ kind }) => kind === table)))
      await transaction.write(
        `insert into asof.${table} (series, date, as_of_date, value)
         select @id, * from unnest(@dates::date[], @asOfs::date[], @values::text[])`,
        { id, ...columnsOf(part) },
      );
  }
  for (const part of partsOf(vintages))
    await transaction.write(
      `insert into asof.vintage (series, as_of_date, dates, complete, kind, clipped)
       select @id, * from unnest(@asOfs::date[], @dates::text[], @complete::boolean[], @kinds::text[], @clipped::text[])
       on conflict (series, as_of_date) do update set dates = excluded.dates, complete = excluded.complete,
         kind = excluded.kind, clipped = excluded.clipped`,
      {
        id,
        asOfs: part.map(({ asOf }) => asOf),
        dates: part.map(({ dates }) => dates),
        complete: part.map(({ complete }) => complete),
        kinds: part.map(({ kind }) => kind),
        clipped: part.map(({ clipped = '' }) => clipped),
      },
    );
  if (gone.length > 0)
    await transaction.write(
      'delete from asof.vintage where series = @id and as_of_date = any(@gone::date[])',
      { id, gone },
    );
}

function* partsOf<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < rows.length; at += rowsAtOnce) yield rows.slice(at, at + rowsAtOnce);
}

function columnsOf(changes: readonly KeptChange[]) {
  return {
    dates: changes.map(({ date }) => date),
    asOfs: changes.map(({ asOf }) => asOf),
    values: changes.map(({ value }) => value),
  };
}

/** Puts the words of a new series into the index. */
function addWords(transaction: Transaction, series: SearchedSeries): Promise<void> {
  return transaction.write(
    'insert into asof.word (series, word) select @id, * from unnest(@words::text[]) on conflict (series, word) do nothing',
    { id: series.id, words: searchableWords(series) },
  );
}

/** The tables with rows of a series, and their columns besides its id. */
const tables = {
  fact: 'date, as_of_date, value',
  respelling: 'date, as_of_date, value',
  vintage: 'as_of_date, dates, complete, kind, clipped',
  description_change: 'changed_on, field, before, after',
} as const;

async function removeSeries(transaction: Transaction, id: string): Promise<boolean> {
  for (const table of [...Object.keys(tables), 'word'])
    await transaction.write(`delete from asof.${table} where series = @id`, { id });
  await transaction.write('delete from asof.import_change where subject = @subject', {
    subject: `series ${id}`,
  });
  return (await transaction.run('delete from asof.series where id = @id', { id })) > 0;
}

/**
 * Gives a series another id by writing its rows a second time, because Citus does not update the column by which it
 * distributes rows.
 */
async function renameSeries(transaction: Transaction, from: string, to: string): Promise<void> {
  const others = `title, units, frequency, seasonal_adjustment, source, implied_frequency, implied_source,
    stated_covered_to, stated_vintage_kind, spacing_frequency, normalised_by, vintage_kind, observation_count, date_count,
    fact_count, first_vintage, last_vintage, covered_to`;
  await transaction.run(
    `insert into asof.series (id, version, state, ${others})
     select @to, version, @state, ${others} from asof.series where id = @from`,
    { from, to, state: randomUUID() },
  );
  await transaction.run('update asof.import_change set subject = @new where subject = @old', {
    old: `series ${from}`,
    new: `series ${to}`,
  });
  for (const [table, columns] of Object.entries(tables))
    await transaction.run(
      `insert into asof.${table} (series, ${columns}) select @to, ${columns} from asof.${table} where series = @from`,
      { from, to },
    );
  const described = await transaction.row<SearchedSeries>(
    'select id, title, units from asof.series where id = @to',
    { to },
  );
  if (described !== undefined) await addWords(transaction, described);
  await removeSeries(transaction, from);
}
