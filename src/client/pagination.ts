import { setImmediate as nextTick } from 'node:timers/promises';
import { Problem } from '../errors/problem.ts';
import { compareRows, type Envelope, identityOf, type Row } from '../operations/envelope.ts';
import type { Operation } from '../operations/operation.ts';
import type { Params, ParamTexts } from '../operations/param.ts';
import { defined } from '../platform/defined.ts';
import { type Client, dataChanged } from './client.ts';

/**
 * The part of a listing to read. Default: all rows.
 * At most `limit` rows (of each series) from `cursor` on; or the last `first` rows, which are the oldest
 * of a listing that is newest first.
 */
export type Extent = {
  readonly limit?: number;
  readonly cursor?: string;
  readonly first?: number;
  /** Asks a store in this process for all rows on one page. */
  readonly whole?: boolean;
};

/** The largest `limit` of a page. */
export const largestPage = 1000;

type Pages<R> = AsyncGenerator<Envelope<R>, undefined>;

/**
 * Reads the pages of a query up to the extent's limit, in the order of the operation.
 * `has_more` is true only on the last page, and only if the limit cut the listing.
 */
export async function* pagesOf<R extends Row>(
  client: Client,
  operation: Operation<Params, R>,
  texts: ParamTexts,
  extent: Extent,
  signal: AbortSignal,
): Pages<R> {
  const pages = (part: Extent) => receivedPages(client, operation, texts, part, signal);
  const other = (['limit', 'cursor'] as const).find((name) => extent[name] !== undefined);
  if (extent.first !== undefined && other !== undefined)
    throw new Problem('bad-input', `use either 'first' or '${other}'`, { field: 'first' });
  const listing = inOrder(pages, extent, operation);
  const chosen = extent.first === undefined ? listing : lastRows(listing, extent.first, operation);
  let left = extent.limit ?? Number.POSITIVE_INFINITY;
  for await (const page of chosen) {
    yield cut(operation, page, left);
    left -= limitTaken(operation, page.results);
  }
  return undefined;
}

/** Returns the last `count` units of a listing's limit as one page; keeps only these and one page in memory. */
export async function* lastRows<R extends Row>(
  pages: AsyncIterable<Envelope<R>>,
  count: number,
  operation: Pick<Operation, 'limitCounts'> = {},
): AsyncGenerator<Envelope<R>, undefined> {
  const units: R[][] = [];
  let latest: string | undefined;
  let last: Envelope<R> | undefined;
  for await (const page of pages) {
    last = page;
    for (const row of page.results) {
      const unit = limitUnit(operation, row);
      if (unit !== undefined && unit === latest) units.at(-1)?.push(row);
      else units.push([row]);
      latest = unit;
    }
    units.splice(0, Math.max(0, units.length - count));
  }
  if (last === undefined) return undefined;
  const { next_cursor: _, ...page } = last;
  const results = units.flat();
  yield { ...page, results, results_count: results.length, has_more: false };
  return undefined;
}

/** Cuts the rows over the limit, which another service may ignore. */
function cut<R extends Row>(operation: Operation<Params, R>, page: Envelope<R>, limit: number): Envelope<R> {
  if (limitTaken(operation, page.results) <= limit) return page;
  const over = page.results.findIndex((_, i) => limitTaken(operation, page.results.slice(0, i + 1)) > limit);
  const results = page.results.slice(0, over);
  // A service's cursor continues after all rows of the page.
  const { next_cursor: _, ...rest } = page;
  return { ...rest, results, results_count: results.length, has_more: true };
}

/** Returns the first request for a part of a listing. */
export function questionFor<R extends Row>(
  operation: Operation<Params, R>,
  texts: ParamTexts,
  { limit = largestPage, cursor }: Extent,
): ParamTexts {
  const isListing = Object.hasOwn(operation.params, 'limit');
  return [
    ...texts,
    ...(isListing ? [['limit', String(Math.min(limit, largestPage))] as const] : []),
    ...(cursor === undefined ? [] : [['cursor', cursor] as const]),
  ];
}

async function* receivedPages<R extends Row>(
  client: Client,
  operation: Operation<Params, R>,
  texts: ParamTexts,
  extent: Extent,
  signal: AbortSignal,
): Pages<R> {
  let left = extent.limit ?? Number.POSITIVE_INFINITY;
  let cursor = extent.cursor;
  let before: readonly R[] = [];
  const cursors = new Set(cursor === undefined ? [] : [cursor]);
  for (;;) {
    // An embedded store answers without waiting, and Node delivers signals only between two ticks.
    await nextTick();
    signal.throwIfAborted();
    const question = questionFor(operation, texts, { limit: left, ...defined({ cursor }) });
    const page = await client.ask(operation, question, defined({ whole: extent.whole })).catch((error) => {
      throw cursor === extent.cursor ? refusedCursor(error) : dataChangedBetweenPages(error);
    });
    left -= limitTaken(operation, page.results);
    if (!page.has_more || left <= 0) {
      yield page;
      return undefined;
    }
    const { next_cursor: next, ...rest } = page;
    if (next === undefined || page.results.length === 0)
      throw new Problem(
        'bad-answer',
        `the service says that ${operation.object} has more rows, but gives no cursor for them`,
      );
    if (cursors.size === cursors.add(next).size || areSame(page.results, before))
      throw new Problem('bad-answer', 'the service repeats a page of a listing');
    before = page.results;
    cursor = next;
    yield { ...rest, has_more: false };
  }
}

function areSame(rows: readonly Row[], others: readonly Row[]): boolean {
  const same = (row: Row, i: number) => JSON.stringify(row) === JSON.stringify(others[i]);
  return rows.length === others.length && rows.every(same);
}

/** Yields the pages as received if in order, otherwise one sorted page; throws a Problem if a row comes twice. */
async function* inOrder<R extends Row>(
  pages: (part: Extent) => Pages<R>,
  extent: Extent,
  operation: Operation<Params, R>,
): Pages<R> {
  let before: readonly R[] = [];
  const received = pages(extent);
  for await (const page of received) {
    const { results } = page;
    const last = before.at(-1);
    if (last === undefined && firstMisplaced(operation, results) !== undefined) {
      const { limit, ...unlimited } = extent;
      const rows =
        limit === undefined ? [...results, ...(await rowsOf(received))] : await rowsOf(pages(unlimited));
      yield sorted(page, rows, operation);
      return undefined;
    }
    if (last !== undefined) {
      const wrong =
        firstMisplaced(operation, [last, ...results]) ?? firstRepeated(operation, [...before, ...results]);
      if (wrong !== undefined) throw outOfOrder(wrong, operation);
      const unit = limitUnit(operation, last);
      if (unit !== undefined && results[0] !== undefined && unit === limitUnit(operation, results[0]))
        throw new Problem(
          'bad-answer',
          `the service splits the rows of ${operation.limitCounts?.map((name) => last[name]).join(', ')} over two pages`,
        );
    }
    if (results.length > 0) before = results;
    yield page;
  }
  return undefined;
}

type OrderedListing = Pick<Operation, 'identity' | 'order'>;

/** Finds the first row that belongs before the row in front of it. */
function firstMisplaced<R extends Row>({ order = [] }: OrderedListing, rows: readonly R[]): R | undefined {
  return rows.find((row, i) => i > 0 && compareRows(order, rows[i - 1] ?? row, row) > 0);
}

function firstRepeated<R extends Row>({ identity = [] }: OrderedListing, rows: readonly R[]): R | undefined {
  const names = new Set<string>();
  return rows.find((row) => {
    const name = identityOf(identity, row);
    return name !== undefined && names.size === names.add(name).size;
  });
}

function sorted<R extends Row>(
  page: Envelope<R>,
  unsorted: readonly R[],
  operation: OrderedListing,
): Envelope<R> {
  const { order = [] } = operation;
  const results = [...unsorted].sort((a, b) => compareRows(order, a, b));
  const repeated = firstRepeated(operation, results);
  if (repeated !== undefined) throw outOfOrder(repeated, operation);
  // A service's cursor continues in the order of the service.
  const { next_cursor: _, ...rest } = page;
  return { ...rest, results, results_count: results.length, has_more: false };
}

async function rowsOf<R>(pages: Pages<R>): Promise<readonly R[]> {
  const rows: R[] = [];
  for await (const page of pages) for (const row of page.results) rows.push(row);
  return rows;
}

function outOfOrder(row: Row, { order = [], identity }: OrderedListing): Problem {
  const name = identityOf(identity ?? order.map(({ field }) => field), row) ?? 'a row';
  return new Problem('bad-answer', `the service gives ${name} again, or out of order, on a later page`);
}

/** Turns a data change into a bad value if the cursor is the caller's. */
function refusedCursor(error: unknown): unknown {
  const isChange = error instanceof Problem && error.kind === 'data-changed';
  return isChange ? error.with({ kind: 'validation-error' }) : error;
}

/** Turns the refusal of a service's own cursor into a data change. */
function dataChangedBetweenPages(error: unknown): unknown {
  if (!(error instanceof Problem) || error.status !== 400 || error.field !== 'cursor') return error;
  return dataChanged().with({ cause: error });
}

/** Counts how much of a limit rows use: one each, or one for all rows with the same `limitCounts` fields. */
function limitTaken(
  operation: Pick<Operation, 'limitCounts'>,
  rows: readonly { readonly [field: string]: unknown }[],
): number {
  if (operation.limitCounts === undefined) return rows.length;
  return new Set(rows.map((row) => limitUnit(operation, row))).size;
}

/** Returns a text for what a limit counts: rows with the same text count as one; undefined if each row counts. */
function limitUnit(
  { limitCounts }: Pick<Operation, 'limitCounts'>,
  row: { readonly [field: string]: unknown },
): string | undefined {
  return limitCounts && JSON.stringify(limitCounts.map((name) => row[name]));
}
