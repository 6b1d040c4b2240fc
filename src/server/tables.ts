import { restartOnChange } from '../client/client.ts';
import { utcDay } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import { clockAt } from '../operations/value.ts';
import { defined } from '../platform/defined.ts';
import { unlessAborted } from '../platform/promises.ts';
import { seriesOf } from '../service/service.ts';
import { type AnswerFormat, answerFormats } from './answer-format.ts';
import { type Asked, asValidationError, type Endpoint, readQuestion } from './endpoints.ts';
import type { AdmittedExchange, Log, WireReply, WireRequest } from './exchange.ts';
import { cacheHeaders, namesTag, notModified, respond, tagOf, wantsBody } from './respond.ts';
import type { Lease, Services } from './service-lease.ts';

/**
 * The number of bytes of an answer that are made before the first is sent: a failure until then is a problem
 * document.
 */
const mostHeld = 4 * 1024 * 1024;

const contentTypes: Readonly<Record<AnswerFormat, string>> = {
  ...answerFormats,
  csv: 'text/csv; charset=utf-8; header=present',
};

/**
 * Answers a question with a whole table, with the bytes that the command writes, from one state of the data. An
 * answer over `mostHeld` is sent while it is made, if the exchange can cut the connection, which it does if the rest
 * of the answer fails. The work waits for the turn of the exchange, and ends as soon as its client is gone.
 */
export async function answerTable(
  endpoint: Endpoint,
  asked: Asked,
  exchange: AdmittedExchange,
  { services, log }: { readonly services: Services; readonly log: Log },
): Promise<WireReply> {
  const { request, requestId, now, route, admission } = exchange;
  // Refused here, before the question takes a thread.
  readQuestion(endpoint, asked.texts, clockAt(now));
  const lease = services.lease();
  const stop = new AbortController();
  const end = (): void => {
    request.signal.removeEventListener('abort', leave);
    stop.abort();
    admission.turn?.leave();
    lease.release();
  };
  const leave = (): void => {
    stop.abort(new Error('the client is gone'));
    end();
  };
  const sent = async function* ({ held = [], rest }: BegunTable): AsyncGenerator<Uint8Array> {
    try {
      yield* held;
      if (rest !== undefined) yield* rest;
    } catch (err) {
      if (!request.signal.aborted)
        log.error({ request_id: requestId, route: route ?? null, err }, 'an answer was cut off');
      throw err;
    } finally {
      end();
    }
  };
  request.signal.addEventListener('abort', leave);
  try {
    if (request.signal.aborted) leave();
    if (admission.turn !== undefined) await unlessAborted(stop.signal, admission.turn.begun);
    const begun = await restartOnChange(() => beginTable(endpoint, asked, exchange, lease, stop.signal));
    const { headers, held, rest } = begun;
    if (rest === undefined) end();
    if (held === undefined) return notModified(exchange, headers);
    const answer = { status: 200, type: contentTypes[asked.format], headers };
    if (rest === undefined) return respond(exchange, { ...answer, body: Buffer.concat(held) });
    if (wantsBody(request)) return await respond(exchange, { ...answer, body: sent(begun) });
    await rest.return(undefined);
    end();
    return await respond(exchange, { ...answer, body: rest });
  } catch (error) {
    end();
    throw tableProblem(error, request.path);
  }
}

/** The first bytes of an answer and the rest that follows; no bytes if the client has the answer already. */
type BegunTable = {
  readonly headers: Readonly<Record<string, string>>;
  readonly held?: readonly Uint8Array[];
  readonly rest?: AsyncGenerator<Uint8Array>;
};

/** Begins an answer; a `data-changed` Problem if the data change before the first bytes. */
async function beginTable(
  { name, operation }: Endpoint,
  { texts, format }: Asked,
  { request, requestId, now, sending, admission }: AdmittedExchange,
  lease: Lease,
  signal: AbortSignal,
): Promise<BegunTable> {
  const { plan, usage } = admission;
  const state = await lease.state(operation && seriesOf(operation, texts));
  const tag = tagOf(JSON.stringify([state, plan, utcDay(now), format, request.path, request.query]));
  const headers = cacheHeaders(tag);
  if (namesTag(request, tag)) return { headers };
  const job = { name, texts, format, plan, requestId, now, state, ...defined({ usage }) };
  const chunks = lease.tables.answer(job, signal);
  const held: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await chunks.next();
    if (done === true) return { headers: { ...headers, ...linkTo(value, request) }, held };
    held.push(value);
    size += value.length;
    if (sending?.mayCut === true && size > mostHeld) return { headers, held, rest: chunks };
  }
}

/** A link to the page that a cursor continues with, relative to the address of the request. */
function linkTo(cursor: string | undefined, { query }: WireRequest): Readonly<Record<string, string>> {
  if (cursor === undefined) return {};
  const others = query.split('&').filter((pair) => pair !== '' && !/^cursor(=|$)/.test(pair));
  return { Link: `<?${[...others, `cursor=${cursor}`].join('&')}>; rel="next"` };
}

/** The parameter that the data do not meet. */
const demandOf = { inexact: 'exact', 'too-old': 'max_age', 'bad-input': undefined };

/** The problem of an answer that failed before anything was sent: a bad question is a bad parameter. */
function tableProblem(error: unknown, instance: string): unknown {
  if (!(error instanceof Problem)) return error;
  const { kind } = error;
  if (kind === 'data-changed')
    return new Problem('service-unavailable', 'the data change just now; try again', {
      retryAfter: 1,
      instance,
    });
  const problem = error.with({ instance });
  if (kind !== 'bad-input' && kind !== 'inexact' && kind !== 'too-old') return problem;
  return asValidationError(problem, error.field ?? demandOf[kind]);
}
