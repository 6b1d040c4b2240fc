import { Problem } from '../errors/problem.ts';
import { Answers, isComputation } from './answers.ts';
import { endpoints, readRequest } from './endpoints.ts';
import {
  type AdmittedExchange,
  beginExchange,
  type Exchange,
  type Handler,
  type Sending,
  type WireReply,
  type WireRequest,
} from './exchange.ts';
import type { Gate } from './keys/gate.ts';
import type { Metrics } from './metrics.ts';
import { errorPages, pages, type ReadinessSource, readiness, type ShownPages } from './open-pages.ts';
import { openApi } from './openapi.ts';
import {
  checkMethod,
  checkNoBody,
  httpProblem,
  respond,
  respondJson,
  respondProblem,
  unlessAnyKnown,
} from './respond.ts';
import { longestTarget } from './server.ts';

/** What requests are answered from, and how. */
export type HandlerOptions = ReadinessSource &
  ShownPages & {
    readonly gate: Pick<Gate, 'admit' | 'check'>;
    /** The address under which clients reach the service. Default: that of the Host header of each request. */
    readonly publicUrl?: string;
    /** The origins whose pages may read the answers; `*` is every origin. */
    readonly corsOrigins?: readonly string[];
    readonly metrics?: Pick<Metrics, 'count' | 'page'> | undefined;
    readonly clock?: () => Date;
  };

type Answering = (exchange: Exchange) => Promise<WireReply>;

type Route = { readonly pattern: string; readonly answer: Answering };

/** Returns a handler over services and a gate, without a socket. */
export function createHandler(options: HandlerOptions): Handler {
  const { gate, log, metrics, publicUrl, corsOrigins = [], clock = () => new Date() } = options;
  const routes = new Paths<Route>();
  const add = (pattern: string, answer: Answering) => routes.add(pattern, { pattern, answer });
  for (const [pattern, answer] of openRoutes(options)) {
    add(pattern, async (exchange) => {
      checkMethod(exchange.request);
      checkNoBody(exchange.request);
      return answer(exchange);
    });
  }
  const answers = new Answers(options);
  for (const endpoint of endpoints) {
    // In the contract's order of checks: key, quota, then everything else.
    add(endpoint.path, async (exchange) => {
      const asked = readRequest(endpoint, exchange.request);
      const admitted = await admit(gate, exchange, isComputation(endpoint, asked));
      try {
        checkMethod(exchange.request);
        checkNoBody(exchange.request);
        if (asked instanceof Problem) throw asked;
        return await answers.answer(endpoint, asked, admitted);
      } catch (error) {
        admitted.admission.turn?.leave();
        throw error;
      }
    });
  }

  async function replyTo(exchange: Exchange): Promise<WireReply> {
    const { request } = exchange;
    if (corsOrigins.length > 0) {
      const allowed = allowedOrigin(corsOrigins, request);
      exchange.crossOrigin = crossOriginHeaders(allowed);
      if (allowed !== undefined && isPreflight(request)) return preflightReply(exchange);
    }
    try {
      if (request.path.length + request.query.length > longestTarget) throw tooLong();
      const route = routes.find(request.path);
      if (route !== undefined) {
        exchange.route = route.pattern;
        return await route.answer(exchange);
      }
      if (/^\/v1(\/|$)/.test(request.path)) await admit(gate, exchange);
      throw noEndpoint();
    } catch (error) {
      // Work that ended because its client left is no failure.
      if (request.signal.aborted) return { status: clientGone, headers: {} };
      const problem = httpProblem(error);
      if (problem.kind === 'internal-error' || problem.kind === 'service-unavailable') {
        const { requestId, route = null } = exchange;
        log.error({ request_id: requestId, route, err: problem.cause }, problem.detail);
      }
      return respondProblem(exchange, problem);
    }
  }

  /** Counts and logs an answer when nothing more of it is sent; `ms` is the time up to its first byte. */
  function note(exchange: Exchange, status: number, ms: number): void {
    const { request, requestId, route = null, admission, sending } = exchange;
    const ended: Parameters<Sending['ended']>[0] = (sent) => {
      const shown = sent === 'nothing' ? clientGone : status;
      metrics?.count(exchange, shown, ms);
      log.info({
        request_id: requestId,
        method: request.method,
        route,
        status: shown,
        ms: Math.round(ms * 100) / 100,
        key: admission?.keyId ?? null,
        ...(sent === 'part' && { sent }),
      });
    };
    if (sending === undefined) ended('all');
    else sending.ended(ended);
  }

  return async (request, sending) => {
    const started = performance.now();
    const errorsBase = `${publicUrl ?? urlOfHost(request.header('host'))}/errors`;
    const exchange = beginExchange({ request, sending, errorsBase, now: clock() });
    const reply = unlessAnyKnown(request, await replyTo(exchange));
    note(exchange, reply.status, performance.now() - started);
    return reply;
  };
}

/** What is answered without a key, by the patterns of its paths. */
function openRoutes(options: HandlerOptions): ReadonlyMap<string, Answering> {
  const { metrics, publicUrl = '/' } = options;
  return new Map<string, Answering>([
    ...(metrics?.page === undefined ? [] : [['/metrics', metrics.page] as const]),
    ['/healthz', (exchange) => respondJson(exchange, { status: 'ok' })],
    ['/readyz', (exchange) => readiness(exchange, options)],
    ['/v1/openapi.json', (exchange) => respondJson(exchange, openApi(endpoints, publicUrl))],
    ...pages(options),
    ['/errors/{suffix}', errorPage],
  ]);
}

async function errorPage(exchange: Exchange): Promise<WireReply> {
  const body = errorPages.get(exchange.request.path.slice('/errors/'.length));
  if (body === undefined) throw noEndpoint();
  return respond(exchange, { status: 200, type: 'text/plain; charset=utf-8', body });
}

/** Checks the key of a request, and counts it against the quotas of its plan. */
async function admit(
  gate: Pick<Gate, 'admit'>,
  exchange: Exchange,
  isComputation = false,
): Promise<AdmittedExchange> {
  const { header } = exchange.request;
  const key = header('x-api-key');
  if (key === undefined && header('authorization') !== undefined)
    throw new Problem(
      'unauthorized',
      'missing X-API-Key header: send the key in it, the header Authorization is not read',
    );
  const admission = await gate.admit(key, exchange.now.getTime(), isComputation);
  const admitted = Object.assign(exchange, { admission });
  if (admission.refusal !== undefined) throw admission.refusal;
  return admitted;
}

/** Finds what lies at a path: patterns have `{name}` where a path has any one segment. */
class Paths<T> {
  readonly #fixed = new Map<string, T>();
  readonly #open: { readonly form: RegExp; readonly found: T }[] = [];

  add(pattern: string, found: T): void {
    if (!pattern.includes('{')) this.#fixed.set(pattern, found);
    else this.#open.push({ form: new RegExp(`^${pattern.replace(/\{\w+\}/g, '[^/]+')}$`), found });
  }

  find(path: string): T | undefined {
    const shown = path.includes('%') ? path.replace(/(?:%[0-9a-f]{2})+/gi, shownBytes) : path;
    return this.#fixed.get(shown) ?? this.#open.find(({ form }) => form.test(shown))?.found;
  }
}

/** Decodes bytes of a path, but no slash. */
function shownBytes(encoded: string): string {
  try {
    return decodeURI(encoded);
  } catch {
    return encoded;
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

const hostForm = /^(\[[0-9a-f:.]+\]|[a-z0-9]([a-z0-9._-]{0,252}[a-z0-9])?)(:\d{1,5})?$/i;

/** The address by which a client reached the service, from its Host header; empty if that is not a valid one. */
function urlOfHost(host: string | undefined): string {
  return host !== undefined && hostForm.test(host) ? `http://${host}` : '';
}

const exposed =
  'ETag, Link, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id';

/** What `Access-Control-Allow-Origin` says to the page that sends a request; undefined if it may not read answers. */
function allowedOrigin(origins: readonly string[], { header }: WireRequest): string | undefined {
  const origin = header('origin');
  if (origin === undefined) return undefined;
  if (origins.includes('*')) return '*';
  return origins.includes(origin) ? origin : undefined;
}

function crossOriginHeaders(allowed: string | undefined): Readonly<Record<string, string>> {
  return {
    Vary: 'Accept, Accept-Encoding, Origin, X-API-Key',
    ...(allowed !== undefined && {
      'Access-Control-Allow-Origin': allowed,
      'Access-Control-Expose-Headers': exposed,
    }),
  };
}

function isPreflight({ method, header }: WireRequest): boolean {
  return method === 'OPTIONS' && header('access-control-request-method') !== undefined;
}

/** The answer to a preflight request, which needs no key; a browser need not repeat it for two hours. */
function preflightReply({ requestId, crossOrigin }: Exchange): WireReply {
  return {
    status: 204,
    headers: {
      ...crossOrigin,
      'Access-Control-Allow-Methods': 'GET, HEAD',
      'Access-Control-Allow-Headers': 'Accept, If-None-Match, X-API-Key',
      'Access-Control-Max-Age': '7200',
      'X-Request-Id': requestId,
    },
  };
}
