import { setImmediate as nextTick } from 'node:timers/promises';
import { Basis, type Demands } from '../analysis/basis.ts';
import type { Query } from '../analysis/query.ts';
import { run } from '../analysis/run.ts';
import { type Client, dataChanged, restartOnChange } from '../client/client.ts';
import { utcDay } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import type { Envelope, Row } from '../operations/envelope.ts';
import type { Operation } from '../operations/operation.ts';
import type { Params, ParamTexts } from '../operations/param.ts';
import { selectColumns } from '../render/columns.ts';
import { createRenderer } from '../render/formats.ts';
import { renderPages } from '../render/renderer.ts';
import type { Service } from '../service/service.ts';
import { type AnswerFormat, answerFormats } from './answer-format.ts';
import type { Exchange, Log } from './exchange.ts';
import { type Plan, principalOf } from './keys/plans.ts';
import { targetOf } from './malformed-request.ts';
import { namesTag, notModified, respond, respondStream, tagOf } from './respond.ts';
import type { Services } from './service-lease.ts';

/** A question whose answer is one table, without pages. */
export type TableQuestion = {
  readonly query: Query;
  readonly demands?: Demands;
  readonly format: AnswerFormat;
  /** The request for one series, if the answer is about only one. */
  readonly about?: Parameters<Service['state']>[0];
};

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
 * of the answer fails.
 */
export async function answerTable(
  question: TableQuestion,
  plan: Plan,
  exchange: Exchange,
  { services, log }: TableSource,
): Promise<Response> {
  const { request, cut } = exchange;
  const lease = services.lease();
  const stop = new AbortController();
  const end = (): void => {
    stop.abort();
    lease.release();
  };
  try {
    const table = new Table(question, plan, exchange, lease.service);
    const begun = await restartOnChange(() => table.begin(stop.signal, cut !== undefined));
    if (begun === undefined) {
      end();
      return notModified(exchange, table.headers);
    }
    const { held, rest } = begun;
    // HEAD gets only the headers.
    if (request.method === 'HEAD') await rest?.return(undefined);
    const type = contentTypes[question.format];
    const { headers } = table;
    if (rest === undefined || cut === undefined) {
      end();
      return respond(exchange, { status: 200, type, body: Buffer.concat(held), headers });
    }
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
  readonly #service: Service;
  #rowsLeft = 0;
  #tag = '';
  #nextCursor: string | undefined;

  constructor(question: TableQuestion, plan: Plan, exchange: Exchange, service: Service) {
    this.#question = question;
    this.#plan = plan;
    this.#exchange = exchange;
    this.#service = service;
  }

  /** The headers of the answer, complete when it has begun. */
  get headers(): Readonly<Record<string, string>> {
    const next =
      this.#nextCursor === undefined ? {} : { Link: `<${this.#pageAt(this.#nextCursor)}>; rel="next"` };
    return { ETag: `W/"${this.#tag}"`, 'Cache-Control': 'private, no-cache', ...next };
  }

  /** Makes the first bytes of the answer, or all of it; undefined if the client has it already. */
  async begin(signal: AbortSignal, mayStream: boolean): Promise<Begun | undefined> {
    const state = await this.#service.state(this.#question.about);
    this.#tag = this.#tagIn(state);
    this.#rowsLeft = this.#plan.maxRows;
    if (namesTag(this.#exchange.request.headers.get('if-none-match'), this.#tag)) return undefined;
    const chunks = this.#chunks(state, signal);
    const held: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      const { done, value } = await chunks.next();
      if (done === true) return { held };
      held.push(value);
      size += value.length;
      if (mayStream && size > mostHeld) return { held, rest: chunks };
      // Other requests are answered between two chunks.
      await nextTick();
    }
  }

  async *#chunks(state: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { query, demands = {}, format, about } = this.#question;
    const basis = new Basis(demands, utcDay(this.#exchange.now));
    const answer = await run(query, {
      client: basis.through(this.#client()),
      basis,
      signal,
      allow: (rows) => {
        if (rows > this.#plan.maxRows) throw this.#tooManyRows();
      },
    });
    const columns = selectColumns(answer.fields, answer.columns);
    const renderer = await createRenderer(format, { columns, header: true, colour: false });
    const service = this.#service;
    const setCursor = (cursor: string | undefined): void => {
      this.#nextCursor = cursor;
    };
    const whole = async function* (): AsyncGenerator<Envelope> {
      for await (const page of answer.pages) {
        setCursor(page.next_cursor);
        yield page;
      }
      if ((await service.state(about)) !== state) throw dataChanged();
    };
    for await (const chunk of renderPages(renderer, whole())) yield Buffer.from(chunk);
  }

  /**
   * A client with the rights of the key, for no more rows than its plan allows; each question counts as at least a
   * row.
   */
  #client(): Client {
    const { requestId, admission: { usage } = {} } = this.#exchange;
    const principal = principalOf(this.#plan);
    const ask = async <R extends Row>(
      operation: Operation<Params, R>,
      texts: ParamTexts,
    ): Promise<Envelope<R>> => {
      const request = { operation, texts, principal, requestId, ...(usage && { usage }) };
      const { envelope } = await this.#service.reply(request);
      if (envelope === undefined) throw new Error(`${operation.name} was not answered`);
      this.#rowsLeft -= Math.max(1, envelope.results.length);
      if (this.#rowsLeft < 0) throw this.#tooManyRows();
      return envelope;
    };
    return {
      ask,
      // The state of the data is watched over the whole answer.
      watch: async () => ({ changed: async () => false, requests: () => 0 }),
      origin: async () => ({ mode: 'embedded', where: '', sample: false }),
      close: async () => undefined,
    };
  }

  #tooManyRows(): Problem {
    const { maxRows } = this.#plan;
    const reason = `the answer takes more than ${maxRows} rows, the most of one request: ask for fewer series or dates`;
    return this.#service.refusal(reason, { plan: this.#plan.name });
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

/** The problem of an answer that failed before anything was sent: a bad question is a bad parameter. */
function tableProblem(error: unknown, instance: string): unknown {
  if (!(error instanceof Problem)) return error;
  const { kind } = error;
  if (kind === 'data-changed')
    return new Problem('service-unavailable', 'the data change just now; try again', {
      retryAfter: 1,
      instance,
    });
  const isOfQuestion = kind === 'bad-input' || kind === 'inexact' || kind === 'too-old';
  return error.with({ instance, ...(isOfQuestion && { kind: 'validation-error' }) });
}
