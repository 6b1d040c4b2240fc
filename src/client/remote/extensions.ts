import { Problem } from '../../errors/problem.ts';
import { formatCursor, parseCursor } from '../../operations/cursor.ts';
import type { Envelope, Row } from '../../operations/envelope.ts';
import type { Operation, Substitute } from '../../operations/operation.ts';
import { type Params, type ParamTexts, textOf } from '../../operations/param.ts';
import { readJson } from './answer.ts';
import type { HttpReply } from './exchange.ts';

/** Whether a service announces a query parameter of a path in its OpenAPI description. */
export type Announces = (path: string, parameter: string) => boolean;

const announcesNothing: Announces = () => false;

/** What the reply to `/v1/openapi.json` announces; any other content announces nothing. */
export function announcedIn(reply: HttpReply): Announces {
  if (reply.status !== 200) return announcesNothing;
  let description: unknown;
  try {
    description = readJson(reply);
  } catch {
    return announcesNothing;
  }
  const paths = Object.entries(objectIn(description, 'paths'));
  return (path, parameter) =>
    paths.some(
      ([template, item]) =>
        shape(template) === shape(path) &&
        [...listIn(item, 'parameters'), ...listIn(objectIn(item, 'get'), 'parameters')]
          .map((entry) => resolved(entry, description))
          .some((entry) => entry.in === 'query' && entry.name === parameter),
    );
}

/** A path without the names of its parameters, which another service may choose differently. */
function shape(path: string): string {
  return path.replace(/\{[^}]*\}/g, '{}');
}

type JsonObject = Readonly<Record<string, unknown>>;

function objectIn(value: unknown, name: string): JsonObject {
  const found = fieldsOf(value)[name];
  return fieldsOf(found);
}

function listIn(value: unknown, name: string): readonly unknown[] {
  const found = fieldsOf(value)[name];
  return Array.isArray(found) ? found : [];
}

function fieldsOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}

/** A parameter; if the entry is a reference, the one in the description's components. */
function resolved(entry: unknown, description: unknown): JsonObject {
  const reference = fieldsOf(entry).$ref;
  const name =
    typeof reference === 'string' ? /^#\/components\/parameters\/(.+)$/.exec(reference)?.[1] : undefined;
  if (name === undefined) return fieldsOf(entry);
  return objectIn(objectIn(objectIn(description, 'components'), 'parameters'), name);
}

/** Requests one page of a listing. */
type AskPage<R> = (texts: ParamTexts) => Promise<Envelope<R>>;

/** All rows of a listing, in the envelope of its last page. */
export type Listed<R> = { readonly envelope: Omit<Envelope<R>, 'next_cursor'>; readonly rows: readonly R[] };

/** The page that `texts` ask for, which the client selects from the whole listing. */
export function selectedPage<R extends Row>(
  { rows, envelope }: Listed<R>,
  { select, keyOf }: Substitute<R>,
  { name, params }: Operation<Params, R>,
  texts: ParamTexts,
): Envelope<R> {
  const cursor = textOf(texts, 'cursor');
  const after = cursor === undefined ? undefined : parseCursor(cursor, name, texts).key[0];
  const limit = Number(textOf(texts, 'limit') ?? params.limit?.fallback);
  const found = select(rows);
  const begin = after === undefined ? 0 : found.findIndex((row) => keyOf(row) === after) + 1;
  if (after !== undefined && begin === 0)
    throw new Problem('validation-error', "invalid 'cursor': its row is gone", { field: 'cursor' });
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

/** All rows of a listing, in as few pages as the contract allows. */
export async function wholeListing<R extends Row>(ask: AskPage<R>): Promise<Listed<R>> {
  const rows: R[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (;;) {
    const page = await ask([
      ['limit', '1000'],
      ...(cursor === undefined ? [] : [['cursor', cursor] as const]),
    ]);
    rows.push(...page.results);
    const { next_cursor, ...envelope } = page;
    if (!page.has_more || next_cursor === undefined) return { envelope, rows };
    if (seen.has(next_cursor)) throw new Problem('bad-answer', 'the service repeats a page of a listing');
    seen.add(next_cursor);
    cursor = next_cursor;
  }
}
