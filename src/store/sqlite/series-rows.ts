import type { Day } from '../../domain/series/date.ts';
import type { HeldVintage, RowPlan } from '../../domain/series/merge-plan.ts';
import type { Change } from '../../domain/series/revision-history.ts';
import type { KeptKind } from '../../domain/series/series.ts';
import { type SearchedSeries, searchableWords } from '../../domain/series/words.ts';
import { changesByDate, type RecordRow, recordCells, recordOf, type SeriesRecord } from '../series-record.ts';
import type { SeriesRows, SeriesStart, WriteTransaction } from '../transaction.ts';
import type { Connection, SqliteSession } from './connection.ts';

function seriesRows(session: SqliteSession, id: string): SeriesRows {
  /** The key of the series, once it was begun. */
  let key = 0;
  return {
    begin: () =>
      session.use((connection) => {
        // A series may get the key of a removed one: its versions begin after those, which a cache may know.
        const { changes } = connection.run(
          'insert into series (id, version) select ?, revision from store where true on conflict do nothing',
          id,
        );
        const row = connection
          .objects<Pick<SeriesStart, 'normalisedBy' | 'coveredTo' | 'version'> & { readonly key: number }>(
            `select key, normalised_by as normalisedBy, coalesce(covered_to, '') as coveredTo, version from series where id = ?`,
          )
          .get(id);
        const record = readRecord(connection, id);
        if (row === undefined || record === undefined) throw new Error(`the series ${id} was not written`);
        const { key: _key, ...state } = row;
        key = row.key;
        if (changes > 0) writeWords(connection, key, 'add');
        const newest = connection
          .column<Day | null>('select max(as_of_date) from vintage where series = ?')
          .get(key);
        return { ...state, record, newestVintage: newest ?? '', isNew: changes > 0 };
      }),
    putRecord: (record) =>
      session.use((connection) => {
        writeWords(connection, key, 'remove');
        connection.run(
          `update series set title = @title, units = @units, frequency = @frequency,
             seasonal_adjustment = @seasonalAdjustment, source = @source, stated_vintage_kind = @vintageKind,
             stated_covered_to = @coveredTo, implied_frequency = @impliedFrequency, implied_source = @impliedSource
           where key = @key`,
          { key, ...recordCells(record) },
        );
        writeWords(connection, key, 'add');
      }),
    async setFrequency(frequency) {
      await session.run('update series set normalised_by = ? where key = ?', frequency, key);
    },
    vintages: () => session.use((connection) => readVintages(connection, key)),
    changes: (from, to) => session.use((connection) => readChanges(connection, key, from, to)),
    latestChanges: (from, to) =>
      session.use((connection) => {
        const changes = new Map<Day, readonly Change[]>();
        for (const table of ['fact', 'respelling']) {
          // A row is one text, because reading three takes three times as long. A withdrawal has no value, hence the mark
          // before one.
          const rows = connection
            .column<string>(
              `select date || max(as_of_date) || coalesce('=' || value, '') from ${table}
         where series = @key and date between @from and @to group by date`,
            )
            .all({ key, from, to });
          for (const row of rows) {
            const [date, asOf] = [row.slice(0, 10), row.slice(10, 20)];
            const known = changes.get(date)?.[0];
            if (known !== undefined && known.asOf > asOf) continue;
            changes.set(date, [{ asOf, value: row.length > 20 ? row.slice(21) : null }]);
          }
        }
        return changes;
      }),
    dateSets: () => session.column<string>('select distinct dates from vintage where series = ?', key),
    kinds: (upTo = '~') =>
      session.column<KeptKind>(
        'select distinct kind from vintage where series = ? and as_of_date <= ?',
        key,
        upTo,
      ),
    apply: (plan) => session.use((connection) => applyPlan(connection, key, plan)),
    async summarise(derived) {
      await session.run(
        `update series set
          spacing_frequency = @spacing,
          observation_count = (select count(*) from
            (select value, max(as_of_date) from fact where series = @key group by date) where value is not null),
          date_count = (select count(distinct date) from fact where series = @key),
          fact_count = (select count(*) from fact where series = @key),
          first_vintage = (select min(as_of_date) from vintage where series = @key),
          last_vintage = (select max(as_of_date) from vintage where series = @key),
          covered_to = max(@coveredTo, coalesce((select max(as_of_date) from vintage where series = @key), '')),
          vintage_kind = @vintageKind,
          version = version + 1
        where key = @key`,
        { key, ...derived },
      );
    },
  };
}

/** The series of a store in an import. */
export function seriesTables(
  session: SqliteSession,
): Pick<WriteTransaction, 'series' | 'records' | 'withStatements' | 'removeSeries' | 'renameSeries'> {
  const records: WriteTransaction['records'] = (seriesIds) =>
    session.use((connection) => {
      const found = new Map<string, SeriesRecord>();
      for (const id of seriesIds) {
        const record = readRecord(connection, id);
        if (record !== undefined) found.set(id, record);
      }
      return found;
    });
  return {
    records,
    series: (id) => seriesRows(session, id),
    async withStatements(seriesIds) {
      const found = await records(seriesIds);
      return new Set([...found].flatMap(([id, { hadStatements }]) => (hadStatements ? [id] : [])));
    },
    removeSeries: (id) =>
      session.use((connection) => {
        const key = connection.column<number>('select key from series where id = ?').get(id);
        if (key === undefined) return false;
        writeWords(connection, key, 'remove');
        connection.run('delete from import_change where subject = ?', `series ${id}`);
        for (const table of ['fact', 'respelling', 'vintage', 'description_change'])
          connection.run(`delete from ${table} where series = ?`, key);
        return connection.run('delete from series where key = ?', key).changes > 0;
      }),
    renameSeries: (from, to) =>
      session.use((connection) => {
        const key = connection.column<number>('select key from series where id = ?').get(from);
        if (key === undefined) return;
        writeWords(connection, key, 'remove');
        connection.run('update series set id = ? where key = ?', to, key);
        writeWords(connection, key, 'add');
        connection.run(
          'update import_change set subject = ? where subject = ?',
          `series ${to}`,
          `series ${from}`,
        );
      }),
  };
}

function readRecord(connection: Connection, seriesId: string): SeriesRecord | undefined {
  const row = connection
    .objects<RecordRow>(
      `select title, units, frequency, seasonal_adjustment as seasonalAdjustment, source,
         stated_vintage_kind as vintageKind, stated_covered_to as coveredTo,
         implied_frequency as impliedFrequency, implied_source as impliedSource, first_vintage as firstVintage
       from series where id = ?`,
    )
    .get(seriesId);
  return row && recordOf(seriesId, row);
}

/** The vintages of a series, oldest first. */
export function readVintages(connection: Connection, key: number): readonly HeldVintage[] {
  const rows = connection
    .objects<Omit<HeldVintage, 'complete'> & { readonly complete: number }>(
      'select as_of_date as asOf, dates, complete, kind, clipped from vintage where series = ? order by as_of_date',
    )
    .all(key);
  return rows.map(({ complete, ...vintage }) => ({ ...vintage, complete: complete === 1 }));
}

/** The changes of text of a series' dates between two days (inclusive), each date's oldest first. */
export function readChanges(
  connection: Connection,
  key: number,
  from: Day,
  to: Day,
): ReadonlyMap<Day, readonly Change[]> {
  const rows = connection
    .tuples<readonly [date: Day, asOf: Day, value: string | null]>(
      `select date, as_of_date, value from fact where series = @key and date between @from and @to
       union all select date, as_of_date, value from respelling where series = @key and date between @from and @to
       order by date, as_of_date`,
    )
    .iterate({ key, from, to });
  return changesByDate(rows);
}

/** Writes the rows of a plan into a series. */
export function applyPlan(
  connection: Connection,
  key: number,
  { removed = [], inserted = [], vintages = [], gone = [] }: Partial<RowPlan>,
): void {
  const statement = {
    remove: {
      fact: connection.objects('delete from fact where series = ? and date = ? and as_of_date = ?'),
      respelling: connection.objects(
        'delete from respelling where series = ? and date = ? and as_of_date = ?',
      ),
    },
    insert: {
      fact: connection.objects('insert into fact values (?, ?, ?, ?)'),
      respelling: connection.objects('insert into respelling values (?, ?, ?, ?)'),
    },
    list: connection.objects(
      `insert into vintage (series, as_of_date, dates, complete, kind, clipped) values (?, ?, ?, ?, ?, ?)
       on conflict (series, as_of_date) do update set dates = excluded.dates, complete = excluded.complete,
         kind = excluded.kind, clipped = excluded.clipped`,
    ),
  };
  for (const { kind, date, asOf } of removed) statement.remove[kind].run(key, date, asOf);
  for (const { kind, date, asOf, value } of inserted) statement.insert[kind].run(key, date, asOf, value);
  for (const { asOf, dates, complete, kind, clipped = '' } of vintages)
    statement.list.run(key, asOf, dates, Number(complete), kind, clipped);
  for (const asOf of gone)
    connection.run('delete from vintage where series = ? and as_of_date = ?', key, asOf);
}

const wordStatements = {
  add: 'insert into word (word, series) values (?, ?)',
  remove: 'delete from word where word = ? and series = ?',
};

/** Adds the words of a series to the index; removes them, which must precede a change of its id, title or units. */
export function writeWords(connection: Connection, key: number, how: keyof typeof wordStatements): void {
  const series = connection
    .objects<SearchedSeries>('select id, coalesce(title, id) as title, units from series where key = ?')
    .get(key);
  if (series === undefined) return;
  const statement = connection.objects(wordStatements[how]);
  for (const word of searchableWords(series)) statement.run(word, key);
}
