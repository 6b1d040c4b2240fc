import { LRUCache } from 'lru-cache';
import type { Operation } from '../operations/operation.ts';
import type { ParamTexts } from '../operations/param.ts';
import { envelopeToWire } from '../operations/wire.ts';
import { defined } from '../platform/defined.ts';
import { seriesOf } from '../service/service.ts';
import type { AdmittedExchange, Exchange, WireReply } from './exchange.ts';
import { principalOf } from './keys/plans.ts';
import { cacheHeaders, namesTag, notModified, respond } from './respond.ts';
import type { Services } from './service-lease.ts';

/**
 * Answers a page of an operation. A cached answer serves the same request as long as the data, the day and the plan
 * stay the same; an answer about the key of the request is not cached.
 */
export async function answerPage(
  { operation, texts }: { readonly operation: Operation; readonly texts: ParamTexts },
  exchange: AdmittedExchange,
  { services, cache }: { readonly services: Services; readonly cache: ResponseCache },
): Promise<WireReply> {
  const { request, requestId, now, admission } = exchange;
  const { plan, usage } = admission;
  const { path, query } = request;
  const day = Math.floor(now.getTime() / 86_400_000);
  const keyIn = (state: string) => `${state} ${day} ${plan.name} ${path}?${query}`;
  const known = request.header('if-none-match');
  const lease = services.lease();
  try {
    const isShared = operation.aboutCaller !== true;
    const cached = isShared ? cache.get(keyIn(await lease.state(seriesOf(operation, texts)))) : undefined;
    if (isShared) exchange.isCached = cached !== undefined;
    if (cached !== undefined) return send(exchange, cached);

    const { tag, state, envelope } = await lease.service.reply(
      { operation, texts, principal: principalOf(plan), requestId, ...defined({ usage }) },
      known === undefined ? undefined : (tag) => namesTag(request, tag),
    );
    if (envelope === undefined) return notModified(exchange, cacheHeaders(tag));
    const text = JSON.stringify(envelopeToWire(envelope, operation.fields));
    // The first request id in the text is that of the envelope: only the name of the object comes before it.
    const body = { tag, bytes: Buffer.from(text), idAt: text.indexOf(requestId) };
    if (isShared) cache.set(keyIn(state), body);
    return send(exchange, body);
  } finally {
    lease.release();
  }
}

async function send(exchange: Exchange, { tag, bytes, idAt }: CachedBody): Promise<WireReply> {
  const headers = cacheHeaders(tag);
  if (namesTag(exchange.request, tag)) return notModified(exchange, headers);
  const body = Buffer.from(bytes);
  body.write(exchange.requestId, idAt, 'latin1');
  return respond(exchange, { status: 200, type: 'application/json', body, headers });
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
