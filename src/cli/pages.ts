import { setImmediate as turn } from 'node:timers/promises';
import type { Client } from '../client/client.ts';
import type { Envelope } from '../model/envelope.ts';
import type { Operation } from '../operations/operation.ts';
import { Problem } from '../problem.ts';

/** The texts of a request's parameters. */
export type Given = readonly (readonly [name: string, text: string])[];

/** How much of a listing is wanted: so many rows in the contract's order, or all of it. */
export type Extent = { readonly limit: number | undefined; readonly cursor: string | undefined };

/** All of a listing, from its beginning. */
export const everything: Extent = { limit: undefined, cursor: undefined };

/** The most rows that a page of the contract holds. */
export const largestPage = 1000;

/**
 * The pages of one question, as many as its extent asks for.
 * Only the last page says `has_more` with a cursor, and only when the limit cut the answer there.
 */
export async function* pagesOf(
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
