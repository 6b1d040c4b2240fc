import type { Day, Frequency } from '../../domain/series/date.ts';
import { type KeptKind, kindOf, kindsText } from '../../domain/series/series.ts';
import type { SearchedSeries } from '../../domain/series/words.ts';
import {
  frequenciesIn,
  type SeriesRow,
  type StatedKind,
  seriesOf,
  statementsOf,
  withKind,
} from '../series-record.ts';
import type {
  AllSeriesView,
  ObservationQuery,
  PageCache,
  Revision,
  RevisionQuery,
  StoredObservation,
  VintageOnDay,
} from '../store.ts';
import type { Connection, SqliteSession } from './connection.ts';
import { readChanges, readVintages } from './series-rows.ts';
import { descriptionsIn } from './sources.ts';

const columns = `key, id, coalesce(title, id) as title, coalesce(units, '') as units,
  coalesce(frequency, implied_frequency, spacing_frequency) as frequency,
  coalesce(seasonal_adjustment, '') as seasonalAdjustment,
  case when instr(implied_source, '; ') > 0 then implied_source else coalesce(source, implied_source, '') end as source,
  observation_count as observationCount, date_count as dateCount, fact_count as factCount,
  first_vintage as firstVintage, last_vintage as lastVintage, covered_to as coveredTo,
  vintage_kind as vintageKind, stated_vintage_kind as statedKind, version`;

type KeyedSeriesRow = SeriesRow & { readonly key: number };

/** What a view answers about series; `pages` keeps pages of observations. */
export function seriesIn(session: SqliteSession, pages: PageCache | undefined): AllSeriesView {
  return {
    find: (id) =>
      session.use((connection) => {
        const series = readSeries(connection, id);
        return series && seriesOf(series);
      }),
    async search({ text, ids, after = '', limit }) {
      const among = ids === undefined ? '' : 'and id in (select value from json_each(@ids))';
      const rows = await session.rows<KeyedSeriesRow>(
        `select ${columns} from series
         where first_vintage is not null and id > @after and instr(id, @text) > 0 ${among} order by id limit @limit`,
        { after, text: text.toUpperCase(), ids: JSON.stringify(ids ?? []), limit },
      );
      return rows.map(seriesOf);
    },
    searchEntries: ({ words, starts, ids, part, upTo = endOfTime }) =>
      session.use((connection) => {
        const found = new Map<string, SearchedSeries>();
        const add = (condition: string, values: Readonly<Record<string, string>>) => {
          const query = connection.objects<SearchedSeries>(
            `select id, coalesce(title, id) as title, coalesce(units, '') as units from series
             where first_vintage <= @upTo and ${condition}`,
          );
          for (const series of query.all({ upTo, ...values })) found.set(series.id, series);
        };
        const inList = 'in (select value from json_each(@list))';
        if (ids.length > 0) add(`id ${inList}`, { list: JSON.stringify(ids) });
        if (words.length > 0)
          add(`key in (select series from word where word ${inList})`, { list: JSON.stringify(words) });
        for (const from of starts)
          add('key in (select series from word where word >= @from and word < @below)', {
            from,
            below: `${from}\u{10ffff}`,
          });
        // Only the ids are in an index.
        if (part !== undefined) add('id in (select id from series where instr(id, @part) > 0)', { part });
        return [...found.values()];
      }),
    searchable(what, upTo = endOfTime) {
      const sql = {
        ids: 'select id from series where first_vintage <= @upTo',
        words: `select distinct word from word
          where series not in (select key from series where first_vintage > @upTo)`,
      };
      return session.column<string>(sql[what], { upTo });
    },
    observations: (query) =>
      session.use((connection) => {
        const series = readSeries(connection, query.seriesId);
        if (series === undefined) return undefined;
        const vintage = readVintageOn(connection, series, query);
        const rows = readPage(connection, series, query, vintage.newest?.asOf, pages);
        return { series: seriesOf(series), rows, vintage };
      }),
    dates: ({ seriesId, from = '', to = '~', before = '~', limit }) =>
      session.use((connection) => {
        const series = readSeries(connection, seriesId);
        if (series === undefined) return undefined;
        const rows = connection
          .column<Day>(
            `select distinct date from fact where series = @key and date >= @from and date <= @to and date < @before
             order by date desc limit @limit`,
          )
          .all({ key: series.key, from, to, before, limit });
        return { series: seriesOf(series), rows };
      }),
    revisions: (query) =>
      session.use((connection) => {
        const series = readSeries(connection, query.seriesId);
        return series && { series: seriesOf(series), rows: readRevisions(connection, series, query) };
      }),
    impliedFrequencies: (seriesId) =>
      session.use((connection) => {
        const key = connection
          .column<number>(
            'select key from series where id = ? and frequency is null and implied_frequency is null',
          )
          .get(seriesId);
        return key === undefined ? [] : frequenciesIn(readVintages(connection, key));
      }),
    vintages: ({ seriesId, from = '', to = '~', before = '~', limit }) =>
      session.use((connection) => {
        const series = readSeries(connection, seriesId);
        if (series === undefined) return undefined;
        const { key } = series;
        const first = connection.column<Day | null>('select min(date) from fact where series = ?').get(key);
        const page = connection
          .objects<{ readonly asOfDate: Day; readonly kind: KeptKind }>(
            `select as_of_date as asOfDate, kind from vintage
             where series = @key and as_of_date >= @from and as_of_date <= @to and as_of_date < @before
             order by as_of_date desc limit @limit`,
          )
          .all({ key, from, to, before, limit });
        const counts = countChanges(connection, key, page[0]?.asOfDate ?? '');
        const nothing = { added: 0, revised: 0, withdrawn: 0 };
        const rows = page.map((row) =>
          withKind({ ...row, ...(counts.get(row.asOfDate) ?? nothing) }, series),
        );
        return { series: seriesOf(series), firstDate: first ?? undefined, rows };
      }),
    statements: (seriesId) =>
      session.stream((connection) => {
        const series = connection
          .objects<{ readonly key: number; readonly normalisedBy: Frequency } & StatedKind>(
            'select key, normalised_by as normalisedBy, stated_vintage_kind as statedKind from series where id = ?',
          )
          .get(seriesId);
        if (series === undefined) return [];
        const { key, ...stated } = series;
        return statementsOf(
          { seriesId, ...stated, vintages: readVintages(connection, key) },
          async (from, to) => readChanges(connection, key, from, to),
        );
      }),
    async completeVintages(seriesId) {
      const rows = await session.rows<{ readonly asOf: Day; readonly kind: KeptKind } & StatedKind>(
        `select as_of_date as asOf, kind, stated_vintage_kind as statedKind
         from vintage join series on series.key = vintage.series
         where complete = 1 and series.id = ? order by as_of_date`,
        seriesId,
      );
      return rows.map(({ statedKind, ...row }) => withKind(row, { statedKind }));
    },
    descriptionChanges: descriptionsIn(session).of,
  };
}

function readSeries(connection: Connection, id: string): KeyedSeriesRow | undefined {
  return connection
    .objects<KeyedSeriesRow>(`select ${columns} from series where id = ? and first_vintage is not null`)
    .get(id);
}

/** A page of values. As of any day between two vintages it is the page of the first one, which may be in the cache. */
function readPage(
  connection: Connection,
  series: KeyedSeriesRow,
  query: ObservationQuery,
  vintage: Day | undefined,
  pages: PageCache | undefined,
): readonly StoredObservation[] {
  const { asOf, seriesId: _id, ...others } = query;
  if (pages === undefined || asOf === undefined) return readObservations(connection, series, query);
  const key = JSON.stringify([connection.file, series.key, series.version, vintage, others]);
  const cached = pages.get(key);
  if (cached !== undefined) return cached;
  const rows = readObservations(connection, series, query);
  pages.set(key, rows);
  return rows;
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

function readObservations(
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

/**
 * The newest vintage of a series on or before a day; for first releases also the kinds of all vintages up to the day.
 */
function readVintageOn(
  connection: Connection,
  { key, statedKind }: KeyedSeriesRow,
  { asOf = '~', firstRelease = false }: ObservationQuery,
): VintageOnDay {
  const found = connection
    .objects<{ readonly asOf: Day; readonly kind: KeptKind }>(
      `select as_of_date as asOf, kind from vintage
       where series = ? and as_of_date <= ? order by as_of_date desc limit 1`,
    )
    .get(key, asOf);
  const newest = found && withKind(found, { statedKind });
  if (!firstRelease) return { newest };
  const kept = connection
    .column<KeptKind>('select distinct kind from vintage where series = ? and as_of_date <= ?')
    .all(key, asOf);
  return { newest, kinds: kindsText(kept.map((kind) => kindOf(kind, statedKind ?? undefined))) };
}

/** The changes of the values of dates, newest date first. */
function readRevisions(
  connection: Connection,
  { key, statedKind }: KeyedSeriesRow,
  { from = '', to = '~' }: RevisionQuery,
): readonly Revision[] {
  const vintages = connection
    .objects<{ readonly asOf: Day; readonly kind: KeptKind }>(
      'select as_of_date as asOf, kind from vintage where series = ?',
    )
    .all(key);
  const kinds = new Map(vintages.map((row) => [row.asOf, withKind(row, { statedKind }).kind]));
  // A row is one text, and the kinds are looked up here: reading four texts of a join takes four times as long.
  const rows = connection
    .column<string>(
      `select date || as_of_date || coalesce('=' || value, '') from fact
       where series = @key and date >= @from and date <= @to order by date desc, as_of_date`,
    )
    .all({ key, from, to });
  return rows.map((row) => {
    const asOfDate = row.slice(10, 20);
    const value = row.length > 20 ? row.slice(21) : null;
    return { date: row.slice(0, 10), asOfDate, value, kind: kinds.get(asOfDate) ?? 'unknown' };
  });
}

/** What each day up to `last` changed. A first value and a value after a withdrawal count as added. */
function countChanges(connection: Connection, key: number, last: Day) {
  const counts = new Map<Day, { added: number; revised: number; withdrawn: number }>();
  // A row is one text and is counted here: a window over the changes, grouped by day, takes twice as long.
  const rows = connection
    .column<string>(
      `select date || as_of_date || (value is null) from fact where series = @key and as_of_date <= @last
       order by date, as_of_date`,
    )
    .all({ key, last });
  let [date, hasValue] = ['', false];
  for (const row of rows) {
    if (date === '' || !row.startsWith(date)) [date, hasValue] = [row.slice(0, 10), false];
    const asOf = row.slice(10, 20);
    let count = counts.get(asOf);
    if (count === undefined) {
      count = { added: 0, revised: 0, withdrawn: 0 };
      counts.set(asOf, count);
    }
    const isWithdrawn = row.endsWith('1');
    count[isWithdrawn ? 'withdrawn' : hasValue ? 'revised' : 'added'] += 1;
    hasValue = !isWithdrawn;
  }
  return counts;
}
