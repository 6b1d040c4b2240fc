import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Extent, lastRows, pagesOf } from '../../../src/client/pagination.ts';
import { Problem } from '../../../src/errors/problem.ts';
import type { Envelope, Row } from '../../../src/operations/envelope.ts';
import { insiderClusterExplanations } from '../../../src/operations/insiders/clusters.ts';
import { observations } from '../../../src/operations/series/observations.ts';
import { answerWith, madeUpClient } from '../../support/clients.ts';

/** A listing in pages of any sizes; every page but the last says where the next begins. */
async function* inPages(pages: readonly (readonly Row[])[]): AsyncGenerator<Envelope> {
  for (const [i, rows] of pages.entries()) {
    const isLast = i === pages.length - 1;
    yield {
      ...answerWith(insiderClusterExplanations, rows),
      has_more: !isLast,
      ...(!isLast && { next_cursor: `c${i}` }),
    };
  }
}

async function all(pages: AsyncIterable<Envelope>): Promise<readonly Envelope[]> {
  const found: Envelope[] = [];
  for await (const page of pages) found.push(page);
  return found;
}

const count = fc.integer({ min: 1, max: 12 });

describe('the last rows of a listing', () => {
  it('are its last rows in its order, in one page that ends it, however the service pages', async () => {
    const listing = fc.array(fc.array(fc.record({ n: fc.integer() }), { maxLength: 5 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(listing, count, async (pages, n) => {
        const [page, ...more] = await all(lastRows(inPages(pages), n));
        expect(more).toEqual([]);
        expect(page?.results).toEqual(pages.flat().slice(-n));
        expect([page?.has_more, page?.next_cursor]).toEqual([false, undefined]);
        expect(page?.results_count).toBe(page?.results.length);
      }),
    );
  });

  it('are all rows of the last clusters where the limit counts clusters', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 5 }), count, async (trades, perPage, n) => {
        const clusters = trades.map((size, i) =>
          Array.from({ length: size }, (_, row) => ({
            issuer_cik: '7',
            date_first: `2020-01-${10 + i}`,
            row,
          })),
        );
        const rows = clusters.flat();
        const pages = Array.from({ length: Math.ceil(rows.length / perPage) }, (_, i) =>
          rows.slice(i * perPage, (i + 1) * perPage),
        );
        const [page] = await all(lastRows(inPages(pages), n, insiderClusterExplanations));
        expect(page?.results).toEqual(clusters.slice(-n).flat());
      }),
    );
  });
});

describe('the oldest rows cannot be asked for', () => {
  it.each<readonly [string, Extent, string]>([
    ['with a limit', { first: 3, limit: 3 }, "use either 'first' or 'limit'"],
    ['after a cursor', { first: 3, cursor: 'abc' }, "use either 'first' or 'cursor'"],
  ])('%s', async (_, extent, detail) => {
    const client = madeUpClient(async () => {
      throw new Error('the client was asked');
    });
    const signal = new AbortController().signal;
    const outcome = await all(pagesOf(client, observations, [['id', 'GDP']], extent, signal)).catch(
      (error: unknown) => error,
    );
    expect(outcome).toBeInstanceOf(Problem);
    expect(outcome).toMatchObject({ detail });
  });
});
