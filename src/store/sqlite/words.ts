import type { Day } from '../../domain/series/date.ts';
import type { IndexQuery } from '../../domain/series/search.ts';
import { type SearchedSeries, searchableWords } from '../../domain/series/words.ts';
import { wordFaults } from '../contents.ts';
import type { Connection } from './connection.ts';

const endOfTime = '9999-12-31';

type KeyedRow = { readonly key: number; readonly id: string; readonly title: string; readonly units: string };

const rows = 'select key, id, coalesce(title, id) as title, units from series';

/** Removes the words of a series from the index; must be called before its id, title or units change. */
export function removeWords(connection: Connection, key: number): void {
  const series = connection.objects<KeyedRow>(`${rows} where key = ?`).get(key);
  if (series === undefined) return;
  const remove = connection.objects('delete from word where word = ? and series = ?');
  for (const word of searchableWords(series)) remove.run(word, key);
}

/** Adds the words of a series to the index. */
export function putWords(connection: Connection, key: number): void {
  const series = connection.objects<KeyedRow>(`${rows} where key = ?`).get(key);
  if (series === undefined) return;
  const insert = connection.objects('insert into word (word, series) values (?, ?)');
  for (const word of searchableWords(series)) insert.run(word, key);
}

/** Adds the words of all series to an empty index. */
export function putAllWords(connection: Connection): void {
  for (const key of connection.column<number>('select key from series').all()) putWords(connection, key);
}

/** The series that have any of these words or ids, or whose id contains this part. */
export function searchEntries(
  connection: Connection,
  { words, starts, ids, part, upTo = endOfTime }: IndexQuery,
): readonly SearchedSeries[] {
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
}

/** The ids or the words of all series that began by a day. */
export function readSearchable(
  connection: Connection,
  what: 'ids' | 'words',
  upTo: Day = endOfTime,
): readonly string[] {
  const sql = {
    ids: 'select id from series where first_vintage <= @upTo',
    words: `select distinct word from word
      where series not in (select key from series where first_vintage > @upTo)`,
  };
  return connection.column<string>(sql[what]).all({ upTo });
}

/** Faults of the index: words that differ from those of their series, and words of no series. */
export function wordFaultsIn(connection: Connection): readonly string[] {
  const indexed = connection
    .objects<SearchedSeries & { readonly words: string | null }>(
      `with own as materialized (select series, json_group_array(word) as words from word group by series)
       select id, title, units, words from series left join own on own.series = key order by id`,
    )
    .iterate();
  const faults: string[] = [];
  for (const { words, ...series } of indexed)
    faults.push(...wordFaults({ ...series, words: words === null ? [] : JSON.parse(words) }));
  const orphans = connection
    .column<number>('select count(*) from word where series not in (select key from series)')
    .get();
  return orphans === 0 ? faults : [...faults, `${orphans} words belong to no series`];
}
