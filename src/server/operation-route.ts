import { LRUCache } from 'lru-cache';
import { type Query, readTexts } from '../answering/question.ts';
import { operations } from '../operations/index.ts';
import { type Operation, prepare } from '../operations/operation.ts';
import type { ParamTexts } from '../operations/param.ts';
import { type Clock, clockAt } from '../operations/value.ts';
import { envelopeToWire } from '../operations/wire.ts';
import { operationQuestion } from '../questions/operation-question.ts';
import { questionNamed } from '../questions/table.ts';
import { readQuery } from './answer-format.ts';
import type { Exchange, WireReply, WireRequest } from './exchange.ts';
import { type Plan, principalOf } from './keys/plans.ts';
import { pathTexts } from './request-target.ts';
import { checkNoBody, namesTag, notModified, respond } from './respond.ts';
import type { TableSource } from './tables.ts';

/** Answers the requests of one operation. */
export type OperationRoute = (exchange: Exchange, plan: Plan) => Promise<WireReply>;

/** Whether a request asks for a format without pages, which is computed as a table. */
function asksForTable({ query, header }: WireRequest): boolean {
  try {
    return readQuery(query, header('accept')).format !== 'json';
  } catch {
    return false;
  }
}

/** Returns the route of each operation by its path, and whether a request to it is a computation. */
export function operationRoutes(source: TableSource) {
  const cache = createResponseCache();
  return operations.map((operation) => ({
    path: operation.path,
    answer: operationRoute(operation, source, cache),
    isComputation: asksForTable,
  }));
}

/**
 * The route of an operation. A cached answer serves the same request as long as the data, the day and the plan stay
 * the same; an answer about the key of the request is not cached.
 */
function operationRoute(operation: Operation, source: TableSource, cache: ResponseCache): OperationRoute {
  const { services } = source;
  return async (exchange, plan) => {
    const { request, requestId, now, admission: { usage } = {} } = exchange;
    checkNoBody(request);
    const { path, query } = request;
    const { texts: asked, format } = readQuery(query, request.header('accept'));
    const texts = [...pathTexts(operation.path, path), ...asked];
    if (format !== 'json') {
      const clock = clockAt(now);
      prepare(operation, texts, clock);
      const { answerTable } = await import('./tables.ts');
      const about = { operation, texts };
      return answerTable(
        { query: tableQuery(operation, texts, clock), format, about },
        plan,
        exchange,
        source,
      );
    }
    const day = Math.floor(now.getTime() / 86_400_000);
    const keyIn = (state: string) => `${state} ${day} ${plan.name} ${path}?${query}`;
    const known = request.header('if-none-match');
    const lease = services.lease();
    try {
      const isShared = operation.aboutCaller !== true;
      const cached = isShared ? cache.get(keyIn(await lease.state({ operation, texts }))) : undefined;
      if (isShared) exchange.isCached = cached !== undefined;
      if (cached !== undefined) return send(exchange, cached, known);

      const principal = principalOf(plan);
      const { tag, state, envelope } = await lease.service.reply(
        {
          operation,
          texts,
          principal,
          requestId,
          ...(usage && { usage }),
        },
        known === undefined ? undefined : (tag) => namesTag(known, tag),
      );
      if (envelope === undefined) return notModified(exchange, cacheHeaders(tag));
      const body = bodyOf(tag, JSON.stringify(envelopeToWire(envelope, operation.fields)), requestId);
      if (isShared) cache.set(keyIn(state), body);
      return send(exchange, body, known);
    } finally {
      lease.release();
    }
  };
}

function send(
  exchange: Exchange,
  { tag, bytes, idAt }: CachedBody,
  known: string | undefined,
): Promise<WireReply> | WireReply {
  const headers = cacheHeaders(tag);
  if (namesTag(known, tag)) return notModified(exchange, headers);
  const body = Buffer.from(bytes);
  body.write(exchange.requestId, idAt, 'latin1');
  return respond(exchange, { status: 200, type: 'application/json', body, headers });
}

/** Weak, because bodies differ by their request id; private, because they differ by plan. */
function cacheHeaders(tag: string): Readonly<Record<string, string>> {
  return { ETag: `W/"${tag}"`, 'Cache-Control': 'private, no-cache' };
}

/** The bytes of an envelope. The first request id in them is its own: only the name of the object comes before it. */
function bodyOf(tag: string, text: string, requestId: string): CachedBody {
  return { tag, bytes: Buffer.from(text), idAt: text.indexOf(requestId) };
}

/** The query for all rows of an operation as one table, with the columns that its question adds. */
function tableQuery(operation: Operation, texts: ParamTexts, clock: Clock): Query {
  const question = questionNamed(operation.name) ?? operationQuestion(operation, []);
  return { question, values: readTexts(question, texts, clock) };
}

/** The body of an answer in bytes, which need no encoding when they are sent again. */
type CachedBody = {
  readonly tag: string;
  readonly bytes: Buffer;
  /** The position of the request id in the bytes. */
  readonly idAt: number;
};

/** The most recently used answers, by key. */
export type ResponseCache = LRUCache<string, CachedBody>;

/** The bytes of all entries: about 2000 pages of 100 rows. */
const capacity = 32 * 1024 * 1024;

/** An empty cache for this many bytes; it does not keep an entry of more than a sixteenth of them. */
export function createResponseCache(size = capacity): ResponseCache {
  return new LRUCache({
    maxSize: size,
    maxEntrySize: Math.floor(size / 16),
    sizeCalculation: ({ bytes }, key) => key.length + bytes.length,
  });
}
