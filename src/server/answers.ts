// Why: docs/decisions/tables-over-http.md
import { LRUCache } from 'lru-cache';
import { restartOnChange } from '../client/client.ts';
import { utcDay } from '../domain/values/date.ts';
import { Problem } from '../errors/problem.ts';
import type { Operation } from '../operations/operation.ts';
import type { ParamTexts } from '../operations/param.ts';
import { clockAt } from '../operations/value.ts';
import { defined } from '../platform/defined.ts';
import { unlessAborted } from '../platform/promises.ts';
import { stateSubject } from '../service/service.ts';
import {
  type Asked,
  answerFormats,
  asValidationError,
  type Endpoint,
  readQuestion,
  requestReader,
} from './endpoints.ts';
import type { Admission, Gate } from './keys/gate.ts';
import { principalOf } from './keys/plans.ts';
import {
  type Answering,
  checkReads,
  type Exchange,
  type Log,
  namesTag,
  notModified,
  respond,
  tagOf,
  type WireReply,
  type WireRequest,
} from './respond.ts';
import type { Services } from './tables/service-lease.ts';
import { envelopeWriter } from './written-envelope.ts';

type AnswersOptions = {
  readonly services: Services;
  readonly gate: Pick<Gate, 'admit'>;
  readonly log: Log;
};

type AdmittedExchange = Exchange & { readonly admission: Admission };

/** Checks the key of a request, and counts it against the quotas of its plan. */
export async function admit(
  gate: Pick<Gate, 'admit'>,
  exchange: Exchange,
  isComputation = false,
): Promise<AdmittedExchange> {
  const key = exchange.request.header('x-api-key');
  const admission = await gate.admit(key, exchange.now.getTime(), isComputation);
  const admitted = Object.assign(exchange, { admission });
  if (admission.refusal !== undefined) throw admission.refusal;
  return admitted;
}

/**
 * Makes the answers of endpoints: JSON of an operation page by page, all else as one table from a thread.
 * Checks in the contract's order: key, quota, then everything else.
 */
export function endpointAnswers(options: AnswersOptions): (endpoint: Endpoint) => Answering {
  const { services, gate, log } = options;
  const cache = createResponseCache();
  return (endpoint) => {
    const write = envelopeWriter(endpoint.operation?.fields ?? []);
    const read = requestReader(endpoint);
    return async (exchange) => {
      const { request } = exchange;
      const asked = read(request);
      // An invalid request does not wait for a turn.
      const isPaged = asked instanceof Problem || asked.format === 'json';
      const operation = isPaged ? endpoint.operation : undefined;
      const admitted = await admit(gate, exchange, operation === undefined);
      try {
        checkReads(request);
        if (asked instanceof Problem) throw asked;
        if (operation === undefined) return await answerTable(endpoint, asked, admitted, { services, log });
        return await answerPage({ operation, texts: asked.texts, write }, admitted, { services, cache });
      } catch (error) {
        admitted.admission.turn?.leave();
        if (!(asked instanceof Problem) && asked.format === 'answer' && error instanceof Problem)
          exchange.explained = { kind: error.kind, hints: error.hints };
        throw operation === undefined ? tableProblem(error, request.path) : error;
      }
    };
  };
}

type PageQuestion = {
  readonly operation: Operation;
  readonly texts: ParamTexts;
  readonly write: ReturnType<typeof envelopeWriter>;
};

/** Answers a page of an operation, from the cache while the data, the day and the plan stay the same. */
async function answerPage(
  { operation, texts, write }: PageQuestion,
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
    const isShared = isRepeatable(operation, texts);
    const cached = isShared ? cache.get(keyIn(await lease.state(stateSubject(operation, texts)))) : undefined;
    if (isShared) exchange.isCached = cached !== undefined;
    if (cached !== undefined) return send(exchange, cached);

    const { tag, state, envelope } = await lease.service.reply(
      { operation, texts, principal: principalOf(plan), requestId, ...defined({ usage }) },
      known === undefined ? undefined : (tag) => namesTag(request, tag),
    );
    if (envelope === undefined) return notModified(exchange, cacheHeaders(tag));
    const [before, rows, after] = write(envelope);
    // The first request id in the text is the envelope's: only the name of the object comes before it.
    const at = before.indexOf(requestId);
    const parts = [before.slice(0, at), before.slice(at + requestId.length), rows, after] as const;
    const body = { tag, headers: cacheHeaders(tag), parts };
    if (isShared) cache.set(keyIn(state), body);
    return await send(exchange, body);
  } finally {
    lease.release();
  }
}

/** Tells whether an answer stays the same while the data, the day and the plan do. */
function isRepeatable(
  { aboutCaller, dependsOnNow }: Pick<Operation, 'aboutCaller' | 'dependsOnNow'>,
  texts: ParamTexts,
): boolean {
  return aboutCaller !== true && dependsOnNow?.(texts) !== true;
}

function send(exchange: Exchange, { tag, headers, parts }: CachedBody): ReturnType<Answering> {
  if (namesTag(exchange.request, tag)) return notModified(exchange, headers);
  const [before, between, rows, after] = parts;
  const body = [before + exchange.requestId + between, rows, after];
  return respond(exchange, { status: 200, type: 'application/json', body, headers });
}

/** Makes headers for caches: weak, as request ids differ, and private, as bodies differ by plan. */
function cacheHeaders(tag: string | undefined): Readonly<Record<string, string>> {
  return { ...(tag !== undefined && { ETag: `W/"${tag}"` }), 'Cache-Control': 'private, no-cache' };
}

type CachedBody = {
  readonly tag: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What is before the id of the request, between it and the rows, the rows, and what is after them. */
  readonly parts: readonly [before: string, between: string, rows: Buffer, after: string];
};

/** In bytes, for about 2000 pages of 100 rows. */
const capacity = 32 * 1024 * 1024;

type ResponseCache = ReturnType<typeof createResponseCache>;

/** Makes an empty cache, which refuses entries above a sixteenth of its bytes. */
export function createResponseCache() {
  return new LRUCache<string, CachedBody>({
    maxSize: capacity,
    maxEntrySize: capacity / 16,
    sizeCalculation: ({ parts }, key) => parts.reduce((sum, part) => sum + part.length, key.length),
  });
}

/** The bytes made before the first are sent: a failure until then is a problem document. */
const mostBuffered = 4 * 1024 * 1024;

const contentTypes = { ...answerFormats, csv: 'text/csv; charset=utf-8; header=present' };

/**
 * Answers a question with a whole table from one state of the data, in the bytes that the command writes.
 * Sends an answer over `mostBuffered` as it is made, if the exchange can cut the connection after a failure.
 * Waits for the exchange's turn, and stops as soon as the client leaves.
 */
async function answerTable(
  endpoint: Endpoint,
  asked: Asked,
  exchange: AdmittedExchange,
  { services, log }: Pick<AnswersOptions, 'log' | 'services'>,
): Promise<WireReply> {
  const { request, requestId, now, route, admission } = exchange;
  // Refused before the question takes a thread.
  readQuestion(endpoint, asked, clockAt(now));
  const lease = services.lease();
  const gone = request.signal();
  const stop = new AbortController();
  const end = (): void => {
    gone.removeEventListener('abort', end);
    stop.abort(new Error('the answer has ended'));
    admission.turn?.leave();
    lease.release();
  };
  const sent = async function* (buffered: readonly Uint8Array[], rest: AsyncIterable<Uint8Array>) {
    try {
      yield* buffered;
      yield* rest;
    } catch (err) {
      if (!gone.aborted)
        log.error({ request_id: requestId, route: route ?? null, err }, 'an answer was cut off');
      throw err;
    } finally {
      end();
    }
  };
  gone.addEventListener('abort', end);
  try {
    if (gone.aborted) end();
    if (admission.turn !== undefined) await unlessAborted(stop.signal, admission.turn.begun);
    const { headers, buffered, rest } = await restartOnChange(() =>
      beginTable(endpoint, asked, exchange, lease, stop.signal),
    );
    if (rest === undefined || request.method === 'HEAD') end();
    if (buffered === undefined) return notModified(exchange, headers);
    const body = rest === undefined ? buffered : sent(buffered, rest);
    return await respond(exchange, { status: 200, type: contentTypes[asked.format], headers, body });
  } catch (error) {
    end();
    throw error;
  }
}

type StartedTable = {
  readonly headers: Readonly<Record<string, string>>;
  readonly buffered?: readonly Uint8Array[];
  readonly rest?: AsyncGenerator<Uint8Array>;
};

/** Begins an answer; throws a `data-changed` Problem if the data change before the first bytes. */
async function beginTable(
  { name, operation }: Endpoint,
  { texts, format }: Asked,
  { request, requestId, now, admission }: AdmittedExchange,
  lease: ReturnType<Services['lease']>,
  signal: AbortSignal,
): Promise<StartedTable> {
  const { plan, usage } = admission;
  const state = await lease.state(operation && stateSubject(operation, texts));
  const named = JSON.stringify([state, plan, utcDay(now), format, request.path, request.query]);
  // Nothing names what may differ a second later.
  const tag = operation === undefined || isRepeatable(operation, texts) ? tagOf(named) : undefined;
  const headers = cacheHeaders(tag);
  if (tag !== undefined && namesTag(request, tag)) return { headers };
  const job = { name, texts, format, plan, requestId, now, state, ...defined({ usage }) };
  const chunks = lease.tables.answer(job, signal);
  const buffered: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await chunks.next();
    if (done === true) return { headers: { ...headers, ...linkTo(value, request) }, buffered };
    buffered.push(value);
    size += value.length;
    if (request.mayCut === true && size > mostBuffered) return { headers, buffered, rest: chunks };
  }
}

function linkTo(cursor: string | undefined, { query }: WireRequest): Readonly<Record<string, string>> {
  if (cursor === undefined) return {};
  const others = query.split('&').filter((pair) => pair !== '' && !/^cursor(=|$)/.test(pair));
  return { Link: `<?${[...others, `cursor=${cursor}`].join('&')}>; rel="next"` };
}

/** Makes the problem for an answer that failed before it was sent: a bad question is a bad parameter. */
function tableProblem(error: unknown, instance: string): unknown {
  if (!(error instanceof Problem)) return error;
  const { kind } = error;
  const problem = error.with({ instance });
  if (kind === 'data-changed')
    return problem.with({
      ...{ kind: 'service-unavailable', detail: 'the data change just now; try again', hints: [] },
      retryAfter: 1,
    });
  if (kind !== 'bad-input' && kind !== 'inexact' && kind !== 'too-old') return problem;
  return asValidationError(problem, error.field);
}
