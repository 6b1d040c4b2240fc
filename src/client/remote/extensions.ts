import { Problem, refused } from '../../errors/problem.ts';
import { formatCursor, parseCursor } from '../../operations/cursor.ts';
import type { Envelope, Row } from '../../operations/envelope.ts';
import type { Operation, Substitute } from '../../operations/operation.ts';
import { compareRows, isStrict } from '../../operations/order.ts';
import { type Params, type ParamTexts, textOf, without } from '../../operations/param.ts';
import type { Clock } from '../../operations/value.ts';
import { largestPage } from '../pagination.ts';
import { readJson } from './answer.ts';
import type { HttpReply } from './exchange.ts';

/** Whether a service's OpenAPI description announces a query parameter of a path, and the value if one is given. */
export type Announces = (path: string, parameter: string, value?: string) => boolean;

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
  return (path, parameter, value) =>
    paths.some(
      ([template, item]) =>
        shape(template) === shape(path) &&
        [...listIn(item, 'parameters'), ...listIn(objectIn(item, 'get'), 'parameters')]
          .map((entry) => resolved(entry, description))
          .some((entry) => entry.in === 'query' && entry.name === parameter && mayBe(value, entry)),
    );
}

/** Whether a parameter may have a value: an older asof announces the parameter with fewer values. */
function mayBe(value: string | undefined, parameter: JsonObject): boolean {
  const choices = listIn(parameter.schema, 'enum');
  return value === undefined || choices.length === 0 || choices.includes(value);
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

/**
 * What to send a service for a query: the texts; and how to select the rows, if the service is asked for all of them.
 */
export type SendableQuery<R> = {
  readonly sent: ParamTexts;
  readonly selection?: Substitute<R>['selection'];
};

/**
 * What to send a service that does not announce these parameters: the other parameters, if the rows show whether they
 * answer the query, or another question with the same answer. A Problem if neither is possible.
 */
export function sendable<R extends Row>(
  operation: Operation<Params, R>,
  texts: ParamTexts,
  lacking: ReadonlySet<string>,
  { clock, service }: { readonly clock: Clock; readonly service: string },
): SendableQuery<R> {
  const { params, shown, substitute } = operation;
  const { params: changes = {}, selection } = substitute?.(texts, clock, lacking) ?? {};
  const sent = Object.entries(changes).reduce<ParamTexts>(
    (others, [name, text]) =>
      text === undefined ? without(others, name) : [...without(others, name), [name, text]],
    texts,
  );
  // A value that is the default need not be sent.
  const isDefault = (name: string, text: string) =>
    params[name]?.parse(text, name, clock) === params[name]?.fallback;
  const refused = sent.find(
    ([name, text]) => lacking.has(name) && !shown.has(name) && !isDefault(name, text),
  );
  if (refused !== undefined) throw lacksParameter(operation, refused[0], service);
  const announced = sent.filter(([name]) => !lacking.has(name));
  return {
    // The client may drop any number of rows of a page.
    sent: announced.length < sent.length && Object.hasOwn(params, 'limit') ? wholePage(announced) : announced,
    ...(selection !== undefined && { selection }),
  };
}

function wholePage(texts: ParamTexts): ParamTexts {
  return [...without(texts, 'limit'), ['limit', String(largestPage)]];
}

function lacksParameter({ path }: Operation<Params, unknown>, name: string, service: string): Problem {
  const detail =
    name === 'as_of'
      ? `the service at ${service} cannot answer as of a day: it does not announce 'as_of' for ${path}`
      : `the service at ${service} does not announce the parameter '${name}'`;
  return new Problem('bad-answer', detail, {
    missing: true,
    hints: ['it is an extension of asof; everything else works'],
  });
}

/** Requests one page of a listing. */
type AskPage<R> = (texts: ParamTexts) => Promise<Envelope<R>>;

/** All rows of a listing, in the envelope of its last page. */
export type Listed<R> = { readonly envelope: Omit<Envelope<R>, 'next_cursor'>; readonly rows: readonly R[] };

/** The page that `texts` ask for, which the client selects from the whole listing. */
export async function selectedPage<R extends Row>(
  { rows, envelope }: Listed<R>,
  { select, keyOf }: NonNullable<Substitute<R>['selection']>,
  { name, params }: Operation<Params, R>,
  texts: ParamTexts,
): Promise<Envelope<R>> {
  const cursor = textOf(texts, 'cursor');
  const after = cursor === undefined ? undefined : parseCursor(cursor, name, texts).key[0];
  const limit = Number(textOf(texts, 'limit') ?? params.limit?.fallback);
  const found = await select(rows);
  const begin = after === undefined ? 0 : found.findIndex((row) => keyOf(row) === after) + 1;
  if (after !== undefined && begin === 0) throw refused({ param: 'cursor', reason: 'its row is gone' });
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

/** The Problem of a service that repeats a page instead of giving the next one. */
export function samePageAgain(): Problem {
  return new Problem('bad-answer', 'the service repeats a page of a listing');
}

/** Whether a query asks for one row of a listing whose order its rows show; one row alone does not show the order. */
export function asksForOneNewest(operation: Operation<Params, unknown>, texts: ParamTexts): boolean {
  const { order = [], identity = [] } = operation;
  return isStrict(order, identity) && operation.limitCounts === undefined && textOf(texts, 'limit') === '1';
}

/** The newest row alone; both rows of a page of two if the second one is newer. */
export async function newestOnly<R extends Row>(
  { name, order = [] }: Operation<Params, R>,
  texts: ParamTexts,
  ask: AskPage<R>,
): Promise<Envelope<R>> {
  const two = [...without(texts, 'limit'), ['limit', '2']] as const;
  const page = await ask(two);
  const [first, second] = page.results;
  if (first === undefined || second === undefined) return page;
  if (compareRows(order, first, second) > 0) return page;
  const { next_cursor: cursor, ...rest } = page;
  // Without more rows, the cursor after the second row is not known; asof itself can make it.
  if (cursor === undefined && ownRequestId.test(page.request_id)) return ask(texts);
  const key = order.map(({ field }) => String(first[field]));
  const next = cursor === undefined ? undefined : cursorAfter(key, cursor, name, two);
  return {
    ...rest,
    results: [first],
    results_count: 1,
    has_more: true,
    ...(next !== undefined && { next_cursor: next }),
  };
}

const ownRequestId = /^req_[0-9a-f]{32}$/;

/** asof's own cursor after a row that comes before the row of a given cursor; undefined for another service. */
function cursorAfter(
  key: readonly string[],
  cursor: string,
  operation: string,
  texts: ParamTexts,
): string | undefined {
  try {
    return formatCursor({ ...parseCursor(cursor, operation, texts), key }, operation, texts);
  } catch {
    return undefined;
  }
}

/** All rows of a listing, in as few pages as the contract allows. */
export async function wholeListing<R extends Row>(ask: AskPage<R>): Promise<Listed<R>> {
  const rows: R[] = [];
  const seen = new Set<string>();
  let [cursor, before]: string[] = [];
  for (;;) {
    const page = await ask([
      ['limit', String(largestPage)],
      ...(cursor === undefined ? [] : [['cursor', cursor] as const]),
    ]);
    rows.push(...page.results);
    const { next_cursor, ...envelope } = page;
    if (!page.has_more || next_cursor === undefined) return { envelope, rows };
    const first = JSON.stringify(page.results[0]);
    if (seen.has(next_cursor) || first === before) throw samePageAgain();
    seen.add(next_cursor);
    before = first;
    cursor = next_cursor;
  }
}
