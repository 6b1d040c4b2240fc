import { Problem } from '../../errors/problem.ts';
import type { AnswerVintage, Envelope, Row, UnknownTicker } from '../../operations/envelope.ts';
import { fieldKinds } from '../../operations/field.ts';
import type { Operation } from '../../operations/operation.ts';
import { type Params, type ParamTexts, textOf } from '../../operations/param.ts';
import { headFromWire } from '../../operations/wire.ts';
import { isObject, type Members, rowReader, type SentQuery, shown } from './rows.ts';

/** A page of an answer, and what the client needs to judge it. */
export type ReceivedPage<R> = {
  readonly envelope: Envelope<R>;
  /** The first row as received, to recognise a page that comes a second time. */
  readonly first: string;
  /** What is wrong with the rows that were left out, and whether all of them have another default than that of asof. */
  readonly leftOut?: { readonly what: string; readonly ofOther: boolean };
};

/**
 * The page in `value`. Throws a Problem that names the place if it breaks the contract or does not match the query.
 * It must be as of the requested day, because a service that ignores `as_of` would show the future. Leaves out rows
 * that do not match a parameter that was not sent.
 */
export function readEnvelope<R extends Row>(
  value: unknown,
  query: SentQuery<R>,
  { url, requestId = '' }: { readonly url: string; readonly requestId?: string | undefined },
): ReceivedPage<R> {
  const refuse = (what: string): never => {
    throw new Problem('bad-answer', `${url} answered outside the contract: ${what}`);
  };
  const { operation, asked, sent } = query;
  if (!isObject(value)) return refuse('not a JSON object');
  const received = withDefaults(value, requestId);
  if (!isEnvelope(received, operation.object)) return refuse(wrongMember(received, operation.object) ?? '');
  const wrong =
    wrongPaging(received, operation) ?? wrongAsOf(received, operation, sent) ?? wrongSeries(received, asked);
  if (wrong !== undefined) return refuse(wrong);
  const read = rowReader(query);
  const rows: R[] = [];
  let leftOut: ReceivedPage<R>['leftOut'];
  for (const [index, result] of received.results.entries()) {
    const found = read(result);
    if ('row' in found) rows.push(found.row);
    else if (found.unsent === undefined) refuse(`results[${index}]${found.fault}`);
    else {
      const ofOther = found.unsent === 'default' && leftOut?.ofOther !== false;
      leftOut = { what: `results[${index}]${found.fault}`, ofOther };
    }
  }
  return {
    envelope: inOneForm(received, rows, textOf(asked, 'as_of')),
    first: JSON.stringify(received.results[0]) ?? '',
    ...(leftOut !== undefined && { leftOut }),
  };
}

/** Fills in what another service may leave out; an answer without a cursor is the last page. */
function withDefaults(value: Members, requestId: string): Members {
  const { object, request_id = requestId, status = 'ok', results, next_cursor, ...others } = value;
  const { results_count = Array.isArray(results) ? results.length : 0, ...rest } = others;
  const { has_more = isText(next_cursor) && next_cursor !== '', ...more } = rest;
  return { object, request_id, status, ...more, results, results_count, has_more, next_cursor };
}

/** The envelope in asof's form: days as `YYYY-MM-DD`, and a cursor only if there are more rows. */
function inOneForm<R>(
  received: Envelope<unknown>,
  results: readonly R[],
  asOf: string | undefined,
): Envelope<R> {
  const { object, request_id, status, next_cursor, ...rest } = headFromWire(ofOurMembers(received));
  return {
    object,
    request_id,
    status,
    // If the service was not sent the as-of date, the client applied it.
    ...(asOf !== undefined && { as_of: asOf }),
    ...rest,
    results,
    results_count: results.length,
    ...(rest.has_more && next_cursor !== undefined && { next_cursor }),
  };
}

/** The envelope without another service's members that have the names of our additions. */
function ofOurMembers<R>(received: Envelope<R>): Envelope<R> {
  const { vintage, covered_to, unknown_ticker, ...others } = received;
  const isOurs =
    (vintage === undefined || isVintage(vintage)) &&
    (covered_to === undefined || isDayOrNull(covered_to)) &&
    (unknown_ticker === undefined || isUnknownTicker(unknown_ticker));
  // Keep the received order, which is also that of a store's envelopes.
  if (isOurs) return received;
  return {
    ...others,
    ...(isVintage(vintage) && { vintage }),
    ...(isDayOrNull(covered_to) && { covered_to }),
    ...(isUnknownTicker(unknown_ticker) && { unknown_ticker }),
  };
}

function isUnknownTicker(value: unknown): value is UnknownTicker {
  return isObject(value) && isText(value.ticker) && (value.nearest === null || isText(value.nearest));
}

function isVintage(value: unknown): value is AnswerVintage {
  return isObject(value) && isText(value.vintage_kind) && isDayOrNull(value.as_of_date);
}

function isDayOrNull(value: unknown): value is string | null {
  return value === null || fieldKinds.day.isOnWire(value);
}

const isText = (value: unknown): value is string => typeof value === 'string';

const envelopeMembers: readonly (readonly [
  name: string,
  holds: (value: unknown) => boolean,
  type: string,
])[] = [
  ['request_id', isText, 'a text'],
  ['status', isText, 'a text'],
  ['results', Array.isArray, 'a list'],
  ['results_count', Number.isSafeInteger, 'a number'],
  ['has_more', (value) => typeof value === 'boolean', 'true or false'],
];

function isEnvelope(value: Members, object: string): value is Members & Envelope<unknown> {
  return wrongMember(value, object) === undefined;
}

function wrongMember(value: Members, object: string): string | undefined {
  if (value.object !== object) return `object is ${shown(value.object)}, not "${object}"`;
  for (const [name, holds, type] of envelopeMembers) {
    if (!holds(value[name])) return `${name} is ${shown(value[name])}, not ${type}`;
  }
  return undefined;
}

function wrongPaging(
  { results, results_count, has_more, next_cursor }: Envelope<unknown>,
  operation: Operation<Params, unknown>,
): string | undefined {
  const rows = results.length;
  if (results_count !== rows) return `results_count is ${results_count}, but there are ${rows} results`;
  if (!has_more) return undefined;
  if (!Object.hasOwn(operation.params, 'cursor')) return 'has_more is true, but this is not a listing';
  return isText(next_cursor) && next_cursor !== ''
    ? undefined
    : `has_more is true, but next_cursor is ${shown(next_cursor)}`;
}

/** What is wrong with the `as_of` of an answer: the contract has it if a day was requested, and only then. */
function wrongAsOf(
  { as_of: found }: Envelope<unknown>,
  { inContract }: Operation<Params, unknown>,
  sent: ParamTexts,
): string | undefined {
  const asOf = textOf(sent, 'as_of');
  if (asOf !== undefined && found !== asOf) return `as_of is ${shown(found)}, but ${asOf} was asked for`;
  return asOf === undefined && found !== undefined && inContract === true
    ? `as_of is ${shown(found)}, but none was asked for`
    : undefined;
}

function wrongSeries({ series }: Envelope<unknown>, asked: ParamTexts): string | undefined {
  const id = textOf(asked, 'id');
  if (id === undefined || !isObject(series) || series.id === id) return undefined;
  return `series.id is ${shown(series.id)}, but ${id} was asked for`;
}
