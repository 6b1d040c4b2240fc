import type { Day, Frequency } from '../../domain/series/date.ts';
import type { SeriesMetadata } from '../../domain/series/series.ts';
import type { ObservationQuery, Series, SeriesQuery, SeriesRecord, StoredObservation } from '../store.ts';
import type { Connection } from './connection.ts';
import type { StatedKind } from './statements.ts';

const columns = `key, id, coalesce(title, id) as title, coalesce(units, '') as units,
  coalesce(frequency, implied_frequency, spacing_frequency) as frequency,
  coalesce(seasonal_adjustment, '') as seasonalAdjustment, 
  case when instr(implied_source, '; ') > 0 then implied_source else coalesce(source, implied_source, '') end as source,
  observation_count as observationCount, date_count as dateCount, fact_count as factCount,
  first_vintage as firstVintage, last_vintage as lastVintage, covered_to as coveredTo,
  vintage_kind as vintageKind, stated_vintage_kind as statedKind, version`;

/** A series as its table holds it. */
export type SeriesRow = Series &
  StatedKind & {
    readonly frequency: Frequency;
    readonly key: number;
    readonly dateCount: number;
    readonly factCount: number;
  };

/** The row of a series that has statements; undefined for any other id. */
export function readSeries(connection: Connection, id: string): SeriesRow | undefined {
  return connection
    .objects<SeriesRow>(`select ${columns} from series where id = ? and first_vintage is not null`)
    .get(id);
}

/** The series of a row. */
export function seriesOf({
  key: _key,
  dateCount: _dates,
  factCount: _facts,
  statedKind: _stated,
  ...series
}: SeriesRow): Series {
  return series;
}

/** A page of the series whose ids contain a text. */
export function searchSeries(
  connection: Connection,
  { text, after = '', limit }: SeriesQuery,
): readonly Series[] {
  return connection
    .objects<SeriesRow>(
      `select ${columns} from series
       where first_vintage is not null and id > @after and instr(id, @text) > 0 order by id limit @limit`,
    )
    .all({ after, text: text.toUpperCase(), limit })
    .map(seriesOf);
}

/** The newest vintage of a series up to a day. */
export function readVintageUpTo(connection: Connection, key: number, day: Day): Day | undefined {
  return connection
    .column<Day>(
      'select as_of_date from vintage where series = ? and as_of_date <= ? order by as_of_date desc limit 1',
    )
    .get(key, day);
}

const endOfTime = '9999-12-31';

/** With more changes per date, a seek for each date is faster than reading all changes (measured in bench/). */
const seekFrom = 24;

// A row is one text that begins with both dates: reading three texts takes three times as long.
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
  { key, firstVintage, dateCount, factCount }: SeriesRow,
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

type RecordRow = {
  readonly title: string | null;
  readonly units: string | null;
  readonly frequency: SeriesMetadata['frequency'] | null;
  readonly seasonalAdjustment: string | null;
  readonly source: string | null;
  readonly vintageKind: SeriesMetadata['vintageKind'] | null;
  readonly coveredTo: string | null;
  readonly impliedFrequency: SeriesMetadata['frequency'] | null;
  readonly impliedSource: string | null;
  readonly firstVintage: string | null;
};

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
  if (row === undefined) return undefined;
  const { impliedFrequency, impliedSource, firstVintage, ...stated } = row;
  return {
    stated: { seriesId, ...present(stated) },
    implied: { seriesId, ...present({ frequency: impliedFrequency, source: impliedSource }) },
    hadStatements: firstVintage !== null,
  };
}

type Present<T> = { readonly [Name in keyof T]?: NonNullable<T[Name]> };

/** The fields that are not null. */
function present<T extends object>(fields: T): Present<T> {
  const kept = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(kept) as Present<T>;
}

/** Writes the metadata of a series; false if it is the same as before. */
export function writeRecord(
  connection: Connection,
  key: number,
  { stated, implied }: Pick<SeriesRecord, 'stated' | 'implied'>,
): boolean {
  const { changes } = connection.run(
    `update series set title = @title, units = @units, frequency = @frequency,
      seasonal_adjustment = @seasonalAdjustment, source = @source, stated_vintage_kind = @vintageKind,
      stated_covered_to = @coveredTo,
      implied_frequency = @impliedFrequency, implied_source = @impliedSource
    where key = @key and (title is not @title or units is not @units or frequency is not @frequency
      or seasonal_adjustment is not @seasonalAdjustment or source is not @source
      or stated_vintage_kind is not @vintageKind or stated_covered_to is not @coveredTo
      or implied_frequency is not @impliedFrequency or implied_source is not @impliedSource)`,
    {
      key,
      title: stated.title ?? null,
      units: stated.units ?? null,
      frequency: stated.frequency ?? null,
      seasonalAdjustment: stated.seasonalAdjustment ?? null,
      source: stated.source ?? null,
      vintageKind: stated.vintageKind ?? null,
      coveredTo: stated.coveredTo ?? null,
      impliedFrequency: implied.frequency ?? null,
      impliedSource: implied.source ?? null,
    },
  );
  return changes > 0;
}
