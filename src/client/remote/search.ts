import { Problem } from '../../errors/problem.ts';
import { formatCursor, parseCursor } from '../../operations/cursor.ts';
import type { Envelope, Row } from '../../operations/envelope.ts';
import type { Operation, Substitute } from '../../operations/operation.ts';
import { type Params, type ParamTexts, textOf } from '../../operations/param.ts';

/** Asks for one page of a listing. */
type AskPage<R> = (texts: ParamTexts) => Promise<Envelope<R>>;

/** All rows of a listing, in the envelope of its last page. */
export type Listed<R> = { readonly envelope: Omit<Envelope<R>, 'next_cursor'>; readonly rows: readonly R[] };

/** The page that the texts ask for, selected by the client itself from the whole listing. */
export function selectedPage<R extends Row>(
  { rows, envelope }: Listed<R>,
  { select, keyOf }: Substitute<R>,
  { name, params }: Operation<Params, R>,
  texts: ParamTexts,
): Envelope<R> {
  const cursor = textOf(texts, 'cursor');
  const after = cursor === undefined ? undefined : parseCursor(cursor, name, texts).key[0];
  const limit = Number(textOf(texts, 'limit') ?? params.limit?.fallback);
  const found = select(rows);
  const begin = after === undefined ? 0 : found.findIndex((row) => keyOf(row) === after) + 1;
  if (after !== undefined && begin === 0)
    throw new Problem('validation-error', "invalid 'cursor': its row is gone", { field: 'cursor' });
  const results = found.slice(begin, begin + limit);
  const last = results.at(-1);
  const more = found.length > begin + limit && last !== undefined;
  return {
    ...envelope,
    results,
    results_count: results.length,
    has_more: more,
    ...(more && { next_cursor: formatCursor({ key: [keyOf(last)] }, name, texts) }),
  };
}

/** All rows of a listing, in as few pages as the contract allows. */
export async function wholeListing<R extends Row>(ask: AskPage<R>): Promise<Listed<R>> {
  const rows: R[] = [];
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
      throw new Problem('bad-answer', 'the service gives the same page of a listing again and again');
    seen.add(next_cursor);
    cursor = next_cursor;
  }
}
