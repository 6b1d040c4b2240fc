import { statSync } from 'node:fs';
import { type SearchedSeries, searchableWords } from '../../domain/search/words.ts';
import type { Day } from '../../domain/values/date.ts';
import type {
  ChangeCells,
  Engine,
  FilingTables,
  PageQuery,
  SeriesRow,
  SeriesTables,
  StoredVintageDate,
  WordCells,
} from '../sql/engine.ts';
import { endOfTime } from '../sql/session.ts';
import type { StoredObservation, StoreState } from '../store.ts';
import type { Connection, SqliteSession } from './connection.ts';
import { SqliteError } from './driver.ts';
import type { SeriesMemory } from './kept-series.ts';

/** The series in memory, and the state that a session reads. */
type Kept = { readonly memory: SeriesMemory; readonly state: () => StoreState };

/** Returns the operations that SQLite does in its own way; pages come from the series that are `kept`. */
export function engineOf(session: SqliteSession, kept?: Kept): Engine {
  return {
    series: numberedSeries(session, kept),
    filings: filingTables,
    ...fileContents(session),
  };
}

const filed = 'filing f join trade t on t.filing = f.key';

/** Filings by their numbers, which are shorter than their ids. */
const filingTables: FilingTables = {
  filed,
  newest: filed,
  // SQLite would otherwise search all filings of an issuer even if those with purchases are marked.
  marked: 'filing f indexed by purchases_of_issuer join trade t on t.filing = f.key',
  byIssuer: 'f.issuer_cik',
  tradesByDay: 'trade t cross join filing f on f.key = t.filing',
  ofSymbol: 'f.key in (select filing from symbol where symbol = @ticker)',
  needsIssuers: false,
  issuersOfSymbol: `select distinct issuer_cik from filing
    where key in (select filing from symbol where symbol = @ticker)`,
  symbols: 'asof.symbol',
  days: 'asof.filing',
  owner: { filing: 'integer' },
  ofOwner: 'p.key = t.filing',
  async ownersOf(session, filings) {
    const keys = await session.tuples<readonly [id: string, key: number]>(
      'select filing_id, key from filing where filing_id = any(@ids)',
      { ids: filings.map(({ filingId }) => filingId) },
    );
    const keyOf = new Map(keys);
    return ({ filingId }) => [keyOf.get(filingId)];
  },
  ofFilings: (table) =>
    `${table === 'filing' ? 'key' : 'filing'} in (select key from filing where filing_id = any(@ids))`,
};

function fileContents(session: SqliteSession): Pick<Engine, 'copyPages' | 'damage' | 'size'> {
  return {
    /** Measures the file with its write-ahead log; `format` is that of the connection. */
    size: () =>
      session.use((connection) => {
        const bytes = [session.path, `${session.path}-wal`].map(
          (file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0,
        );
        return {
          format: Number(connection.pragma('user_version')),
          bytes: bytes.reduce((sum, size) => sum + size, 0),
        };
      }),
    damage: () => session.use(damagesOf),
    async copyPages(file, onPart) {
      // A failure to write the copy is not one of this store.
      const connection = await session.use((one) => one);
      await connection.copyPages(file, ({ totalPages, remainingPages }) =>
        onPart(1 - remainingPages / totalPages),
      );
    },
  };
}

/** Lists the damage that SQLite's own check finds; stops at damage that it cannot read past. */
function damagesOf(connection: Connection): readonly string[] {
  try {
    const found = connection.column<string>('pragma integrity_check').all();
    return found.filter((text) => text !== 'ok');
  } catch (error) {
    if (error instanceof SqliteError && error.code.startsWith('SQLITE_CORRUPT')) return [error.message];
    throw error;
  }
}

/** Finds the words with a beginning by seeks from word to word; a search for typos has some 3,000 beginnings. */
function begunWords(connection: Connection, starts: readonly string[]): readonly WordCells[] {
  const next = connection.column<string | null>('select min(word) from word where word >= ?');
  const after = connection.column<string | null>('select min(word) from word where word > ?');
  const series = connection.column<string>('select json_group_array(series) from word where word = ?');
  const found: WordCells[] = [];
  const sorted = [...starts].sort();
  // SQLite sorts these letters in another order.
  const isInOrder = !sorted.some((start) => /[\ud800-\uffff]/.test(start));
  let reached = '';
  for (const start of sorted) {
    // No word is between an earlier start and the word reached.
    if (isInOrder && start < reached && !reached.startsWith(start)) continue;
    let word = next.get(start) ?? undefined;
    reached = word ?? '\uffff';
    for (; word?.startsWith(start); word = after.get(word) ?? undefined)
      found.push([word, series.get(word) ?? []]);
  }
  return found;
}

/** Returns the tables of series by number. */
function numberedSeries(session: SqliteSession, kept: Kept | undefined): SeriesTables {
  return {
    key: 'key',
    ownColumns: 'key, ',
    list: 'asof.series',
    // Only the ids are in an index.
    withPart: 'id in (select id from series where strpos(id, @part) > 0)',
    begunWords: (starts) => session.use((connection) => begunWords(connection, starts)),
    async page(query, columns) {
      const { seriesId: id, asOf } = query;
      if (kept !== undefined) {
        const page = await session.use((connection) =>
          kept.memory.page(connection, kept.state(), query, columns.newest),
        );
        if (page !== undefined) return page;
      }
      const series = await session.row<SeriesRow>(
        `select ${asOf === endOfTime ? columns.newest : columns.onDay} from series
         where id = @id and first_vintage is not null`,
        { id, asOf },
      );
      if (series === undefined) return undefined;
      const newest = await session.row<StoredVintageDate>(
        `select as_of_date as "asOf", kind from vintage
         where series = @id and as_of_date <= @asOf order by as_of_date desc limit 1`,
        { id, asOf },
      );
      const rows = await session.use((connection) => readObservations(connection, series, query));
      kept?.memory.note(kept.state(), series);
      return { series, newest, rows };
    },
    async create(ids) {
      // A series may get the number of a removed one: its versions begin after those a cache may know.
      let version = 0;
      for (const id of ids)
        [version = 0] = await session.column<number>(
          'insert into series (id, version) select @id, revision from store returning version',
          { id },
        );
      return version;
    },
    async latestChanges(wanted) {
      const found: (readonly [id: string, ...ChangeCells])[] = [];
      for (const [id, dates] of wanted) {
        const changes = new Map<Day, ChangeCells>();
        let [from, to] = [endOfTime, ''];
        for (const date of dates) {
          if (date < from) from = date;
          if (date > to) to = date;
        }
        for (const table of ['fact', 'respelling']) {
          // A row is one text, because reading three takes three times as long. '=' marks a value; a withdrawal
          // has none.
          const rows = await session.column<string>(
            `select date || max(as_of_date) || coalesce('=' || value, '') from ${table}
             where series = @id and date between @from and @to group by date`,
            { id, from, to },
          );
          for (const row of rows) {
            const [date, asOf] = [row.slice(0, 10), row.slice(10, 20)];
            const [, known = ''] = changes.get(date) ?? [];
            if (known <= asOf) changes.set(date, [date, asOf, row.length > 20 ? row.slice(21) : null]);
          }
        }
        for (const change of changes.values()) found.push([id, ...change]);
      }
      return found;
    },
    remove: (id, table, { dates, asOf }) =>
      session.use((connection) => {
        const key = connection.column<number>('select key from series where id = ?').get(id);
        const remove = connection.objects(
          `delete from ${table} where series = ? and date = ? and as_of_date = ?`,
        );
        for (const [place, date] of dates.entries()) remove.run(key, date, asOf[place]);
      }),
    newState: () => ({}),
    async removeWords(id) {
      const series = await session.row<SearchedSeries>('select id, title, units from series where id = @id', {
        id,
      });
      const words = series === undefined ? [] : searchableWords(series);
      await session.run('delete from word where series = @id and word = any(@words)', { id, words });
    },
    summaries: {
      // The index has all columns that are read, and is a tenth of the table.
      byKeys: `(select value from json_each(@keys)) as asked
        cross join series indexed by series_summary on key = asked.value`,
      put: (id, { length, areas }) =>
        session.write('update series set title_length = @length, title_areas = @areas where id = @id', {
          id,
          length,
          areas,
        }),
    },
  };
}

/** With more changes per date, a seek for each date is faster than reading all changes (measured in bench/). */
const seekFrom = 24;

// A row is one text that begins with both dates, and a page is one text of its rows in their order: reading a text for
// each row takes a tenth longer, and three for each row three times as long.
const asText = (rows: string) => `select group_concat(row, char(10)) from (${rows})`;

const within = `series = @key and date >= @from and date < @below`;

const byGroup = asText(`select date || max(as_of_date) || value as row from fact
  where ${within} and as_of_date <= @asOf
  group by date having value is not null order by date desc limit @limit`);

// No date has a second change to group.
const unrevised = asText(`select date || as_of_date || value as row from fact
  where ${within} and as_of_date <= @asOf and value is not null order by date desc limit @limit`);

// Two seeks for each date: to the date before it, and to its newest row up to the day.
const bySeek = asText(`with recursive known (date, row) as (
    select max(date), null from fact where ${within}
    union all
    select (select date from fact where series = @key and date < known.date order by date desc limit 1),
      (select date || as_of_date || value from fact
        where series = @key and date = known.date and as_of_date <= @asOf order by as_of_date desc limit 1)
    from known where known.date >= @from
  )
  select row from known where row is not null limit @limit`);

const firstReleases = asText(`select date || min(as_of_date) || value as row from fact
  where ${within} and as_of_date <= @asOf and value is not null
    and date > coalesce((select max(date) from fact
      where series = @key and as_of_date <= @firstVintage and value is not null), '')
  group by date order by date desc limit @limit`);

function newestFirst({ dateCount, factCount }: SeriesRow): string {
  if (factCount === dateCount) return unrevised;
  return factCount > dateCount * seekFrom ? bySeek : byGroup;
}

function readObservations(
  connection: Connection,
  series: SeriesRow,
  { asOf, firstRelease, from, to, before, limit }: PageQuery,
): readonly StoredObservation[] {
  const { key, firstVintage } = series;
  // '~' sorts after every digit, so every text that begins with the day sorts before it.
  const upTo = `${to}~`;
  const below = before < upTo ? before : upTo;
  const sql = firstRelease === true ? firstReleases : newestFirst(series);
  const bounds = { key, firstVintage, from, below, asOf, limit };
  const text = connection.column<string | null>(sql).get(bounds);
  return observationsIn(text ?? '');
}

function observationsIn(text: string): readonly StoredObservation[] {
  const found: StoredObservation[] = [];
  for (let at = 0; at < text.length; ) {
    const lineEnd = text.indexOf('\n', at);
    const end = lineEnd < 0 ? text.length : lineEnd;
    const value = text.slice(at + 20, end);
    found.push({ date: text.slice(at, at + 10), asOfDate: text.slice(at + 10, at + 20), value });
    at = end + 1;
  }
  return found;
}
