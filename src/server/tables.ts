import type { Demands } from '../answering/basis.ts';
import type { Query } from '../answering/question.ts';
import { restartOnChange } from '../client/client.ts';
import { utcDay } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import { snakeCase } from '../operations/param.ts';
import { unlessAborted } from '../platform/promises.ts';
import type { Service } from '../service/service.ts';
import { type AnswerFormat, answerFormats } from './answer-format.ts';
import type { Exchange, Log } from './exchange.ts';
import type { Plan } from './keys/plans.ts';
import { targetOf } from './request-target.ts';
import { namesTag, notModified, respond, respondStream, tagOf } from './respond.ts';
import type { OpenService, Services } from './service-lease.ts';
import type { QueryData } from './table-bytes.ts';

/** A question whose answer is one table, without pages. */
export type TableQuestion = {
  readonly query: Query;
  readonly demands?: Demands;
  readonly format: AnswerFormat;
  /** The request for one series, if the answer is about only one. */
  readonly about?: Parameters<Service['state']>[0];
};

/** Returns a query as plain data, which another thread can receive. */
function queryData(query: Query): QueryData {
  return { name: query.question.name, values: query.values };
}

/** What tables are answered from. */
export type TableSource = { readonly services: Services; readonly log: Log };

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
 * The whole answer to a question in a format, with the bytes that the command writes, from one state of the data. An
 * answer over `mostHeld` is sent while it is made, if the exchange can cut the connection, which it does if the rest
 * of the answer fails. The work waits for the turn of the exchange, and ends as soon as its client is gone.
 */
export async function answerTable(
  question: TableQuestion,
  plan: Plan,
  exchange: Exchange,
  { services, log }: TableSource,
): Promise<Response> {
  const { request, sending, admission: { turn } = {} } = exchange;
  const lease = services.lease();
  const stop = new AbortController();
  const leave = (): void => stop.abort(new Error('the client is gone'));
  request.signal.addEventListener('abort', leave);
  const end = (): void => {
    request.signal.removeEventListener('abort', leave);
    stop.abort();
    turn?.leave();
    lease.release();
  };
  try {
    if (request.signal.aborted) leave();
    if (turn !== undefined) await unlessAborted(stop.signal, turn.begun);
    const table = new Table(question, plan, exchange, lease);
    const begun = await restartOnChange(() => table.begin(stop.signal));
    if (begun === undefined) {
      end();
      return notModified(exchange, table.headers);
    }
    const { held, rest } = begun;
    // HEAD gets only the headers.
    if (request.method === 'HEAD') await rest?.return(undefined);
    const type = contentTypes[question.format];
    const { headers } = table;
    if (rest === undefined || sending?.cut === undefined) {
      end();
      return respond(exchange, { status: 200, type, body: Buffer.concat(held), headers });
    }
    const { cut } = sending;
    return respondStream(exchange, {
      type,
      headers,
      chunks: request.method === 'HEAD' ? rest : chained(held, rest),
      end,
      cut(error) {
        const { requestId, route = null } = exchange;
        log.error({ request_id: requestId, route, err: error }, 'an answer was cut off');
        cut();
      },
    });
  } catch (error) {
    end();
    throw tableProblem(error, targetOf(request.url).path);
  }
}

async function* chained(
  held: readonly Uint8Array[],
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* held;
  yield* rest;
}

/** The bytes made so far, and the rest if there is more. */
type Begun = { readonly held: readonly Uint8Array[]; readonly rest?: AsyncGenerator<Uint8Array> };

/** One answer, which may begin again if the data change before anything is sent. */
class Table {
  readonly #question: TableQuestion;
  readonly #plan: Plan;
  readonly #exchange: Exchange;
  readonly #source: Pick<OpenService, 'service' | 'tables'>;
  #tag = '';
  #nextCursor: string | undefined;

  constructor(
    question: TableQuestion,
    plan: Plan,
    exchange: Exchange,
    source: Pick<OpenService, 'service' | 'tables'>,
  ) {
    this.#question = question;
    this.#plan = plan;
    this.#exchange = exchange;
    this.#source = source;
  }

  /** The headers of the answer, complete when it has begun. */
  get headers(): Readonly<Record<string, string>> {
    const next =
      this.#nextCursor === undefined ? {} : { Link: `<${this.#pageAt(this.#nextCursor)}>; rel="next"` };
    return { ETag: `W/"${this.#tag}"`, 'Cache-Control': 'private, no-cache', ...next };
  }

  /** Makes the first bytes of the answer, or all of it; undefined if the client has it already. */
  async begin(signal: AbortSignal): Promise<Begun | undefined> {
    const { about } = this.#question;
    const { request, sending } = this.#exchange;
    const state = await this.#source.service.state(about);
    this.#tag = this.#tagIn(state);
    if (namesTag(request.headers.get('if-none-match'), this.#tag)) return undefined;
    const chunks = this.#chunks(state, signal);
    const held: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      const { done, value } = await chunks.next();
      if (done === true) {
        this.#nextCursor = value;
        return { held };
      }
      held.push(value);
      size += value.length;
      if (sending?.cut !== undefined && size > mostHeld) return { held, rest: chunks };
    }
  }

  #chunks(state: string, signal: AbortSignal): AsyncGenerator<Uint8Array, string | undefined> {
    const { query, demands, format, about } = this.#question;
    const { requestId, now, admission: { usage, keyId = '' } = {} } = this.#exchange;
    const job = {
      ...{ query: queryData(query), demands, format, plan: this.#plan, usage, requestId, now, state },
      about: about && { operation: about.operation.name, texts: about.texts },
    };
    return this.#source.tables.answer(job, keyId, signal);
  }

  #tagIn(state: string): string {
    const { request, now } = this.#exchange;
    const { path, query } = targetOf(request.url);
    const { format } = this.#question;
    return tagOf(JSON.stringify([state, this.#plan, utcDay(now), format, path, query]));
  }

  /** The address of the page that a cursor continues with, relative to that of the request. */
  #pageAt(cursor: string): string {
    const { query } = targetOf(this.#exchange.request.url);
    const others = query.split('&').filter((pair) => pair !== '' && !/^cursor(=|$)/.test(pair));
    return `?${[...others, `cursor=${cursor}`].join('&')}`;
  }
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
  if (kind !== 'bad-input' && kind !== 'inexact' && kind !== 'too-old') return error.with({ instance });
  const field = error.field ?? demandOf[kind];
  return error.with({
    instance,
    kind: 'validation-error',
    ...(field !== undefined && { field: snakeCase(field) }),
  });
}
