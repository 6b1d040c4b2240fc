import { Problem } from '../errors/problem.ts';
import { operations } from '../operations/index.ts';
import {
  beginExchange,
  type Exchange,
  type Log,
  type Sending,
  type SentPart,
  type WireReply,
  type WireRequest,
} from './exchange.ts';
import type { Gate } from './keys/gate.ts';
import type { Plan } from './keys/plans.ts';
import { errorPages, pages, readiness } from './open-pages.ts';
import { openApi } from './openapi.ts';
import { type OperationRoute, operationRoutes } from './operation-route.ts';
import { endpoints, questionRoute } from './questions.ts';
import { longestTarget, Paths } from './request-target.ts';
import {
  checkMethod,
  checkNoBody,
  httpProblem,
  jsonAnswer,
  respond,
  respondProblem,
  unlessAnyKnown,
} from './respond.ts';
import type { Services } from './service-lease.ts';

/**
 * The address under which clients reach the service, without a slash at its end; if none is set, that of the Host
 * header of a request, or empty if it has no valid one.
 */
export type PublicUrl = (host?: string) => string;

/** Counts requests, and answers the page that shows the counts. */
export type RequestMetrics = {
  /** Counts a request that was answered with a status after some milliseconds. */
  readonly count: (exchange: Exchange, status: number, ms: number) => void;
  /** Answers `/metrics`; undefined if metrics have a separate port. */
  readonly page?: (exchange: Exchange) => Promise<WireReply>;
};

type HandlerOptions = {
  readonly services: Services;
  readonly gate: Pick<Gate, 'admit' | 'check'>;
  readonly log: Log;
  readonly publicUrl: PublicUrl;
  /** Shows the explorer at `/`, whose commands name this store, or the service. */
  readonly explorer?: { readonly store?: string };
  readonly stopping?: () => boolean;
  /** The origins whose pages may read the answers. */
  readonly corsOrigins?: readonly string[];
  readonly metrics?: RequestMetrics | undefined;
  readonly clock?: () => Date;
};

/**
 * Answers every request: with the contract's envelope, with a table, or with a problem document. Never throws. Sends
 * a long table while it is made, if the connection can be cut when the rest of it fails.
 */
export type Handler = (request: WireRequest, sending?: Sending) => Promise<WireReply>;

/** A handler over services and a gate, without a socket. */
export function createHandler(options: HandlerOptions): Handler {
  const routes = new Routes(options);
  return (request, sending) => routes.answer(request, sending);
}

type Answering = (exchange: Exchange) => Promise<WireReply>;

type RoutedPath = { readonly pattern: string; readonly answer: Answering };

class Routes {
  readonly #options: HandlerOptions;
  readonly #endpoints = new Paths<RoutedPath>();
  readonly #crossOrigin: CrossOrigin | undefined;

  constructor(options: HandlerOptions) {
    this.#options = options;
    const { corsOrigins = [] } = options;
    this.#crossOrigin = corsOrigins.length === 0 ? undefined : new CrossOrigin(corsOrigins);
    this.#addOpenRoutes();
    for (const { path, answer, isComputation } of operationRoutes(options))
      this.#addGated(path, answer, isComputation);
    for (const question of endpoints)
      this.#addGated(question.path, questionRoute(question, options), () => true);
  }

  /** Answers a request, and logs it when nothing more of the answer is sent. */
  async answer(request: WireRequest, sending?: Sending): Promise<WireReply> {
    const { clock = () => new Date() } = this.#options;
    const started = performance.now();
    const exchange = beginExchange(request, clock(), sending);
    const reply = unlessAnyKnown(request, await this.#reply(exchange));
    const ms = performance.now() - started;
    const { status } = reply;
    if (sending === undefined) this.#note(exchange, { status, ms, sent: 'all' });
    else sending.ended((sent) => this.#note(exchange, { status, ms, sent }));
    return reply;
  }

  /** Counts and logs an answer by what was sent of it; `ms` is the time up to its first byte. */
  #note(exchange: Exchange, { status, ms, sent }: { status: number; ms: number; sent: SentPart }): void {
    const { log, metrics } = this.#options;
    const shown = sent === 'nothing' ? clientGone : status;
    metrics?.count(exchange, shown, ms);
    log.info({
      request_id: exchange.requestId,
      method: exchange.request.method,
      route: exchange.route ?? null,
      status: shown,
      ms: Math.round(ms * 100) / 100,
      key: exchange.admission?.keyId ?? null,
      ...(sent === 'part' && { sent }),
    });
  }

  async #reply(exchange: Exchange): Promise<WireReply> {
    const { request } = exchange;
    if (this.#crossOrigin !== undefined) {
      exchange.crossOrigin = this.#crossOrigin.headersFor(request);
      const preflight = this.#crossOrigin.preflight(exchange);
      if (preflight !== undefined) return preflight;
    }
    try {
      if (request.path.length + request.query.length > longestTarget) throw tooLong();
      const endpoint = this.#endpoints.find(request.path);
      if (endpoint !== undefined) {
        exchange.route = endpoint.pattern;
        return await endpoint.answer(exchange);
      }
      if (/^\/v1(\/|$)/.test(request.path)) await this.#admit(exchange);
      throw noEndpoint();
    } catch (error) {
      return await this.#answerFailure(error, exchange);
    }
  }

  #addOpenRoutes(): void {
    const { services, gate, log, publicUrl, explorer, metrics, stopping = () => false } = this.#options;
    if (metrics?.page !== undefined) this.#addOpenRoute('/metrics', metrics.page);
    this.#addOpenRoute('/healthz', (exchange) => respond(exchange, jsonAnswer({ status: 'ok' })));
    this.#addOpenRoute('/readyz', (exchange) =>
      readiness(exchange, {
        checks: [
          ['store', () => services.use((service) => service.state())],
          ['access', () => gate.check()],
        ],
        stopping,
        followed: () => services.use((service) => service.followed()),
        errorsBase: () => this.#errorsBase(exchange),
        onFailure: (check, err) => log.error({ request_id: exchange.requestId, check, err }),
      }),
    );
    this.#addOpenRoute('/v1/openapi.json', (exchange) =>
      respond(exchange, jsonAnswer(openApi(operations, publicUrl() || '/'))),
    );
    for (const [path, answer] of pages(explorer)) this.#addOpenRoute(path, answer);
    this.#addOpenRoute('/errors/{suffix}', (exchange) => {
      const text = errorPages.get(exchange.request.path.slice('/errors/'.length));
      if (text === undefined) throw noEndpoint();
      return respond(exchange, { status: 200, type: 'text/plain; charset=utf-8', body: text });
    });
  }

  #addOpenRoute(pattern: string, answer: Answering): void {
    this.#add(pattern, (exchange) => {
      checkMethod(exchange.request);
      checkNoBody(exchange.request);
      return answer(exchange);
    });
  }

  /** Adds a route that needs a key. It checks in the contract's order: key, quota, then everything else. */
  #addGated(path: string, answer: OperationRoute, isComputation: (request: WireRequest) => boolean): void {
    this.#add(path, async (exchange) => {
      const plan = await this.#admit(exchange, isComputation(exchange.request));
      try {
        checkMethod(exchange.request);
        return await answer(exchange, plan);
      } catch (error) {
        exchange.admission?.turn?.leave();
        throw error;
      }
    });
  }

  #add(pattern: string, answer: Answering): void {
    this.#endpoints.add(pattern, { pattern, answer });
  }

  async #admit(exchange: Exchange, isComputation = false): Promise<Plan> {
    const { header } = exchange.request;
    const key = header('x-api-key');
    if (key === undefined && header('authorization') !== undefined)
      throw new Problem(
        'unauthorized',
        'missing X-API-Key header: send the key in it, the header Authorization is not read',
      );
    const admission = await this.#options.gate.admit(key, exchange.now.getTime(), isComputation);
    exchange.admission = admission;
    if (admission.refusal !== undefined) throw admission.refusal;
    return admission.plan;
  }

  async #answerFailure(error: unknown, exchange: Exchange): Promise<WireReply> {
    // Work that ended because its client left is no failure.
    if (exchange.request.signal.aborted) return { status: clientGone, headers: {} };
    const problem = httpProblem(error);
    if (problem.kind === 'internal-error' || problem.kind === 'service-unavailable') {
      const { requestId, route = null } = exchange;
      this.#options.log.error({ request_id: requestId, route, err: problem.cause }, problem.detail);
    }
    return respondProblem(exchange, problem, this.#errorsBase(exchange));
  }

  #errorsBase({ request }: Exchange): string {
    return `${this.#options.publicUrl(request.header('host'))}/errors`;
  }
}

/** The status in the log of a request whose client left before anything was sent; no client gets it. */
const clientGone = 499;

function noEndpoint(): Problem {
  return new Problem('not-found', 'no such endpoint; /v1/openapi.json describes every endpoint');
}

function tooLong(): Problem {
  return new Problem('uri-too-long', `the address of a request may have at most ${longestTarget} characters`);
}

/** The headers that a page of another origin may read, besides those that every page may read. */
const exposed =
  'ETag, Link, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id';

/** Seconds for which a browser need not repeat a preflight request. */
const maxAge = 7200;

/** Which origins' pages may read the answers of the service: those that the operator lists; `*` is every origin. */
class CrossOrigin {
  readonly #origins: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  /** The headers of an answer to a request, which say whether a page may read it. */
  headersFor(request: WireRequest): Readonly<Record<string, string>> {
    const allowed = this.#allowed(request);
    return {
      Vary: 'Accept, Accept-Encoding, Origin, X-API-Key',
      ...(allowed !== undefined && {
        'Access-Control-Allow-Origin': allowed,
        'Access-Control-Expose-Headers': exposed,
      }),
    };
  }

  /** The answer to a preflight request, which needs no key; undefined for any other request. */
  preflight({ request, requestId }: Exchange): WireReply | undefined {
    if (request.method !== 'OPTIONS' || request.header('access-control-request-method') === undefined)
      return undefined;
    if (this.#allowed(request) === undefined) return undefined;
    return {
      status: 204,
      headers: {
        ...this.headersFor(request),
        'Access-Control-Allow-Methods': 'GET, HEAD',
        'Access-Control-Allow-Headers': 'Accept, If-None-Match, X-API-Key',
        'Access-Control-Max-Age': String(maxAge),
        'X-Request-Id': requestId,
      },
    };
  }

  #allowed({ header }: WireRequest): string | undefined {
    const origin = header('origin');
    if (origin === undefined) return undefined;
    if (this.#origins.has('*')) return '*';
    return this.#origins.has(origin) ? origin : undefined;
  }
}
