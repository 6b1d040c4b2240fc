import type { Database, Statement as Sql } from 'better-sqlite3';
import type { Day } from '../../domain/series/date.ts';
import { matchRank } from '../../domain/series/series.ts';
import { Problem } from '../../errors/problem.ts';
import type {
  ImportRecord,
  ObservationQuery,
  ObservationRow,
  Series,
  SeriesQuery,
  Store,
  StoreInfo,
} from '../store.ts';
import { asProblem, connectReader, prepare } from './connect.ts';
import { readFilings, readPurchases } from './filing-pages.ts';
import { readCurve, readSpread, readYields } from './points.ts';
import { readFirstDate, readRevisions, readVintageCounts } from './revisions.ts';
import { currentFormat, formatOf } from './schema.ts';
import { readStatements } from './statements.ts';
import { noTurns, turnState } from './turn-state.ts';

const endOfTime = '9999-12-31';

/** Above this many changes a date, a seek for each date is faster than reading all of them (measured in bench/). */
const seekFrom = 24;

const seriesColumns = `key, id, coalesce(title, id) as title, coalesce(units, '') as units,
  coalesce(frequency, implied_frequency, spacing_frequency) as frequency,
  coalesce(seasonal_adjustment, '') as seasonalAdjustment, 
  case when instr(implied_source, '; ') > 0 then implied_source else coalesce(source, implied_source, '') end as source,
  observation_count as observationCount, date_count as dateCount, fact_count as factCount,
  first_vintage as firstVintage, last_vintage as lastVintage, covered_to as coveredTo, version`;

// Each row comes as one text, date and as-of date in their ten characters: to take three texts costs three times as much.
const page = `series = @key and date >= @from and date < @below`;

const byGroup = `select date || max(as_of_date) || value from fact
  where ${page} and as_of_date <= @asOf
  group by date having value is not null order by date desc limit @limit`;

const bySeek = `with recursive day (date) as (
    select max(date) from fact where ${page}
    union all
    select (select max(f.date) from fact f where f.series = @key and f.date < day.date)
    from day where day.date > @from
  )
  select day.date || f.as_of_date || f.value
  from day join fact f on f.series = @key and f.date = day.date and f.as_of_date =
    (select max(as_of_date) from fact where series = @key and date = day.date and as_of_date <= @asOf)
  where f.value is not null and day.date >= @from limit @limit`;

const firstReleases = `select date || min(as_of_date) || value from fact
  where ${page} and as_of_date <= @asOf and value is not null
    and date > coalesce((select max(date) from fact
      where series = @key and as_of_date <= @firstVintage and value is not null), '')
  group by date order by date desc limit @limit`;

const newestVintage = `select max(as_of_date) from vintage
  where series = (select key from series where id = @id) and as_of_date <= @asOf`;

const idSearch = `select ${seriesColumns} from series
  where first_vintage is not null and id > @after and instr(id, @text) > 0 order by id limit @limit`;

type SeriesRow = Series & { readonly key: number; readonly dateCount: number; readonly factCount: number };

/** A store on a SQLite file, opened for reading only; `live` refuses one whose later imports would not be seen. */
export async function openSqliteStore(path: string, live?: boolean): Promise<Store> {
  const db = await connectReader(path, live);
  try {
    if (formatOf(db, path) < currentFormat) {
      throw new Problem('local-io', `${path} was made by an older asof`, {
        hints: ['any `asof import` brings it up to date'],
      });
    }
    return sqliteStore(db, path, live === true);
  } catch (error) {
    db.close();
    throw asProblem(path, error);
  }
}

function sqliteStore(db: Database, path: string, live: boolean): Store {
  const { begin, end } = live ? turnState(db) : noTurns;
  const sql = (text: string): Sql => {
    begin();
    return prepare(db, text);
  };
  const findSeries = (id: string) =>
    sql(`select ${seriesColumns} from series where id = ? and first_vintage is not null`).get(id) as
      | SeriesRow
      | undefined;

  /** What several reads see must be one state of the store, whatever another process commits meanwhile. */
  const ofOneState = <T>(read: () => T): T => {
    begin();
    return db.inTransaction ? read() : db.transaction(read)();
  };

  /** What is read of a series that exists; undefined of one that does not. */
  const ofSeries = <T>(id: string, read: (key: number) => T): T | undefined =>
    ofOneState(() => {
      const series = findSeries(id);
      return series && read(series.key);
    });

  const store: Store = {
    async info(): Promise<StoreInfo> {
      const row = sql('select revision, sample from store').get() as { revision: number; sample: number };
      return { path, sample: row.sample === 1, revision: row.revision };
    },

    async findSeries(id) {
      const row = findSeries(id);
      return row && publicSeries(row);
    },

    async searchSeries(query) {
      if (query.match === 'id') return searchIds(sql(idSearch), query);
      return searchTitles(
        sql(`select ${seriesColumns} from series where first_vintage is not null order by id`),
        query,
      );
    },

    async observations(query) {
      const rows = ofOneState(() => {
        const series = findSeries(query.seriesId);
        if (series === undefined) return [];
        return sql(observationSql(series, query)).pluck().all(bounds(series, query)) as string[];
      });
      return rows.map(observationRow);
    },

    revisions: async (id, date) => ofSeries(id, (key) => readRevisions(db, key, date)) ?? [],
    vintages: async (query) => ofSeries(query.seriesId, (key) => readVintageCounts(db, key, query)) ?? [],
    vintageUpTo: async (id, asOf) =>
      (sql(newestVintage).pluck().get({ id, asOf }) as Day | null) ?? undefined,
    firstDate: async (id) => ofSeries(id, (key) => readFirstDate(db, key)),

    curve: async (query) => ofOneState(() => readCurve(db, query)),
    yields: async (query) => ofOneState(() => readYields(db, query)),

    spread: async (query) => ofOneState(() => readSpread(db, query)),
    filings: async (query) => ofOneState(() => readFilings(db, query)),
    purchases: (query) => ofItsOwnState(path, end, (own) => readPurchases(own, query)),
    statements: (seriesId) => ofItsOwnState(path, end, (own) => readStatements(own, seriesId)),

    async completeVintages(seriesId) {
      const days = sql(`select as_of_date from vintage where complete = 1
        and series = (select key from series where id = ?) order by as_of_date`);
      return days.pluck().all(seriesId) as Day[];
    },

    async imports() {
      return sql(`select imported_at as importedAt, file, kind, sha256, series, statements_new as statementsNew,
        statements_known as statementsKnown, withdrawn from import order by id`).all() as ImportRecord[];
    },

    async close() {
      db.close();
    },
  };
  return withProblems(store, path);
}

/**
 * Reads in batches; a connection of its own holds the state that the first was read from. `begun` is told when it does:
 * that state may be a newer one than that of the turn.
 */
async function* ofItsOwnState<T>(
  path: string,
  begun: () => void,
  read: (db: Database) => Iterable<T> | AsyncIterable<T>,
): AsyncGenerator<T> {
  const db = await connectReader(path);
  try {
    db.exec('begin');
    begun();
    yield* read(db);
  } catch (error) {
    throw asProblem(path, error);
  } finally {
    db.close();
  }
}

/** The same store, whose methods turn what SQLite throws into Problems. */
function withProblems(store: Store, path: string): Store {
  const wrapped = Object.entries(store).map(([name, method]) => {
    if (name === 'statements' || name === 'purchases') return [name, method];
    const call = async (...parameters: never[]) => {
      try {
        return await (method as (...parameters: never[]) => Promise<unknown>)(...parameters);
      } catch (error) {
        throw asProblem(path, error);
      }
    };
    return [name, call];
  });
  return Object.fromEntries(wrapped);
}

function publicSeries({ key: _key, dateCount: _dates, factCount: _facts, ...series }: SeriesRow): Series {
  return series;
}

function observationSql(series: SeriesRow, query: ObservationQuery): string {
  if (query.firstRelease === true) return firstReleases;
  return series.factCount > series.dateCount * seekFrom ? bySeek : byGroup;
}

function observationRow(text: string): ObservationRow {
  return { date: text.slice(0, 10), asOfDate: text.slice(10, 20), value: text.slice(20) };
}

function bounds(series: SeriesRow, query: ObservationQuery) {
  // '~' sorts after every digit: below it lies all that is on or before the day.
  const upTo = `${query.to ?? endOfTime}~`;
  const below = query.before !== undefined && query.before < upTo ? query.before : upTo;
  const { key, firstVintage } = series;
  const asked = { key, from: query.from ?? '', below, asOf: query.asOf ?? endOfTime, limit: query.limit };
  return query.firstRelease === true ? { ...asked, firstVintage } : asked;
}

function searchIds(sql: Sql, { text, after, limit }: SeriesQuery): Series[] {
  const rows = sql.all({ after: after?.[0] ?? '', text: text.toUpperCase(), limit }) as SeriesRow[];
  return rows.map(publicSeries);
}

/** Pages of a search: by rank, then id; `after` names the last series given out, whose rank follows from the query. */
function searchTitles(all: Sql, { text, match, after, limit }: SeriesQuery): Series[] {
  const rows = [...(all.iterate() as IterableIterator<SeriesRow>)];
  const ranked = [0, 1].flatMap((rank) => rows.filter((row) => matchRank(row, text, match) === rank));
  const start = after === undefined ? 0 : ranked.findIndex((row) => row.id === after[0]) + 1;
  return ranked.slice(start, start + limit).map(publicSeries);
}
