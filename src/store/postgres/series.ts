import { randomUUID } from 'node:crypto';
import type { Day, Frequency } from '../../domain/series/date.ts';
import type { SearchedSeries } from '../../domain/series/words.ts';
import { type RecordRow, recordCells, recordOf, type SeriesRow, seriesOf } from '../series-record.ts';
import type { DerivedColumns, SeriesStart } from '../series-writer.ts';
import type { ObservationQuery, Series, SeriesQuery, SeriesRecord } from '../store.ts';
import type { Transaction } from './connection.ts';
import { addWords, putWords } from './words.ts';

const columns = `id, coalesce(title, id) as title, coalesce(units, '') as units,
  coalesce(frequency, implied_frequency, spacing_frequency) as frequency,
  coalesce(seasonal_adjustment, '') as "seasonalAdjustment",
  case when strpos(implied_source, '; ') > 0 then implied_source else coalesce(source, implied_source, '') end as source,
  observation_count as "observationCount", date_count as "dateCount", fact_count as "factCount",
  first_vintage as "firstVintage", last_vintage as "lastVintage", covered_to as "coveredTo",
  vintage_kind as "vintageKind", stated_vintage_kind as "statedKind", version`;

/** The row of a series that has statements; undefined for any other id. */
export function readSeries(transaction: Transaction, id: string): Promise<SeriesRow | undefined> {
  return transaction.row(`select ${columns} from asof.series where id = @id and first_vintage is not null`, {
    id,
  });
}

/** A page of the series whose ids contain a text. */
export async function searchSeries(
  transaction: Transaction,
  { text, ids, after = '', limit }: SeriesQuery,
): Promise<readonly Series[]> {
  const among = ids === undefined ? '' : ' and id = any(@ids::text[])';
  const rows = await transaction.rows<SeriesRow>(
    `select ${columns} from asof.series
     where first_vintage is not null and id > @after and strpos(id, @text) > 0${among} order by id limit @limit`,
    { after, text: text.toUpperCase(), ids, limit },
  );
  return rows.map(seriesOf);
}

/** The dates that ever had a value, newest first. */
export async function readDates(
  transaction: Transaction,
  { seriesId, from, to, before, limit }: Omit<ObservationQuery, 'asOf' | 'firstRelease'>,
): Promise<readonly Day[]> {
  const rows = await transaction.rows<{ date: Day }>(
    `select distinct date from asof.fact
     where series = @seriesId and date >= @from and date <= @to and date < @before
     order by date desc limit @limit`,
    {
      seriesId,
      from: from ?? '-infinity',
      to: to ?? 'infinity',
      before: before ?? 'infinity',
      limit,
    },
  );
  return rows.map(({ date }) => date);
}

type StartRow = RecordRow & {
  readonly id: string;
  readonly normalisedBy: Frequency;
  readonly coverage: Day | null;
  readonly version: number;
};

/** What an import needs to know about series before it writes, by id; only for series that the store knows. */
export async function readStarts(
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

/** Makes a series without statements. */
export async function addSeries(transaction: Transaction, id: string): Promise<void> {
  await transaction.write('insert into asof.series (id) values (@id) on conflict (id) do nothing', { id });
  await addWords(transaction, { id });
}

/** Writes the metadata of a series. */
export async function writeRecord(
  transaction: Transaction,
  id: string,
  record: Pick<SeriesRecord, 'stated' | 'implied'>,
): Promise<void> {
  await transaction.write(
    `update asof.series set title = @title, units = @units, frequency = @frequency,
      seasonal_adjustment = @seasonalAdjustment, source = @source, stated_vintage_kind = @vintageKind,
      stated_covered_to = @coveredTo, implied_frequency = @impliedFrequency, implied_source = @impliedSource
    where id = @id`,
    { id, ...recordCells(record) },
  );
  await putWords(transaction, { ...record.stated, id });
}

/** Sets the frequency by which the dates of a series are kept. */
export function writeFrequency(transaction: Transaction, id: string, frequency: Frequency): Promise<void> {
  return transaction.write('update asof.series set normalised_by = @frequency where id = @id', {
    id,
    frequency,
  });
}

/** Counts what a series holds, and gives it a new version. */
export function summarise(
  transaction: Transaction,
  id: string,
  { spacing, coveredTo, vintageKind }: DerivedColumns,
): Promise<void> {
  return transaction.write(
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
  );
}

/** The tables with rows of a series, and their columns besides its id. */
const tables = {
  fact: 'date, as_of_date, value',
  respelling: 'date, as_of_date, value',
  vintage: 'as_of_date, dates, complete, kind, clipped',
  description_change: 'changed_on, field, before, after',
} as const;

/** Removes a series with its rows; false for an unknown id. */
export async function removeSeries(transaction: Transaction, id: string): Promise<boolean> {
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
export async function renameSeries(transaction: Transaction, from: string, to: string): Promise<void> {
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
