import { refused } from '../../errors/problem.ts';
import { formatCursor, parseCursor } from '../../operations/cursor.ts';
import type { Envelope, Row } from '../../operations/envelope.ts';
import type { Operation, Substitute } from '../../operations/operation.ts';
import { compareRows, isStrict } from '../../operations/order.ts';
import { type Params, type ParamTexts, textOf, without } from '../../operations/param.ts';
import { defined } from '../../platform/defined.ts';
import { largestPage, samePageAgain } from '../pagination.ts';

type AskPage<R> = (texts: ParamTexts) => Promise<Envelope<R>>;

type Listed<R> = { readonly envelope: Omit<Envelope<R>, 'next_cursor'>; readonly rows: readonly R[] };

type KeptListing<R> = { readonly operation: Operation<Params, R>; readonly listed: Promise<Listed<R>> };

/** Selects pages from a whole listing, which is requested once. */
export class WholeListing {
  #kept: KeptListing<unknown> | undefined;

  /** The page that `texts` ask for. */
  async page<R extends Row>(
    operation: Operation<Params, R>,
    selection: NonNullable<Substitute<R>['selection']>,
    texts: ParamTexts,
    ask: AskPage<R>,
  ): Promise<Envelope<R>> {
    return selectedPage(await this.#rows(operation, ask), selection, operation, texts);
  }

  async #rows<R extends Row>(operation: Operation<Params, R>, ask: AskPage<R>): Promise<Listed<R>> {
    if (this.#kept !== undefined && isListingOf(this.#kept, operation)) return this.#kept.listed;
    const listed = wholeListing(ask);
    this.#kept = { operation, listed };
    try {
      return await listed;
    } catch (error) {
      this.#kept = undefined;
      throw error;
    }
  }
}

function isListingOf<R extends Row>(
  kept: KeptListing<unknown>,
  operation: Operation<Params, R>,
): kept is KeptListing<R> {
  return kept.operation === operation;
}

async function selectedPage<R extends Row>(
  { rows, envelope }: Listed<R>,
  { select, keyOf }: NonNullable<Substitute<R>['selection']>,
  { name, params }: Operation<Params, R>,
  texts: ParamTexts,
): Promise<Envelope<R>> {
  const cursor = textOf(texts, 'cursor');
  const after = cursor === undefined ? undefined : parseCursor(cursor, name, texts).key[0];
  const limit = Number(textOf(texts, 'limit') ?? params.limit?.fallback);
  const found = await select(rows);
  const begin = after === undefined ? 0 : found.findIndex((row) => keyOf(row) === after) + 1;
  if (after !== undefined && begin === 0) throw refused({ param: 'cursor', reason: 'its row is gone' });
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

async function wholeListing<R extends Row>(ask: AskPage<R>): Promise<Listed<R>> {
  const rows: R[] = [];
  const seen = new Set<string>();
  let [cursor, before]: string[] = [];
  for (;;) {
    const page = await ask([
      ['limit', String(largestPage)],
      ...(cursor === undefined ? [] : [['cursor', cursor] as const]),
    ]);
    rows.push(...page.results);
    const { next_cursor, ...envelope } = page;
    if (!page.has_more || next_cursor === undefined) return { envelope, rows };
    const first = JSON.stringify(page.results[0]);
    if (seen.has(next_cursor) || first === before) throw samePageAgain();
    seen.add(next_cursor);
    before = first;
    cursor = next_cursor;
  }
}

/** Asks for a page; for two rows in the place of one, which does not show the order, and gives both if it is wrong. */
export async function askInOrder<R extends Row>(
  operation: Operation<Params, R>,
  texts: ParamTexts,
  ask: AskPage<R>,
): Promise<Envelope<R>> {
  if (!asksForOneNewest(operation, texts)) return ask(texts);
  const { name, order = [] } = operation;
  const two = [...without(texts, 'limit'), ['limit', '2']] as const;
  const page = await ask(two);
  const [first, second] = page.results;
  if (first === undefined || second === undefined) return page;
  if (compareRows(order, first, second) > 0) return page;
  const { next_cursor: cursor, ...rest } = page;
  // Without more rows, the cursor after the second row is not known; asof itself can make it.
  if (cursor === undefined && ownRequestId.test(page.request_id)) return ask(texts);
  const key = order.map(({ field }) => String(first[field]));
  const next = cursor === undefined ? undefined : cursorAfter(key, cursor, name, two);
  return {
    ...rest,
    results: [first],
    results_count: 1,
    has_more: true,
    ...defined({ next_cursor: next }),
  };
}

function asksForOneNewest(operation: Operation<Params, unknown>, texts: ParamTexts): boolean {
  const { order = [], identity = [] } = operation;
  return isStrict(order, identity) && operation.limitCounts === undefined && textOf(texts, 'limit') === '1';
}

const ownRequestId = /^req_[0-9a-f]{32}$/;

/** asof's own cursor after a row that comes before the row of a given cursor; undefined for another service. */
function cursorAfter(
  key: readonly string[],
  cursor: string,
  operation: string,
  texts: ParamTexts,
): string | undefined {
  try {
    return formatCursor({ ...parseCursor(cursor, operation, texts), key }, operation, texts);
  } catch {
    return undefined;
  }
}
