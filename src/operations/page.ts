import { createHash } from 'node:crypto';
import type { Day } from '../domain/series/date.ts';
import { Problem, refused } from '../errors/problem.ts';
import type { AnswerVintage, Coverage, Row, SeriesSummary, UnknownTicker } from './envelope.ts';
import type { ParamTexts } from './param.ts';

/** Where a listing continues: after the row with this key, in this version of the data. */
export type PagePosition = { readonly key: readonly string[]; readonly version?: number };

/** One page of rows, and where the next page begins, if there is one. */
export type Page<R = Row> = {
  readonly rows: readonly R[];
  readonly next?: PagePosition;
  readonly asOf?: Day;
  readonly series?: SeriesSummary;
  readonly coverage?: Coverage;
  readonly vintage?: AnswerVintage;
  readonly coveredTo?: Day | null;
  readonly unknownTicker?: UnknownTicker;
};

/** The most rows of a page whose limit counts what has several rows, such as dates. */
const mostRows = 1000;

/** How many of these a page holds, by the rows of each: all up to the most rows, but at least the first one. */
export function countInPage(sizes: readonly number[]): number {
  let rows = 0;
  const over = sizes.findIndex((size) => {
    rows += size;
    return rows > mostRows;
  });
  return over < 0 ? sizes.length : Math.max(1, over);
}

/** A page out of `limit + 1` rows: the additional row shows that more follow, and where the next page begins. */
export function pageOf<T, R>(
  found: readonly T[],
  limit: number,
  rowOf: (one: T) => R,
  positionOf: (last: T) => PagePosition,
): Pick<Page<R>, 'rows' | 'next'> {
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    rows: shown.map((one) => rowOf(one)),
    ...(found.length > limit && last !== undefined && { next: positionOf(last) }),
  };
}

/** The opaque cursor of a position in the answer to a query; it carries no as-of date, so it gives no access to one. */
export function formatCursor(position: PagePosition, operation: string, texts: ParamTexts): string {
  const { key, version } = position;
  const content = [hashOf(operation, texts, position), key, ...(version === undefined ? [] : [version])];
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

/** The position of a cursor; refuses a damaged cursor, and one of another query. */
export function parseCursor(cursor: string, operation: string, texts: ParamTexts): PagePosition {
  const content = decode(cursor);
  if (content === undefined) throw refused({ param: 'cursor', reason: 'not a cursor of this service' });
  const { hash, ...position } = content;
  if (hash !== hashOf(operation, texts, position))
    throw refused({ param: 'cursor', reason: 'it does not continue this query' });
  return position;
}

/** The contract's words for a cursor whose first page came from an older state of the data. */
export const changedSinceDetail = 'the data changed since the first page; start again';

/** The refusal of a cursor whose first page came from an older state of the data. */
export function changedSince(): Problem {
  return new Problem('data-changed', changedSinceDetail, { field: 'cursor' });
}

/** Refuses the position of a cursor whose first page came from another version of the data. */
export function checkVersion(position: PagePosition | undefined, version: number): void {
  if (position !== undefined && position.version !== version) throw changedSince();
}

function decode(cursor: string): (PagePosition & { readonly hash: string }) | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(cursor)) return undefined;
  const bytes = Buffer.from(cursor, 'base64url');
  // Decoding ignores some bits of the last character, so the text must be exactly what the bytes encode to.
  if (bytes.toString('base64url') !== cursor) return undefined;
  let content: unknown;
  try {
    content = JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
  if (!Array.isArray(content) || content.length < 2 || content.length > 3) return undefined;
  const [hash, key, version] = content as unknown[];
  if (typeof hash !== 'string' || !Array.isArray(key) || !key.every((part) => typeof part === 'string'))
    return undefined;
  if (version !== undefined && !Number.isSafeInteger(version)) return undefined;
  return { hash, key, ...(version !== undefined && { version: version as number }) };
}

/** A hash of the query and the position; it detects a cursor with a lost or changed character. */
function hashOf(operation: string, texts: ParamTexts, { key, version }: PagePosition): string {
  const query = texts
    .filter(([name]) => name !== 'limit' && name !== 'cursor')
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([operation, query, key, version]))
    .digest('base64url')
    .slice(0, 16);
}
