import { setImmediate as turn } from 'node:timers/promises';
import type { Day } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import type { Envelope, Row } from '../operations/envelope.ts';
import type { Operation } from '../operations/operation.ts';
import { limitTaken } from '../operations/page.ts';
import type { Params, ParamTexts } from '../operations/param.ts';
import type { Client } from './client.ts';

/** How much of a listing is wanted: so many rows in the contract's order, or all of it. */
export type Extent = { readonly limit?: number; readonly cursor?: string };

/** The most rows that a page of the contract holds. */
export const largestPage = 1000;

/**
 * The pages of one question, as many as its extent asks for; observations newest first, whatever the service's order.
 * Only the last page says `has_more`, and only when the limit cut the answer there.
 */
export async function* pagesOf<R extends Row>(
  client: Client,
  operation: Operation<Params, R>,
  given: ParamTexts,
  extent: Extent,
  signal: AbortSignal,
): AsyncGenerator<Envelope<R>, undefined> {
  const pages = (wanted: Extent) => pagesAsGiven(client, operation, given, wanted, signal);
  const { newestFirst: field } = operation;
  yield* field === undefined ? pages(extent) : newestFirst(pages, extent, field);
  return undefined;
}

async function* pagesAsGiven<R extends Row>(
  client: Client,
  operation: Operation<Params, R>,
  given: ParamTexts,
  extent: Extent,
  signal: AbortSignal,
): AsyncGenerator<Envelope<R>, undefined> {
  const paged = Object.hasOwn(operation.params, 'limit');
  let left = extent.limit ?? Number.POSITIVE_INFINITY;
  let cursor = extent.cursor;
  for (;;) {
    // A store in this process never waits for anything: without a turn of the event loop no signal would be heard.
    await turn();
    signal.throwIfAborted();
    const question = [
      ...given,
      ...(paged ? [['limit', String(Math.min(left, largestPage))] as const] : []),
      ...(cursor === undefined ? [] : [['cursor', cursor] as const]),
    ];
    const page = await client.ask(operation, question).catch((error) => {
      throw cursor === extent.cursor ? ofOwnCursor(error) : betweenPages(error);
    });
    left -= limitTaken(operation, page.results);
    if (!page.has_more || left <= 0) {
      yield page;
      return undefined;
    }
    if (page.next_cursor === undefined || page.next_cursor === cursor || page.results.length === 0) {
      throw new Problem(
        'bad-answer',
        `the service says that ${operation.object} has more rows, but not where they begin`,
      );
    }
    cursor = page.next_cursor;
    const { next_cursor: _, ...rest } = page;
    yield { ...rest, has_more: false };
  }
}

type Pages<R> = (wanted: Extent) => AsyncGenerator<Envelope<R>, undefined>;

/** Pages as they come, where that is newest first by a field; else all rows in that order, cut at the limit. */
async function* newestFirst<R extends Row>(
  pages: Pages<R>,
  extent: Extent,
  field: string,
): AsyncGenerator<Envelope<R>, undefined> {
  let before: Day | undefined;
  for await (const page of pages(extent)) {
    // One row has no order: the next one tells it.
    const rows =
      extent.limit === 1 && page.has_more ? await rowsOf(pages({ ...extent, limit: 2 })) : page.results;
    const days = rows.map((row) => String(row[field]));
    const odd = days.find((day, i) => day >= (days[i - 1] ?? before ?? '9'));
    if (odd !== undefined && before === undefined) {
      const { limit: _, ...unlimited } = extent;
      yield sorted(page, await rowsOf(pages(unlimited)), extent, field);
      return undefined;
    }
    if (odd !== undefined) throw outOfOrder(odd);
    before = days.at(page.results.length - 1) ?? before;
    yield page;
  }
  return undefined;
}

function sorted<R extends Row>(
  page: Envelope<R>,
  unsorted: readonly R[],
  { limit = unsorted.length }: Extent,
  field: string,
): Envelope<R> {
  const rows = [...unsorted].sort((a, b) => (String(a[field]) < String(b[field]) ? 1 : -1));
  const twice = rows.find((row, i) => row[field] === rows[i - 1]?.[field]);
  if (twice !== undefined) throw outOfOrder(String(twice[field]));
  const results = rows.slice(0, limit);
  // A cursor of the service goes on in its own order, from somewhere else.
  const { next_cursor: _, ...rest } = page;
  return { ...rest, results, results_count: results.length, has_more: results.length < rows.length };
}

async function rowsOf<R>(pages: AsyncGenerator<Envelope<R>>): Promise<readonly R[]> {
  const rows: R[] = [];
  for await (const page of pages) for (const row of page.results) rows.push(row);
  return rows;
}

function outOfOrder(day: Day): Problem {
  return new Problem('bad-answer', `the service gives ${day} again, or out of order, on a later page`);
}

/** A cursor that the user typed is a value of the command line, whatever it is refused for. */
function ofOwnCursor(error: unknown): unknown {
  const changed = error instanceof Problem && error.kind === 'data-changed';
  return changed ? error.with({ kind: 'validation-error' }) : error;
}

/** A service refuses a cursor that it gave out only when the data changed meanwhile. */
function betweenPages(error: unknown): unknown {
  if (!(error instanceof Problem) || error.status !== 400 || error.field !== 'cursor') return error;
  return new Problem('data-changed', 'the data changed while it was being read', {
    hints: ['try again when the import is done', 'with -o FILE asof can begin anew by itself'],
    cause: error,
  });
}

/** Whether a failure means that the data changed between two pages, so that the question must be asked anew. */
export function changedBetweenPages(error: unknown): boolean {
  return error instanceof Problem && error.kind === 'data-changed';
}
