import type { Client } from '../client/client.ts';
import type { Envelope } from '../model/envelope.ts';
import type { Operation } from '../operations/operation.ts';
import { Problem } from '../problem.ts';

/** The texts of a request's parameters. */
export type Given = readonly (readonly [name: string, text: string])[];

/** How much of a listing is wanted: so many rows in the contract's order, or all of it. */
export type Extent = { readonly limit: number | undefined; readonly cursor: string | undefined };

const largestPage = 1000;

/**
 * The pages of one question, as many as its extent asks for.
 * Only the last page says `has_more` with a cursor, and only when the limit cut the answer there.
 */
export async function* pagesOf(
  client: Client,
  operation: Operation,
  given: Given,
  extent: Extent,
): AsyncGenerator<Envelope> {
  const paged = Object.hasOwn(operation.params, 'limit');
  let left = extent.limit ?? Number.POSITIVE_INFINITY;
  let cursor = extent.cursor;
  for (;;) {
    const page = await client.ask(operation, [
      ...given,
      ...(paged ? [['limit', String(Math.min(left, largestPage))] as const] : []),
      ...(cursor === undefined ? [] : [['cursor', cursor] as const]),
    ]);
    left -= page.results.length;
    if (!page.has_more || left <= 0) {
      yield page;
      return;
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

/** Whether a failure means that the data changed between two pages, so that the question must be asked anew. */
export function changedBetweenPages(error: unknown): boolean {
  return error instanceof Problem && error.kind === 'validation-error' && error.field === 'cursor';
}
