import { Problem } from '../errors/problem.ts';
import { type Envelope, identityOf, type Row, type RowOrder } from '../operations/envelope.ts';
import type { Operation } from '../operations/operation.ts';
import type { Params, ParamTexts } from '../operations/param.ts';
import { defined } from '../platform/defined.ts';
import { pauseIfDue } from '../platform/promises.ts';
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
  /** True if the reader may stop after any page: no page then has more rows than `largestPage`. */
  readonly stopsEarly?: boolean;
};

/** The largest `limit` of a page. */
export const largestPage = 1000;

type Pages<R> = AsyncGenerator<Envelope<R>, undefined>;

/**
 * Reads the pages of a query up to the extent's limit, in the order of the operation.
 * `has_more` is true only on the last page, and only if the extent leaves out rows.
 */
export function pagesOf<R extends Row>(
  client: Client,
  operation: Operation<Params, R>,
  texts: ParamTexts,
  extent: Extent,
  signal: AbortSignal,
): Pages<R> {
  const listing = pagesInOrder(client, operation, texts, extent, signal);
  if (extent.first !== undefined) return lastRows(listing, extent.first, operation);
  return extent.limit === undefined ? listing : firstRows(listing, extent.limit, operation);
}

/** Passes on the first `count` units of a listing's limit; `has_more` then says whether there are more. */
export async function* firstRows<R extends Row>(
  pages: AsyncIterable<Envelope<R>>,
  count = Number.POSITIVE_INFINITY,
  operation: Pick<Operation, 'limitCounts'> = {},
): Pages<R> {
  let left = count;
  let last: Envelope<R> | undefined;
  for await (const page of pages) {
    if (last !== undefined && page.results.length > 0) {
      yield withoutCursor(last, last.results, true);
      return undefined;
    }
    const shown = cut(operation, page, left);
    left -= limitTaken(operation, shown.results);
    // Only a later page shows whether there are more rows.
    if (left > 0 || shown.has_more) yield shown;
    else last ??= shown;
    if (shown.has_more) return undefined;
  }
  if (last !== undefined) yield last;
  return undefined;
}

/** Returns the last `count` units of a listing's limit as one page; keeps only these and one page in memory. */
export async function* lastRows<R extends Row>(
  pages: AsyncIterable<Envelope<R>>,
  count: number,
  operation: Pick<Operation, 'limitCounts'> = {},
): Pages<R> {
  const units: R[][] = [];
  let latest: string | undefined;
  let isCut = false;
  let last: Envelope<R> | undefined;
  for await (const page of pages) {
    last = page;
    for (const row of page.results) {
      const unit = limitUnit(operation, row);
      if (unit !== undefined && unit === latest) units.at(-1)?.push(row);
      else units.push([row]);
      latest = unit;
    }
    isCut ||= units.length > count;
    units.splice(0, Math.max(0, units.length - count));
  }
  if (last !== undefined) yield withoutCursor(last, units.flat(), isCut);
  return undefined;
}

function withoutCursor<R>(
  { next_cursor: _, ...page }: Envelope<R>,
  results: readonly R[],
  has_more: boolean,
): Envelope<R> {
  return { ...page, results, results_count: results.length, has_more };
}

/** Cuts the rows over the limit, which another service may ignore. */
function cut<R extends Row>(operation: OrderedListing, page: Envelope<R>, limit: number): Envelope<R> {
  if (limitTaken(operation, page.results) <= limit) return page;
  const over = page.results.findIndex((_, i) => limitTaken(operation, page.results.slice(0, i + 1)) > limit);
  // A service's cursor continues after all rows of the page.
  return withoutCursor(page, page.results.slice(0, over), true);
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

/**
 * Yields the pages in order; of a service, sorts a listing of one page, and throws a Problem if a row of others comes
 * twice. A store has no other order.
 */
async function* pagesInOrder<R extends Row>(
  client: Client,
  operation: Operation<Params, R>,
  texts: ParamTexts,
  extent: Extent,
  signal: AbortSignal,
): Pages<R> {
  const other = (['limit', 'cursor'] as const).find((name) => extent[name] !== undefined);
  if (extent.first !== undefined && other !== undefined)
    throw new Problem('bad-input', `use either 'first' or '${other}'`, { field: 'first' });
  let left = extent.limit ?? Number.POSITIVE_INFINITY;
  let cursor = extent.cursor;
  let before: readonly R[] = [];
  const cursors = new Set([cursor]);
  const isService = client.offers !== undefined;
  for (;;) {
    await pauseIfDue(signal);
    const question = questionFor(operation, texts, { limit: left, ...defined({ cursor }) });
    const rows = extent.stopsEarly === true ? undefined : left;
    const page = await client.ask(operation, question, { rows }).catch((error) => {
      throw cursor === extent.cursor ? refusedCursor(error) : dataChangedBetweenPages(error);
    });
    const isWhole = cursor === undefined && !page.has_more;
    const results = isService && isWhole ? sorted(page.results, operation) : page.results;
    if (isService && !isWhole) checkOrder(operation, before, results);
    if (extent.limit !== undefined) left -= limitTaken(operation, results);
    if (!page.has_more || left <= 0) {
      yield { ...page, results };
      return undefined;
    }
    const { next_cursor: next, ...rest } = page;
    if (next === undefined || results.length === 0)
      throw new Problem(
        'bad-answer',
        `the service says that ${operation.object} has more rows, but gives no cursor for them`,
      );
    if (cursors.has(next)) throw new Problem('bad-answer', 'the service repeats a page of a listing');
    cursors.add(next);
    before = results;
    cursor = next;
    yield { ...rest, results, has_more: false };
  }
}

type OrderedListing = Pick<Operation, 'identity' | 'limitCounts' | 'order'>;

function sorted<R extends Row>(rows: readonly R[], { order = [] }: OrderedListing): readonly R[] {
  const isSorted = rows.every((row, i) => i === 0 || compareRows(order, rows[i - 1] ?? row, row) <= 0);
  return isSorted ? rows : [...rows].sort((a, b) => compareRows(order, a, b));
}

/** Throws a Problem if the rows of a page are not in order, or do not follow those of the page before. */
function checkOrder(operation: OrderedListing, before: readonly Row[], rows: readonly Row[]): void {
  const { order = [], identity = [] } = operation;
  const last = before.at(-1);
  const place = rows.findIndex((row, i) => {
    const previous = rows[i - 1] ?? last;
    return previous !== undefined && compareRows(order, previous, row) > 0;
  });
  // Where the identity has all fields of the order, only rows that are equal in order can be the same.
  const isInOrder = order.every(({ field }) => identity.includes(field));
  const isOther = (row: Row) => isInOrder && last !== undefined && compareRows(order, last, row) !== 0;
  const names = new Set(
    before.slice(before.findLastIndex(isOther) + 1).map((row) => identityOf(identity, row)),
  );
  const end = names.size === 0 ? 0 : rows.findIndex((row, i) => i === place || isOther(row));
  const again = rows.slice(0, end < 0 ? rows.length : end).find((row) => {
    const name = identityOf(identity, row);
    return name !== undefined && names.has(name);
  });
  const wrong = again ?? rows[place];
  if (wrong !== undefined) {
    const named = operation.identity ?? order.map(({ field }) => field);
    throw new Problem(
      'bad-answer',
      `the service gives ${identityOf(named, wrong) ?? 'a row'} again, or out of order`,
    );
  }
  const unit = last && limitUnit(operation, last);
  if (
    last !== undefined &&
    unit !== undefined &&
    rows[0] !== undefined &&
    unit === limitUnit(operation, rows[0])
  )
    throw new Problem(
      'bad-answer',
      `the service splits the rows of ${operation.limitCounts?.map((name) => last[name]).join(', ')} over two pages`,
    );
}

function refusedCursor(error: unknown): unknown {
  const isChange = error instanceof Problem && error.kind === 'data-changed';
  return isChange ? error.with({ kind: 'validation-error' }) : error;
}

function dataChangedBetweenPages(error: unknown): unknown {
  if (!(error instanceof Problem) || error.status !== 400 || error.field !== 'cursor') return error;
  return dataChanged().with({ cause: error });
}

/** Counts how much of a limit rows use: one each, or one for all rows with the same `limitCounts` fields. */
function limitTaken(operation: OrderedListing, rows: readonly Row[]): number {
  if (operation.limitCounts === undefined) return rows.length;
  return new Set(rows.map((row) => limitUnit(operation, row))).size;
}

/** Returns a text for what a limit counts: rows with the same text count as one; undefined if each row counts. */
function limitUnit({ limitCounts }: OrderedListing, row: Row): string | undefined {
  // No id and no day has a line end.
  return limitCounts?.map((name) => row[name]).join('\n');
}

/** Compares two rows by an order: negative if `a` comes first, 0 if the order does not decide. */
function compareRows(order: RowOrder, a: Row, b: Row): number {
  for (const { field, falling, rank } of order) {
    if (a[field] === b[field]) continue;
    const cell = String(a[field] ?? '');
    const other = String(b[field] ?? '');
    if (cell === other) continue;
    // A cell without a rank, which only another service has, is ordered by its text.
    const ranks = rank === undefined ? 0 : rank(cell) - rank(other);
    const compared = ranks || (cell < other ? -1 : 1);
    return falling === true ? -compared : compared;
  }
  return 0;
}
