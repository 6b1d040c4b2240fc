import { latestDay, utcDay } from '../../domain/series/date.ts';
import { matchRank } from '../../domain/series/series.ts';
import { Problem } from '../../errors/problem.ts';
import { formatCursor, parseCursor } from '../../operations/cursor.ts';
import type { Envelope, Row } from '../../operations/envelope.ts';
import { seriesSearch } from '../../operations/index.ts';
import { readParams } from '../../operations/params.ts';

type Given = readonly (readonly [name: string, text: string])[];

/** Asks for one page of the service's own list of series. */
export type AskList = (given: Given) => Promise<Envelope>;

type Match = 'id' | 'title' | 'any';

/**
 * A search with `match` of a service that knows only the contract's search by id: pages the whole list and matches by
 * itself, in the order and with the refusals that asof's own service has.
 */
export function searchByOurselves(ask: AskList, now: () => Date): (given: Given) => Promise<Envelope> {
  let list: Promise<Listed> | undefined;
  return async (given) => {
    const clock = { latest: latestDay(now()), today: utcDay(now()) };
    const values = readParams(seriesSearch.params, given, clock);
    const [q, match, limit] = [String(values.q), values.match as Match, Number(values.limit)];
    // By id is what the contract's search does; without a text every series matches.
    if (match === 'id' || q === '') return ask(given.filter(([name]) => name !== 'match'));

    const cursor = given.find(([name]) => name === 'cursor')?.[1];
    const after = cursor === undefined ? undefined : parseCursor(cursor, seriesSearch.name, given).key[0];
    list ??= wholeList(ask).catch((error) => {
      list = undefined;
      throw error;
    });
    const { envelope, rows } = await list;
    const found = matching(rows, q, match);
    const begin = after === undefined ? 0 : found.findIndex((row) => row.id === after) + 1;
    if (after !== undefined && begin === 0)
      throw new Problem('validation-error', "invalid 'cursor': its series is gone", { field: 'cursor' });
    const results = found.slice(begin, begin + limit);
    const last = results.at(-1);
    const more = found.length > begin + limit && last !== undefined;
    return {
      ...envelope,
      results,
      results_count: results.length,
      has_more: more,
      ...(more && { next_cursor: formatCursor({ key: [String(last.id)] }, seriesSearch.name, given) }),
    };
  };
}

type Listed = { readonly envelope: Omit<Envelope, 'next_cursor'>; readonly rows: readonly Row[] };

async function wholeList(ask: AskList): Promise<Listed> {
  const rows: Row[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (;;) {
    const page = await ask([
      ['limit', '1000'],
      ...(cursor === undefined ? [] : [['cursor', cursor] as const]),
    ]);
    rows.push(...page.results);
    const { next_cursor, ...envelope } = page;
    if (!page.has_more || next_cursor === undefined) return { envelope, rows };
    if (seen.has(next_cursor))
      throw new Problem(
        'bad-answer',
        'the service gives the same page of its list of series again and again',
      );
    seen.add(next_cursor);
    cursor = next_cursor;
  }
}

/** The rows that a text finds: those by id before those by title, each by id. */
function matching(rows: readonly Row[], text: string, match: Match): readonly Row[] {
  const ranked = rows.flatMap((row) => {
    const rank = matchRank({ id: String(row.id), title: String(row.title) }, text, match);
    return rank === undefined ? [] : [{ row, rank, id: String(row.id) }];
  });
  ranked.sort((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1));
  return ranked.map(({ row }) => row);
}
