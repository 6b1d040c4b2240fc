import { setImmediate as nextTick } from 'node:timers/promises';
import { Problem } from '../errors/problem.ts';
import { compareRows, type Envelope, identityOf, type Row } from '../operations/envelope.ts';
import type { Operation } from '../operations/operation.ts';
import type { Params, ParamTexts } from '../operations/param.ts';
import { defined } from '../platform/defined.ts';
import { type Client, dataChanged } from './client.ts';

/**
 * The part of a listing to read: at most `limit` rows (of each series), beginning at `cursor`; or its last rows, at
 * most `first` of them, which are the oldest of a listing that is newest first. Without any of these, all rows.
 */
export type Extent = {
  readonly limit?: number;
  readonly cursor?: string;
  readonly first?: number;
  /** Asks a store in this process for all rows on one page. */
  readonly whole?: boolean;
};

/** The largest limit of a page. */
export const largestPage = 1000;

type Pages<R> = AsyncGenerator<Envelope<R>, undefined>;

/**
 * The pages of a query up to the limit of the extent, in the order that the operation declares. `has_more` is true
 * only on the last page, and only if the limit cut the listing.
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

/** The last rows of a listing as one page: `count` of what its limit counts. Keeps only these and one page. */
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

/** The page without rows over the limit: another service may ignore a limit. */
function cut<R extends Row>(operation: Operation<Params, R>, page: Envelope<R>, limit: number): Envelope<R> {
  if (limitTaken(operation, page.results) <= limit) return page;
  const over = page.results.findIndex((_, i) => limitTaken(operation, page.results.slice(0, i + 1)) > limit);
  const results = page.results.slice(0, over);
  // A cursor of the service continues after all rows of the page.
  const { next_cursor: _, ...rest } = page;
  return { ...rest, results, results_count: results.length, has_more: true };
}

/** The first question that reads a part of a listing. */
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
    // An embedded store answers without waiting, so Node delivers signals only between two ticks.
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

/** The pages as received if in order, otherwise one page of all rows, sorted; a Problem if a row comes twice. */
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

type Ordered = Pick<Operation, 'identity' | 'order'>;

/** The first row that should come before the row that it follows. */
function firstMisplaced<R extends Row>({ order = [] }: Ordered, rows: readonly R[]): R | undefined {
  return rows.find((row, i) => i > 0 && compareRows(order, rows[i - 1] ?? row, row) > 0);
}

/** The first row with the name of an earlier one. */
function firstRepeated<R extends Row>({ identity = [] }: Ordered, rows: readonly R[]): R | undefined {
  const names = new Set<string>();
  return rows.find((row) => {
    const name = identityOf(identity, row);
    return name !== undefined && names.size === names.add(name).size;
  });
}

function sorted<R extends Row>(page: Envelope<R>, unsorted: readonly R[], operation: Ordered): Envelope<R> {
  const { order = [] } = operation;
  const results = [...unsorted].sort((a, b) => compareRows(order, a, b));
  const repeated = firstRepeated(operation, results);
  if (repeated !== undefined) throw outOfOrder(repeated, operation);
  // A cursor of the service continues in the order of the service.
  const { next_cursor: _, ...rest } = page;
  return { ...rest, results, results_count: results.length, has_more: false };
}

async function rowsOf<R>(pages: Pages<R>): Promise<readonly R[]> {
  const rows: R[] = [];
  for await (const page of pages) for (const row of page.results) rows.push(row);
  return rows;
}

function outOfOrder(row: Row, { order = [], identity }: Ordered): Problem {
  const name = identityOf(identity ?? order.map(({ field }) => field), row) ?? 'a row';
  return new Problem('bad-answer', `the service gives ${name} again, or out of order, on a later page`);
}

/** The failure of a cursor that the caller gave: it is a bad value, even if the data changed since. */
function refusedCursor(error: unknown): unknown {
  const isChange = error instanceof Problem && error.kind === 'data-changed';
  return isChange ? error.with({ kind: 'validation-error' }) : error;
}

/** A service refuses a cursor that it gave only if the data changed meanwhile. */
function dataChangedBetweenPages(error: unknown): unknown {
  if (!(error instanceof Problem) || error.status !== 400 || error.field !== 'cursor') return error;
  return dataChanged().with({ cause: error });
}

/** How much of a limit these rows use up: one each, or one for all rows with the same `limitCounts` fields. */
function limitTaken(
  operation: Pick<Operation, 'limitCounts'>,
  rows: readonly { readonly [field: string]: unknown }[],
): number {
  if (operation.limitCounts === undefined) return rows.length;
  return new Set(rows.map((row) => limitUnit(operation, row))).size;
}

/** What a limit counts of a row, as a text: rows with the same text count as one; undefined if each counts. */
function limitUnit(
  { limitCounts }: Pick<Operation, 'limitCounts'>,
  row: { readonly [field: string]: unknown },
): string | undefined {
  return limitCounts && JSON.stringify(limitCounts.map((name) => row[name]));
}
