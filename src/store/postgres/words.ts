import type { Day } from '../../domain/series/date.ts';
import type { IndexQuery } from '../../domain/series/search.ts';
import { type SearchedSeries, searchableWords } from '../../domain/series/words.ts';
import type { Transaction } from './connection.ts';

/** Puts the words of a series into the index; they replace its earlier words. */
export async function putWords(transaction: Transaction, series: SearchedSeries): Promise<void> {
  const { id } = series;
  await transaction.write('delete from asof.word where series = @id', { id });
  await addWords(transaction, series);
}

/** Puts the words of a new series into the index. */
export function addWords(transaction: Transaction, series: SearchedSeries): Promise<void> {
  return transaction.write(
    'insert into asof.word (series, word) select @id, * from unnest(@words::text[]) on conflict (series, word) do nothing',
    { id: series.id, words: searchableWords(series) },
  );
}

/** The number of series whose words are put into the index at once. */
const seriesAtOnce = 1000;

/** Puts the words of all series into the index. */
export async function putAllWords(transaction: Transaction): Promise<void> {
  const all = await transaction.rows<SearchedSeries>('select id, title, units from asof.series order by id');
  for (let at = 0; at < all.length; at += seriesAtOnce) {
    const rows = all
      .slice(at, at + seriesAtOnce)
      .flatMap((series) => searchableWords(series).map((word) => ({ id: series.id, word })));
    await transaction.write(
      `insert into asof.word (series, word) select * from unnest(@ids::text[], @words::text[])
       on conflict (series, word) do nothing`,
      { ids: rows.map(({ id }) => id), words: rows.map(({ word }) => word) },
    );
  }
}

/** The series that have any of these ids, a word that is or begins with any of these, or an id that contains `part`. */
export async function searchEntries(
  transaction: Transaction,
  { words, starts, ids, part, upTo = 'infinity' }: IndexQuery,
): Promise<readonly SearchedSeries[]> {
  const read = (condition: string, values: Readonly<Record<string, unknown>>) =>
    transaction.rows<SearchedSeries>(
      `select id, coalesce(title, id) as title, coalesce(units, '') as units from asof.series
       where first_vintage <= @upTo and ${condition}`,
      { upTo, ...values },
    );
  const found = await Promise.all([
    ids.length > 0 ? read('id = any(@ids::text[])', { ids }) : [],
    words.length > 0
      ? read('id in (select series from asof.word where word = any(@words::text[]))', { words })
      : [],
    ...starts.map((from) =>
      read('id in (select series from asof.word where word >= @from and word < @below)', {
        from,
        below: `${from}\u{10ffff}`,
      }),
    ),
    part === undefined ? [] : read('strpos(id, @part) > 0', { part }),
  ]);
  return [...new Map(found.flat().map((series) => [series.id, series])).values()];
}

/** The ids or the words of all series that began by a day. */
export async function readSearchable(
  transaction: Transaction,
  what: 'ids' | 'words',
  upTo: Day = 'infinity',
): Promise<readonly string[]> {
  const sql = {
    ids: 'select id as text from asof.series where first_vintage <= @upTo',
    words: `select distinct word as text from asof.word
      where series not in (select id from asof.series where first_vintage > @upTo)`,
  };
  const rows = await transaction.rows<{ readonly text: string }>(sql[what], { upTo });
  return rows.map(({ text }) => text);
}
