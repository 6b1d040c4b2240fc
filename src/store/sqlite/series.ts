import {
  type RecordRow,
  recordCells,
  recordOf,
  type SeriesRow,
  seriesOf as seriesOfRow,
} from '../series-record.ts';
import type { ObservationQuery, Series, SeriesQuery, SeriesRecord, StoredObservation } from '../store.ts';
import type { Connection } from './connection.ts';
import { putWords, removeWords } from './words.ts';

const columns = `key, id, coalesce(title, id) as title, coalesce(units, '') as units,
  coalesce(frequency, implied_frequency, spacing_frequency) as frequency,
  coalesce(seasonal_adjustment, '') as seasonalAdjustment, 
  case when instr(implied_source, '; ') > 0 then implied_source else coalesce(source, implied_source, '') end as source,
  observation_count as observationCount, date_count as dateCount, fact_count as factCount,
  first_vintage as firstVintage, last_vintage as lastVintage, covered_to as coveredTo,
  vintage_kind as vintageKind, stated_vintage_kind as statedKind, version`;

/** A row of a series with its key. */
export type KeyedSeriesRow = SeriesRow & { readonly key: number };

/** The row of a series that has statements; undefined for any other id. */
export function readSeries(connection: Connection, id: string): KeyedSeriesRow | undefined {
  return connection
    .objects<KeyedSeriesRow>(`select ${columns} from series where id = ? and first_vintage is not null`)
    .get(id);
}

/** The series of a row with a key. */
export function seriesOf({ key: _key, ...row }: KeyedSeriesRow): Series {
  return seriesOfRow(row);
}

/** A page of the series whose ids contain a text. */
export function searchSeries(
  connection: Connection,
  { text, ids, after = '', limit }: SeriesQuery,
): readonly Series[] {
  const among = ids === undefined ? '' : 'and id in (select value from json_each(@ids))';
  return connection
    .objects<KeyedSeriesRow>(
      `select ${columns} from series
       where first_vintage is not null and id > @after and instr(id, @text) > 0 ${among} order by id limit @limit`,
    )
    .all({ after, text: text.toUpperCase(), ids: JSON.stringify(ids ?? []), limit })
    .map(seriesOf);
}

const endOfTime = '9999-12-31';

/**
 * With more changes per date than this, a seek for each date is faster than reading all changes (measured in bench/).
 */
const seekFrom = 24;

// A row is one text that begins with both dates, because reading three texts takes three times as long.
const within = `series = @key and date >= @from and date < @below`;

const byGroup = `select date || max(as_of_date) || value from fact
  where ${within} and as_of_date <= @asOf
  group by date having value is not null order by date desc limit @limit`;

const bySeek = `with recursive day (date) as (
    select max(date) from fact where ${within}
    union all
    select (select max(f.date) from fact f where f.series = @key and f.date < day.date)
    from day where day.date > @from
  )
  select day.date || f.as_of_date || f.value
  from day join fact f on f.series = @key and f.date = day.date and f.as_of_date =
    (select max(as_of_date) from fact where series = @key and date = day.date and as_of_date <= @asOf)
  where f.value is not null and day.date >= @from limit @limit`;

const firstReleases = `select date || min(as_of_date) || value from fact
  where ${within} and as_of_date <= @asOf and value is not null
    and date > coalesce((select max(date) from fact
      where series = @key and as_of_date <= @firstVintage and value is not null), '')
  group by date order by date desc limit @limit`;

/** A page of a series' values, newest date first. */
export function readObservations(
  connection: Connection,
  { key, firstVintage, dateCount, factCount }: KeyedSeriesRow,
  { asOf = endOfTime, firstRelease, from = '', to = endOfTime, before, limit }: ObservationQuery,
): readonly StoredObservation[] {
  // '~' sorts after every digit, so every text that begins with the day sorts before it.
  const upTo = `${to}~`;
  const below = before !== undefined && before < upTo ? before : upTo;
  const bounds = { key, from, below, asOf, limit };
  const rows =
    firstRelease === true
      ? connection.column<string>(firstReleases).all({ ...bounds, firstVintage })
      : connection.column<string>(factCount > dateCount * seekFrom ? bySeek : byGroup).all(bounds);
  return rows.map((row) => ({
    date: row.slice(0, 10),
    asOfDate: row.slice(10, 20),
    value: row.slice(20),
  }));
}

/** The metadata of a series; undefined for an unknown one. */
export function readRecord(connection: Connection, seriesId: string): SeriesRecord | undefined {
  const row = connection
    .objects<RecordRow>(
      `select title, units, frequency, seasonal_adjustment as seasonalAdjustment, source,
        stated_vintage_kind as vintageKind, stated_covered_to as coveredTo, implied_frequency as impliedFrequency, implied_source as impliedSource,
        first_vintage as firstVintage
      from series where id = ?`,
    )
    .get(seriesId);
  return row && recordOf(seriesId, row);
}

/** Writes the metadata of a series. */
export function writeRecord(
  connection: Connection,
  key: number,
  { stated, implied }: Pick<SeriesRecord, 'stated' | 'implied'>,
): void {
  removeWords(connection, key);
  connection.run(
    `update series set title = @title, units = @units, frequency = @frequency,
      seasonal_adjustment = @seasonalAdjustment, source = @source, stated_vintage_kind = @vintageKind,
      stated_covered_to = @coveredTo,
      implied_frequency = @impliedFrequency, implied_source = @impliedSource
    where key = @key`,
    { key, ...recordCells({ stated, implied }) },
  );
  putWords(connection, key);
}
