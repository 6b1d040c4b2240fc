import { searchableWords } from '../../domain/series/words.ts';
import type { Connection } from './connection.ts';

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
