import type { Demands } from '../answering/basis.ts';
import type { Query } from '../answering/question.ts';
import { restartOnChange } from '../client/client.ts';
import { utcDay } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import { snakeCase } from '../operations/param.ts';
import { unlessAborted } from '../platform/promises.ts';
import type { Service } from '../service/service.ts';
import { type AnswerFormat, answerFormats } from './answer-format.ts';
import type { Exchange, Log, WireReply } from './exchange.ts';
import type { Plan } from './keys/plans.ts';
import { namesTag, notModified, respond, respondStream, tagOf, wantsBody } from './respond.ts';
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
): Promise<WireReply> {
  const { request, admission: { turn } = {} } = exchange;
  const lease = services.lease();
  const stop = new AbortController();
  const end = (): void => {
    request.signal.removeEventListener('abort', leave);
    stop.abort();
    turn?.leave();
    lease.release();
  };
  const leave = (): void => {
    stop.abort(new Error('the client is gone'));
    end();
  };
  request.signal.addEventListener('abort', leave);
  try {
    if (request.signal.aborted) leave();
    if (turn !== undefined) await unlessAborted(stop.signal, turn.begun);
    const table = new Table({ question, plan, exchange, source: lease });
    const begun = await restartOnChange(() => table.begin(stop.signal));
    if (begun === undefined) {
      end();
      return notModified(exchange, table.headers);
    }
    const { held, rest } = begun;
    const answer = { type: contentTypes[question.format], headers: table.headers };
    if (rest === undefined) {
      end();
      return respond(exchange, { status: 200, body: Buffer.concat(held), ...answer });
    }
    if (!wantsBody(request)) {
      await rest.return(undefined);
      end();
      return respondStream(exchange, { ...answer, chunks: rest });
    }
    const failed = (err: unknown): void => {
      if (request.signal.aborted) return;
      log.error(
        { request_id: exchange.requestId, route: exchange.route ?? null, err },
        'an answer was cut off',
      );
    };
    return respondStream(exchange, { ...answer, chunks: chained(held, rest, { failed, end }) });
  } catch (error) {
    end();
    throw tableProblem(error, request.path);
  }
}

async function* chained(
  held: readonly Uint8Array[],
  rest: AsyncGenerator<Uint8Array>,
  { failed, end }: { readonly failed: (error: unknown) => void; readonly end: () => void },
): AsyncGenerator<Uint8Array> {
  try {
    yield* held;
    yield* rest;
  } catch (error) {
    failed(error);
    throw error;
  } finally {
    end();
  }
}

type Begun = { readonly held: readonly Uint8Array[]; readonly rest?: AsyncGenerator<Uint8Array> };

type TableWork = {
  readonly question: TableQuestion;
  readonly plan: Plan;
  readonly exchange: Exchange;
  readonly source: Pick<OpenService, 'service' | 'tables'>;
};

/** One answer, which may begin again if the data change before anything is sent. */
class Table {
  readonly #work: TableWork;
  #tag = '';
  #nextCursor: string | undefined;

  constructor(work: TableWork) {
    this.#work = work;
  }

  /** The headers of the answer, complete when it has begun. */
  get headers(): Readonly<Record<string, string>> {
    const next =
      this.#nextCursor === undefined ? {} : { Link: `<${this.#pageAt(this.#nextCursor)}>; rel="next"` };
    return { ETag: `W/"${this.#tag}"`, 'Cache-Control': 'private, no-cache', ...next };
  }

  /** Makes the first bytes of the answer, or all of it; undefined if the client has it already. */
  async begin(signal: AbortSignal): Promise<Begun | undefined> {
    const { about } = this.#work.question;
    const { request, sending } = this.#work.exchange;
    const state = await this.#work.source.service.state(about);
    this.#tag = this.#tagIn(state);
    if (namesTag(request.header('if-none-match'), this.#tag)) return undefined;
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
      if (sending?.mayCut === true && size > mostHeld) return { held, rest: chunks };
    }
  }

  #chunks(state: string, signal: AbortSignal): AsyncGenerator<Uint8Array, string | undefined> {
    const { query, demands, format, about } = this.#work.question;
    const { requestId, now, admission: { usage, keyId = '' } = {} } = this.#work.exchange;
    const job = {
      ...{ query: queryData(query), demands, format, plan: this.#work.plan, usage, requestId, now, state },
      about: about && { operation: about.operation.name, texts: about.texts },
    };
    return this.#work.source.tables.answer(job, keyId, signal);
  }

  #tagIn(state: string): string {
    const { request, now } = this.#work.exchange;
    const { format } = this.#work.question;
    return tagOf(JSON.stringify([state, this.#work.plan, utcDay(now), format, request.path, request.query]));
  }

  /** The address of the page that a cursor continues with, relative to that of the request. */
  #pageAt(cursor: string): string {
    const others = this.#work.exchange.request.query
      .split('&')
      .filter((pair) => pair !== '' && !/^cursor(=|$)/.test(pair));
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
