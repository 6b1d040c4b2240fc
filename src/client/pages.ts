import { setImmediate as turn } from 'node:timers/promises';
import { Problem } from '../errors/problem.ts';
import type { Envelope, Row } from '../operations/envelope.ts';
import { observations } from '../operations/index.ts';
import type { Operation } from '../operations/operation.ts';
import type { Client } from './client.ts';

/** The texts of a request's parameters. */
export type Given = readonly (readonly [name: string, text: string])[];

/** How much of a listing is wanted: so many rows in the contract's order, or all of it. */
export type Extent = { readonly limit?: number; readonly cursor?: string };

/** All of a listing, from its beginning. */
export const everything: Extent = {};

/** The most rows that a page of the contract holds. */
export const largestPage = 1000;

/**
 * The pages of one question, as many as its extent asks for; observations newest first, whatever the service's order.
 * Only the last page says `has_more`, and only when the limit cut the answer there.
 */
export async function* pagesOf(
  client: Client,
  operation: Operation,
  given: Given,
  extent: Extent,
  signal: AbortSignal,
): AsyncGenerator<Envelope, undefined> {
  const pages = (wanted: Extent) => pagesAsGiven(client, operation, given, wanted, signal);
  yield* operation === observations ? newestFirst(pages, extent) : pages(extent);
  return undefined;
}

async function* pagesAsGiven(
  client: Client,
  operation: Operation,
  given: Given,
  extent: Extent,
  signal: AbortSignal,
): AsyncGenerator<Envelope, undefined> {
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
      throw cursor === extent.cursor ? error : betweenPages(error);
    });
    left -= page.results.length;
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

type Pages = (wanted: Extent) => AsyncGenerator<Envelope, undefined>;

/** Pages of observations as they come, where that is newest first; else all rows in that order, cut at the limit. */
async function* newestFirst(pages: Pages, extent: Extent): AsyncGenerator<Envelope, undefined> {
  let before: string | undefined;
  for await (const page of pages(extent)) {
    // One row has no order: the next one tells it.
    const rows =
      extent.limit === 1 && page.has_more ? await rowsOf(pages({ ...extent, limit: 2 })) : page.results;
    const odd = rows.findIndex((row, i) => dateOf(row) >= dateOf(rows[i - 1], before));
    if (odd >= 0 && before === undefined) {
      const { limit: _, ...unlimited } = extent;
      yield sorted(page, await rowsOf(pages(unlimited)), extent);
      return undefined;
    }
    if (odd >= 0) throw outOfOrder(rows[odd]);
    before = dateOf(page.results.at(-1), before);
    yield page;
  }
  return undefined;
}

function sorted(page: Envelope, unsorted: readonly Row[], { limit = unsorted.length }: Extent): Envelope {
  const rows = [...unsorted].sort((a, b) => (dateOf(a) < dateOf(b) ? 1 : -1));
  const twice = rows.find((row, i) => dateOf(row) === dateOf(rows[i - 1]));
  if (twice !== undefined) throw outOfOrder(twice);
  const results = rows.slice(0, limit);
  // A cursor of the service goes on in its own order, from somewhere else.
  const { next_cursor: _, ...rest } = page;
  return { ...rest, results, results_count: results.length, has_more: results.length < rows.length };
}

async function rowsOf(pages: AsyncGenerator<Envelope>): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const page of pages) for (const row of page.results) rows.push(row);
  return rows;
}

/** The day of a row; where there is none, `otherwise`, or what comes after every day. */
function dateOf(row: Row | undefined, otherwise = '9'): string {
  return row === undefined ? otherwise : String(row.date).slice(0, 10);
}

function outOfOrder(row: Row | undefined): Problem {
  return new Problem(
    'bad-answer',
    `the service gives ${dateOf(row)} again, or out of order, on a later page`,
  );
}

/** A cursor that the service itself gave out is refused only when the data changed meanwhile. */
function betweenPages(error: unknown): unknown {
  if (!(error instanceof Problem) || error.kind !== 'validation-error' || error.field !== 'cursor')
    return error;
  return new Problem('bad-answer', 'the data changed while it was being read', {
    field: 'cursor',
    hints: ['try again when the import is done', 'with -o FILE asof can begin anew by itself'],
    cause: error,
  });
}

/** Whether a failure means that the data changed between two pages, so that the question must be asked anew. */
export function changedBetweenPages(error: unknown): boolean {
  return error instanceof Problem && error.kind === 'bad-answer' && error.field === 'cursor';
}
